//! Schedules of others: what we export comes back as a schedule that the judge accepts, and what does not fit is refused.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

mod common;

use assert_cmd::Command;
use common::{exported, pavane, solved};
use serde_json::Value;
use std::path::Path;

/// A problem, and how long its import may be: as long as the schedule it was exported from.
const PROBLEMS: &[(&str, &str)] = &[
    ("ring:8", "all-gather"),
    ("ring:8", "all-to-all --switching sf"),
    ("hypercube:3", "reduce-scatter"),
    ("dgx-1v", "all-reduce"),
    ("torus:4x4", "all-to-all"),
    ("fat-tree:4", "all-gather"),
    ("ring:6", "oab"),
    ("ring:6", "aor"),
    ("ring:6", "mns --senders 0-3 --receivers 2-5"),
];

fn imported(arguments: &[&str]) -> Value {
    let text = pavane(&[&["import", "--json"], arguments].concat());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn exported_plans_come_back_as_valid_schedules() {
    let folder = tempfile::tempdir().unwrap();
    for (network, collective) in PROBLEMS {
        let schedule = solved(folder.path(), &format!("{network} {collective}"));
        let phases = pavane_model::format::read_file(&schedule, 1 << 20).unwrap();
        let steps: u32 = phases.iter().map(|phase| phase.schedule.step_count()).sum();
        for format in ["msccl", "mscclpp"] {
            let plan = exported(&schedule, format);
            let back = plan.with_extension("back.json");
            let (plan, back) = (plan.to_str().unwrap(), back.to_str().unwrap());
            let found = imported(&[plan, "--network", network, "-o", back]);
            assert_eq!(found["valid"], true, "{network} {collective} {format}: {found}");
            // Without steps the order is kept, and paths are chosen anew: some may collide.
            let most = 2 * u64::from(steps);
            assert!(found["steps"].as_u64().unwrap() <= most, "{network} {collective}: {found}");
            pavane(&["verify", back, "--network", network]);
        }
    }
}

#[test]
fn algorithms_of_sccl_are_judged_beside_their_bound() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/sccl-ring.json");
    let file = file.to_str().unwrap();
    let found = imported(&[file]);
    assert_eq!((&found["valid"], &found["steps"]), (&Value::from(true), &Value::from(2)));
    assert_eq!(found["phases"][0]["optimal"], true);
    let text = pavane(&["import", file]);
    assert!(text.contains("all-gather on Ring4: 4 routers, 8 channels"), "{text}");
    // On another network it takes other steps.
    let found = imported(&[file, "--network", "path:4"]);
    assert_eq!(found["valid"], true);
    assert!(found["steps"].as_u64().unwrap() > 2);
}

/// What is wrong with a file, changed in one place.
fn refused(name: &str, from: &str, to: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text.replace(from, to)).unwrap();
    let mut command = Command::cargo_bin("pavane").unwrap();
    let output = command.arg("import").arg(&path).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn what_does_not_fit_is_refused() {
    for (from, to, problem) in [
        ("[3, 3, 0]", "[3, 3, 1]", "more chunks from 3 to 1"),
        ("[3, 3, 0]", "[7, 3, 0]", "chunk 7 is sent"),
        ("[3, 3, 0]", "[2, 3, 0]", "NOT VALID"),
        ("\"pre\": [0]", "\"pre\": [0, 1]", "at 2 nodes at the start"),
        ("\"addr\": 3", "\"addr\": 2", "several chunks have the address 2"),
        ("\"switches\": []", "\"switches\": [[[0], [1, 2], 1, \"x\"]]", "give --network"),
        ("[1, 0, 1, 0]]", "[1, 0, 1]]", "no square matrix"),
        ("\"rounds\": 1", "\"rounds\": 0", "0 rounds"),
    ] {
        let text = refused("sccl-ring.json", from, to);
        assert!(text.contains(problem), "{from} -> {to}: {text}");
    }
}
