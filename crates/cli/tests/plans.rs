//! Plans for GPUs: exports are correct, and damage to a single step is detected.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, solved};
use pavane_interop::plan;
use pavane_model::strict_json;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const NETWORKS: &[&str] = &["dgx-1v", "hypercube:3", "torus:4x4", "ring:8"];
const COLLECTIVES: &[&str] = &["all-gather", "all-to-all", "all-reduce"];

/// Problems of every kind: groups, faults, several processors per router, one port,
/// store-and-forward, lists of messages.
const OTHERS: &[&str] = &[
    "path:4 aas --switching sf",
    "ring:6 gather --root 2 --switching sf",
    "ring:6 scatter --root 2",
    "ring:6 mnb --senders 0,1 --receivers 3-5",
    "ring:6 reduce --root 3 --senders 1,2",
    "ring:6 mns --senders 0-3 --receivers 2-5",
    "ring:6 aor --root 4",
    "ring:6 oab --root 4",
    "ring:6 shift:2",
    "torus:4x4 transpose",
    "octagon:8@2 aas --ports 1",
    "hypercube:4 reduce-scatter --fault 3",
    "ring:8 all-reduce --senders 1-5",
    "fat-tree:4 all-reduce",
    "mesh:3x3 all-gather --fault 1,1 --routing any --duplex half",
    "ring:5 multicast --receivers 2,3 --switching sf",
];

fn faults(text: &str) -> Vec<String> {
    match plan::read(text) {
        Ok(plan) => plan.faults().iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn plans_of_every_kind_are_right() {
    let folder = tempfile::tempdir().unwrap();
    for problem in OTHERS {
        let schedule = solved(folder.path(), problem);
        for format in ["msccl", "mscclpp"] {
            let text = std::fs::read_to_string(exported(&schedule, format)).unwrap();
            assert!(plan::read(&text).unwrap().definition.is_some(), "{problem} {format}");
            assert_eq!(faults(&text), [] as [&str; 0], "{problem} {format}");
            // Every send is received by a thread block that does nothing else, so no buffers are
            // needed.
            let mut plan = plan::read(&text).unwrap();
            plan.slots = plan.slots.map(|_| 1);
            assert_eq!(plan.faults(), [], "{problem} {format} with one slot");
        }
    }
}

/// Damages of each file.
const DAMAGES: u32 = 30;

#[test]
fn random_damages_of_each_file_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for network in NETWORKS {
        for collective in COLLECTIVES {
            let problem = format!("{network} {collective}");
            let schedule = solved(folder.path(), &problem);
            let xml = std::fs::read_to_string(exported(&schedule, "msccl")).unwrap();
            assert_eq!(faults(&xml), [] as [&str; 0], "{problem}");
            let mut rng = SmallRng::seed_from_u64(1);
            for number in 0..DAMAGES {
                let (what, damaged) = damage(&xml, &mut rng);
                assert!(damaged != xml, "{what}");
                let found = faults(&damaged);
                assert!(!found.is_empty(), "{problem}, damage {number}: {what} is not found");
            }
            let json = std::fs::read_to_string(exported(&schedule, "mscclpp")).unwrap();
            assert_eq!(faults(&json), [] as [&str; 0], "{problem}");
            for _ in 0..DAMAGES {
                let (what, damaged) = damage_json(&json, &mut rng);
                assert!(!faults(&damaged).is_empty(), "{problem}: {what} is not found");
            }
        }
    }
}

/// The file with one step or thread block changed so that it is no longer correct.
fn damage(xml: &str, rng: &mut SmallRng) -> (String, String) {
    let lines: Vec<&str> = xml.lines().collect();
    let steps: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains("<step ")).collect();
    loop {
        let at = steps[rng.random_range(0..steps.len())];
        let line = lines[at];
        let kind = attribute(line, "type");
        let is_sent = ["s", "cpy", "rrc"].contains(&kind.as_str());
        let is_stored = ["r", "cpy", "rrc"].contains(&kind.as_str());
        let other = |name: &str, rng: &mut SmallRng| {
            let old: u32 = attribute(line, name).parse().unwrap();
            let new = (old + 1 + rng.random_range(0..3)).to_string();
            with(line, name, &new)
        };
        let new = match rng.random_range(0..9) {
            0 => with(line, "type", "nop"),
            1 if is_sent => other("srcoff", rng),
            2 if is_stored => other("dstoff", rng),
            3 => other("cnt", rng),
            4 if kind == "rrc" => with(line, "type", "r"),
            5 if kind == "s" => {
                let buffer = if attribute(line, "srcbuf") == "s" { "i" } else { "s" };
                with(line, "srcbuf", buffer)
            }
            6 if attribute(line, "hasdep") == "1" => with(line, "hasdep", "0"),
            7 if attribute(line, "depid") != "-1" => with(&with(line, "depid", "-1"), "deps", "-1"),
            8 if kind != "cpy" => {
                // The thread block of the step uses another channel than its peer.
                let block = (0..at).rev().find(|&at| lines[at].contains("<tb ")).unwrap();
                let changed = with(lines[block], "chan", "7");
                return (lines[block].to_owned(), replaced(&lines, block, &changed));
            }
            _ => continue,
        };
        return (format!("{line} -> {new}"), replaced(&lines, at, &new));
    }
}

fn replaced(lines: &[&str], at: usize, new: &str) -> String {
    let line = |number: usize| if number == at { new } else { lines[number] };
    (0..lines.len()).map(|number| line(number).to_owned() + "\n").collect()
}

fn attribute(line: &str, name: &str) -> String {
    let start = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    line[start..].split('"').next().unwrap().to_owned()
}

fn with(line: &str, name: &str, value: &str) -> String {
    let old = format!(" {name}=\"{}\"", attribute(line, name));
    line.replacen(&old, &format!(" {name}=\"{value}\""), 1)
}

/// The plan without one of its operations, with an operation that uses no channel or the wrong one,
/// or with a last signal moved before the put that it announces.
fn damage_json(json: &str, rng: &mut SmallRng) -> (String, String) {
    let mut value: serde_json::Value = strict_json::from_str(json).unwrap();
    loop {
        let gpus = value["gpus"].as_array_mut().unwrap();
        let gpu = rng.random_range(0..gpus.len());
        let blocks = gpus[gpu]["threadblocks"].as_array_mut().unwrap();
        let block = rng.random_range(0..blocks.len());
        let operations = blocks[block]["ops"].as_array_mut().unwrap();
        let at = rng.random_range(0..operations.len());
        let name = |at: usize| operations[at]["name"].as_str().unwrap().to_owned();
        let is_last = |at: usize| (at + 1..operations.len()).all(|later| name(later) != "put");
        let place = format!("gpu {gpu}, block {block}, {at} ({})", name(at));
        let what = match (rng.random_range(0..4), name(at).as_str()) {
            (0, "put" | "copy" | "re" | "signal" | "wait" | "sem_release") => {
                operations.remove(at);
                "removed"
            }
            (1, "put" | "signal" | "wait") => {
                operations[at]["channel_ids"] = serde_json::json!([99]);
                "over a channel that is not there"
            }
            (2, "put") => {
                operations[at]["channel_ids"] = serde_json::json!([]);
                "over no channel"
            }
            (3, "put") if is_last(at) => {
                let Some(signal) = (at..operations.len()).find(|&later| name(later) == "signal")
                else {
                    continue;
                };
                operations[at..=signal].rotate_right(1);
                "after its signal"
            }
            _ => continue,
        };
        return (format!("{place} {what}"), value.to_string());
    }
}
