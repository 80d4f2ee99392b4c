//! Names in a schedule file are claims: unchecked names are never shown as facts.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use pavane_model::strict_json;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A file for two routers with the given names.
fn write(folder: &Path, network: &str, collective: &str) {
    let file = json!({
        "format": "pavane/schedule/1",
        "network": {"name": network, "routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
        "model": {"switching": "wormhole", "routing": "minimal", "duplex": "full", "ports": "all"},
        "collective": {"kind": "scatter", "name": collective, "senders": [0], "receivers": [1]},
        "steps": [[{"message": [0, 1], "from": 0, "to": 1, "path": [0]}]],
    });
    fs::write(folder.join("plan.json"), file.to_string()).unwrap();
}

#[test]
fn a_false_name_is_shown_as_a_claim() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "hypercube:10", "aas");
    let (code, text) = run_in(folder.path(), "verify plan.json", "");
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("  scatter called \"aas\" from processor 0 to processor 1: 1 message\n"),
        "{text}"
    );
    let line = "  network   2 routers, 2 channels, 2 processors \
                (the file calls it \"hypercube:10\", but that is a different network)\n";
    assert!(text.contains(line), "{text}");
    let title = "scatter called \"aas\" on \"hypercube:10\" (2 routers, 2 channels, 2 processors)";
    for line in
        ["export plan.json --to markdown", "draw plan.json", "draw plan.json -o page.html --json"]
    {
        let (code, text) = run_in(folder.path(), line, "");
        let text = text.replace("\\\"", "\"").replace("&quot;", "\"");
        assert!(code == 0 && text.contains(title), "{line}: {text}");
    }
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains(&title.replace('"', "&quot;")), "{page}");
    let (_, text) = run_in(folder.path(), "verify plan.json --json", "");
    let value: Value = strict_json::from_str(&text).unwrap();
    assert_eq!(
        (&value["network"], &value["network_checked"]),
        (&json!("hypercube:10"), &json!(false))
    );
    assert_eq!(
        (&value["collective"], &value["collective_checked"]),
        (&json!("aas"), &json!(false))
    );
}

#[test]
fn a_name_that_no_family_has_is_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "cluster.dot", "mns");
    let (_, text) = run_in(folder.path(), "verify plan.json", "");
    assert!(text.contains("  scatter from processor 0 to processor 1: 1 message\n"), "{text}");
    let claim = "(the file calls it \"cluster.dot\"; check this with `pavane verify --network`)";
    assert!(text.contains(claim), "{text}");
    let (_, text) = run_in(folder.path(), "verify plan.json --network path:2", "");
    assert!(
        text.contains("  scatter from processor 0 to processor 1 on path:2: 2 routers"),
        "{text}"
    );
    let (_, text) = run_in(folder.path(), "verify plan.json --network path:2 --json", "");
    let value: Value = strict_json::from_str(&text).unwrap();
    assert_eq!((&value["network"], &value["network_checked"]), (&json!("path:2"), &json!(true)));
    let (code, text) = run_in(folder.path(), "verify plan.json --network ring:4", "");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("is for the network \"cluster.dot\" (2 routers"), "{text}");
}

#[test]
fn a_right_name_is_shown_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "path:2", "oas");
    let (_, text) = run_in(folder.path(), "verify plan.json", "");
    assert!(
        text.contains("  scatter from processor 0 to processor 1 on path:2: 2 routers"),
        "{text}"
    );
    let (_, text) = run_in(folder.path(), "verify plan.json --json", "");
    let value: Value = strict_json::from_str(&text).unwrap();
    assert_eq!([&value["network_checked"], &value["collective_checked"]], [&json!(true); 2]);
}

/// Under half duplex it matters which channels form a link, so links are part of the network.
#[test]
fn other_links_are_another_network() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "path:2", "oas");
    let path = folder.path().join("plan.json");
    let mut file: Value = strict_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    file["network"]["directed"] = json!(true);
    file["model"]["duplex"] = json!("half");
    fs::write(&path, file.to_string()).unwrap();
    let (_, text) = run_in(folder.path(), "verify plan.json", "");
    assert!(
        text.contains("(the file calls it \"path:2\", but that is a different network)"),
        "{text}"
    );
    let (code, text) = run_in(folder.path(), "verify plan.json --network path:2", "");
    assert_eq!(code, 2, "{text}");
}

#[test]
fn faults_and_the_network_of_traffic_are_claims_too() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "hypercube:10", "mns");
    let (code, text) = run_in(folder.path(), "traffic run --schedule plan.json", "");
    let network = "1 message on \"hypercube:10\" (2 routers, 2 channels, 2 processors): ";
    assert!(code == 0 && text.contains(network), "{text}");
    let plan = fs::read_to_string(folder.path().join("plan.json")).unwrap();
    let plan = plan.replace("\"hypercube:10\"", "\"my.dot\", \"faults\": [\"0-1\"]");
    fs::write(folder.path().join("plan.json"), plan).unwrap();
    let (_, text) = run_in(folder.path(), "verify plan.json", "");
    let line =
        "(the file calls it \"my.dot\" without \"0-1\"; check this with `pavane verify --network`)";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_small_file_does_not_make_a_large_network_to_check_its_name() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "random-regular:16000000,2,1", "mns");
    let plan = fs::read_to_string(folder.path().join("plan.json")).unwrap();
    let faults: Vec<String> = (0..20).map(|_| "\"x\"".to_owned()).collect();
    let faults = format!("\"routers\":1000000, \"faults\": [{}]", faults.join(","));
    fs::write(folder.path().join("plan.json"), plan.replace("\"routers\":2", &faults)).unwrap();
    // Building the network takes minutes and more than a gigabyte.
    let (code, text) = run_in(folder.path(), "verify plan.json", "");
    assert!(code == 0 && text.contains("random-regular:16000000,2,1"), "{text}");
}
