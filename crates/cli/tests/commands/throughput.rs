//! Throughput limits and plans.

use super::{compare, run, snapshot};
use serde_json::Value;
use std::fs;

#[test]
fn throughput() {
    snapshot(
        "throughput",
        &[
            "throughput dgx-1v all-gather --bytes 1GB",
            "throughput dgx-1v all-reduce",
            "throughput dgx-1v broadcast --root 5 --fault 0-1",
            "throughput dgx-a100:2 all-gather",
            "throughput dgx-a100:2 all-gather --trees 1 --bytes 1MiB",
            "throughput dgx-a100:2 reduce-scatter",
            "throughput dgx-a100:1 all-reduce",
            "throughput mesh:3x3 all-reduce",
            "throughput dgx-a100:2 mnb --senders 0-7 --receivers 8-15",
            "throughput mi250:1 all-gather",
            "throughput ring:4 all-gather --bandwidth 400Gb/s --latency 500ns",
            "throughput ring:4 aab --json",
            "throughput ring:4 reduce -o -",
            "throughput ring:5 aab --fault 2",
            "throughput ring:4@2 multicast --root 0 --receivers 1",
            "throughput ring:4 aab --time 0s",
            "throughput dgx-1v all-to-all --bytes 1GB",
            "throughput dgx-a100:2 all-to-all",
            "throughput ring:4 scatter --root 1",
            "throughput ring:4 gather --root 1 --json",
            "throughput ring:5 mns --senders 0,1 --receivers 1,2,3",
            "throughput ring:4 shift:2",
            "throughput ring:4 aas --sizes sizes.csv",
            "throughput ring:4 gather --sizes column-sizes.csv",
            "throughput ring:4 aas --sizes sizes.json --bandwidth 25GB/s",
            "throughput generalized-kautz:32,4 all-to-all",
            "throughput two-speeds.toml all-gather --bytes 4096",
            "throughput two-speeds.toml multicast --root 0 --receivers 1,2",
            "throughput one-way.toml broadcast",
            "throughput one-way.toml gather --root 2 -o -",
            "throughput one-way.toml reduce --root 2",
            "faults one-way.toml scatter --throughput",
            "solve one-way.toml broadcast --minimize time --bytes 1KB --json",
        ],
    );
}

#[test]
fn bad_throughput() {
    snapshot(
        "bad-throughput",
        &[
            "throughput ring:4 mixed-messages.json",
            "throughput ring:4 aab --sizes sizes.csv",
            "throughput ring:4 all-reduce --sizes sizes.csv",
            "throughput ring:5 aas --sizes sizes.csv",
            "throughput ring:4 aas --sizes sizes.csv --fault 2",
            "throughput ring:4 aas --sizes ragged-sizes.csv",
            "throughput ring:4 aas --sizes negative-sizes.csv",
            "throughput ring:4 aas --sizes zero-sizes.json",
            "throughput ring:4 aas --sizes huge-sizes.json",
            "throughput ring:4 aas --sizes absent.csv",
            "throughput ring:4 aas --sizes sizes.csv --bytes 1MB",
            "throughput ring:4 polka",
            "throughput one-way.toml gather",
            "throughput one-way.toml all-gather",
            "throughput missing-bandwidth.toml aab",
            "throughput zero-bandwidth.toml aab",
            "throughput negative-bandwidth.toml aab",
            "throughput infinite-bandwidth.toml aab",
            "throughput ring:4 aab --bandwidth 0GB/s",
            "throughput ring:4 aab --bandwidth -1GB/s",
            "throughput ring:4 aab --bandwidth inf",
            "throughput ring:4 aab --bandwidth 50",
            "throughput ring:4 aab --bandwidth 50furlongs",
            "throughput ring:4 aab --latency 5min",
            "throughput ring:4 aab --bytes 0",
            "throughput ring:4 aab --bytes 99999999PiB",
            "throughput ring:4 aab --trees 0",
            "throughput path:4 aab --fault 1-2",
            "throughput ring:4 aab -o /nowhere/plan.json",
        ],
    );
}

