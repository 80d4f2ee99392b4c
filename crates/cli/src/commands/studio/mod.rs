//! `pavane studio`: a web application on this machine. The page asks for schedules, sees them come, breaks
//! links and watches the repair; every schedule passes the judge before it is shown.

mod answer;
mod archive;
mod connections;
mod gate;
mod job;
mod queue;
pub mod request;
mod routes;
mod server;
mod table;

use crate::args::studio::StudioArgs;
use crate::output::{Failure, print_json, standard};
use crate::words;
use queue::Queue;
use serde_json::json;
use server::Timeouts;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What all requests share.
pub struct Studio {
    /// The jobs.
    pub queue: Queue,
    /// Decides which requests are answered.
    pub gate: gate::Gate,
    /// How long clients may take.
    pub timeouts: Timeouts,
    /// A permit to draw or export.
    pub drawing: Arc<Semaphore>,
}

impl Studio {
    /// A studio at an address, with so many workers and so much time for a job.
    fn new(address: SocketAddr, workers: usize, time: Duration, timeouts: Timeouts) -> Self {
        Self {
            queue: Queue::start(workers, time),
            gate: gate::Gate::new(address),
            timeouts,
            drawing: Arc::new(Semaphore::new(MOST_DRAWING)),
        }
    }
}

/// Drawings and exports at a time: each thread that has made a large one keeps memory for the next.
const MOST_DRAWING: usize = 2;

/// Serves until it is ended.
pub fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    pavane_engine::use_threads(words::cores());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(MOST_DRAWING)
        .enable_all()
        .build()
        .map_err(|error| Failure::bad_input(format!("the studio cannot start: {error}")))?;
    runtime.block_on(serve(args))
}

async fn serve(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let wanted = SocketAddr::new(args.bind, args.port);
    let listener = server::listen(wanted).map_err(|error| {
        Failure::bad_input(format!("{wanted} cannot be listened at ({error}); try another --port"))
    })?;
    let address = listener.local_addr()?;
    let studio = Studio::new(address, args.jobs, args.time, Timeouts::default());
    let url = format!("http://{address}/?token={}", studio.gate.token());
    match args.json {
        true => print_json(&json!({"address": url}))?,
        false => {
            let mut out = standard();
            writeln!(out, "the studio is at {url}\nCtrl-C ends it")?;
            out.flush()?;
        }
    }
    if !args.bind.is_loopback() {
        words::warn("others on the network who know this address can use the studio");
    }
    if !args.no_open {
        open(&url);
    }
    // On the threads that serve connections: each new one is looked at before many more are accepted.
    let serving = tokio::spawn(server::serve(listener, Arc::new(studio)));
    serving.await.map_err(|error| Failure::bad_input(format!("the studio ended: {error}")))
}

/// Opens a browser, if there is one; the address was printed anyway.
fn open(url: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null());
    let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
