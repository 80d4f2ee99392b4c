//! Snapshots of what every command prints, results and errors alike, with its exit code.
//! After a wanted change: `INSTA_UPDATE=always cargo test -p pavane`, then read the difference.

use assert_cmd::Command;
use std::path::Path;

/// Runs a command line in the folder of test files and puts all that comes out of it together.
fn run(line: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut command = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let output = command
        .current_dir(folder)
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

/// Replaces what differs from run to run, or with every change of an engine: times and counts.
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
            _ => line.split(' ').map(without_time).collect::<Vec<_>>().join(" "),
        });
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A word, unless it is a time such as `0.25s`.
fn without_time(word: &str) -> &str {
    let is_time = |number: &str| number.contains('.') && number.parse::<f64>().is_ok();
    if word.strip_suffix('s').is_some_and(is_time) { "TIME" } else { word }
}

fn snapshot(name: &str, lines: &[&str]) {
    let text: Vec<String> = lines.iter().map(|line| run(line)).collect();
    insta::assert_snapshot!(name, text.join("\n"));
}

#[test]
fn help() {
    snapshot("help", &["--help", "bound --help", "networks --help", "verify --help"]);
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
            "bound ring:8 mnb --senders 5-99",
            "bound ring:8 mnb --senders 3-1",
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
            "verify nowhere.json",
            "verify pair.toml",
            "verify truncated.json",
            "verify ring-oab.json --network ring:5",
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
        ],
    );
}

#[test]
fn solve() {
    snapshot(
        "solve",
        &[
            "solve --help",
            "solve path:4 oab --root 1 --seed 3",
            "solve star:5 gather",
            "solve ring:4 all-reduce --quiet",
            "solve complete:3@2 aas --ports 1 --ts 10 --tr 1 --t1 0.5 --size 8",
            "solve path:3 reduce --json",
            "solve pair.toml aas",
            "solve square.edges messages.json",
            "solve ring:8 aas --steps 7",
            "solve ring:8 aas --engine oracle",
            "solve ring:8 aas --engine gossip",
            "solve ring:8 aas --time soon",
            "solve ring:8 aas --threads 0",
            "solve coated-mesh:2x2 aab --switching sf",
            "solve hypercube:16 aas",
            "solve ring:8 all-reduce --steps 9",
            "solve ring:8 oab -o no/such/folder/x.json",
        ],
    );
}

#[test]
fn prove() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| run(&line.replace("DIR", path)).replace(path, "DIR");
    let problem = "path:6 aab --ports 1 --switching sf";
    let mut text = vec![
        run("solve octagon:8 aas --steps 3 --prove"),
        run(&format!("solve {problem} --steps 7 --prove")),
        run(&format!("solve {problem} --steps 7 --prove --json -o DIR/seven.json")),
        run("verify DIR/seven.json"),
        run("verify DIR/seven.json --json"),
        run("verify DIR/seven.json --network path:7"),
        run("export DIR/seven.json --to csv"),
        run(&format!("solve {problem} --steps 4 -o DIR/four.json.gz")),
        run("verify DIR/four.json.gz"),
        run(&format!("solve {problem} --prove -o DIR/eight.json.gz")),
        run("verify DIR/eight.json.gz"),
        run("solve path:6 aar --ports 1 --switching sf --quiet -o DIR/reduced.json"),
        run("verify DIR/reduced.json"),
    ];
    // A proof is refused if only its checksum is missing.
    let [seven, proof] =
        ["seven", "eight"].map(|name| folder.path().join(name).with_extension("lrat.gz"));
    let whole = std::fs::read(&seven).unwrap();
    std::fs::write(&seven, &whole[..whole.len() - 4]).unwrap();
    text.push(run("verify DIR/seven.json"));
    // What no file names any more is not left beside it.
    run("solve path:6 oab -o DIR/seven.json");
    assert!(!seven.exists());
    std::fs::copy(folder.path().join("reduced.json"), &proof).unwrap();
    text.push(run("verify DIR/eight.json.gz"));
    std::fs::remove_file(&proof).unwrap();
    text.push(run("verify DIR/eight.json.gz --json"));
    insta::assert_snapshot!("prove", text.join("\n"));
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 5, "three schedules, a refutation and a proof");
}

#[test]
fn what_solve_writes_verify_accepts() {
    let folder = tempfile::tempdir().unwrap();
    for (name, line) in [
        ("a.json", "solve mesh:3x3 aas --fault 0,0-0,1"),
        ("b.json.gz", "solve kautz:2,2 aab --switching sf --fault 01-10"),
        ("c.json", "solve torus:3x3 all-reduce --ports 1 --switching sf"),
        ("d.json", "solve octagon:8@2 mnb --ports 1 --senders 0-7 --receivers 8-15"),
        ("e.json", "solve mesh:3x3 scatter --fault 1,1 --routing any --duplex half"),
    ] {
        let path = folder.path().join(name);
        let path = path.to_str().unwrap();
        let solved = run(&format!("{line} --quiet --evaluations 3000000 -o {path}"));
        assert!(solved.ends_with("[exit 0]\n"), "{solved}");
        let judged = run(&format!("verify {path}"));
        assert!(judged.ends_with("[exit 0]\n"), "{judged}");
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 5, "nothing but the five files is left behind");
}

