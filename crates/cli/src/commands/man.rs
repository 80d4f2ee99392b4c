//! `pavane man DIR`: manual pages of the program and of every command.

use crate::args::{Arguments, ManArgs};
use crate::output::{DONE, Failure, write_file};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

/// Last section of every page.
const EXIT_CODES: &str = "\
.SH \"EXIT STATUS\"
.TP
\\fB0\\fR
Solved, valid, right, listed.
.TP
\\fB1\\fR
No schedule was found, or something is not valid or not right.
.TP
\\fB2\\fR
Bad arguments or bad input; standard error says what and what to try.
.TP
\\fB70\\fR
A bug: an answer of the program that its own judge refuses.
.TP
\\fB130\\fR
Interrupted before there was any schedule, or for the second time.
";

/// Writes all pages into a folder, or the main page to standard output.
pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        page(Path::new("-"), command)?;
        return Ok(DONE);
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::bad_input(format!("{}: {error}", folder.display())))?;
    let mut open = vec![("pavane".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        for part in command.get_subcommands() {
            open.push((format!("{name}-{}", part.get_name()), part.clone()));
        }
        page(&folder.join(format!("{name}.1")), command)?;
    }
    Ok(DONE)
}

fn page(path: &Path, command: clap::Command) -> Result<(), Failure> {
    let page = clap_mangen::Man::new(command).manual("Pavane");
    write_file(path, |out| {
        page.render(out)?;
        out.write_all(EXIT_CODES.as_bytes())
    })
}
