//! Schedule files changed to make a false claim about a network that the user names:
//! `pavane verify --network` refuses them. Correct files pass, whichever program wrote them.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use super::run;
use pavane_model::format::{MODEL_FIELDS, NETWORK_FIELDS};
use pavane_model::strict_json;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Expected result of `pavane verify --network` for a file with a changed field.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The file is valid by itself, but for another network.
    OtherNetwork,
    /// The schedule breaks a rule, or its bound is not proved, under the changed model.
    False,
    /// No rule depends on the field, so the file remains valid.
    Accepted,
}

use Expected::{Accepted, False, OtherNetwork};

/// A field of `network` or `model`, the problem whose file is changed, and the changes: JSON
/// pointers with their new values.
type Mutant = (&'static str, &'static str, &'static [(&'static str, &'static str)], Expected);

const MUTANTS: &[Mutant] = &[
    ("network/name", "ring:4 oab", &[("/network/name", "\"ring:8\"")], Accepted),
    ("network/routers", "ring:4 oab", &[("/network/routers", "5")], OtherNetwork),
    (
        "network/channels",
        "ring:4 oab",
        &[("/network/channels", "[[0,1],[1,0],[1,2],[2,1],[2,3],[3,2],[3,0],[0,3],[1,3]]")],
        OtherNetwork,
    ),
    ("network/processors", "ring:4 oab", &[("/network/processors", "[0,1,2,3,0]")], OtherNetwork),
    ("network/links", "ring:4 oab --duplex half", &[("/network/links", "[]")], OtherNetwork),
    (
        "network/links",
        "ring:4 oab --duplex half",
        &[("/network/links", "[[0,1],[2,3],[4,5]]")],
        OtherNetwork,
    ),
    (
        "network/directed",
        "ring:4 oab --duplex half",
        &[("/network/directed", "true")],
        OtherNetwork,
    ),
    (
        "network/directed",
        "kautz:2,2 oab --duplex half",
        &[("/network/directed", "false")],
        OtherNetwork,
    ),
    // The channels of a link exclude each other only under half duplex.
    ("network/directed", "ring:4 oab", &[("/network/directed", "true")], Accepted),
    ("network/directed", "kautz:2,2 oab", &[("/network/directed", "false")], Accepted),
    ("network/names", "ring:4 oab", &[("/network/names", r#"["a","b","c","d"]"#)], Accepted),
    (
        "network/positions",
        "ring:4 oab",
        &[("/network/positions", "[[0,0],[0,1],[1,1],[1,0]]")],
        Accepted,
    ),
    ("network/latency_ns", "ring:4 oab", &[("/network/latency_ns", "[700]")], Accepted),
    ("network/bandwidth_gbytes", "ring:4 oab", &[("/network/bandwidth_gbytes", "[25]")], Accepted),
    ("network/multicast", "fat-tree:2 oab", &[("/network/multicast", "[2]")], OtherNetwork),
    ("network/faults", "ring:4 oab", &[("/network/faults", r#"["2-3"]"#)], OtherNetwork),
    ("network/faults", "ring:4 oab --fault 2-3", &[("/network/faults", "[]")], OtherNetwork),
    (
        "network/faults",
        "ring:4 oab --fault 2-3",
        &[("/network/faults", r#"["0-1"]"#)],
        OtherNetwork,
    ),
    ("network/faults", "ring:4 oab --fault 2-3", &[("/faults", r#"["2-3"]"#)], OtherNetwork),
    ("model/switching", "ring:4 aas", &[("/model/switching", "\"sf\"")], False),
    ("model/routing", "mesh:4x4 oas --root 1", &[("/model/routing", "\"any\"")], False),
    ("model/routing", "mesh:4x4 oas --root 1", &[("/model/routing", r#"{"detour":4}"#)], False),
    (
        "model/routing",
        "mesh:4x4 oas --root 1 --routing any",
        &[("/model/routing", "\"minimal\"")],
        False,
    ),
    ("model/duplex", "ring:4 aas", &[("/model/duplex", "\"half\"")], False),
    ("model/duplex", "ring:4 aas --duplex half", &[("/model/duplex", "\"full\"")], False),
    ("model/ports", "ring:4 aas", &[("/model/ports", "1")], False),
    ("model/ports", "complete:4 oab --ports 1", &[("/model/ports", "\"all\"")], False),
    // A full-duplex schedule of 2 steps, claimed to be for half duplex, where 4 are needed.
    (
        "network/directed",
        "ring:4 aas",
        &[("/model/duplex", "\"half\""), ("/network/directed", "true")],
        OtherNetwork,
    ),
    (
        "network/links",
        "ring:4 aas",
        &[("/model/duplex", "\"half\""), ("/network/links", "[]")],
        OtherNetwork,
    ),
];

/// Solves a problem and reads the file back.
fn solve(folder: &Path, problem: &str) -> Value {
    let path = folder.join("solved.json");
    let text = run(&format!("solve {problem} --quiet -o {}", path.display()));
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    strict_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn set(file: &mut Value, pointer: &str, value: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap()[key] = strict_json::from_str(value).unwrap();
}

/// The output for a file, by itself and with a network.
fn verify(folder: &Path, file: &Value, network: &str) -> [String; 2] {
    let path = folder.join("changed.json");
    std::fs::write(&path, file.to_string()).unwrap();
    ["".to_owned(), format!(" --network {network}")]
        .map(|option| run(&format!("verify {}{option}", path.display())))
}

#[test]
fn a_changed_field_is_refused_or_changes_no_rule() {
    let folder = tempfile::tempdir().unwrap();
    for (field, problem, changes, expected) in MUTANTS {
        let mut file = solve(folder.path(), problem);
        let network = problem.split(' ').next().unwrap();
        let [_, before] = verify(folder.path(), &file, network);
        assert!(before.ends_with("[exit 0]\n") && before.contains("optimal"), "{before}");
        for (pointer, value) in *changes {
            set(&mut file, pointer, value);
        }
        let [alone, named] = verify(folder.path(), &file, network);
        let what = format!("{field} of {problem}: {changes:?}\n{alone}\n{named}");
        match expected {
            OtherNetwork => {
                assert!(
                    alone.ends_with("[exit 0]\n"),
                    "the change must be sound by itself: {what}"
                );
                assert!(named.ends_with("[exit 2]\n") && !named.contains("optimal"), "{what}");
            }
            False => assert!(named.ends_with("[exit 1]\n") && !named.contains("optimal"), "{what}"),
            Accepted => {
                assert!(named.ends_with("[exit 0]\n") && named.contains("optimal"), "{what}");
            }
        }
    }
}

#[test]
fn every_field_of_the_network_and_the_model_has_a_mutant() {
    let named = |part: &str, fields: &[&str]| -> Vec<String> {
        fields.iter().map(|field| format!("{part}/{field}")).collect()
    };
    let fields: BTreeSet<String> = [named("network", NETWORK_FIELDS), named("model", MODEL_FIELDS)]
        .concat()
        .into_iter()
        .collect();
    let mutants: BTreeSet<String> = MUTANTS.iter().map(|mutant| mutant.0.to_owned()).collect();
    assert_eq!(mutants, fields);
}

/// Problems whose files must pass unchanged.
const RIGHT: &[&str] = &[
    "ring:4 aas --duplex half",
    "kautz:2,2 aas --duplex half",
    "kautz:2,2 oab --duplex half --fault 01-10",
    "de-bruijn:2,3 oab --duplex half",
    "torus:2x3 oab --duplex half",
    "torus:2x3 oab --duplex half --fault-channel 0,0-1,0",
    "mesh:3x3 oab --duplex half --fault 0,0-0,1 --fault 2,2",
    "ring:4@2 oab --duplex half",
    "fat-tree:2 oab",
    "ring:4 all-reduce",
];

#[test]
fn right_files_pass() {
    let folder = tempfile::tempdir().unwrap();
    for problem in RIGHT {
        let network = problem.split(' ').next().unwrap();
        let mut file = solve(folder.path(), problem);
        let [_, text] = verify(folder.path(), &file, network);
        assert!(text.ends_with("[exit 0]\n"), "{problem}: {text}");
        // Other programs may omit links, labels and other optional fields.
        let part = file["network"].as_object_mut().unwrap();
        let is_derived = part.remove("links").is_none() && !part.contains_key("directed");
        part.remove("names");
        part.remove("positions");
        let [_, text] = verify(folder.path(), &file, network);
        assert!(!is_derived || text.ends_with("[exit 0]\n"), "{problem}: {text}");
    }
    // Without "directed", opposite channels count as links. Under full duplex this makes no
    // difference.
    let mut file = solve(folder.path(), "kautz:2,2 aas");
    file["network"].as_object_mut().unwrap().remove("directed").unwrap();
    let [_, text] = verify(folder.path(), &file, "kautz:2,2");
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    file["model"]["duplex"] = "half".into();
    let [_, text] = verify(folder.path(), &file, "kautz:2,2");
    assert!(text.contains("has the channels of kautz:2,2, but not its links"), "{text}");
}