/// Entries of the best-known table that are small enough for a test, by what `pavane solve` takes.
#[test]
fn no_small_problem_is_worse_than_the_best_known() {
    let table = include_str!("../../../corpus/best-known.csv");
    let small = table.lines().filter(|line| line.ends_with(",small"));
    for line in small {
        let mut parts = line.rsplitn(4, ',');
        let (_, _, steps) = (parts.next(), parts.next(), parts.next().unwrap());
        let problem = parts.next().unwrap().trim_matches('"');
        let output = run(&format!("solve {problem} --json --evaluations 20000000 -o /dev/null"));
        assert!(output.contains(&format!("\n  \"steps\": {steps}\n")), "{output}");
    }
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
fn faults() {
    snapshot(
        "faults",
        &[
            "faults --help",
            "faults ring:6 oab aab@sf aas",
            "faults path:4 oab --root 1",
            "faults path:4 aas --json",
            "faults star:5 oab aas --of routers",
            "faults fat-tree:2 aas --of routers --routing any",
            "faults ring:6 mns --senders 0-2 --receivers 3-5 --of routers,links --ports 1",
            "faults ring:6 aas --of channels --count 2 --sample 3 --seed 2",
            "faults ring:6 aas --fault 0-1 --csv -",
            "faults ring:6 aas --count 7",
            "faults ring:6 aas --count 0",
            "faults ring:6 aas --sample 0",
            "faults ring:6 aas --of links,channels",
            "faults ring:6 aas --of cables",
            "faults ring:6 aas aas",
            "faults ring:6 aas aab --root 1",
            "faults ring:6 polka",
            "faults ring:6 aas --save .",
            "faults ring:6 aas --svg no/such/folder/x.svg",
            "faults ring:6 aas --resume pair.toml",
            "solve ring:6 aas --faults square.edges",
            "solve ring:6 aas --faults nowhere.txt",
            "solve ring:6 oab --faults two.faults -o /dev/null",
            "bound ring:6 mns --senders 0-2 --receivers 3-5 --fault 1",
            "bound ring:6 mns --senders 1 --receivers 3-5 --fault 1",
            "bound path:5 gather --fault 1-2",
        ],
    );
}

#[test]
fn repair() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| {
        let text = run(&line.replace("DIR", path)).replace(path, "DIR");
        // How much is kept depends on the engines' chance.
        let figures = ["  transfers ", "  found by "];
        let is_plain = |line: &&str| !figures.iter().any(|figure| line.starts_with(figure));
        text.lines().filter(is_plain).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    run("solve mesh:3x3 aas --quiet -o DIR/aas.json");
    run("solve ring:6 all-reduce --switching sf --quiet -o DIR/all-reduce.json.gz");
    let lines = [
        "repair --help",
        "repair DIR/aas.json --fault 0,0-0,1 -o DIR/link.json",
        "verify DIR/link.json",
        "repair DIR/link.json --fault 2,2 -o DIR/both.json.gz",
        "verify DIR/both.json.gz",
        "repair DIR/all-reduce.json.gz --fault 0 --seed 2 -o DIR/ring.json",
        "verify DIR/ring.json",
        "repair DIR/aas.json --fault 0,1-1,1 --keep-steps -o DIR/none.json",
        "repair DIR/aas.json --fault 0,1-1,1 --keep-steps --json",
        "repair DIR/aas.json --fault 0,0-0,1 --fault 0,0-1,0 -o DIR/none.json",
        "repair DIR/aas.json",
        "repair DIR/aas.json --fault 7-8-9",
        "repair DIR/aas.json --fault 0,0-2,2",
        "repair DIR/nowhere.json --fault 0",
        "repair ring-oab-broken.json --fault 0-1",
        "repair ring-oab.json --fault 2-3",
        "repair ring-oab.json --fault 0 --json",
        "repair ring-oab.json --fault 1 --fault 3 --json",
    ];
    let text: Vec<String> = lines.iter().map(|line| run(line)).collect();
    insta::assert_snapshot!("repair", text.join("\n"));
    assert!(!folder.path().join("none.json").exists(), "nothing is written that was not found");
}

#[test]
fn contingencies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| run(&line.replace("DIR", path)).replace(path, "DIR");
    let mut text = vec![
        run("faults ring:4 oab aas --of links,routers --save DIR/ring --resume DIR/rows.json"),
        run("verify DIR/ring"),
        run("verify DIR/ring --json --network ring:4"),
        run("verify DIR/ring --network ring:5"),
        run("repair DIR/ring --fault 2-3 --collective aas -o DIR/stored.json"),
        run("verify DIR/stored.json"),
        run("repair DIR/ring --fault 2 --collective oab"),
        run("repair DIR/ring --fault 2-3"),
        run("repair DIR/ring --fault 2-3 --fault 0 --collective aas"),
        run("faults path:3 aas --save DIR/path"),
        run("verify DIR/path"),
    ];
    let again =
        run("faults ring:4 oab aas --of links,routers --save DIR/ring --resume DIR/rows.json");
    assert_eq!(again, text[0], "what is resumed is the same");
    let ring = folder.path().join("ring");
    let files = std::fs::read_dir(&ring).unwrap().count();
    assert!(files < 16, "alike faults share a schedule, but there are {files} files");
    // Steps taken out, a fault left out, a file exchanged.
    let index = std::fs::read_to_string(ring.join("index.json")).unwrap();
    let spoilt = |from: &str, to: &str| {
        assert!(index.contains(from), "{from} is in the index");
        std::fs::write(ring.join("index.json"), index.replacen(from, to, 1)).unwrap();
        let text = run("verify DIR/ring");
        assert!(text.ends_with("[exit 1]\n"), "{text}");
        text
    };
    text.push(spoilt("\"oab-2.json\"", "\"aas-2.json\""));
    text.push(spoilt("\"is_complete\": true", "\"is_complete\": false"));
    text.push(spoilt("\"1-2\"", "\"0-1\""));
    std::fs::write(ring.join("index.json"), &index).unwrap();
    std::fs::copy(ring.join("oab-1.json"), ring.join("oab-2.json")).unwrap();
    text.push(run("verify DIR/ring"));
    std::fs::remove_file(ring.join("index.json")).unwrap();
    text.push(run("verify DIR/ring"));
    insta::assert_snapshot!("contingencies", text.join("\n"));
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&format!("completions {shell}")).contains("networks"), "{shell}");
    }
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
fn traffic() {
    snapshot(
        "traffic",
        &[
            "traffic run hypercube:3 --seed 2 --optimal",
            "traffic run path:3 --mission mission.csv --switching vct --json",
            "traffic run ring:6 --collective aas --switching cs --duplex full",
            "traffic run kautz:2,2 --routing dfs --policy lf --edd --window 30",
            "traffic run --schedule ring-oab.json --switching ms",
            "traffic run octagon:8 --collective aas --routing shortest --switching wormhole",
            "traffic compare hypercube:3 --missions 50 --optimal 50 --policy fifo,lbf --threads 1",
            "traffic compare hypercube:3 --missions 20 --routing e-cube,pa,dfs,cps --policy lbf --json",
            "traffic sweep hypercube:3 --missions 20 --switching ms --policy lbf --values 0.3,0.6",
            "traffic sweep hypercube:3 --over interval --duration 500 --warm-up 50 --switching ms --policy fifo --values 40",
        ],
    );
}

