//! The atlas of the repository: results and errors.

use super::snapshot;

/// Adds the folder of the atlas to command lines.
fn with_atlas(name: &str, lines: &[&str]) {
    let lines: Vec<String> =
        lines.iter().map(|line| format!("{line} --atlas ../../../../atlas")).collect();
    snapshot(name, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn atlas() {
    with_atlas(
        "atlas",
        &[
            "atlas show hypercube-3-oab",
            "atlas show mesh-4x4-aas-ports-1 --json",
            "atlas verify hypercube-3-oab mesh-4x4-aas-ports-1",
            "atlas list --family ccc --model tdm",
            "atlas search ring:5 broadcast --root 2",
            "atlas search ring:5 all-to-all --model steps",
            "solve ring:5 broadcast --root 2 --evaluations 1000 --threads 1",
            "solve ring:5 broadcast --root 2 --ports 7 --evaluations 1000 --threads 1 --json -o /dev/null",
            "atlas add ../../../../atlas/papers/hypercube-3-oab.json.gz --family papers",
            "atlas search torus:4x4 all-to-all --no-wrap",
            "tdm ring:8 --threads 1",
            "throughput dgx-1v all-gather",
        ],
    );
}

#[test]
fn bad_atlas() {
    with_atlas(
        "bad-atlas",
        &[
            "atlas show hypercube-3-aob",
            "atlas verify nothing",
            "atlas list --family gardens",
            "atlas search ring:5 broadcast --ports 3",
            "atlas search mesh:4x4 broadcast --root 2,1 --ports 1",
            "atlas search ring:5 --no-wrap --model steps",
            "atlas add ../../../../atlas/papers/hypercube-3-oab.json.gz --family papers --published 1 --source paper",
            "atlas add ../../../../atlas/papers/hypercube-3-oab.json.gz --family papers --options ;ls",
            "atlas search ring:5@2 broadcast",
            "atlas search path:31 broadcast",
            "atlas search ring:5 -o x.json",
            "atlas add ring-oab-broken.json --family rings",
            "atlas add nowhere.json --family rings",
            "atlas add ring-oab.json --family ../rings",
            "atlas add ring-oab.json --family rings --published 7",
            "solve ring:5 all-gather --minimize time --bytes 1KB",
        ],
    );
    snapshot(
        "no-atlas",
        &["atlas list", "atlas verify --atlas absent", "solve ring:5 oab --atlas ."],
    );
}
