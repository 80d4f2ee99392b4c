//! `pavane completions SHELL`

use crate::args::{Arguments, CompletionsArgs};
use crate::output::{DONE, Failure, write_file};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

/// Prints the completion script for a shell.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "pavane", &mut script);
    write_file(Path::new("-"), |out| out.write_all(&script))?;
    Ok(DONE)
}
