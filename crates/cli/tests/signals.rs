//! A signal before there is any schedule: the program ends by itself, with a schedule that it could
//! build at once or with a word and a code of its own.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// What comes of a line that gets a signal soon after it has begun.
fn interrupted(line: &str, signal: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
    command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let number = running.id().to_string();
    // Twice at once is once: `timeout` sends it to the program and to its group.
    assert!(Command::new("kill").args([signal, &number, &number]).status().unwrap().success());
    running.wait_with_output().unwrap()
}

#[test]
fn a_signal_never_goes_unanswered() {
    for (line, signal) in [
        // A large network takes a moment to build, prices of channels take longer.
        ("solve hypercube:16 oab", "-INT"),
        ("solve random-regular:128,4,1 aas", "-INT"),
        ("solve torus:16x16 aas --engine ejection", "-TERM"),
        ("solve hypercube:10 aas --engine ejection", "-INT"),
        ("solve random-regular:64,4,1 aas --switching sf --json", "-TERM"),
    ] {
        let output = interrupted(line, signal);
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        match output.status.code() {
            Some(0) => assert!(out.contains("schedule"), "{line}: {out}"),
            Some(130) => assert!((out + &err).contains("interrupted before"), "{line}: {err}"),
            code => panic!("{line}: {code:?}, {err}"),
        }
    }
}
