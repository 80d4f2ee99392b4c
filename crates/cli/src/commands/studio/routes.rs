//! Routes of the studio: its page, jobs and their progress, results and downloads.

use super::job::Job;
use super::network::{self, NetworkAsked};
use super::page::{self, PAGE};
use super::request::JobRequest;
use super::{Studio, gate, schedule, table, tdm, timed};
use crate::commands::deadlock::ROUTINGS;
use crate::report::studio::{Choices, FamilyChoice, JobNumber, Refusal};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use futures_util::stream::{self, Stream};
use pavane_model::collective;
use pavane_model::printable::printable;
use pavane_networks::topology;
use pavane_traffic::RoutingMethod;
use pavane_traffic::mission::Permutation;
use pavane_traffic::policy::POLICIES;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Maximum size of a request in bytes: a pasted network and some more.
const MOST_BYTES: usize = 2 << 20;

/// Interval between progress events.
const NEWS: Duration = Duration::from_millis(100);

type Shared = State<Arc<Studio>>;

/// All routes, behind the gate.
pub fn all(studio: Arc<Studio>) -> Router {
    let mut router = Router::new();
    for file in page::FILES {
        router = router.route(file.path, get(|| async { typed(file.kind, file.text) }));
    }
    router
        .route("/", get(|| async { typed("text/html; charset=utf-8", PAGE) }))
        .route("/api/choices", get(choices))
        .route("/api/network", post(network_file))
        .route("/api/network/size", post(network_size))
        .route("/api/network/picture", post(network_picture))
        .route("/api/network/fault", post(network_fault))
        .route("/api/jobs", post(add))
        .route("/api/jobs/{id}/events", get(events))
        .route("/api/jobs/{id}/cancel", post(cancel))
        .route("/api/jobs/{id}/stop", post(stop))
        .route("/api/jobs/{id}/data", get(data))
        .route("/api/jobs/{id}/download", get(download))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state(studio.clone(), gate::guard))
        .with_state(studio)
}

fn typed(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// An error response that the page shows.
pub fn refused(status: StatusCode, why: impl Into<String>) -> Response {
    (status, Json(Refusal { message: &printable(&why.into()) })).into_response()
}

/// The options that the page offers in its forms.
async fn choices() -> Json<Choices> {
    let families = topology::FAMILIES.iter().map(|family| FamilyChoice {
        example: family.example,
        usage: family.usage,
        about: family.description,
    });
    Json(Choices {
        networks: families.collect(),
        collectives: collective::names()
            .map(|(name, meaning)| (name, meaning, collective::todays_name(name)))
            .collect(),
        formats: schedule::formats(),
        slot_formats: tdm::formats(),
        timed_formats: timed::formats(),
        engines: engines(),
        routings: RoutingMethod::names().into_iter().map(described).collect(),
        policies: POLICIES.iter().map(|policy| (policy.name, policy.description)).collect(),
        permutations: Permutation::names().to_vec(),
        deadlock_routings: ROUTINGS.into_iter().map(described).collect(),
        tables: table::names(),
    })
}

/// All engines with their purposes; those that run only when named come last.
fn engines() -> Vec<(&'static str, &'static str)> {
    let catalogue = pavane_evolution::catalogue();
    let all = catalogue.usual.iter().chain(catalogue.named);
    all.map(|engine| (engine.name(), engine.describe().purpose)).collect()
}

/// A routing with its description.
fn described(name: &'static str) -> (&'static str, &'static str) {
    (name, RoutingMethod::description(name).unwrap_or_default())
}

/// The body of a request, or an error.
async fn body(studio: &Studio, request: Request) -> Result<Bytes, (StatusCode, String)> {
    let time = studio.timeouts.body;
    let read = tokio::time::timeout(time, Bytes::from_request(request, &())).await;
    let late = format!("the request took more than {} s to arrive; send it again", time.as_secs());
    let read = read.map_err(|_| (StatusCode::REQUEST_TIMEOUT, late))?;
    read.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let most = MOST_BYTES >> 20;
            let why = format!("the request exceeds {most} MiB, the limit of the studio; use `pavane solve FILE` instead");
            (StatusCode::PAYLOAD_TOO_LARGE, why)
        }
        status => (status, error.body_text()),
    })
}

/// The network of the form as a network file.
async fn network_file(State(studio): Shared, request: Request) -> Response {
    about_network(studio, request, network::file).await
}

/// The size of a network, which shows that the studio opens it.
async fn network_size(State(studio): Shared, request: Request) -> Response {
    about_network(studio, request, network::size).await
}

/// The picture of a network, which the page shows during its first search.
async fn network_picture(State(studio): Shared, request: Request) -> Response {
    about_network(studio, request, network::picture).await
}

/// The fault that a text denotes.
async fn network_fault(State(studio): Shared, request: Request) -> Response {
    about_network(studio, request, network::fault).await
}

