//! Imported schedules: exports come back as schedules that the judge accepts, and inconsistent
//! files are refused.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, pavane, solved};
use assert_cmd::Command;
use pavane_model::strict_json;
use serde_json::Value;
use std::path::Path;

/// Network and collective. The import may take as many steps as the schedule that was exported.
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
    ("ring:6", "reduce --root 3 --senders 1,2"),
    ("dgx-1v", "reduce --root 7 --senders 1-4"),
    ("ring:8", "all-reduce --senders 1-5"),
    ("ring:8", "aar --senders 0,1 --receivers 4,6"),
];

fn imported(arguments: &[&str]) -> Value {
    let text = pavane(&[&["import", "--json"], arguments].concat());
    strict_json::from_str(&text).unwrap()
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
            // Without steps the order is kept and paths are chosen again, so some may collide.
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
    assert!(text.contains("all-gather: 4 messages, 12 deliveries"), "{text}");
    let network = "4 routers, 8 channels, 4 processors (the file calls it \"Ring4\"";
    assert!(text.contains(network), "{text}");
    // On the links of a DGX-1 with Volta GPUs, numbered as in SCCL.
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/sccl-dgx1.json");
    let found = imported(&[machine.to_str().unwrap()]);
    assert_eq!((&found["steps"], &found["phases"][0]["optimal"]), (&2.into(), &true.into()));
    // On another network it takes a different number of steps.
    let found = imported(&[file, "--network", "path:4"]);
    assert_eq!(found["valid"], true);
    assert!(found["steps"].as_u64().unwrap() > 2);
}

/// The error for a file with one change.
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

/// Plans in the style of other compilers are imported as schedules and compared with their bounds.
#[test]
fn plans_of_others_are_judged_beside_their_bound() {
    let plans = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plans");
    for (name, network, steps) in [
        ("allgather-ring.xml", "ring:4", 3),
        ("allreduce-ring-in-place.xml", "ring:4", 6),
        ("allreduce-all-pairs.xml", "complete:4", 2),
        ("alltoall-two-step.xml", "hypercube:2", 3),
        ("alltoall-burst-of-four.xml", "path:2", 4),
        ("allreduce-remote-sums.json", "path:2", 4),
    ] {
        let file = plans.join("right").join(name);
        let found = imported(&[file.to_str().unwrap(), "--network", network]);
        assert_eq!(
            (&found["valid"], &found["steps"]),
            (&true.into(), &steps.into()),
            "{name}: {found}"
        );
    }
    for (name, problem) in [
        ("wrong/deadlock-slots-are-full.xml", "deadlock"),
        ("wrong/wrong-data-added-twice.xml", "wrong data"),
    ] {
        let mut command = Command::cargo_bin("pavane").unwrap();
        let output = command.arg("import").arg(plans.join(name)).output().unwrap();
        let text =
            String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
        assert!(!output.status.success() && text.contains(problem), "{name}: {text}");
    }
}

