//! All-reduces whose phases overlap: every command says how many steps they take, or that it treats the phases
//! one after the other.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use pavane_model::strict_json;
use serde_json::Value;
use std::path::Path;

/// The JSON output of a command that succeeds.
fn json(folder: &Path, line: &str) -> Value {
    let (code, out) = run_in(folder, line, "");
    assert_eq!(code, 0, "{line}: {out}");
    strict_json::from_str(&out).unwrap()
}

#[test]
fn commands_know_that_phases_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "solve star:8 all-reduce --switching sf --evaluations 2000000 --json -o star.json";
    let solved = json(folder, line);
    assert_eq!((&solved["steps"], &solved["bound"]["steps"]), (&12.into(), &9.into()));
    assert!(solved["start"].as_u64().unwrap() < 7, "{solved}");
    assert_eq!(solved["channel_use"].as_array().unwrap().len(), 12);
    assert_eq!(solved["optimal"], false);
    let judged = json(folder, "verify star.json --json");
    assert_eq!((&judged["steps"], &judged["bound"]), (&12.into(), &9.into()));
    assert_eq!((&judged["start"], &judged["valid"]), (&solved["start"], &true.into()));
    for (line, words) in [
        (
            "draw star.json -o star.svg",
            "all-reduce of 12 steps whose phases overlap, drawn one after the other",
        ),
        ("export star.json --to csv -o star.csv", "they are exported one after the other"),
        ("verify star.json", "valid in 12 steps"),
    ] {
        let (code, out) = run_in(folder, line, "");
        assert_eq!(code, 0, "{line}: {out}");
        assert!(out.contains(words), "{line}: {out}");
    }
}
