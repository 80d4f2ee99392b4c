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
Solved, valid or correct.
.TP
\\fB1\\fR
No schedule was found, or a schedule or plan is not valid or not correct.
.TP
\\fB2\\fR
Bad arguments or bad input; standard error explains the problem.
.TP
\\fB3\\fR
Proved impossible.
.TP
\\fB70\\fR
Bug: the judge rejected a result of this program.
.TP
\\fB130\\fR
Interrupted: nothing was found, or the results are partial.
";

/// Writes all pages into a folder, or the main page to standard output.
pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        page(Path::new("-"), command)?;
        return Ok(DONE);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::bad_input(format!("cannot create the folder {}: {error}", folder.display()))
    })?;
    let mut open = vec![("pavane".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        for part in command.get_subcommands().filter(|part| !part.is_hide_set()) {
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