/// Truncated, odd or hostile files of other programs give an error with the reason and exit code 2.
#[test]
fn odd_files_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let plan = include_str!("../../../corpus/plans/right/allgather-ring.xml");
    let table: &[(&str, String, &str)] = &[
        ("cut.xml", plan[..plan.len() / 2].to_owned(), "not XML"),
        ("no-type.xml", plan.replacen(" type=\"s\"", "", 1), "it has no type"),
        ("no-depid.xml", plan.replacen(" depid=\"-1\"", "", 1), "it has no depid"),
        ("huge.xml", plan.replacen("cnt=\"1\"", "cnt=\"99999999999\"", 1), "not a number"),
        ("peer.xml", plan.replacen("send=\"1\"", "send=\"9\"", 1), "does not name another gpu"),
        ("gpus.xml", plan.replacen("ngpus=\"4\"", "ngpus=\"5\"", 1), "ngpus is 5"),
        ("type.xml", plan.replacen("type=\"s\"", "type=\"sr\"", 1), "unknown step type"),
        (
            "a.json",
            "{\"collective\": \"allgather\", \"gpus\": [{\"id\": 7}]}".to_owned(),
            "expected gpu 0",
        ),
        ("topo.txt", "\tGPU0\tGPU1\nGPU0\t X \tQPI\nGPU1\tQPI\t X \n".to_owned(), "QPI"),
        ("fabric.txt", "Switch 2 \"S-1\"\n[1] \"H-9\"[1] # \"a\" lid 1 4xEDR\n".to_owned(), "H-9"),
        ("nccl.xml", "<system version=\"1\"><cpu/></system>".to_owned(), "it has no GPU"),
        (
            "sccl.json",
            "{\"steps\": 1, \"collective\": {}, \"topology\": {}}".to_owned(),
            "not an SCCL algorithm",
        ),
    ];
    for (name, text, problem) in table {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut command = Command::cargo_bin("pavane").unwrap();
        let output = command.arg("import").arg(&path).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {told}");
        assert!(told.contains(problem) && told.contains(name), "{name}: {told}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (from, to, problem) in [
        ("[3, 3, 0]", "[3, 3, 1]", "more chunks from 3 to 1"),
        ("[3, 3, 0]", "[7, 3, 0]", "chunk 7 is sent"),
        ("[3, 3, 0]", "[2, 3, 0]", "NOT VALID"),
        ("\"pre\": [0]", "\"pre\": [0, 1]", "at 2 nodes at the start"),
        ("\"addr\": 3", "\"addr\": 2", "several chunks have the address 2"),
        ("\"switches\": []", "\"switches\": [[[0], [1, 2], 1, \"x\"]]", "give a network"),
        ("[1, 0, 1, 0]]", "[1, 0, 1]]", "not a square matrix"),
        ("\"rounds\": 1", "\"rounds\": 0", "0 rounds"),
    ] {
        let text = refused("sccl-ring.json", from, to);
        assert!(text.contains(problem), "{from} -> {to}: {text}");
    }
}

fn in_files(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    file.to_str().unwrap().to_owned()
}

/// The output of a command that must end with this exit code.
fn ended(code: i32, arguments: &[&str]) -> String {
    let run = Command::cargo_bin("pavane").unwrap().args(arguments).assert().code(code);
    let output = run.get_output();
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

/// A file with three processors around a switch.
fn star(folder: &Path) -> String {
    let file = folder.join("star.json");
    let text = r#"{"format": "pavane/network/1", "routers": 4, "links": [[0, 3], [1, 3], [2, 3]],
        "processors": [0, 1, 2]}"#;
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn schedules_of_te_ccl_are_timed_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let back = folder.path().join("back.json");
    let (file, back) = (in_files("teccl-star.json"), back.to_str().unwrap());
    // Shards of 1,000 bytes take two hops of 1,000 ns twice.
    let network = &star(folder.path());
    let text =
        ended(1, &["import", "--json", &file, "--network", network, "--bytes", "3000", "-o", back]);
    let found: Value = strict_json::from_str(&text).unwrap();
    assert_eq!((&found["valid"], &found["time_ns"]), (&true.into(), &"4000".into()), "{found}");
    let claims = &found["claims"];
    assert_eq!((&claims["demands_met"], &claims["demands"]), (&6.into(), &6.into()), "{found}");
    // Every processor receives 2,000 bytes at 1 GB/s.
    assert_eq!((&claims["possible"], &found["bound_ns"]), (&false.into(), &"2000".into()));
    assert_eq!(claims["notes"], Value::Array(Vec::new()), "{found}");
    pavane(&["verify", back]);
    let text = ended(1, &["verify", &file, "--network", network, "--bytes", "3KB"]);
    assert!(text.contains("the file claims 1.5000 µs") && text.contains("IMPOSSIBLE"), "{text}");
    // The claim is judged for its own size too.
    let text = ended(1, &["import", &file, "--network", network, "--bytes", "6KB"]);
    assert!(text.contains("for 3000 bytes, not for 6000") && text.contains("IMPOSSIBLE"), "{text}");
    // One rank fewer, and none at all.
    let text = ended(1, &["import", &file, "--network", "complete:4", "--bytes", "4KB"]);
    assert!(text.contains("6 of 12") && text.contains("node 0 is used as a switch"), "{text}");
    let text = ended(2, &["import", &file, "--network", "ring:3", "--bytes", "3KB"]);
    assert!(text.contains("3 GPUs and 1 switch"), "{text}");
    for missing in [&["import", &file[..]][..], &["verify", &file, "--network", network]] {
        let text = ended(2, missing);
        assert!(text.contains("TE-CCL") && text.contains("--bytes SIZE"), "{text}");
    }
}

