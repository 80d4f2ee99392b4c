//! Every JSON reader refuses an object with a duplicate key, at any depth, and an array in place of
//! an object.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use assert_cmd::Command;
use pavane_model::collective::message_file;
use pavane_model::{Model, format, strict_json};
use pavane_networks::import::{self, FileKind};
use pavane_networks::topology;
use serde_json::Value;
use std::path::Path;

/// Reads a text; `Err` is the message for the user.
type Read = fn(&str) -> Result<(), String>;

fn told<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

fn schedule(text: &str) -> Result<(), String> {
    told(format::read_stored(text.as_bytes(), "schedule.json", 1000))
}

fn network(text: &str) -> Result<(), String> {
    told(import::parse(text, "network.json", FileKind::Json))
}

fn messages(text: &str) -> Result<(), String> {
    told(message_file::parse("messages.json", text, &topology::build("ring:6").unwrap()))
}

fn mission(text: &str) -> Result<(), String> {
    let network = topology::build("ring:6").unwrap();
    told(pavane_traffic::mission::parse("mission.json", text, &network))
}

fn plan(text: &str) -> Result<(), String> {
    told(pavane_interop::plan::read(text))
}

fn sccl(text: &str) -> Result<(), String> {
    told(pavane_interop::import::from_sccl(text, None, Model::default()))
}

/// A file of the program itself, read by the program; the arguments name it.
fn by_program(file: &str, text: &str, arguments: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let mut command = Command::cargo_bin("pavane").unwrap();
    let output = command.current_dir(folder.path()).args(arguments.split(' ')).output().unwrap();
    match output.status.code() {
        Some(0) => Ok(()),
        _ => Err([output.stderr, output.stdout].map(|b| String::from_utf8(b).unwrap()).concat()),
    }
}

fn checkpoint(text: &str) -> Result<(), String> {
    by_program("c", text, "solve mesh:3x2 aas --engine ejection --resume c --quiet")
}

fn index(text: &str) -> Result<(), String> {
    by_program("index.json", text, "verify .")
}

fn fault_rows(text: &str) -> Result<(), String> {
    by_program("rows", text, "faults path:3 oab --resume rows --quiet")
}

fn table_rows(text: &str) -> Result<(), String> {
    by_program("rows", text, "reproduce gecco-4 --runs 1 --resume rows --quiet")
}

/// Every format: a file in the repository or the text itself, and its reader.
const FORMATS: &[(&str, Read)] = &[
    ("corpus/valid/all-reduce-path2.json", schedule),
    ("corpus/valid/messages-private-and-shared.json", schedule),
    (REFUTATION, schedule),
    ("fuzz/corpus/json/docs-1", network),
    ("fuzz/corpus/json/docs-2", network),
    ("fuzz/corpus/messages/json", messages),
    ("fuzz/corpus/mission/json", mission),
    (PLAN, plan),
    ("fuzz/corpus/sccl/ring", sccl),
    (CHECKPOINT, checkpoint),
    (INDEX, index),
    (FAULT_ROWS, fault_rows),
    (TABLE_ROWS, table_rows),
];

const REFUTATION: &str = r#"{"format": "pavane/refutation/1",
 "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2]},
 "model": {"switching": "wormhole", "routing": {"detour": 2}, "ports": 1},
 "collective": {"kind": "broadcast", "senders": [0], "receivers": [1, 2]},
 "bound": {"steps": 2, "reason": "nested-growth", "certificate":
   {"kind": "nested-growth", "message": 0, "sets": [{"routers": [1], "within": null}]}}}"#;

const PLAN: &str = r#"{"name": "p", "collective": "own", "inplace": false,
 "gpus": [{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "channels": [],
   "remote_buffers": [], "semaphores": [{"init_value": 0}], "threadblocks": [{"id": 0, "channels":
   [], "remote_buffer_refs": [], "ops": [{"name": "copy", "src_buff":
   [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}]}]}],
 "pavane": {"kind": "messages", "messages": [{"from": 0, "to": [0]}]}, "more": {"a": {"b": 0}}}"#;

