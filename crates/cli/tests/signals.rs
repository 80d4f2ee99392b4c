//! A signal before there is any schedule: the program exits by itself, with a schedule that it can
//! build immediately, or with a message and a specific exit code.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::common::signals::wait_for_handler;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The output of a command line that gets a signal shortly after its start.
fn interrupted(line: &str, signal: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
    command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    wait_for_handler(&mut running);
    std::thread::sleep(Duration::from_millis(300));
    let number = running.id().to_string();
    // Two signals at once count as one: `timeout` sends it to the program and to its process group.
    assert!(Command::new("kill").args([signal, &number, &number]).status().unwrap().success());
    running.wait_with_output().unwrap()
}

#[test]
fn every_signal_ends_the_command() {
    for (line, signal) in [
        // A large network takes a moment to build; prices of channels take longer.
        ("solve hypercube:16 oab", "-INT"),
        ("solve random-regular:128,4,1 aas", "-INT"),
        ("solve torus:16x16 aas --engine ejection", "-TERM"),
        ("solve hypercube:10 aas --engine ejection", "-INT"),
        ("solve random-regular:64,4,1 aas --switching sf --json", "-TERM"),
        ("solve ndv2:2 all-gather --minimize time --bytes 64KB --time 60s", "-INT"),
        ("tdm mesh:6x6 --time 60s", "-INT"),
        ("throughput random-regular:200,4,1 all-to-all", "-INT"),
        ("throughput torus:24x24 all-gather", "-TERM"),
    ] {
        let output = interrupted(line, signal);
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        match output.status.code() {
            Some(0) => {
                let result = if line.starts_with("throughput") { "plan" } else { "schedule" };
                assert!(out.contains(result) || out.contains("period"), "{line}: {out}");
                let is_optimal = [": optimal", "; optimal", "\"optimal\": true"]
                    .iter()
                    .any(|it| out.contains(it));
                let is_told = err.contains(&format!("interrupted: best {result} so far"));
                assert!(is_optimal || is_told, "{line}: {out}{err}");
            }
            Some(130) => assert!((out + &err).contains("interrupted before"), "{line}: {err}"),
            code => panic!("{line}: {code:?}, {err}"),
        }
    }
}

#[test]
fn an_interrupted_folder_of_schedules_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faults").display().to_string();
    let line = format!(
        "faults mesh:4x4 all-to-all --count 2 --evaluations 300000 --threads 1 --save {path}"
    );
    assert_eq!(interrupted(&line, "-INT").status.code(), Some(130));
    let verdict = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
        let output = command.args(line.split_whitespace()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // What is saved is valid, and the same command solves the rest.
    let first = verdict(&format!("verify {path}"));
    assert!(!first.contains("NOT VALID"), "{first}");
    assert!(std::path::Path::new(&path).join("results.json").is_file());
    assert!(verdict(&line).contains("276 faults"));
    assert!(verdict(&format!("verify {path}")).contains(": valid"));
    assert!(!std::path::Path::new(&path).join("results.json").exists());
}

#[test]
fn measurements_keep_what_is_done() {
    for line in [
        "compare torus:4x4 all-to-all --bytes 1KB,1MB,1GB --time 60s",
        "bench --time 60s --seeds 100",
        "traffic compare torus:6x6 --missions 1000000",
        "traffic sweep torus:6x6 --missions 1000000",
        "traffic sweep torus:6x6 --over interval --duration 100000",
        "traffic sweep mesh:8x8 --over rate --duration 100000",
        "faults torus:8x8 all-to-all --count 2 --time 60s",
        "reproduce gecco-3 --runs 1000",
        "pareto torus:4x4 all-to-all",
    ] {
        let output = interrupted(line, "-INT");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{line}: {err}");
        assert!(err.contains("interrupted"), "{line}: {err}");
    }
}
