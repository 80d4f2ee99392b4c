//! `pavane studio`: a web application on this machine. The page asks for schedules, sees them come, breaks
//! links and watches the repair; every schedule passes the judge before it is shown.

mod answer;
mod archive;
mod gate;
mod job;
mod queue;
pub mod request;
mod routes;
mod table;

use crate::args::studio::StudioArgs;
use crate::output::{DONE, Failure, print_json, standard};
use crate::words;
use queue::Queue;
use serde_json::json;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

/// What all requests share.
pub struct Studio {
    /// The jobs.
    pub queue: Queue,
    /// Who may ask.
    pub gate: gate::Gate,
}

/// Serves until it is ended.
pub fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    pavane_engine::use_threads(words::cores());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Drawings and exports: every thread that has made a large one keeps memory for the next.
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::bad_input(format!("the studio cannot start: {error}")))?;
    runtime.block_on(serve(args))
}

async fn serve(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let wanted = SocketAddr::new(args.bind, args.port);
    let listener = tokio::net::TcpListener::bind(wanted).await.map_err(|error| {
        Failure::bad_input(format!("{wanted} cannot be listened at ({error}); try another --port"))
    })?;
    let address = listener.local_addr()?;
    let gate = gate::Gate::new(address);
    let url = format!("http://{address}/?token={}", gate.token());
    let studio = Arc::new(Studio { queue: Queue::start(args.jobs, args.time), gate });
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
    axum::serve(listener, routes::all(studio)).await?;
    Ok(DONE)
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