#[test]
fn repair_of_plans() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| {
        let text = run(&line.replace("DIR", path)).replace(path, "DIR");
        let is_plain = |line: &&str| !line.starts_with("  found in ");
        text.lines().filter(is_plain).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    for (problem, file) in [
        ("dgx-1v all-gather", "gather.json"),
        ("dgx-1v all-to-all", "all-to-all.json.gz"),
        ("ring:5 all-reduce", "all-reduce.json"),
        ("dgx-a100:2 all-gather", "a100.json"),
        ("ring:4 aas --sizes sizes.csv", "sizes.json"),
        ("path:3 broadcast", "path.json"),
    ] {
        assert!(run(&format!("throughput {problem} -o DIR/{file}")).ends_with("[exit 0]\n"));
    }
    let lines = [
        "repair DIR/gather.json --fault 0-1 -o DIR/link.json",
        "verify DIR/link.json",
        "repair DIR/gather.json --fault 0-1 --keep 100 -o DIR/kept.json",
        "verify DIR/kept.json",
        "repair DIR/link.json --fault 5 -o DIR/both.json.gz",
        "verify DIR/both.json.gz",
        "repair DIR/all-to-all.json.gz --fault-channel 0-3 --keep 100",
        "repair DIR/all-reduce.json --fault 2 --json -o DIR/reduced.json",
        "verify DIR/reduced.json",
        "repair DIR/a100.json --fault box0/gpu0-box0/nic0",
        "repair DIR/sizes.json --fault 0-1",
        "repair DIR/path.json --fault 2 -o -",
        "repair DIR/path.json --fault 2 --json",
        // Errors.
        "repair DIR/path.json",
        "repair DIR/path.json --fault 0-1",
        "repair DIR/path.json --fault 0-1 --json",
        "repair DIR/path.json --fault 0",
        "repair DIR/path.json --fault 0-2",
        "repair DIR/path.json --fault 7",
        "repair DIR/path.json --fault 2 --keep-steps",
        "repair DIR/path.json --fault 2 --evaluations 5",
        "repair DIR/path.json --fault 2 --collective broadcast",
        "repair DIR/path.json --fault 2 --keep 101",
        "repair DIR/path.json --fault 2 -o /nowhere/plan.json",
        "repair ../../../../corpus/throughput/invalid/switches-copies.json --fault 0",
    ];
    let text: Vec<String> = lines.iter().map(|line| run(line)).collect();
    compare("repair-plan", &text);
}

/// Machines with their limits in nanoseconds per byte of a shard.
const LIMITS: &[(&str, &str)] = &[
    ("dgx-a100:1", "7/300"),
    ("dgx-a100:2", "3/65"),
    ("dgx-a100:4", "3/25"),
    ("mi250:1", "7/150"),
    ("mi250:2", "15/166"),
    ("mi250:4", "3/16"),
    ("dgx-1v", "7/150"),
    ("ndv2:2", "16/25"),
    ("ndv2:4", "48/25"),
    ("dgx2:2", "31/125"),
];

#[test]
fn published_machines_have_their_known_limits() {
    for (machine, limit) in LIMITS {
        // No search: the limit does not depend on the plan.
        let output = run(&format!("throughput {machine} all-gather --time 0s"));
        assert!(output.contains(&format!("limit     {limit} ns per byte")), "{output}");
        assert!(output.ends_with("[exit 0]\n"), "{output}");
    }
    for (machine, bandwidth) in [("ndv2:2", "25.00"), ("ndv2:4", "16.67"), ("dgx2:2", "129.03")] {
        let output = run(&format!("throughput {machine} all-gather --time 0s"));
        assert!(output.contains(&format!("algorithm bandwidth {bandwidth} GB/s")), "{output}");
    }
}

/// The files of plans are valid, and verify calls those at the limit optimal.
#[test]
fn written_plans_are_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, line) in [
        ("gather.json", "dgx-a100:2 all-gather"),
        ("scatter.json.gz", "mi250:1 reduce-scatter"),
        ("both.json", "dgx-1v all-reduce"),
        ("switch.json", "dgx-a100:1 all-reduce"),
        ("divided.json.gz", "mesh:4x4 all-reduce"),
        ("one.json", "dgx-a100:2 all-reduce --trees 1"),
        ("two-speeds.json", "two-speeds.toml reduce --root 2 --latency 500ns"),
    ] {
        let path = folder.path().join(name);
        let printed = run(&format!("throughput {line} -o {}", path.display()));
        assert!(printed.contains("written") && printed.ends_with("[exit 0]\n"), "{printed}");
        let verdict = run(&format!("verify {}", path.display()));
        assert!(verdict.ends_with("[exit 0]\n"), "{verdict}");
        let is_optimal = printed.contains("attains the limit");
        assert_eq!(verdict.contains("throughput-optimal"), is_optimal, "{printed}{verdict}");
    }
}

