//! Messages cut into chunks: steps, files, repairs and GPU plans.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, pavane, run_in, solved};
use pavane_model::strict_json;
use serde_json::{Value, json};

fn solve(line: &str) -> Value {
    let mut arguments: Vec<&str> = vec!["solve"];
    arguments.extend(line.split_whitespace());
    arguments.extend(["--evaluations", "20000000", "--json"]);
    strict_json::from_str(&pavane(&arguments)).unwrap()
}

#[test]
fn chunks_approach_the_throughput_limit() {
    for (line, steps, ratio, limit) in [
        ("dgx-1v all-gather --switching sf --chunks 6", 7, "7/6", "7/6"),
        ("dgx-1v all-gather --chunks 3", 4, "4/3", "7/6"),
        ("ring:5 all-gather --chunks 3 --ports 1", 12, "4", "4"),
        ("ring:6 reduce-scatter --switching sf --chunks 2", 5, "5/2", "5/2"),
        ("ring:5 all-reduce --chunks 2", 8, "4", "4"),
        ("hypercube:3 broadcast --switching sf --chunks 6 --routing any", 4, "2/3", "1/3"),
    ] {
        let found = solve(line);
        assert_eq!(found["steps"], steps, "{line}");
        assert_eq!(found["gap"], 0, "{line}");
        assert_eq!(found["chunks"]["steps_per_message"], ratio, "{line}");
        assert_eq!(found["chunks"]["throughput_limit"], limit, "{line}");
        let is_limit = found["chunks"]["limit_share"] == json!(1.0);
        assert_eq!(is_limit, ratio == limit, "{line}");
    }
    assert_eq!(solve("ring:5 all-gather --chunks 1")["chunks"]["count"], 1);
    assert_eq!(solve("ring:5 all-gather").get("chunks"), None);
    assert_eq!(solve("dgx-1v all-gather --chunks 2")["chunks"]["bandwidths_differ"], false);
    assert_eq!(solve("ndv2:2 all-gather --chunks 2")["chunks"]["bandwidths_differ"], true);
    let half = solve("ring:4 all-gather --chunks 2 --duplex half");
    assert_eq!(half["chunks"]["limit_share"], Value::Null);
    assert!(
        half["chunks"]["no_limit"].as_str().unwrap().starts_with("under half duplex"),
        "{half}"
    );
}

#[test]
fn auto_finds_the_fewest_steps_per_message() {
    for (line, count, ratio) in [
        ("dgx-1v all-gather --switching sf", 6, "7/6"),
        ("dgx-1v all-gather --switching sf --max-chunks 5", 5, "6/5"),
        ("ring:4 all-gather", 2, "3/2"),
    ] {
        let found = solve(&format!("{line} --chunks auto --time 60s"));
        assert_eq!(found["chunks"]["count"], count, "{line}");
        assert_eq!(found["chunks"]["steps_per_message"], ratio, "{line}");
    }
    // Whole messages attain the limit, so there is nothing to cut.
    assert_eq!(solve("ring:5 all-gather --chunks auto")["chunks"]["count"], 1);
}

#[test]
fn files_and_gpu_plans_know_chunks() {
    let folder = tempfile::tempdir().unwrap();
    for collective in [
        "all-gather",
        "broadcast --root 2",
        "all-to-all",
        "scatter",
        "gather --root 1",
        "reduce --root 3",
        "reduce-scatter",
        "all-reduce",
        "mnb --senders 0,2 --receivers 1,3",
        "mns --senders 0,1 --receivers 1,2,3",
        "all-reduce --senders 0,2,4",
        "shift:2",
    ] {
        let schedule = solved(folder.path(), &format!("ring:5 {collective} --chunks 3"));
        let name = schedule.to_str().unwrap();
        let verdict = pavane(&["verify", name, "--network", "ring:5"]);
        assert!(verdict.contains("in 3 chunks"), "{collective}: {verdict}");
        for format in ["msccl", "mscclpp"] {
            let plan = exported(&schedule, format);
            let checked = pavane(&["check-plan", plan.to_str().unwrap()]);
            assert!(checked.contains("all outputs correct"), "{collective}: {checked}");
        }
        let repaired = folder.path().join("repaired.json");
        let out = repaired.to_str().unwrap();
        let words = pavane(&["repair", name, "--fault", "0-1", "-o", out]);
        assert!(words.contains("in 3 chunks"), "{collective}: {words}");
        assert!(pavane(&["verify", out]).contains("in 3 chunks"), "{collective}");
    }
}

/// A way to change the collective of a file.
type Change = fn(&mut Value);

#[test]
fn files_with_wrong_chunks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let schedule = solved(folder.path(), "ring:4 all-gather --chunks 2");
    let text = std::fs::read_to_string(&schedule).unwrap();
    let changes: &[Change] = &[
        |collective| collective["chunks"]["count"] = json!(3),
        |collective| collective["chunks"]["count"] = json!(0),
        |collective| collective["chunks"]["count"] = json!(4_294_967_295_u32),
        |collective| collective["chunks"]["of"] = json!("reduce"),
        |collective| collective["chunks"]["of"] = json!("scatter"),
        |collective| collective["kind"] = json!("broadcast"),
        |collective| collective["senders"] = json!([0, 0, 1, 1, 2, 2, 3, 3]),
        |collective| collective["senders"] = json!([0, 1, 2]),
        |collective| collective["messages"][1]["from"] = json!(2),
        |collective| drop(collective["messages"].as_array_mut().unwrap().pop()),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut document: Value = strict_json::from_str(&text).unwrap();
        change(&mut document["collective"]);
        std::fs::write(folder.path().join("changed.json"), document.to_string()).unwrap();
        let (code, words) = run_in(folder.path(), "verify changed.json", "");
        assert_eq!(code, 2, "change {number}: {words}");
    }
}

#[test]
fn bad_numbers_of_chunks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, reason) in [
        ("solve ring:4 all-gather --chunks 0", "from 1 to 4096"),
        ("solve ring:4 all-gather --chunks -1", "-1"),
        ("solve ring:4 all-gather --chunks many", "or auto"),
        ("solve ring:400 all-to-all --chunks 4096", "at most 50000000 are allowed"),
        ("solve ring:4 all-gather --chunks auto --steps 3", "--steps"),
        ("solve ring:4 all-gather --chunks auto --prove", "--prove"),
        ("solve ring:4 all-gather --chunks auto --resume x", "--resume"),
        ("solve ring:4 all-gather --chunks auto --max-chunks 0", "from 1 to 4096"),
        ("bound ring:4 all-gather --chunks auto", "only in `pavane solve`"),
    ] {
        let (code, words) = run_in(folder.path(), line, "");
        assert_eq!(code, 2, "{line}: {words}");
        assert!(words.contains(reason), "{line}: {words}");
    }
}

#[test]
fn a_checkpoint_belongs_to_its_number_of_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let run = |chunks: u32| {
        let line = format!("solve ring:5 all-gather --chunks {chunks} --resume kept --quiet");
        run_in(folder.path(), &line, "")
    };
    assert_eq!(run(2).0, 0);
    let (code, words) = run(3);
    assert_eq!(code, 2, "{words}");
    assert!(words.contains("chunks 2"), "{words}");
}
