//! `pavane bench survey` with short lists: the counts, the files and the comparison.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::run_in;
use std::path::Path;

const LIST: &str = "networks:\nring:4 kautz:2,2\nrules:\nall-to-all\nbroadcast --ports 1\n\
                    problems:\nring:4 all-reduce\n";

const HEAD: &str = "problem,bound,reason,steps,engine,evaluations,seconds,limit_s,seed,remark\n";

/// A folder with the list.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("list.txt"), LIST).unwrap();
    folder
}

/// The columns of a file of results that do not depend on the machine: problem, bound and steps.
fn results(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let row = |line: &str| {
        let quoted = line.replace("kautz:2,2", "kautz:2;2").replace('"', "");
        let cells: Vec<&str> = quoted.split(',').collect();
        format!("{}: {} of {}", cells[0], cells[3], cells[1])
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn a_survey_counts_the_schedules_at_the_bound() {
    let folder = folder();
    let place = folder.path();
    let (code, text) =
        run_in(place, "bench survey --file list.txt --jobs 2 --quiet -o rows.csv", "");
    assert_eq!(code, 0, "{text}");
    for line in [
        "     2     2 100.0 %      -  all-to-all",
        "     2     2 100.0 %      -  broadcast --ports 1",
        "     1     1 100.0 %      -  all-reduce",
        "5 of 5 problems solved, 100.0 %; ",
        "None of these problems is in the stored results",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let expected = [
        "ring:4 all-to-all: 2 of 2",
        "kautz:2;2 all-to-all: 5 of 5",
        "ring:4 broadcast --ports 1: 2 of 2",
        "kautz:2;2 broadcast --ports 1: 3 of 3",
        "ring:4 all-reduce: 4 of 4",
    ];
    assert_eq!(results(place, "rows.csv"), expected);
}

#[test]
fn results_are_compared_with_those_of_another_run() {
    let folder = folder();
    let place = folder.path();
    let earlier = format!(
        "{HEAD}ring:4 all-to-all,1,receive,3,ejection,0,0.1,5,1,\n\
         \"kautz:2,2 all-to-all\",3,receive,3,ejection,0,0.1,5,1,\n\
         ring:4 all-reduce,4,receive,4,gossip,0,0.1,5,1,\n"
    );
    std::fs::write(place.join("earlier.csv"), earlier).unwrap();
    let line = "bench survey --file list.txt --quiet --compare earlier.csv";
    let (code, text) = run_in(place, line, "");
    assert_eq!(code, 1, "{text}");
    for line in [
        "Compared with earlier.csv: 1 improved, 1 worse, 1 the same, 2 new",
        "improved  3 (bound 1) to 2  ring:4 all-to-all",
        "worse     3 to 5  kautz:2,2 all-to-all",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_resumed_survey_solves_only_what_is_missing() {
    let folder = folder();
    let place = folder.path();
    // A result that no search returns, and one of another seed.
    let earlier = format!(
        "{HEAD}ring:4 all-to-all,1,receive,77,ejection,0,0.1,5,1,\n\
         ring:4 all-reduce,1,receive,88,ejection,0,0.1,5,2,\n"
    );
    std::fs::write(place.join("rows.csv"), earlier).unwrap();
    let line = "bench survey ring:4 --file list.txt --quiet --resume rows.csv";
    let (code, text) = run_in(place, line, "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2 of 3 problems solved"), "{text}");
    assert!(text.contains("    1     77  7600.0 %  ring:4 all-to-all"), "{text}");
    let expected = [
        "ring:4 all-to-all: 77 of 1",
        "ring:4 broadcast --ports 1: 2 of 2",
        "ring:4 all-reduce: 4 of 4",
    ];
    assert_eq!(results(place, "rows.csv"), expected);
}

#[test]
fn a_problem_that_cannot_be_built_does_not_end_the_survey() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    std::fs::write(place.join("list.txt"), "ring:2000000000 aas\nring:4 aas\n").unwrap();
    let (code, text) = run_in(place, "bench survey --file list.txt --quiet", "");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("1 of 2 problems solved"), "{text}");
    assert!(text.contains("\nring:2000000000 aas: "), "{text}");
}

#[test]
fn bad_lists_and_files_are_refused() {
    let folder = folder();
    let place = folder.path();
    std::fs::write(place.join("bad.txt"), "ring:4 aas --ports 0\n").unwrap();
    for (line, expected) in [
        ("bench survey --file bad.txt", "bad.txt, line 1: ring:4 aas --ports 0: invalid value"),
        ("bench survey --file none.txt", "none.txt"),
        ("bench survey nothing-like-it", "no problem of the survey contains \"nothing-like-it\""),
        ("bench survey --compare list.txt", "list.txt is not a results file"),
        ("bench survey --file list.txt --resume list.txt", "list.txt is not a results file"),
        ("bench survey --jobs 0", "expected a number from 1 to 1024"),
    ] {
        let (code, text) = run_in(place, line, "");
        assert_eq!(code, 2, "{line}: {text}");
        assert!(text.contains(expected), "{line}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_results_so_far() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let list = "ring:4 all-to-all\nrandom-regular:64,4,1 all-to-all --ports 1 --routing any\n";
    std::fs::write(place.join("list.txt"), list).unwrap();
    let line = "bench survey --file list.txt --jobs 1 --time 60s -o rows.csv --json";
    let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
    command.current_dir(place).args(line.split_whitespace()).stdout(Stdio::piped());
    let mut running = command.spawn().unwrap();
    crate::common::signals::wait_for_handler(&mut running);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let number = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &number]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("\"complete\": false"), "{text}");
    assert_eq!(results(place, "rows.csv"), ["ring:4 all-to-all: 2 of 2"]);
}