#[test]
fn throughput_after_faults() {
    snapshot(
        "throughput-after-faults",
        &[
            "faults dgx-1v all-gather --throughput",
            "faults ring:6 all-gather all-reduce --throughput --bandwidth 400Gb/s --latency 500ns",
            "faults path:4 aab oab --throughput --root 1 --of links,routers",
            "faults two-speeds.toml all-gather --throughput --of links,routers --json",
            "faults two-speeds.toml reduce --throughput --of channels --csv -",
            "faults ring:6 aab --throughput --count 2 --sample 4 --seed 3",
            "faults ring:6 aab --throughput --fault 0-1 --threads 1",
            "faults ring:6 all-to-all --throughput",
            "faults ring:6 aab@sf --throughput",
            "faults ring:6 aab --throughput --ports 1",
            "faults ring:6 aab --throughput --save folder",
            "faults ring:6 aab --throughput --resume file",
            "faults ring:6 aab --bandwidth 5GB/s",
            "faults ring:6 aab aab --throughput",
            "faults missing-bandwidth.toml aab --throughput",
            "faults ring:6 aab --throughput --svg no/such/folder/x.svg",
        ],
    );
}

fn json(line: &str) -> Value {
    let output = run(line);
    assert!(output.ends_with("[exit 0]\n"), "{output}");
    // The command comes first, and warnings follow.
    let start = output.find("\n{\n").unwrap_or_else(|| panic!("{output}"));
    let end = output.rfind("\n}\n").unwrap_or_else(|| panic!("{output}")) + 2;
    let lines = output[start..end].lines().filter(|line| !line.contains("\"seconds\""));
    // The time is replaced by a word, and may be the last field.
    let text = lines.collect::<String>().replace(",}", "}");
    text.parse().unwrap_or_else(|error| panic!("{error}: {output}"))
}

/// The survey finds for every member of every class what `pavane throughput --fault` finds, and
/// symmetric faults are computed once.
#[test]
fn a_survey_agrees_with_single_faults() {
    for (network, collective, parts, most) in [
        ("dgx-1v", "all-gather", "links", 24),
        ("dgx-1v", "all-reduce", "links", 4),
        ("two-speeds.toml", "reduce-scatter", "links,routers", 24),
        ("torus:3x3", "broadcast", "links", 24),
        ("dgx-a100:2", "all-gather", "routers", 6),
    ] {
        let survey =
            json(&format!("faults {network} {collective} --throughput --of {parts} --json"));
        let classes = survey["collectives"][0]["classes"].as_array().unwrap();
        assert!(!classes.is_empty());
        let costs: Vec<f64> = classes.iter().filter_map(|c| c["cost_gbytes"].as_f64()).collect();
        assert!(costs.is_sorted_by(|one, other| one >= other), "{costs:?}");
        let mut checked = 0;
        for class in classes {
            for member in class["members"].as_array().unwrap() {
                let fault = member[0].as_str().unwrap();
                let line = format!("throughput {network} {collective} --fault {fault} --json");
                if checked == most {
                    break;
                }
                checked += 1;
                if class["status"] == "disconnected" {
                    assert!(run(&line).ends_with("[exit 3]\n"), "{line}");
                    continue;
                }
                let single = json(&line);
                assert_eq!(single["limit"]["ns_per_byte"], class["ns_per_byte"], "{line}");
                assert_eq!(
                    single["limit"]["algorithm_gbytes"], class["algorithm_gbytes"],
                    "{line}"
                );
            }
        }
    }
}

