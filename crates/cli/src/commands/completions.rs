//! `pavane completions SHELL`

use crate::args::{Arguments, CompletionsArgs};
use crate::output::{DONE, Failure};
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints the completion script of a shell.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut out = crate::output::standard();
    clap_complete::generate(args.shell, &mut Arguments::command(), "pavane", &mut out);
    Ok(DONE)
}