const CHECKPOINT: &str = r#"{"format": "pavane/checkpoint/1", "setup": ["another search"],
 "phases": [{"position": {"stage": "search", "round": null, "is_begun": true, "rounds": 3,
   "effort": 1, "failed": null}, "evaluations": 30}]}"#;

const INDEX: &str = r#"{"format": "pavane/contingency/1", "network": "path:3", "of": ["routers"],
 "count": 1, "is_sample": false, "is_complete": true, "collectives": [{"collective": "oas",
   "root_moves": true, "no_fault": null, "faults": [{"faults": ["0"], "schedule": "none.json",
   "renumbering": {"routers": [0, 1, 2], "processors": [0, 1, 2]}, "steps": 1, "missing": [0]}]}]}"#;

const FAULT_ROWS: &str = r#"[{"setup": "s", "faults": ["0"], "result":
 {"status": "solved", "steps": 1, "bound": 1, "reason": "receive", "missing": []}}]"#;

const TABLE_ROWS: &str = r#"[{"table": "t", "problem": "p", "processors": 2, "paper": 1,
 "paper_rate": null, "engine": "e", "trials": [{"engine": "e", "steps": 1, "hits": 1, "runs": 1,
 "mean_evaluations": null, "cut_short": false, "seconds": 0.0}], "best": null, "bound": 1,
 "remarks": [], "setup": "s"}]"#;

fn text_of(sample: &str) -> String {
    if sample.starts_with(['{', '[']) {
        sample.to_owned()
    } else {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::read_to_string(root.join(sample)).unwrap()
    }
}

/// The text of a value in which the key with this number is duplicated. `left` counts down to it.
fn doubled(value: &Value, left: &mut isize) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| doubled(item, left)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(entries) => {
            let mut written = Vec::new();
            for (key, value) in entries {
                *left -= 1;
                let is_doubled = *left == -1;
                let entry = format!("{key:?}:{}", doubled(value, left));
                written.push(entry.clone());
                if is_doubled {
                    written.push(entry);
                }
            }
            format!("{{{}}}", written.join(","))
        }
        other => other.to_string(),
    }
}

