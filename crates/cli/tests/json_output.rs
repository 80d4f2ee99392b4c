//! The output of `--json` and the schedule files of the corpus match the schemas in `docs`, which
//! `pavane schema` prints.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use assert_cmd::Command;
use jsonschema::Validator;
use pavane_model::strict_json;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Commands, run in the folder of test files, and the definitions that they follow.
const COMMANDS: &[(&str, &str)] = &[
    ("networks", "families"),
    ("networks kautz:2,2 --fault 01-10", "network"),
    ("engines", "engines"),
    ("bound ring:4 aas", "bounds"),
    ("bound ring:4 all-reduce", "bounds"),
    ("solve ring:4 oab --ts 1", "solution"),
    ("solve ring:4 all-reduce", "solution"),
    ("solve star:6 all-reduce --switching sf", "solution"),
    ("solve octagon:8 aas -o /dev/null", "solution"),
    ("solve octagon:8 aas --steps 3", "unsolved"),
    ("solve path:4 aab --switching sf --ports 1 --steps 3 --prove", "unsolved"),
    ("throughput dgx-a100:2 all-gather --bytes 1GB", "throughput"),
    ("throughput dgx-1v all-reduce --trees 1", "throughput"),
    ("throughput ring:4 oab --fault 0-1 -o /dev/null", "throughput"),
    ("tdm torus:3x3", "tdm"),
    ("tdm ring:4 --slots 3 --no-wrap", "tdm"),
    ("tdm mesh:3x2 --evaluations 20000 --fault 0-1 -o /dev/null", "tdm"),
    ("verify ring-oab.json", "verdict"),
    ("verify ring-oab-broken.json", "verdict"),
    ("verify nowhere.json", "verdict"),
    ("verify ../../../../corpus/valid/all-reduce-overlap-path3.json", "verdict"),
    ("verify ../../../../corpus/invalid/v3-all-reduce-sum-not-complete.json", "verdict"),
    ("verify ../../../../corpus/throughput/valid/all-gather-pair.json", "throughput-verdict"),
    (
        "verify ../../../../corpus/throughput/invalid/limit-cut-proves-less.json",
        "throughput-verdict",
    ),
    ("verify ../../../../corpus/throughput/invalid/switches-copies.json", "throughput-verdict"),
    ("verify ../../../../corpus/tdm/valid/ring4-residue.json", "tdm-verdict"),
    ("verify ../../../../corpus/tdm/invalid/channels-depth-two.json", "tdm-verdict"),
    ("verify ../../../../corpus/tdm/refuted/ring4-exact.json", "tdm-refutation"),
    ("verify ../../../../corpus/tdm/not-refuted/ring4-exact-no-proof.json", "tdm-refutation"),
    ("atlas list --family trees --atlas ../../../../atlas", "atlas-entries"),
    ("atlas show hypercube-3-oab --atlas ../../../../atlas", "atlas-entry"),
    ("atlas verify hypercube-3-oab --atlas ../../../../atlas", "atlas-verdict"),
    ("atlas search ring:5 broadcast --root 2 --atlas ../../../../atlas", "atlas-search"),
    ("atlas search ring:5 broadcast --ports 3 --atlas ../../../../atlas", "atlas-search"),
    (
        "atlas add ../../../../atlas/papers/hypercube-3-oab.json.gz --family papers --atlas ../../../../atlas",
        "atlas-addition",
    ),
    ("solve ring:5 broadcast --root 2 --atlas ../../../../atlas", "solution"),
    ("faults path:4 oab", "faults"),
    ("faults path:4 oab all-reduce --throughput --of links,routers", "fault-limits"),
    ("repair ring-oab.json --fault 2-3", "repair"),
    (
        "repair ../../../../corpus/throughput/valid/all-reduce-triangle-cuts.json --fault 0-1",
        "plan-repair",
    ),
    (
        "repair ../../../../corpus/throughput/valid/scatter-unequal-sizes.json --fault 2 --keep 50",
        "plan-repair",
    ),
    ("repair ../../../../corpus/throughput/valid/all-gather-pair.json --fault 0-1", "unrepaired"),
    ("repair ../../../../corpus/throughput/valid/all-gather-pair.json --fault 0", "unrepaired"),
    ("repair ../../../../corpus/tdm/valid/ring4-residue.json --fault 0-1", "tdm-repair"),
    (
        "repair ../../../../corpus/timed/valid/all-gather-ring4.json --fault 0-1 --evaluations 8",
        "timed-repair",
    ),
    (
        "repair ../../../../corpus/timed/valid/gather-path.json --fault 2 --keep 0 --evaluations 8",
        "timed-repair",
    ),
    ("repair ../../../../corpus/timed/valid/gather-path.json --fault 0-1", "unrepaired"),
    ("bench octagon --seeds 1", "bench"),
    ("bench throughput dgx-1v", "bench-throughput"),
    ("bench time mesh:5x5 chunks", "bench-time"),
    ("bench survey --file survey.txt --compare survey.csv", "survey"),
    ("pareto ring:5 broadcast --max-chunks 2", "front"),
    ("compare ring:4 all-gather --bytes 1KB --evaluations 1", "comparison"),
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
    (
        "traffic sweep ring:5 --switching wormhole --routing shortest --missions 2 --values 0.9",
        "traffic-sweep",
    ),
    (
        "traffic sweep ring:5 --switching wormhole --routing shortest --over interval --values 20",
        "traffic-sweep",
    ),
    ("traffic sweep ring:5 --over rate --values 0.1,0.9 --duration 3000", "traffic-sweep"),
    ("traffic run ring:5 --switching wormhole --lanes 2 --buffer 2", "traffic-run"),
    ("draw ring-oab.json -o /dev/null", "drawn"),
    ("draw ../../../../corpus/throughput/valid/all-gather-pair.json -o /dev/null", "drawn"),
    ("reproduce --list", "tables"),
    ("reproduce gecco-4 --runs 1", "reproduced"),
    ("reproduce traffic-1 --runs 1", "reproduced"),
];

