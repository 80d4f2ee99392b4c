//! What tests of files for other programs share: schedules that the program itself finds.
#![allow(dead_code, reason = "not every test uses all of it")]

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// Runs a command line of the program, which must succeed, and returns what it prints.
pub fn pavane(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let output = command.args(arguments).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A schedule of a problem as it is typed, in a file of the folder.
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

/// The schedule in another format: the path that was given for it.
pub fn exported(schedule: &Path, format: &str) -> PathBuf {
    let path = schedule.with_extension(format);
    let words = [schedule, &path].map(|path| path.to_str().expect("plain names").to_owned());
    pavane(&["export", &words[0], "--to", format, "--bytes", "1000", "-o", &words[1]]);
    path
}

/// Runs a command line in a folder, with something on standard input: its exit code, and what it prints.
pub fn run_in(folder: &Path, line: &str, input: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let arguments = line.split_whitespace();
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output();
    let output = output.expect("the program starts");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code().expect("it ends by itself"), text.concat())
}
