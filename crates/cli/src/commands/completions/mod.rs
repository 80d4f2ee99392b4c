//! `pavane completions SHELL`: the script of a shell, and what the script asks for at every completion.

mod candidates;
mod suggestions;

use crate::args::{Arguments, CompletionsArgs};
use crate::output::{DONE, Failure, write_file};
use candidates::candidates;
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;
use std::process::ExitCode;
use suggestions::suggesting;

/// Scripts that pass the line to `pavane completions SHELL -- WORD…`, whose output they offer. Where it is empty, the
/// shell completes names of files.
const BASH: &str = include_str!("completions.bash");
const ZSH: &str = include_str!("completions.zsh");
const FISH: &str = include_str!("completions.fish");

/// Prints the completion script for a shell or, with words, how the last of them can go on.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut program = suggesting(Arguments::command());
    let mut text = Vec::new();
    match args.shell {
        _ if !args.words.is_empty() => {
            program.build();
            for candidate in candidates(&program, &args.words) {
                let line = match args.shell {
                    Shell::Bash => candidate.word,
                    _ => candidate.with_meaning(),
                };
                text.extend(line.into_bytes());
                text.push(b'\n');
            }
        }
        Shell::Bash => text.extend(BASH.bytes()),
        Shell::Zsh => text.extend(ZSH.bytes()),
        Shell::Fish => text.extend(FISH.bytes()),
        other => clap_complete::generate(other, &mut program, "pavane", &mut text),
    }
    write_file(Path::new("-"), |out| out.write_all(&text))?;
    Ok(DONE)
}