/// Commands with files of their own, run in an empty folder one after the other.
const WITH_FILES: &[(&str, &str)] = &[
    ("faults ring:4 oab --save folder", "faults"),
    ("verify folder", "folder-verdict"),
    ("repair folder --fault 0-1", "stored-repair"),
    ("repair folder/oab-no-fault.json --fault 0-1 --fault 1-2", "unrepaired"),
    ("solve path:4 aab --switching sf --ports 1 --steps 3 --prove -o refuted.json", "unsolved"),
    ("verify refuted.json", "refutation"),
];

/// The folder of documentation.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn schema(name: &str) -> Value {
    let text = std::fs::read_to_string(docs().join(format!("{name}.schema.json"))).unwrap();
    strict_json::from_str(&text).unwrap()
}

/// A validator for one definition that refuses fields which the definition does not have.
fn validator(definition: &str) -> Validator {
    let mut schema = schema("output");
    assert!(schema["$defs"][definition].is_object(), "no definition {definition}");
    schema["$ref"] = format!("#/$defs/{definition}").into();
    schema["unevaluatedProperties"] = false.into();
    jsonschema::validator_for(&schema).unwrap()
}

/// The errors of a value, one per line.
fn errors(validator: &Validator, value: &Value) -> String {
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{}: {error}\n", error.instance_path())).collect()
}

