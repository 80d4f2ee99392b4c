//! `pavane studio`: a local web application. The page requests schedules and plans of every kind, shows
//! progress, removes links and shows the repair. Every result is judged before it is shown.

mod answer;
mod archive;
mod bounds;
mod chunk_search;
mod connections;
mod contest;
mod deadlock;
mod fault_limits;
mod fault_steps;
mod figures;
mod front;
mod gate;
mod job;
mod machine;
mod network;
mod numbers;
pub mod opened;
mod page;
mod plan_repair;
mod queue;
pub mod request;
mod routes;
mod schedule;
mod server;
mod table;
mod tdm;
mod throughput;
mod timed;
mod traffic;
mod tuning;

use crate::args::studio::StudioArgs;
use crate::output::{Failure, print_json, standard};
use crate::report::studio::StudioReport;
use crate::words;
use queue::Queue;
use server::Timeouts;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// State shared by all requests.
pub struct Studio {
    /// The jobs.
    pub queue: Queue,
    /// Decides which requests are answered.
    pub gate: gate::Gate,
    /// Limits on how long clients may take.
    pub timeouts: Timeouts,
    /// Permits to draw or export.
    pub drawing: Arc<Semaphore>,
}

impl Studio {
    /// A studio at an address, with a number of workers and a time limit per job.
    fn new(address: SocketAddr, workers: usize, time: Duration, timeouts: Timeouts) -> Self {
        Self {
            queue: Queue::start(workers, time),
            gate: gate::Gate::new(address),
            timeouts,
            drawing: Arc::new(Semaphore::new(MOST_DRAWING)),
        }
    }
}

/// Maximum number of simultaneous drawings and exports: each thread that has made a large one keeps
/// its memory for the next.
const MOST_DRAWING: usize = 2;

/// Serves until the process ends.
pub fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    pavane_search::use_threads(words::cores());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(MOST_DRAWING)
        .enable_all()
        .build()
        .map_err(|error| Failure::bad_input(format!("cannot start the studio: {error}")))?;
    runtime.block_on(serve(args))
}

async fn serve(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let wanted = SocketAddr::new(args.bind, args.port);
    let listener = server::listen(wanted).map_err(|error| {
        Failure::bad_input(format!("cannot listen on {wanted}: {error}; try another --port"))
    })?;
    let address = listener.local_addr()?;
    let studio = Studio::new(address, args.jobs, args.time, Timeouts::default());
    let url = format!("http://{address}/?token={}", studio.gate.token());
    if args.json {
        print_json(&StudioReport { address: &url })?
    } else {
        let mut out = standard();
        writeln!(out, "studio: {url}\nPress Ctrl-C to stop.")?;
        out.flush()?;
    }
    if !args.bind.is_loopback() {
        words::warn("warning: other computers that know this address can use the studio");
    }
    if !args.no_open {
        open(&url);
    }
    // Runs on the threads that serve connections, so that each new connection is handled before
    // many more are accepted.
    let serving = tokio::spawn(server::serve(listener, Arc::new(studio)));
    serving.await.map_err(|error| Failure::bad_input(format!("the studio stopped: {error}")))
}

/// Opens a browser, if there is one. The address was printed anyway.
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
