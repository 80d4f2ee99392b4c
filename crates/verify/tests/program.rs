//! The stand-alone program: what it prints and how it exits.

use std::path::Path;
use std::process::Command;

/// Arguments, exit status, a line of standard output or standard error.
const RUNS: &[(&[&str], i32, &str)] = &[
    (&["valid/broadcast-ring4.json"], 0, "valid: oab on ring:4 in 2 steps"),
    (&["valid/octagon-aas-table4.json"], 0, "optimal: no schedule has fewer steps"),
    (&["valid/all-to-all-one-way-ring3.json"], 0, "at least 3 steps are proved necessary"),
    (&["invalid/v6-not-delivered.json"], 1, "V6: message [0]: processor 2 never receives it"),
    (
        &["invalid/bound-above-the-schedule.json"],
        1,
        "bound: at least 3 steps are claimed, but the schedule has 2 and is valid",
    ),
    (&["valid/broadcast-ring4.json", "invalid/v6-no-steps.json"], 1, "NOT VALID"),
    (&["valid/broadcast-ring4.json", "nowhere.json"], 2, "nowhere.json"),
    (&["valid"], 2, "is a directory"),
    (&[], 2, "no file is given"),
    (&["--quick"], 2, "there is no option \"--quick\""),
    (&["--max-deliveries", "2", "valid/broadcast-ring4.json"], 2, "at most 2 are handled"),
    (&["--help"], 0, "usage: pavane-verify"),
];

#[test]
fn prints_the_judgement_and_exits_accordingly() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for (arguments, status, line) in RUNS {
        let output = Command::new(env!("CARGO_BIN_EXE_pavane-verify"))
            .current_dir(&corpus)
            .args(*arguments)
            .output()
            .expect("the program was built for this test");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert_eq!(output.status.code(), Some(*status), "{arguments:?}: {text}");
        assert!(text.contains(line), "{arguments:?}: {text}");
    }
}

#[test]
fn names_from_files_cannot_play_with_the_terminal() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let text = std::fs::read_to_string(corpus.join("valid/broadcast-ring4.json")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text.replace("ring:4", "ring\\u001b[2J\\n:4")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pavane-verify")).arg(file.path()).output();
    let told = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(told.contains("oab on ring\\u{1b}[2J\\n:4 in 2 steps"), "{told:?}");
}