/// Links of different bandwidths are not alike, even if the network is symmetric without them.
#[test]
fn symmetry_respects_bandwidths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("square.dot");
    let square = "graph { 0 -- 1 [bandwidth_gbytes=10]; 1 -- 2 [bandwidth_gbytes=20];
        2 -- 3 [bandwidth_gbytes=10]; 3 -- 0 [bandwidth_gbytes=20] }";
    fs::write(&path, square).unwrap();
    let survey = json(&format!("faults {} aab --throughput --json", path.display()));
    let classes = survey["collectives"][0]["classes"].as_array().unwrap();
    let counts: Vec<&Value> = classes.iter().map(|class| &class["count"]).collect();
    assert_eq!(counts, [2, 2]);
    let equal = json("faults ring:4 aab --throughput --json");
    assert_eq!(equal["collectives"][0]["classes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_survey_of_throughput_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.svg");
    let printed = run(&format!("faults dgx-1v all-gather --throughput --svg {}", path.display()));
    assert!(printed.ends_with("[exit 0]\n"), "{printed}");
    let svg = fs::read_to_string(path).unwrap();
    assert!(svg.contains("% bandwidth</title>") && svg.contains("% bandwidth</text>"), "{svg}");
}

#[test]
fn plans_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (plan, both) = (place("plan.json.gz"), place("both.json"));
    run(&format!("throughput dgx-a100:2 all-gather -o {plan}"));
    run(&format!("throughput dgx-1v all-reduce -o {both}"));
    let (pairs, shards) = (place("pairs.json"), place("shards.json"));
    run(&format!("throughput mesh:3x3 all-to-all -o {pairs}"));
    run(&format!("throughput mesh:3x3 all-gather -o {shards}"));
    for (line, words) in [
        (
            format!("draw {plan}"),
            "cut: 15 shards must enter the shaded area over 2 channels with 325 GB/s",
        ),
        (format!("draw {plan} --message 3"), "message box0/gpu3</text>"),
        (format!("draw {pairs} --message 0,5"), "message 0,0→1,2</text>"),
        (format!("draw {pairs} --message 0,0;1,2"), "message 0,0→1,2</text>"),
        (format!("draw {shards} --message 1,2"), "message 1,2</text>"),
        (format!("draw {both}"), "throughput-optimal"),
        (format!("draw {both} --phase 1"), "phase 1: all-gather"),
        (format!("draw {both} --message 2"), "phase 0: reduce-scatter, message 2"),
        (
            format!("draw {both} --message 2 --phase 1 --theme dark"),
            "phase 1: all-gather, message 2",
        ),
    ] {
        let output = run(&line);
        assert!(output.contains(words) && output.ends_with("[exit 0]\n"), "{line}: {output}");
    }
    for name in ["loads.png", "loads.html", "loads.svg"] {
        let printed = run(&format!("draw {plan} -o {} --json", place(name)));
        assert!(printed.contains("\"what\": \"throughput plan\""), "{printed}");
        assert!(fs::metadata(place(name)).unwrap().len() > 1000);
    }
}

#[test]
fn bad_pictures_of_plans() {
    const CORPUS: &str = "../../../../corpus/throughput";
    let lines = [
        "draw CORPUS/valid/all-gather-pair.json --message 9",
        "draw CORPUS/valid/all-gather-pair.json --message 0,1",
        "draw CORPUS/valid/all-gather-pair.json --message one",
        "draw CORPUS/valid/all-gather-pair.json --message 0;1;2",
        "draw CORPUS/valid/all-gather-pair.json --phase 1",
        "draw CORPUS/valid/all-reduce-pair.json --phase 2",
        "draw CORPUS/valid/all-to-all-path3.json --message 0",
        "draw CORPUS/valid/broadcast-two-trees.json --message 1",
        "draw CORPUS/valid/all-gather-pair.json --steps 1",
        "draw CORPUS/valid/all-gather-pair.json --fault 0-1",
        "draw CORPUS/invalid/weights-too-little.json",
        "draw CORPUS/invalid/limit-cut-proves-less.json",
        "draw ring:4 --message 0",
        "draw ring-oab.json --phase 0",
    ];
    let lines = lines.map(|line| line.replace("CORPUS", CORPUS));
    snapshot("bad-pictures-of-plans", &lines.each_ref().map(String::as_str));
}
