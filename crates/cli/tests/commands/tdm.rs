//! TDM schedules of networks on chip.

use super::snapshot;

#[test]
fn tdm() {
    snapshot(
        "tdm",
        &[
            "tdm torus:3x3 --threads 1",
            "tdm path:3 --json",
            "tdm mesh:2x2 --all --threads 1",
            "tdm ring:4 -o -",
            "tdm mesh:2x2 --traffic tdm-traffic.csv --evaluations 20000 --threads 1",
            "tdm mesh:2x2 --traffic tdm-too-fast.csv --evaluations 2000 --threads 1",
            "tdm torus:3x3 --slots 8",
            "tdm ring:5 --phits 3 --prove --evaluations 20000 --threads 1",
            "tdm ring:5 --phits 3 --prove --slots 13 --evaluations 20000 --threads 1",
            "tdm path:5 --no-wrap --slots 8 --evaluations 20000 --threads 1",
            "tdm torus:3x3 --slots 12 --threads 1",
            "tdm ring:5 --phits 3 --prove --slots 13 --evaluations 20000 --threads 1 --json",
            "tdm path:5 --no-wrap --slots 8 --evaluations 2000 --threads 1 --json",
            "tdm mesh:4x4 --traffic tdm-no-period.csv --evaluations 20000 --threads 1",
            "tdm mesh:4x4 --traffic tdm-no-period.csv --prove --evaluations 20000 --threads 1",
            "tdm ring:5 --slots 3 -o -",
            "tdm path:5 --no-wrap --slots 8 --prove -o - --evaluations 20000 --threads 1",
            "tdm path:5 --no-wrap --prove -o - --evaluations 20000 --threads 1",
            "tdm mesh:2x2 --traffic tdm-too-fast.csv --slots 20",
            "tdm mesh:2x2 --traffic tdm-too-fast.csv --slots 20 -o -",
            "tdm torus:3x3 --slots 8 -o x.svg",
            "tdm ring:5 --phits 3 --prove --slots 13 --evaluations 20000 --threads 1 -o x.svg",
            "tdm mesh:3x3 --fault 0-1 --fault 0-3",
            "tdm ring:4 --no-wrap --depth 3 --phits 3 --evaluations 20000 --threads 1",
            "tdm ring:5 --fault 0-1 --routing any --evaluations 20000 --threads 1",
            "verify ../../../../corpus/tdm/valid/ring4-residue.json",
            "verify ../../../../corpus/tdm/valid/ring4-no-wrap-exact.json",
            "verify ../../../../corpus/tdm/invalid/bound-exact-damaged-proof.json",
            "verify ../../../../corpus/tdm/invalid/channels-depth-two.json",
            "verify ../../../../corpus/tdm/invalid/bound-cut-proves-less.json",
            "verify ../../../../corpus/tdm/invalid/names-no-such-channel.json",
            "verify ../../../../corpus/tdm/invalid/names-start-after-the-period.json",
            "verify ../../../../corpus/tdm/refuted/path3-latency.json",
            "verify ../../../../corpus/tdm/not-refuted/path3-latency-in-time.json",
            "repair ../../../../corpus/tdm/valid/ring4-residue.json --fault 0-1 --keep 3",
            "repair ../../../../corpus/tdm/valid/ring4-residue.json --fault 0-1 --threads 1",
            "repair ../../../../corpus/tdm/valid/ring4-residue.json --fault 0-1 --fault 2-3",
        ],
    );
}

#[test]
fn bad_tdm() {
    snapshot(
        "bad-tdm",
        &[
            "tdm ring:4 --traffic tdm-bad.csv",
            "tdm ring:4 --traffic absent.csv",
            "tdm ring:3 --traffic tdm-traffic.csv",
            "tdm ring:4 --depth 0",
            "tdm ring:4 --routing sideways",
            "tdm path:1",
            "tdm ring:4 -o x.gif",
            "tdm ring:4 -o x.xml",
        ],
    );
}

#[test]
fn tdm_files() {
    let ring = "../../../../corpus/tdm/valid/ring4-no-wrap.json";
    snapshot(
        "tdm-files",
        &[
            "tdm platform.xml --evaluations 20000 --threads 1",
            "tdm platform.xml --phits 1 --depth 1 --slots 3 --evaluations 20000 --threads 1",
            "tdm mesh:2x3 --traffic communication.xml --evaluations 20000 --threads 1",
            &format!("export {ring} --to csv"),
            "export --list",
        ],
    );
}

#[test]
fn bad_tdm_files() {
    let (ring, wraps) = (
        "../../../../corpus/tdm/valid/ring4-no-wrap.json",
        "../../../../corpus/tdm/valid/ring4-residue.json",
    );
    snapshot(
        "bad-tdm-files",
        &[
            "tdm platform-entities.xml",
            "tdm platform-open.xml",
            "tdm platform-flat.xml",
            "tdm platform-large.xml",
            "tdm platform-outside.xml",
            "tdm communication.xml",
            "tdm mesh:2x3 --traffic communication-outside.xml",
            "tdm ring:6 --traffic communication.xml",
            "tdm mesh:2x2 --traffic platform-flat.xml",
            &format!("export {wraps} --to shd"),
            &format!("export {ring} --to shd"),
            &format!("export {ring} --to poseidon"),
            &format!("export {ring} --to systemverilog"),
            &format!("export {ring} --to msccl"),
            "export ../../../../corpus/tdm/invalid/channels-depth-two.json --to csv",
            "export ring-oab.json --to shd",
            "draw ../../../../corpus/tdm/invalid/channels-depth-two.json",
            &format!("draw {ring} --steps 0-1"),
            &format!("draw {ring} --fault 0-1"),
        ],
    );
}
