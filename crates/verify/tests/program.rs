//! The standalone program: output and exit status.

use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Arguments, exit status, and a line of standard output or standard error.
const RUNS: &[(&[&str], i32, &str)] = &[
    (
        &["valid/broadcast-ring4.json"],
        0,
        "valid: broadcast on \"ring:4\" (4 routers, 8 channels, 4 processors) in 2 steps",
    ),
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
    (&["--quick"], 2, "unknown option \"--quick\""),
    (&["--max-deliveries", "2", "valid/broadcast-ring4.json"], 2, "at most 2 are allowed"),
    (
        &["--max-work", "2", "valid/octagon-aas-table4.json"],
        2,
        "but at most 2 are allowed; --max-work N",
    ),
    (
        &["--max-work", "many", "valid/octagon-aas-table4.json"],
        2,
        "--max-work: \"many\" is not a number",
    ),
    (
        &["adversarial/exact-100-million-steps.json"],
        2,
        "NOT JUDGED: broadcast on \"one router\" (1 router, 0 channels, 3 processors): the exact",
    ),
    (&["adversarial/exact-million-routers.json"], 2, "but at most 2048 MiB are allowed"),
    (&["adversarial/exact-billions-of-ports.json"], 1, "NOT VALID"),
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
fn names_from_files_are_escaped_on_the_terminal() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let text = std::fs::read_to_string(corpus.join("valid/broadcast-ring4.json")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text.replace("ring:4", "ring\\u001b[2J\\n\\u202e:4")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pavane-verify")).arg(file.path()).output();
    let told = String::from_utf8(output.unwrap().stdout).unwrap();
    let name =
        "broadcast on \"ring\\u{1b}[2J\\n\\u{202e}:4\" (4 routers, 8 channels, 4 processors) in";
    assert!(told.contains(name), "{told:?}");
}

#[test]
fn names_that_are_not_checked_are_claims() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let text = std::fs::read_to_string(corpus.join("valid/broadcast-ring4.json")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = text.replace("ring:4", "hypercube:10").replace("\"oab\"", "\"aas\"");
    std::fs::write(file.path(), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pavane-verify")).arg(file.path()).output();
    let told = String::from_utf8(output.unwrap().stdout).unwrap();
    let name =
        "valid: broadcast called \"aas\" on \"hypercube:10\" (4 routers, 8 channels, 4 processors)";
    assert!(told.contains(name), "{told:?}");
}

/// A gzip file of a few hundred kilobytes that would expand to 65 MiB of spaces.
#[test]
fn a_file_that_unpacks_to_too_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spaces.json.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let block = vec![b' '; 1 << 20];
    (0..65).for_each(|_| gzip.write_all(&block).unwrap());
    gzip.finish().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pavane-verify")).arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("it unpacks to more than 64 MiB"), "{told}");
}