async fn about_network<T: Serialize + Send + 'static>(
    studio: Arc<Studio>,
    request: Request,
    answer: impl FnOnce(&NetworkAsked) -> Result<T, String> + Send + 'static,
) -> Response {
    let body = match body(&studio, request).await {
        Ok(body) => body,
        Err((status, why)) => return refused(status, why),
    };
    let asked = match NetworkAsked::parse(&body) {
        Ok(asked) => asked,
        Err(error) => return refused(StatusCode::BAD_REQUEST, unreadable(&error)),
    };
    match draw(&studio, move || answer(&asked)).await {
        Ok(answer) => Json(answer).into_response(),
        Err(response) => *response,
    }
}

/// Why a request cannot be read. Its line and column would say nothing, because the page writes it.
fn unreadable(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let why = text.split_once(" at line ").map_or(&text[..], |(why, _)| why);
    format!("invalid request: {why}")
}

async fn add(State(studio): Shared, request: Request) -> Response {
    let body = match body(&studio, request).await {
        Ok(body) => body,
        Err((status, why)) => return refused(status, why),
    };
    let request = match JobRequest::parse(&body) {
        Ok(request) => request,
        Err(error) => return refused(StatusCode::BAD_REQUEST, unreadable(&error)),
    };
    match studio.queue.add(request) {
        Ok(job) => Json(JobNumber { job: job.id }).into_response(),
        Err(why) => refused(StatusCode::SERVICE_UNAVAILABLE, why),
    }
}

fn find(studio: &Studio, id: u64) -> Result<Arc<Job>, Box<Response>> {
    let gone =
        || Box::new(refused(StatusCode::NOT_FOUND, format!("job {id} is no longer in memory")));
    studio.queue.find(id).ok_or_else(gone)
}

/// Cancels a job. A job that is no longer stored has already ended.
async fn cancel(State(studio): Shared, Path(id): Path<u64>) -> Response {
    if let Some(job) = studio.queue.find(id) {
        studio.queue.cancel(&job);
    }
    Json(JobNumber { job: id }).into_response()
}

/// Ends a job with its best result so far.
async fn stop(State(studio): Shared, Path(id): Path<u64>) -> Response {
    if let Some(job) = studio.queue.find(id) {
        studio.queue.end(&job);
    }
    Json(JobNumber { job: id }).into_response()
}

/// Streams the progress of a job.
async fn events(State(studio): Shared, Path(id): Path<u64>) -> Response {
    let job = match find(&studio, id) {
        Ok(job) => job,
        Err(response) => return *response,
    };
    Sse::new(news(studio, job)).keep_alive(KeepAlive::default()).into_response()
}

fn news(studio: Arc<Studio>, job: Arc<Job>) -> impl Stream<Item = Result<Event, Infallible>> {
    let watch = job.watch();
    let start = (studio, job, watch, Value::Null, false);
    stream::unfold(start, |(studio, job, mut watch, mut last, is_over)| async move {
        if is_over {
            return None;
        }
        loop {
            let state = watch.borrow_and_update().clone();
            let report = job.report(&state, studio.queue.ahead(&job));
            if report != last {
                let event = Event::default().data(report.to_string());
                last = report;
                return Some((Ok(event), (studio, job, watch, last, state.is_over())));
            }
            // Waits for a change of state, but at most one interval, to report progress.
            let _ = tokio::time::timeout(NEWS, watch.changed()).await;
        }
    })
}

/// Runs a drawing or an export on a blocking thread. Requests wait here for a permit, so a request
/// whose client disconnects meanwhile costs nothing.
async fn draw<T: Send + 'static>(
    studio: &Studio,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, Box<Response>> {
    let broken = |why: String| Box::new(refused(StatusCode::INTERNAL_SERVER_ERROR, why));
    let permit = studio.drawing.clone().acquire_owned().await;
    let permit = permit.map_err(|error| broken(error.to_string()))?;
    let done = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    let done = done.await.map_err(|error| broken(error.to_string()))?;
    done.map_err(|why| Box::new(refused(StatusCode::UNPROCESSABLE_ENTITY, why)))
}

async fn data(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let answer = match find(&studio, id) {
        Ok(job) => job.answer(),
        Err(response) => return *response,
    };
    let Some(answer) = answer else {
        return refused(StatusCode::NOT_FOUND, format!("job {id} has no result"));
    };
    match draw(&studio, move || answer.data(&query).map(|data| data.to_string())).await {
        Ok(data) => ([(CONTENT_TYPE, "application/json")], data).into_response(),
        Err(response) => *response,
    }
}

async fn download(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let answer = match find(&studio, id) {
        Ok(job) => job.answer(),
        Err(response) => return *response,
    };
    let Some(answer) = answer else {
        return refused(StatusCode::NOT_FOUND, format!("job {id} has no result"));
    };
    let format = query.get("to").cloned().unwrap_or_else(|| "json".to_owned());
    let file = match draw(&studio, move || answer.download(&format, &query)).await {
        Ok(file) => file,
        Err(response) => return *response,
    };
    let place = format!("attachment; filename=\"{}\"", file.name);
    let place = HeaderValue::from_str(&place);
    let place = place.unwrap_or_else(|_| HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static(file.kind);
    ([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, place)], file.bytes).into_response()
}
