//! Snapshots of the output of every command, results and errors, with its exit code. After an
//! intended change: `INSTA_UPDATE=always cargo test -p pavane`, then read the difference.

mod atlas;
mod compare;
mod completions;
mod faults;
mod forged_files;
mod forged_folders;
mod listed_names;
mod names;
mod pareto;
mod quantities;
mod solve;
mod tdm;
mod throughput;
mod traffic;
mod tune;

use assert_cmd::Command;
use std::path::Path;

/// Runs a command line in the folder of test files and returns all its output.
fn run(line: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let output = command
        .current_dir(folder)
        .env_remove("COLUMNS")
        .args(line.split_whitespace())
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
    format!(
        "$ pavane {line}\n{}{}[exit {}]\n",
        without_times(&text(&output.stdout)),
        text(&output.stderr),
        output.status.code().expect("it ends by itself")
    )
}

/// Replaces times and counts, which differ between runs or with every change of an engine.
fn without_times(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let figures = line.find(" in ").zip(line.find(" evaluations, "));
        let key = line.trim_start();
        lines.push(match figures {
            Some((from, to)) if from < to => {
                format!("{} in TIME and WORK{}", &line[..from], &line[to..])
            }
            _ if key.starts_with("\"seconds\"") => "  \"seconds\": TIME,".to_owned(),
            _ if key.starts_with("\"evaluations\"") => "  \"evaluations\": WORK,".to_owned(),
            _ => without_times_in(line),
        });
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A line, with times such as `0.25s` and `0.25 s` replaced.
fn without_times_in(line: &str) -> String {
    let is_number = |text: &str| text.contains('.') && text.parse::<f64>().is_ok();
    let mut words: Vec<&str> = Vec::new();
    for word in line.split(' ') {
        match words.last_mut() {
            Some(last) if word == "s" && is_number(last) => *last = "TIME",
            _ if word.strip_suffix('s').is_some_and(is_number) => words.push("TIME"),
            _ => words.push(word),
        }
    }
    words.join(" ")
}

fn snapshot(name: &str, lines: &[&str]) {
    let text: Vec<String> = lines.iter().map(|line| run(line)).collect();
    compare(name, &text);
}

/// Compares texts with a named snapshot; defined here so that all snapshots are in one folder.
fn compare(name: &str, texts: &[String]) {
    insta::assert_snapshot!(name, texts.join("\n"));
}

#[test]
fn help() {
    snapshot(
        "help",
        &[
            "--help",
            "networks --help",
            "bound --help",
            "throughput --help",
            "pareto --help",
            "compare --help",
            "tune --help",
            "engines --help",
            "verify --help",
            "faults --help",
            "repair --help",
            "bench --help",
            "bench survey --help",
            "reproduce --help",
            "traffic --help",
            "traffic run --help",
            "traffic compare --help",
            "traffic sweep --help",
            "studio --help",
            "deadlock --help",
            "export --help",
            "check-plan --help",
            "import --help",
            "completions --help",
            "man --help",
        ],
    );
}

#[test]
fn help_fits_a_hundred_columns() {
    for line in run("solve --help").lines().chain(run("traffic sweep --help").lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn sf_is_short_for_store_and_forward() {
    let printed = |line: &str, name: &str| {
        let text = run(&line.replace("SWITCHING", name));
        text.split_once('\n').map(|(_, rest)| rest.to_owned()).expect("the command is printed")
    };
    for line in [
        "bound hypercube:3 aab --switching SWITCHING",
        "import sccl-ring.json --switching SWITCHING",
        "traffic run ring:4 --switching SWITCHING",
        "traffic sweep ring:4 --over interval --values 50 --duration 3000 --switching SWITCHING",
    ] {
        let short = printed(line, "sf");
        assert!(short.ends_with("[exit 0]\n"), "{short}");
        assert_eq!(printed(line, "store-and-forward"), short, "{line}");
    }
    // The label is part of the output here.
    let survey = |name: &str| run(&format!("faults ring:4 aab@{name} --json"));
    let long = survey("store-and-forward").replace("@store-and-forward", "@sf");
    assert_eq!(long, survey("sf"));
}

#[test]
fn engines() {
    snapshot(
        "engines",
        &[
            "engines hgsa",
            "engines nobody",
            "solve ring:4 oab --set islands=3",
            "solve ring:4 oab --engine hgsa --set islands=0",
            "solve ring:4 oab --engine hgsa --set iland=3",
            "solve ring:4 oab --engine ejection --preset paper --set islands=3",
        ],
    );
}

#[test]
fn networks() {
    snapshot(
        "networks",
        &[
            "networks",
            "networks octagon:8@2",
            "networks kautz:3,2 --fault 01-10",
            "networks coated-mesh:2x2 --json",
            "networks path:3 --to dot",
            "networks path:3 --to json",
            "networks path:3 --to graphml",
            "networks square.edges",
            "networks pair.toml",
        ],
    );
}

#[test]
fn bound() {
    snapshot(
        "bound",
        &[
            "bound octagon:8@2 mns --ports 1",
            "bound mesh:4x4 oas --root 1",
            "bound mesh:4x4 oas --root 1 --routing any",
            "bound mesh:4x4 oab --root 0,1",
            "bound hypercube:3 aab --switching sf --json",
            "bound kautz:3,2 oas --root 01 --fault 10-02",
            "bound mesh:4x4 aas --fault 0,1",
            "bound ring:6 all-reduce",
            "bound ring:6 all-reduce --json",
            "bound ring:4 gather --root 2 --duplex half",
            "bound torus:4x4 transpose",
            "bound square.edges messages.json",
        ],
    );
}

#[test]
fn bad_input() {
    snapshot(
        "bad-input",
        &[
            "bound hyprcube:3 aas",
            "bound mesh:0x4 aas",
            "bound hypercube:40 aas",
            "bound kautz:3,0 aas",
            "bound octagon:7 aas",
            "bound torus:4x4@0 aas",
            "bound ring:8 polka",
            "bound ring:8 oab --root 8",
            "bound ring:8 oab --root x",
            "bound ring:8 mnb --senders 5-99",
            "bound ring:8 mnb --senders 3-1",
            "bound ring:8 aas --root 8",
            "bound ring:8 all-reduce --root 8",
            "bound ring:8 multicast",
            "bound ring:8 oab --senders 1,2",
            "bound ring:8 oab --fault 0-3",
            "bound ring:8 oab --fault 9",
            "bound path:4 aas --fault 1-2",
            "bound ring:8 aas --fault-channel 0-4",
            "bound ring:8 aas --ports 0",
            "bound ring:8 aas --routing 2",
            "bound ring:8 aas --switching vct",
            "bound fat-tree:4 aab --switching sf",
            "bound hypercube:16 aas",
            "bound ring:8",
            "bound nowhere.edges aas",
            "bound broken.dot aas",
            "bound truncated.json aas",
            "bound latin1.edges aas",
            "bound torus:3x3 bit-reversal",
            "solve ring:8 oab --seed x",
            "solve ring:8 oab --seed -3",
            "solve ring:8 oab --steps 99999999999",
            "verify nowhere.json",
            "verify pair.toml",
            "verify truncated.json",
            "verify ring-oab.json --network ring:5",
            "import ring-oab.json",
            "frobnicate",
        ],
    );
}

#[test]
fn verify() {
    snapshot(
        "verify",
        &[
            "verify ring-oab.json",
            "verify ring-oab.json --json",
            "verify ring-oab.json --network ring:4",
            "verify ring-oab-broken.json",
            "verify ring-oab-broken.json --json",
            "verify ring-oab-false-bound.json",
            "verify ../../../../corpus/valid/octagon-aas-table4.json --max-work 100",
            "verify ../../../../corpus/adversarial/exact-100-million-steps.json",
            "verify ../../../../corpus/adversarial/exact-100-million-steps.json --json",
        ],
    );
}

#[test]
fn closed_pipes_end_quietly() {
    let program = assert_cmd::cargo::cargo_bin("pavane");
    let line = format!("{} networks hypercube:10 --to json | head -c 10", program.display());
    let output = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
    assert_eq!(output.stdout.len(), 10);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn reproduce() {
    snapshot(
        "reproduce",
        &[
            "reproduce --list",
            "reproduce hgsa-text --engine umda --runs 2 --evaluations 3000 --threads 1",
            "reproduce table-9",
        ],
    );
}

#[test]
fn draw() {
    snapshot(
        "draw",
        &[
            "draw --help",
            "draw path:2 --theme light",
            "draw ring-oab.json -o /dev/null --only panels --quiet",
            "draw ring-oab.json --steps 1-7",
            "draw ring-oab.json -o picture.gif",
            "draw ring-oab-broken.json",
            "draw ring-oab.json --fault 0-1",
            "draw path:4 --steps 0",
            "draw hypercube:16",
            "draw bad-length.csv",
            "draw nothing.json",
        ],
    );
}

#[test]
fn a_picture_is_written_in_the_format_its_name_asks_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for (ending, start) in
        [("svg", &b"<svg "[..]), ("png", b"\x89PNG"), ("html", b"<!doctype html>")]
    {
        for what in ["octagon:8@2", "ring-oab.json"] {
            let path = folder.path().join(format!("picture.{ending}"));
            let printed = run(&format!("draw {what} -o {} --json", path.display()));
            assert!(printed.contains("[exit 0]"), "{printed}");
            let bytes = std::fs::read(&path).expect("it was written");
            assert!(bytes.starts_with(start), "{what} as {ending}");
        }
    }
}
