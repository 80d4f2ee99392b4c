//! Names in files may contain characters that move the cursor, forge lines, or reverse the order of
//! letters. No command prints them, and no page, picture or document contains them.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use pavane_model::printable::is_hidden;
use pavane_model::strict_json;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Escape sequences, a separate line, and every kind of text direction mark.
const BAD: &str =
    "a\u{1b}[2J\u{9b}31m\nFORGED\u{202e}b\u{202a}\u{2066}c\u{2069}\u{200e}\u{200f}\u{61c}d\u{200b}";

/// A ring of four routers with such names, as a network and as a schedule.
fn write_files(folder: &Path) {
    let names: Vec<String> = (0..4).map(|router| format!("{BAD}{router}")).collect();
    let links: Vec<Value> = (0..4).map(|at| json!([at, (at + 1) % 4])).collect();
    let network =
        json!({"format": "pavane/network/1", "name": BAD, "routers": names, "links": links});
    fs::write(folder.join("net.json"), network.to_string()).unwrap();
    let (code, text) = run_in(folder, "solve net.json aab -o plan.json --quiet", "");
    assert_eq!(code, 0, "{text}");
    let bytes = fs::read(folder.join("plan.json")).unwrap();
    let mut schedule: Value = strict_json::from_slice(&bytes).unwrap();
    assert_eq!(schedule["network"]["name"], json!(BAD), "files keep names as they are");
    schedule["collective"]["name"] = json!(BAD);
    schedule["bound"]["explanation"] = json!(BAD);
    fs::write(folder.join("plan.json"), schedule.to_string()).unwrap();
    schedule["steps"][0] = json!([]);
    fs::write(folder.join("wrong.json"), schedule.to_string()).unwrap();
    schedule["steps"] = json!({BAD: 1});
    fs::write(folder.join("no-plan.json"), schedule.to_string()).unwrap();
    fs::write(folder.join("no-net.json"), json!({"routers": 2, BAD: 1}).to_string()).unwrap();
    fs::write(folder.join("log.csv"), "").unwrap();
    let messages = json!([{"from": 0, BAD: [1]}]);
    fs::write(folder.join("messages.json"), messages.to_string()).unwrap();
    let checkpoint = json!({"format": BAD, "setup": [], "phases": []});
    fs::write(folder.join("checkpoint"), checkpoint.to_string()).unwrap();
}

/// What is wrong with a text, if anything.
fn complaint(what: &str, text: &str) -> Option<String> {
    if let Some(at) = text.find(|letter| letter != '\n' && is_hidden(letter)) {
        let part: String = text[at..].chars().take(60).collect();
        return Some(format!("{what} has it raw: {part:?}"));
    }
    let forged = text.lines().find(|line| line.starts_with("FORGED"));
    forged.map(|_| format!("{what} has a forged line:\n{text}"))
}

#[test]
fn no_command_prints_them() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let (mut shown, mut complaints) = (0, Vec::new());
    for line in [
        "networks net.json",
        "networks net.json --fault r0-r1",
        "networks no-net.json",
        "bound net.json oas --root p1",
        "bound net.json oas --root p9",
        "bound net.json aas --fault r0-r1 --fault r2-r3",
        "bound net.json aab --switching sf --fault r0",
        "bound net.json messages.json",
        "bound net.json oas --fault r0-r2",
        "solve net.json oab --root p1",
        "solve net.json oab --resume checkpoint",
        "solve net.json aas --max-deliveries 2",
        "verify plan.json",
        "verify wrong.json",
        "verify no-plan.json",
        "verify plan.json no-plan.json",
        "verify plan.json --network ring:5",
        "repair plan.json --fault r0-r1",
        "repair plan.json --fault r0-r1 --fault r2-r3",
        "export plan.json --to markdown",
        "export plan.json --to latex",
        "export plan.json --to mpi",
        "export plan.json --to msccl",
        "export plan.json --to mscclpp",
        "export plan.json --to goal",
        "export plan.json --to dma",
        "export plan.json --to routes",
        "draw net.json",
        "draw plan.json",
        "draw plan.json -o plan.svg",
        "draw plan.json -o plan.html",
        "draw net.json -o net.html",
        "faults net.json oab --svg faults.svg --save folder",
        "verify folder",
        "repair folder --fault r0-r1",
        "traffic run net.json --gantt gantt.svg",
        "traffic run --schedule plan.json",
        "traffic compare net.json --missions 2",
        "traffic sweep net.json --missions 2 --values 0.5 --svg sweep.svg --csv sweep.csv",
        "deadlock net.json --routing shortest --dot graph.dot --svg graph.svg",
        "deadlock net.json --routing dimension-order",
        "import net.json -o imported.json",
    ] {
        for json in ["", " --json"] {
            let (code, text) = run_in(folder.path(), &format!("{line}{json}"), "");
            assert!(code <= 3 && !text.contains("panicked"), "{line}: {code} {text}");
            complaints.extend(complaint(line, &text));
            shown += usize::from(text.contains("202e"));
        }
    }
    assert!(shown > 40, "only {shown} commands show the name at all");
    for file in [
        "plan.svg",
        "plan.html",
        "net.html",
        "faults.svg",
        "gantt.svg",
        "sweep.svg",
        "graph.dot",
        "graph.svg",
    ] {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        complaints.extend(complaint(file, &text));
        assert!(text.contains("202e"), "{file} does not show the name");
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// JSON escapes them, so that reading gives the original name.
#[test]
fn json_has_the_name_that_the_file_has() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let (_, text) = run_in(folder.path(), "verify plan.json --json", "");
    let value: Value = strict_json::from_str(&text).unwrap();
    assert_eq!(value["collective"], json!(BAD));
}