#[test]
fn bad_traffic() {
    snapshot(
        "bad-traffic",
        &[
            "traffic run hypercube:3 --density 1.5",
            "traffic run hypercube:3 --density NaN",
            "traffic run hypercube:3 --mean -4",
            "traffic run hypercube:3 --density 0",
            "traffic run hypercube:3 --policy best",
            "traffic run hypercube:3 --switching pigeon",
            "traffic run hypercube:3 --routing scenic",
            "traffic run petersen --routing e-cube",
            "traffic run hypercube:3 --routing pa --switching wormhole",
            "traffic run hypercube:3 --hot-spots 9",
            "traffic run path:3 --mission bad-length.csv",
            "traffic run path:3 --mission bad-destination.csv",
            "traffic run path:3 --mission nowhere.csv",
            "traffic run hypercube:15",
            "traffic run complete:40000",
            "traffic run path:3 --routing hole.csv",
            "traffic run --schedule ring-oab-broken.json",
            "traffic run ring:4 --collective polka",
            "traffic compare hypercube:3 --missions 0",
            "traffic sweep hypercube:3 --over taste",
            "traffic sweep hypercube:3 --over interval --values 0",
            "traffic sweep hypercube:3 --over hot-spots --values 1.5",
            "deadlock path:3 --routing hole.csv",
            "deadlock ring:5 --reroute 0-9:1",
            "deadlock ring:5 --routing scenic",
        ],
    );
}

#[test]
fn deadlock() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/papers/amp-8-routing.csv");
    let run = |line: &str| run(&line.replace("TABLE", table)).replace(table, "TABLE");
    let text = [
        run("deadlock ring:5"),
        run("deadlock ring:5 --routing shortest"),
        run("deadlock torus:4x4 --json"),
        run("deadlock hypercube:3 --routing dimension-order"),
        // The example of the HGSA paper: from 2 to 7 by 3 all is well, by 6 there is a cycle.
        run("deadlock amp:8 --routing TABLE"),
        run("deadlock amp:8 --routing TABLE --reroute 2-7:6"),
        run("deadlock path:3 --dot -"),
    ];
    insta::assert_snapshot!("deadlock", text.join("\n"));
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
