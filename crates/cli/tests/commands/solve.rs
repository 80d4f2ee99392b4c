//! Searches and proofs; the files that they write are accepted.

use super::{compare, run, snapshot};

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
            "solve ring:8 oab -o x.svg.gz",
            "solve ring:8 oab -o x.html.gz",
            "solve ring:8 oab -o no/such/folder/x.json",
        ],
    );
}

#[test]
fn prove() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| run(&line.replace("DIR", path)).replace(path, "DIR");
    let problem = "complete:4 aas --ports 1 --switching sf --duplex half";
    let mut text = vec![
        run("solve octagon:8 aas --steps 3 --prove"),
        run(&format!("solve {problem} --steps 3 --prove")),
        run(&format!("solve {problem} --steps 3 --prove --json -o DIR/three.json")),
        run("verify DIR/three.json"),
        run("verify DIR/three.json --json"),
        run("verify DIR/three.json --network path:7"),
        run("export DIR/three.json --to csv"),
        run(&format!("solve {problem} --steps 2 -o DIR/two.json.gz")),
        run("verify DIR/two.json.gz"),
        run(&format!("solve {problem} --prove -o DIR/four.json.gz")),
        run("verify DIR/four.json.gz"),
        run("solve path:6 aar --ports 1 --switching sf --quiet -o DIR/reduced.json"),
        run("verify DIR/reduced.json"),
    ];
    // A proof is refused even if only its checksum is missing.
    let [three, proof] =
        ["three", "four"].map(|name| folder.path().join(name).with_extension("lrat.gz"));
    let whole = std::fs::read(&three).unwrap();
    std::fs::write(&three, &whole[..whole.len() - 4]).unwrap();
    text.push(run("verify DIR/three.json"));
    // Files that are no longer referenced are removed.
    run("solve path:6 oab -o DIR/three.json");
    assert!(!three.exists());
    std::fs::copy(folder.path().join("reduced.json"), &proof).unwrap();
    text.push(run("verify DIR/four.json.gz"));
    std::fs::remove_file(&proof).unwrap();
    text.push(run("verify DIR/four.json.gz --json"));
    compare("prove", &text);
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 4, "three schedules and a refutation");
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

/// Every third of the entries of the best-known table that are small enough for a test; `pavane bench`
/// runs all.
#[test]
fn no_small_problem_is_worse_than_the_best_known() {
    let table = include_str!("../../../../corpus/best-known.csv");
    let small = table.lines().filter(|line| line.ends_with(",small"));
    for line in small.step_by(3) {
        let mut parts = line.rsplitn(4, ',');
        let (_, _, steps) = (parts.next(), parts.next(), parts.next().unwrap());
        let problem = parts.next().unwrap().trim_matches('"');
        let output = run(&format!("solve {problem} --json --evaluations 20000000 -o /dev/null"));
        assert!(output.contains(&format!("\n  \"steps\": {steps},\n")), "{output}");
    }
}
