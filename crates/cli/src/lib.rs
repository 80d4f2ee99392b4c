//! The command line of Pavane. It is a library so that it compiles in parallel with the engines;
//! only the program itself must wait for them.

mod args;
mod commands;
mod file_sink;
mod output;
mod picture_file;
mod progress;
pub mod readers;
mod report;
mod route_text;
mod schedule_file;
mod schedule_text;
mod words;

use args::Command;
use output::Failure;
use pavane_cluster::{Cluster, LaunchError};
use signal_hook::consts::SIGABRT;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    exit_cleanly_on_oom();
    match pavane_cluster::run(env!("CARGO_PKG_VERSION"), work) {
        Ok(code) => code,
        Err((error @ LaunchError::NoMpi(_), true)) => {
            Failure::bad_input(format!("{error}; build it with --features mpi")).report()
        }
        Err((error, true)) => Failure::bad_input(error).report(),
        // The first rank reports the error. The others exit with success, because the first bad
        // exit code would end all ranks.
        Err((_, false)) => output::DONE,
    }
}

/// On memory exhaustion the standard library prints a message and aborts. This handler exits with
/// code 2 instead of dumping core. Files are written completely or not at all, so none is damaged.
fn exit_cleanly_on_oom() {
    let always = Arc::new(AtomicBool::new(true));
    // If registration fails, the process aborts as usual.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
}

/// The work of one rank.
fn work(cluster: Cluster) -> ExitCode {
    if !cluster.is_first() {
        output::mute();
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        output::answer_in_json();
    }
    let arguments = match args::parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::report_usage(&error),
    };
    progress::set_quiet(arguments.quiet);
    let result = match arguments.command {
        Command::Solve(args) => commands::solve::run(&args, &cluster),
        Command::Faults(args) => commands::faults::run(&args, &cluster),
        Command::Reproduce(args) => commands::reproduce::run(&args, &cluster),
        Command::Traffic(args) => commands::traffic::run(&args, &cluster),
        Command::Bench(args) => commands::bench::run(&args, &cluster),
        // All other commands run on the first rank only.
        _ if !cluster.is_first() => Ok(output::DONE),
        Command::Networks(args) => commands::networks::run(&args),
        Command::Bound(args) => commands::bound::run(&args),
        Command::Throughput(args) => commands::throughput::run(&args, &cluster),
        Command::Pareto(args) => commands::pareto::run(&args, &cluster),
        Command::Compare(args) => commands::compare::run(&args, &cluster),
        Command::Tune(args) => commands::tune::run(&args, &cluster),
        Command::Tdm(args) => commands::tdm::run(&args, &cluster),
        Command::Engines(args) => commands::engines::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Atlas(args) => commands::atlas::run(&args),
        Command::Repair(args) => commands::repair::run(&args),
        Command::Draw(args) => commands::draw::run(&args),
        Command::Studio(args) => commands::studio::run(&args),
        Command::Deadlock(args) => commands::deadlock::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::CheckPlan(args) => commands::check_plan::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
    };
    match (result, cluster.failure()) {
        (Ok(code), None) => code,
        (Ok(_), Some((rank, why))) => {
            Failure::bad_input(format!("rank {rank} failed: {why}")).report()
        }
        (Err(failure), _) => {
            if !cluster.is_first() {
                cluster.report_failure(failure.text());
            }
            failure.report()
        }
    }
}
