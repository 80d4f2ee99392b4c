//! Input files: endless ones are refused, and pipes are read.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
#![cfg(unix)]

use crate::common::run_in as run;

/// Every option and argument that names a file to be read completely.
const READERS: &[&str] = &[
    "solve ring:4 oab --resume FILE",
    "solve ring:4 oab --faults FILE",
    "faults ring:4 oab --resume FILE",
    "reproduce gecco-4 --runs 1 --resume FILE",
    "networks FILE",
    "bound ring:4 FILE",
    "check-plan FILE",
    "import FILE",
    "draw FILE",
    "traffic run ring:4 --mission FILE",
    "traffic run ring:4 --routing FILE",
    "deadlock ring:4 --routing FILE",
    "verify FILE",
    "repair FILE --fault 0-1",
    "export FILE --to csv",
];

#[test]
fn a_file_that_never_ends_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for line in READERS {
        let (code, text) = run(folder.path(), &line.replace("FILE", "/dev/zero"), "");
        let is_named = text.contains("/dev/zero");
        assert!(code == 2 && is_named && !text.contains("panicked"), "{line}: {code} {text}");
    }
    let (_, text) = run(folder.path(), "solve ring:4 oab --resume /dev/zero", "");
    assert_eq!(text, "error: /dev/zero is larger than 256 MiB, the maximum\n");
}

#[test]
fn pipes_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for (line, input) in [
        ("networks /dev/stdin", "0 1\n1 2\n"),
        ("import /dev/stdin", "0 1\n1 2\n"),
        ("bound ring:4 /dev/stdin", "0 -> 1,2\n"),
        ("solve ring:4 oab --faults /dev/stdin", "2-3\n"),
        ("traffic run ring:4 --mission /dev/stdin", "0,0,1,5\n"),
    ] {
        let (code, text) = run(folder.path(), line, input);
        assert_eq!(code, 0, "{line}: {text}");
    }
    let (_, schedule) = run(folder.path(), "solve ring:4 oab --quiet -o -", "");
    let (code, text) = run(folder.path(), "verify /dev/stdin", &schedule);
    assert_eq!(code, 0, "{text}");
}
