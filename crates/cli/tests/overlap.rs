//! All-reduces whose phases overlap: every command says how many steps they take, or that it treats the phases
//! one after the other; pictures and texts show their own steps.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use pavane_model::strict_json;
use serde_json::Value;
use std::fs;
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
        ("draw star.json -o star.svg", "all-reduce on star:8: 12 steps, bound 9"),
        ("draw star.json -o star.gif", "all-reduce on star:8: 12 steps, bound 9"),
        ("draw star.json -o star.html", "all-reduce on star:8: 12 steps, bound 9"),
        ("export star.json --to csv -o star.csv", "they are exported one after the other"),
        ("verify star.json", "valid in 12 steps"),
    ] {
        let (code, out) = run_in(folder, line, "");
        assert_eq!(code, 0, "{line}: {out}");
        assert!(out.contains(words), "{line}: {out}");
    }
    // A panel for every step, and none twice.
    let svg = fs::read_to_string(folder.join("star.svg")).unwrap();
    for step in 0..12 {
        assert_eq!(svg.matches(&format!(">step {step}<")).count(), 1, "step {step}");
    }
    assert!(!svg.contains(">step 12<"));
    assert!(svg.contains("stroke-dasharray"), "the lines of the second phase are dashed");
    let page = fs::read_to_string(folder.join("star.html")).unwrap();
    assert!(page.contains("12, at most 3 from optimal") && page.contains("\"overlap\":{"));
}

#[test]
fn the_text_is_about_the_written_phases() {
    let folder = tempfile::tempdir().unwrap();
    let line = "solve star:8 all-reduce --switching sf --evaluations 2000000";
    let (_, out) = run_in(folder.path(), &format!("{line} --all"), "");
    let solved = json(folder.path(), &format!("{line} --json -o star.json"));
    let start = solved["start"].as_u64().unwrap();
    let lengths: Vec<u64> =
        solved["phases"].as_array().unwrap().iter().map(|p| p["steps"].as_u64().unwrap()).collect();
    for (first, steps) in [(0, lengths[0]), (start, lengths[1])] {
        let last = first + steps - 1;
        let words = format!("{steps} steps: steps {first} to {last} of the all-reduce");
        assert!(out.contains(&words), "{words}: {out}");
    }
    assert!(!out.contains("optimal\n  channels") && !out.contains("the broadcast"), "{out}");
    let steps: Vec<&str> = out.lines().filter(|line| line.starts_with("step ")).collect();
    assert_eq!(steps.len(), 12, "{out}");
    assert_eq!(steps[0], "step 0 (reduce-scatter)");
    assert_eq!(steps[start as usize], format!("step {start} (reduce-scatter, all-gather)"));
}

#[test]
fn an_all_reduce_of_so_many_steps_is_found_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |steps: u32| {
        run_in(folder.path(), &format!("solve mesh:4x4 all-reduce --steps {steps} --json"), "")
    };
    for steps in [16, 15] {
        let (code, out) = run(steps);
        let solved: Value = strict_json::from_str(&out).unwrap();
        assert_eq!((code, solved["steps"].as_u64()), (0, Some(steps.into())), "{out}");
    }
    let (code, out) = run(9);
    assert!(out.contains("9 steps are impossible for all-reduce: contributions"), "{out}");
    assert_eq!(code, run_in(folder.path(), "solve ring:6 all-to-all --steps 2", "").0);
    let line = "solve mesh:4x4 all-reduce --steps 10 --evaluations 1000";
    let (code, out) = run_in(folder.path(), line, "");
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("no schedule of at most 10 steps was found for all-reduce"), "{out}");
}
