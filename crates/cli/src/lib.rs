//! The command line of Pavane. A library, so that it is compiled while the engines still are: only the program itself has to wait for them.

mod args;
mod checkpoint;
mod commands;
mod contingency;
mod output;
mod progress;
pub mod readers;
mod schedule_file;
mod words;

use args::{Arguments, Command};
use clap::Parser;
use output::Failure;
use pavane_cluster::Cluster;
use signal_hook::consts::SIGABRT;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Does what the arguments of the process say.
pub fn main() -> ExitCode {
    end_kindly_without_memory();
    match pavane_cluster::run(env!("CARGO_PKG_VERSION"), work) {
        Ok(code) => code,
        Err((error, true)) => Failure::bad_input(error).report(),
        // The first rank tells it, and has the time to: the first bad exit code ends all.
        Err((_, false)) => output::DONE,
    }
}

/// When there is no memory left the standard library says so and aborts. That is nothing to leave a core for: it ends as all else does
/// that cannot be done here. What was written is whole.
fn end_kindly_without_memory() {
    let always = Arc::new(AtomicBool::new(true));
    // Without it the end is less kind.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
}

/// The work of one rank.
fn work(cluster: Cluster) -> ExitCode {
    if !cluster.is_first() {
        output::mute();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::report_usage(&error),
    };
    progress::set_quiet(arguments.quiet);
    let result = match arguments.command {
        Command::Solve(args) => commands::solve::run(&args, &cluster),
        Command::Faults(args) => commands::faults::run(&args, &cluster),
        Command::Reproduce(args) => commands::reproduce::run(&args, &cluster),
        Command::Traffic(args) => commands::traffic::run(&args, &cluster),
        // The rest is done before others could help.
        _ if !cluster.is_first() => Ok(output::DONE),
        Command::Networks(args) => commands::networks::run(&args),
        Command::Bound(args) => commands::bound::run(&args),
        Command::Engines(args) => commands::engines::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Repair(args) => commands::repair::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Draw(args) => commands::draw::run(&args),
        Command::Studio(args) => commands::studio::run(&args),
        Command::Deadlock(args) => commands::deadlock::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::CheckPlan(args) => commands::check_plan::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    };
    match (result, cluster.complaint()) {
        (Ok(code), None) => code,
        (Ok(_), Some((rank, why))) => {
            Failure::bad_input(format!("rank {rank} could not do its part: {why}")).report()
        }
        (Err(failure), _) => {
            if !cluster.is_first() {
                cluster.complain(failure.text());
            }
            failure.report()
        }
    }
}