#[test]
fn no_reader_takes_a_key_twice() {
    for (sample, read) in FORMATS {
        let text = text_of(sample);
        let fine = read(&text).err().unwrap_or_default();
        assert!(!fine.contains("twice"), "{sample}: {fine}");
        let value: Value = strict_json::from_str(&text).unwrap();
        let mut left = isize::MAX;
        doubled(&value, &mut left);
        let keys = isize::MAX - left;
        for key in 0..keys {
            let twice = doubled(&value, &mut key.clone());
            let error = read(&twice).expect_err(&twice);
            let is_placed = error.contains("line 1") && error.contains("column");
            // An enum such as {"detour": 2} is an object with one key, and ends after its value.
            let is_named = error.contains(" twice") || twice.contains(r#""detour":2,"detour":2"#);
            assert!(is_named && is_placed, "{twice}\n{error}");
        }
    }
}

/// Each text has one object written as an array of its fields in order, which derived readers would
/// accept.
#[test]
fn no_reader_takes_an_array_for_an_object() {
    let ring = r#""network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]}"#;
    let model = r#""model": {"switching": "wormhole", "routing": "minimal", "ports": "all"}"#;
    let tail = r#""collective": {"kind": "broadcast", "senders": [0], "receivers": [1]}"#;
    let step = r#""steps": [[{"message": [0], "from": 0, "to": 1, "path": [0]}]]"#;
    let format = r#""format": "pavane/schedule/1""#;
    let file = |parts: &[&str]| format!("{{{format}, {}}}", parts.join(", "));
    assert_eq!(schedule(&file(&[ring, model, tail, step])), Ok(()));
    let value = |part: &str| part.split_once(": ").unwrap().1.to_owned();
    let values = [format, ring, model, tail].map(value).join(", ");
    let with_bound = |bound: &str| file(&[ring, model, tail, &format!("\"bound\": {bound}"), step]);
    let with_collective = |collective: &str| file(&[ring, model, collective, step]);
    let gpu = r#"[0, 0, 0, 0, [], [], [], [[0, [], [], []]]]"#;
    let row = r#"["s", ["0"], {"status": "unsolved"}]"#;
    let cases: &[(Read, String)] = &[
        (schedule, format!("[{values}, null, {}, [], []]", value(step))),
        (schedule, file(&[r#""network": ["a", 2, [[0, 1], [1, 0]], [0, 1]]"#, model, tail, step])),
        (schedule, file(&[ring, r#""model": ["wormhole", "any", "full", "all"]"#, tail, step])),
        (schedule, with_collective(r#""collective": ["broadcast", "oab", [0], [1], []]"#)),
        (
            schedule,
            with_collective(r#""collective": {"kind": "messages", "messages": [[0, [1]]]}"#),
        ),
        (schedule, with_bound(r#"[1, "growth", "", null]"#)),
        (
            schedule,
            with_bound(r#"{"steps": 1, "reason": "growth", "certificate": ["growth", 0]}"#),
        ),
        (
            schedule,
            REFUTATION.replace(r#"{"routers": [1], "within": null}"#, r#"[[1], null]"#),
        ),
        (schedule, REFUTATION.replace(r#"{"kind": "nested-growth", "message": 0, "sets": [{"routers": [1], "within": null}]}"#, r#"["nested-growth", 0, []]"#)),
        (
            network,
            r#"["pavane/network/1", "n", 2, [[0, 1]], [], null, [], [], []]"#.to_owned(),
        ),
        (network, r#"[null, [], 3]"#.to_owned()),
        (messages, r#"{"messages": [[0, [1]]]}"#.to_owned()),
        (messages, r#"[[0, 1]]"#.to_owned()),
        (mission, r#"{"messages": [[0, 0, 1, 10]]}"#.to_owned()),
        (mission, r#"[[0, 0, 1, 10]]"#.to_owned()),
        (plan, format!(r#"{{"collective": "allgather", "gpus": [{gpu}]}}"#)),
        (plan, PLAN.replace(r#"{"from": 0, "to": [0]}"#, "[0, [0]]")),
        (sccl, text_of("fuzz/corpus/sccl/ring").replace(r#"{"msccl_type": "step", "rounds": 1, "sends": [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]]}"#, "[1, []]")),
        (checkpoint, r#"["pavane/checkpoint/1", [], []]"#.to_owned()),
        (
            checkpoint,
            r#"{"format": "pavane/checkpoint/1", "setup": [], "phases": [[null, 30, null, null, null, null]]}"#
                .to_owned(),
        ),
        (
            checkpoint,
            CHECKPOINT.replace(
                r#"{"stage": "search", "round": null, "is_begun": true, "rounds": 3,
   "effort": 1, "failed": null}"#,
                r#"["search", null, true, 3, 1, null]"#,
            ),
        ),
        (index, r#"["pavane/contingency/1", "path:3", [], 1, false, true, []]"#.to_owned()),
        (
            index,
            INDEX.replace(
                r#"{"routers": [0, 1, 2], "processors": [0, 1, 2]}"#,
                "[[0, 1, 2], [0, 1, 2]]",
            ),
        ),
        (fault_rows, format!("[{row}]")),
        (fault_rows, r#"[{"setup": "s", "faults": [], "result": ["unsolved"]}]"#.to_owned()),
        (
            table_rows,
            r#"[["t", "p", 2, 1, null, "e", [], null, 1, [], "s"]]"#.to_owned(),
        ),
    ];
    for (read, text) in cases {
        let error = read(text).expect_err(text);
        assert!(error.contains("sequence"), "{text}\n{error}");
    }
}
