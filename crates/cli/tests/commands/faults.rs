//! Faults, repairs, and stored schedules for all faults.

use super::{compare, run, snapshot};

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
        // How much is kept depends on the random numbers of the engines.
        let figures = ["  changes   ", "  found by "];
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
    compare("repair", &text);
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
        // Lost roots with replacements, disconnected or not, and groups of one.
        run("faults path:3 oas gather --of channels,routers --count 2 --save DIR/roots"),
        run("verify DIR/roots"),
        run("faults star:4 reduce --receivers 1,3 --of routers --save DIR/shrunk"),
        run("verify DIR/shrunk"),
        run("repair DIR/shrunk --fault 3 --fault 0-3 -o DIR/shrunk.json"),
        run("repair DIR/path --fault 0-1 --json"),
        run("repair DIR/ring --fault 0-1 --collective aas --keep-steps --json"),
    ];
    let limited = run("verify DIR/ring --max-work 5");
    let told = "certificate was not checked: it would take about";
    assert!(limited.contains(told) && limited.ends_with("[exit 2]\n"), "{limited}");
    let again =
        run("faults ring:4 oab aas --of links,routers --save DIR/ring --resume DIR/rows.json");
    assert_eq!(again, text[0], "what is resumed is the same");
    // A row with a different claim and a row without its schedule are both rejected.
    let rows = folder.path().join("rows.json");
    let kept = std::fs::read_to_string(&rows).unwrap();
    let forged =
        kept.replace(r#""steps":4"#, r#""steps":3"#).replace(r#""bound":4"#, r#""bound":3"#);
    assert_ne!(forged, kept);
    std::fs::write(&rows, forged).unwrap();
    let forged = run("faults ring:4 oab aas --of links,routers --resume DIR/rows.json");
    std::fs::remove_dir_all(folder.path().join("rows.json.schedules")).unwrap();
    let bare = run("faults ring:4 oab aas --of links,routers --resume DIR/rows.json");
    let warned = |text: &str| text.lines().any(|line| line.contains("solving them again"));
    assert!(warned(&forged) && warned(&bare), "{forged}{bare}");
    let table = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.contains("solving them again") && !line.starts_with('$'))
            .filter(|line| !line.starts_with("  written "));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!([table(&forged), table(&bare)], [table(&again), table(&again)]);
    let ring = folder.path().join("ring");
    let files = std::fs::read_dir(&ring).unwrap().count();
    assert!(files < 16, "alike faults share a schedule, but there are {files} files");
    // Removed steps, an omitted fault, an exchanged file.
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
    // The root was lost and another one replaces it, so there must be a schedule.
    let lost = index.find("\"faults\": [\n            \"0\"\n").unwrap();
    let end = lost + index[lost..].find("\"missing\"").unwrap();
    let start = lost + index[lost..].find("\"schedule\"").unwrap();
    text.push(spoilt(&index[start..end], ""));
    text.push(spoilt("\"root_moves\": true", "\"root_moves\": false"));
    std::fs::write(ring.join("index.json"), &index).unwrap();
    std::fs::copy(ring.join("oab-1.json"), ring.join("oab-2.json")).unwrap();
    text.push(run("verify DIR/ring"));
    std::fs::remove_file(ring.join("index.json")).unwrap();
    text.push(run("verify DIR/ring"));
    compare("contingencies", &text);
}

/// Router names may start like spreadsheet formulas.
#[test]
fn no_cell_of_a_table_is_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(place("net.edges"), "=1+1 @b\n@b +c\n+c -d\n-d =1+1\n").unwrap();
    let line = format!("faults {} oab --of routers --csv {}", place("net.edges"), place("t.csv"));
    let output = run(&line);
    assert!(output.ends_with("[exit 0]\n"), "{output}");
    let table = std::fs::read_to_string(place("t.csv")).unwrap();
    let names: Vec<&str> = table.lines().skip(2).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(names, ["'=1+1", "'@b", "'+c", "'-d"], "{table}");
}

/// A share that is only preferred is reported if not reached; a share that is required and not
/// reached means no schedule.
#[test]
fn a_share_that_is_not_kept_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (old, new) = (place("old.json"), place("new.json"));
    run(&format!("solve ring:8 aas --switching sf --quiet --evaluations 300000 -o {old}"));
    let repair = format!("repair {old} --fault 0-1 --evaluations 300000 -o {new}");
    let aimed = run(&repair);
    assert!(aimed.contains("are kept instead of 80 %") && aimed.ends_with("[exit 0]\n"), "{aimed}");
    let json = run(&format!("{repair} --json"));
    for part in ["\"asked_percent\": 80.0", "\"is_demand\": false", "\"is_reached\": false"] {
        assert!(json.contains(part), "{json}");
    }
    std::fs::remove_file(&new).unwrap();
    let demanded = run(&format!("{repair} --keep 80"));
    let why = "no schedule was found that keeps 80.0 % of the transfers that are still valid; the best keeps 7";
    assert!(demanded.contains(why) && demanded.ends_with("[exit 1]\n"), "{demanded}");
    assert!(!std::path::Path::new(&new).exists(), "what is not found is not written");
    let less = run(&format!("{repair} --keep 50"));
    assert!(less.ends_with("[exit 0]\n"), "{less}");
}
