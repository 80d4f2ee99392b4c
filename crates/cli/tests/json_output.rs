//! The output of `--json` matches `docs/output.schema.json`, field by field.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use assert_cmd::Command;
use pavane_model::strict_json;
use serde_json::Value;
use std::path::Path;

/// Commands, run in the folder of test files, and the definitions that they follow.
const COMMANDS: &[(&str, &str)] = &[
    ("networks", "families"),
    ("networks kautz:2,2 --fault 01-10", "network"),
    ("engines", "engines"),
    ("bound ring:4 aas", "bounds"),
    ("bound ring:4 all-reduce", "bounds"),
    ("solve ring:4 oab --ts 1", "solution"),
    ("solve ring:4 all-reduce", "solution"),
    ("solve octagon:8 aas -o /dev/null", "solution"),
    ("solve octagon:8 aas --steps 3", "unsolved"),
    ("solve path:4 aab --switching sf --ports 1 --steps 3 --prove", "unsolved"),
    ("verify ring-oab.json", "verdict"),
    ("verify ring-oab-broken.json", "verdict"),
    ("verify nowhere.json", "verdict"),
    ("faults path:4 oab", "faults"),
    ("repair ring-oab.json --fault 2-3", "repair"),
    ("bench octagon --seeds 1", "bench"),
    ("traffic run hypercube:3", "traffic-run"),
    ("traffic run ring:5 --switching wormhole --routing shortest", "traffic-run"),
    ("traffic compare hypercube:3 --missions 5", "traffic-compare"),
    ("traffic compare hypercube:2 --missions 2 --optimal 2 --policy lbf", "traffic-compare"),
    (
        "traffic compare ring:5 --switching wormhole --routing shortest --missions 2",
        "traffic-compare",
    ),
    ("deadlock ring:5", "deadlock"),
    ("deadlock ring:5 --routing shortest", "deadlock"),
    ("export --list", "formats"),
    ("export ring-oab.json --to csv -o /dev/null", "exported"),
    ("import sccl-ring.json", "imported"),
    ("import sccl-dgx1.json --network dgx-1v -o /dev/null", "imported"),
    ("import square.edges -o /dev/null", "imported-network"),
    ("check-plan ../../../../corpus/plans/right/allgather-ring.xml", "plan"),
    ("check-plan ../../../../corpus/plans/wrong/deadlock-waits-first.json", "plan"),
    ("traffic sweep hypercube:2 --missions 2 --values 0.5", "traffic-sweep"),
    ("traffic sweep ring:5 --switching wormhole --missions 2 --values 0.9", "traffic-sweep"),
    ("traffic sweep ring:5 --switching wormhole --over interval --values 20", "traffic-sweep"),
    ("draw ring-oab.json -o /dev/null", "drawn"),
    ("reproduce --list", "tables"),
    ("reproduce gecco-4 --runs 1", "reproduced"),
    ("reproduce traffic-1 --runs 1", "reproduced"),
];

#[test]
fn every_command_keeps_to_the_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../../docs/output.schema.json")).unwrap();
    let schema: Value = strict_json::from_str(&text).unwrap();
    for (line, definition) in COMMANDS {
        let mut command = Command::cargo_bin("pavane").unwrap();
        command.current_dir(root.join("tests/files")).args(line.split_whitespace()).arg("--json");
        let output = command.output().unwrap();
        let value: Value = strict_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        check(line, &value, &schema["$defs"][definition], &schema);
    }
}

/// Every command has `--json`, except those whose output is not a result, and the documentation
/// names every definition.
#[test]
fn every_command_has_json_and_every_definition_is_described() {
    let help = |words: &[&str]| {
        let mut command = Command::cargo_bin("pavane").unwrap();
        let output = command.args(words).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let names = |text: &str| -> Vec<String> {
        let Some((_, list)) = text.split_once("Commands:\n") else { return Vec::new() };
        let lines = list.lines().take_while(|line| line.starts_with("  "));
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let mut seen = 0;
    for name in names(&help(&[])) {
        if ["help", "completions", "man"].contains(&name.as_str()) {
            continue;
        }
        let text = help(&[&name]);
        let parts = names(&text);
        for part in parts.iter().filter(|part| *part != "help") {
            assert!(help(&[&name, part]).contains("--json"), "{name} {part}");
        }
        assert!(!parts.is_empty() || text.contains("--json"), "{name}");
        seen += 1;
    }
    assert!(seen >= 16, "only {seen} commands");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let schema = std::fs::read_to_string(docs.join("output.schema.json")).unwrap();
    let schema: Value = strict_json::from_str(&schema).unwrap();
    let page = std::fs::read_to_string(docs.join("json.md")).unwrap();
    for name in schema["$defs"].as_object().unwrap().keys() {
        let is_part = ["model", "bound", "skipped", "violation"].contains(&name.as_str());
        assert!(is_part || page.contains(&format!("`{name}`")), "{name} is not in json.md");
    }
}

/// Checks that a value matches its definition and has no other fields.
fn check(place: &str, value: &Value, definition: &Value, schema: &Value) {
    assert!(definition.is_object(), "{place} has no definition");
    if let Some(name) = definition["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").unwrap();
        return check(place, value, &schema["$defs"][name], schema);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = match &definition["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let is_of_kind = |known: &Value| known == kind || (known == "number" && kind == "integer");
    assert!(kinds.iter().any(is_of_kind), "{place} is {kind}, not one of {kinds:?}");
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        if definition["items"].is_object() {
            check(&format!("{place}[{number}]"), item, &definition["items"], schema);
        }
    }
    let (Some(object), Some(properties)) =
        (value.as_object(), definition["properties"].as_object())
    else {
        return;
    };
    for name in definition["required"].as_array().unwrap() {
        assert!(object.contains_key(name.as_str().unwrap()), "{place} has no {name}");
    }
    for (name, field) in object {
        let Some(known) = properties.get(name) else {
            panic!("{place}.{name} is not in docs/output.schema.json");
        };
        check(&format!("{place}.{name}"), field, known, schema);
    }
}

#[test]
fn manual_pages_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("pavane").unwrap();
    assert!(command.arg("man").arg(folder.path()).output().unwrap().status.success());
    for name in
        ["pavane", "pavane-solve", "pavane-export", "pavane-check-plan", "pavane-traffic-run"]
    {
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
        assert!(text.contains(".SH NAME") && text.contains("EXIT STATUS"), "{name}");
    }
}