fn output(folder: &Path, line: &str) -> Value {
    let mut command = Command::cargo_bin("pavane").unwrap();
    command.current_dir(folder).args(line.split_whitespace()).arg("--json");
    let output = command.output().unwrap();
    strict_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn a_usage_error_and_its_tip_are_one_sentence() {
    let report = output(Path::new("."), "solve ring:4 broadcast --tim 5");
    let sentence = "unexpected argument '--tim' found; a similar argument exists: '--time'";
    assert_eq!(report["error"], sentence);
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_files_are_those_of_the_program() {
    for name in ["output", "schedule", "tdm", "throughput", "timed"] {
        let mut command = Command::cargo_bin("pavane").unwrap();
        let generated = command.args(["schema", name]).output().unwrap().stdout;
        let path = docs().join(format!("{name}.schema.json"));
        let is_same = std::fs::read(&path).unwrap() == generated;
        assert!(
            is_same,
            "run `cargo run --features schema -- schema {name} > docs/{name}.schema.json`"
        );
    }
}

#[test]
fn every_command_keeps_to_the_schema() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let folder = tempfile::tempdir().unwrap();
    let commands = COMMANDS.iter().map(|command| (&*files, command));
    let with_files = WITH_FILES.iter().map(|command| (folder.path(), command));
    let schedule = jsonschema::validator_for(&schema("schedule")).unwrap();
    let plan = jsonschema::validator_for(&schema("throughput")).unwrap();
    let tdm = jsonschema::validator_for(&schema("tdm")).unwrap();
    let timed = jsonschema::validator_for(&schema("timed")).unwrap();
    for (folder, (line, definition)) in commands.chain(with_files) {
        let value = output(folder, line);
        assert_eq!(errors(&validator(definition), &value), "", "{line}: {value:#}");
        if let Some(printed) = value.get("schedule") {
            let validator = match printed["format"].as_str() {
                Some("pavane/tdm/1") => &tdm,
                Some("pavane/timed/1") => &timed,
                _ => &schedule,
            };
            assert_eq!(errors(validator, printed), "", "{line}");
        }
        if let Some(printed) = value.get("plan") {
            assert_eq!(errors(&plan, printed), "", "{line}");
        }
    }
}

#[test]
fn the_schema_refuses_missing_and_unknown_fields() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let (value, validator) = (output(&files, "bound ring:4 aas"), validator("bounds"));
    assert!(validator.is_valid(&value));
    for name in value.as_object().unwrap().keys() {
        let mut renamed = value.clone();
        let field = renamed.as_object_mut().unwrap().remove(name).unwrap();
        renamed["renamed"] = field;
        assert!(!validator.is_valid(&renamed), "{name}");
    }
}

#[test]
fn every_file_of_the_corpus_keeps_to_its_schema() {
    let schedules = &["valid", "invalid", "adversarial"][..];
    for (name, folders, least) in [
        ("schedule", schedules, 60),
        ("throughput", &["throughput/valid"], 13),
        ("tdm", &["tdm/valid"], 12),
        ("timed", &["timed/valid"], 7),
    ] {
        let validator = jsonschema::validator_for(&schema(name)).unwrap();
        let folders = folders.iter().map(|folder| docs().join("../corpus").join(folder));
        let mut seen = 0;
        for path in folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
            let path = path.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let file: Value = strict_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(errors(&validator, &file), "", "{}", path.display());
            seen += 1;
        }
        assert!(seen >= least, "only {seen} files");
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
        // The program has its commands in groups.
        let list = text.split_once("Commands:\n").or_else(|| text.split_once("Schedules:\n"));
        let Some((list, _)) = list.and_then(|(_, list)| list.split_once("Options:")) else {
            return Vec::new();
        };
        let lines = list.lines().filter(|line| line.starts_with("  "));
        // Longer descriptions continue on lines that are indented further.
        let lines = lines.filter(|line| !line.starts_with("   "));
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
    let (schema, page) =
        (schema("output"), std::fs::read_to_string(docs().join("json.md")).unwrap());
    for name in schema["$defs"].as_object().unwrap().keys() {
        // Types that only occur within others have the names of the source code.
        let is_part = name.starts_with(|first: char| first.is_uppercase())
            || ["model", "bound", "skipped", "violation", "plan-violation"]
                .contains(&name.as_str());
        assert!(is_part || page.contains(&format!("`{name}`")), "{name} is not in json.md");
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