#[test]
fn shares_of_te_ccl_become_byte_ranges() {
    let file = in_files("teccl-shares.json");
    // The claim is about 3,000 bytes, for which it is impossible, whatever size is timed. Another size
    // is noted, and why the claim is impossible for its own.
    for (bytes, notes) in [("3000", 0), ("3001", 0), ("10", 2), ("7", 2), ("4", 2)] {
        let run =
            ended(1, &["import", "--json", &file, "--network", "complete:3", "--bytes", bytes]);
        let found: Value = strict_json::from_str(&run).unwrap();
        assert_eq!(
            (&found["valid"], &found["violation_count"]),
            (&true.into(), &0.into()),
            "{found}"
        );
        assert_eq!(found["claims"]["demands_met"], 6, "{found}");
        assert_eq!(found["claims"]["possible"], false, "{found}");
        assert_eq!(found["claims"]["notes"].as_array().map(Vec::len), Some(notes), "{found}");
    }
}

/// In a wormhole schedule a message passes processors that also get it in another step.
#[test]
fn plans_that_pass_processors_are_timed() {
    let folder = tempfile::tempdir().unwrap();
    for collective in ["broadcast", "reduce"] {
        let schedule = solved(folder.path(), &format!("ring:8 {collective}"));
        let plan = exported(&schedule, "msccl");
        let (plan, network) = (plan.to_str().unwrap(), ["--network", "ring:8", "--bytes", "1KB"]);
        let text = pavane(&[&["import", plan], &network[..]].concat());
        assert!(text.contains("valid timed schedule") && !text.contains("NOT VALID"), "{text}");
    }
}

#[test]
fn damaged_files_of_te_ccl_are_refused() {
    let text = std::fs::read_to_string(in_files("teccl-star.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.json");
    let cases = [
        (2, "1->2 in epoch 0 via switches 0", "1=>2 in epoch 0", "is not a flow"),
        (2, "Chunk 0 from 1 traveled over 1->2", "Chunk 9999 from 1 traveled over 1->2", "chunk"),
        (
            2,
            "traveled over 1->2 in epoch 0 via switches 0",
            "traveled over 1->2 in epoch 0",
            "no channel",
        ),
        (
            2,
            "\"4-Collective_Finish_Time\": 1.5e-06",
            "\"4-Collective_Finish_Time\": -1",
            "Finish_Time",
        ),
        (2, "\"7-Flows\": [", "\"7-Flows\": [7, ", "is not a flow"),
        (
            1,
            "Chunk 0 from 1 traveled over 2->3",
            "Chunk 0 from 3 traveled over 2->3",
            "does not have",
        ),
        (
            1,
            "Chunk 0 from 1 traveled over 2->3",
            "Chunk 0 from 2 traveled over 2->3",
            "second time",
        ),
        (
            1,
            "\"Chunk 0 from 3 traveled over 1->2 in epoch 1 via switches 0\"",
            "\"Chunk 0 from 3 traveled over 3->1 in epoch 1 via switches 0\"",
            "5 of 6",
        ),
    ];
    for (code, right, wrong, why) in cases {
        assert!(text.contains(right), "{right}");
        std::fs::write(&damaged, text.replacen(right, wrong, 1)).unwrap();
        let file = damaged.to_str().unwrap();
        let said =
            ended(code, &["import", file, "--network", &star(folder.path()), "--bytes", "3KB"]);
        assert!(said.contains(why), "{right} to {wrong}: {said}");
    }
}

#[test]
fn plans_are_timed_on_the_bandwidths_of_a_machine() {
    let folder = tempfile::tempdir().unwrap();
    for problem in [
        "dgx-1v all-gather --switching sf --chunks 6",
        "dgx-1v all-reduce --switching sf",
        "dgx-1v all-to-all --switching sf",
        "dgx-1v reduce-scatter --switching sf --chunks 2",
    ] {
        let schedule = solved(folder.path(), problem);
        let back = folder.path().join("timed.json");
        let back = back.to_str().unwrap();
        let plan = exported(&schedule, "msccl");
        let plan = plan.to_str().unwrap();
        let found = imported(&[plan, "--network", "dgx-1v", "--bytes", "1MB", "-o", back]);
        assert_eq!((&found["valid"], &found["claims"]["format"]), (&true.into(), &"MSCCL".into()));
        pavane(&["verify", back, "--network", "dgx-1v"]);
    }
}
