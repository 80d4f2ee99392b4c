//! Refuted periods are kept and judged again.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use std::fs;

#[test]
fn refuted_periods_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| run_in(folder.path(), line, "");
    let at = |name: &str| folder.path().join(name);
    let (code, text) = run("tdm ring:5 --phits 3 --prove --slots 13 --quiet -o refuted.json");
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("refuted.json") && text.contains("refuted.lrat.gz"), "{text}");
    let (code, text) = run("verify refuted.json --network ring:5");
    assert!(code == 0 && text.contains("refuted: no TDM schedule has a period of 13"), "{text}");
    let (code, text) = run("verify refuted.json --network ring:4");
    assert_eq!(code, 2, "{text}");
    let (code, text) = run("verify refuted.json --json");
    assert!(code == 0 && text.contains("\"refuted_period\": 13"), "{text}");
    let (code, text) = run("verify refuted.json --max-work 10");
    assert!(code == 2 && text.contains("--max-work"), "{text}");

    // Fourteen slots are possible, so that the proof must not pass for them.
    let written = fs::read_to_string(at("refuted.json")).unwrap();
    let other = written.replace("\"period\": 13", "\"period\": 14").replace(":13,", ":14,");
    assert_ne!(written, other);
    fs::write(at("other.json"), other).unwrap();
    let (code, text) = run("verify other.json");
    assert!(code == 1 && text.contains("NOT REFUTED"), "{text}");
    let (code, text) = run("export refuted.json --to csv");
    assert_eq!(code, 2, "{text}");

    // A bound needs no proof, and the old one is removed.
    let (code, text) = run("tdm ring:4 --phits 2 --slots 3 --quiet -o refuted.json");
    assert_eq!(code, 3, "{text}");
    assert!(!at("refuted.lrat.gz").exists());
    let (code, text) = run("verify refuted.json");
    assert!(code == 0 && text.contains("no TDM schedule has a period of 3"), "{text}");
}

#[test]
fn a_repair_that_must_keep_an_impossible_period_exits_with_three() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| run_in(folder.path(), line, "");
    let (code, text) = run("tdm ring:5 --evaluations 20000 --threads 1 --quiet -o ring.json");
    assert_eq!(code, 0, "{text}");
    let (code, text) = run("repair ring.json --fault 0-1 --keep-steps -o none.json");
    assert!(code == 3 && text.contains("a period of 5 slots is impossible"), "{text}");
    assert!(!folder.path().join("none.json").exists());
    let (code, text) = run("repair ring.json --fault 0-1 --keep-steps --json");
    assert!(code == 3 && text.contains("\"status\": \"impossible\""), "{text}");
    let (code, text) = run("repair ring.json --fault 0-1 --quiet -o longer.json");
    assert_eq!(code, 0, "{text}");
}
