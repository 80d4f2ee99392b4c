//! Helpers shared by tests of files for other programs: schedules found by the program itself.
#![allow(dead_code, reason = "not every test uses all of it")]

#[cfg(unix)]
pub mod signals;

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// Runs a command line of the program, which must succeed, and returns its output.
pub fn pavane(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let output = command.args(arguments).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Solves a problem and returns the path of the schedule file in the folder.
pub fn solved(folder: &Path, problem: &str) -> PathBuf {
    let name: String =
        problem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = folder.join(name + ".json");
    let place = path.to_str().expect("temporary folders have plain names").to_owned();
    let mut arguments = vec!["solve"];
    arguments.extend(problem.split_whitespace());
    arguments.extend(["--quiet", "--evaluations", "20000000", "-o", &place]);
    pavane(&arguments);
    path
}

/// Exports the schedule to another format and returns its path. Messages have 1000 bytes.
pub fn exported(schedule: &Path, format: &str) -> PathBuf {
    exported_with(schedule, format, &["--bytes", "1000"])
}

/// Exports a schedule that states its own bytes.
pub fn exported_with_own_bytes(schedule: &Path, format: &str) -> PathBuf {
    exported_with(schedule, format, &[])
}

fn exported_with(schedule: &Path, format: &str, options: &[&str]) -> PathBuf {
    let path = schedule.with_extension(format);
    let words = [schedule, &path].map(|path| path.to_str().expect("plain names").to_owned());
    pavane(&[&["export", &words[0], "--to", format, "-o", &words[1]], options].concat());
    path
}

/// Runs a command line in a folder with the given standard input. Returns its exit code and output.
pub fn run_in(folder: &Path, line: &str, input: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let arguments = line.split_whitespace();
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output();
    let output = output.expect("the program starts");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code().expect("it ends by itself"), text.concat())
}
