//! `pavane`: the fewest steps in which a group of processors can talk.

mod args;
mod commands;
mod contingency;
mod draw_args;
mod exchange_args;
mod fault_args;
mod output;
mod progress;
mod schedule_file;
mod studio_args;
mod traffic_args;
mod words;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    progress::set_quiet(arguments.quiet);
    let result = match arguments.command {
        Command::Networks(args) => commands::networks::run(&args),
        Command::Bound(args) => commands::bound::run(&args),
        Command::Solve(args) => commands::solve::run(&args),
        Command::Engines(args) => commands::engines::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Faults(args) => commands::faults::run(&args),
        Command::Repair(args) => commands::repair::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Traffic(args) => commands::traffic::run(&args),
        Command::Draw(args) => commands::draw::run(&args),
        Command::Studio(args) => commands::studio::run(&args),
        Command::Deadlock(args) => commands::deadlock::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::CheckPlan(args) => commands::check_plan::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
