//! k-synchronous schedules.

use super::{run, snapshot};
use std::path::Path;

#[test]
fn pareto() {
    snapshot(
        "pareto",
        &[
            "pareto ring:5 broadcast --max-chunks 3",
            "pareto dgx-1v all-to-all --max-chunks 1 --json",
            "pareto hypercube:2 all-reduce --max-chunks 2",
            "pareto torus:3x3 gather --max-chunks 2 --max-steps 2",
            "pareto line-50-75.toml all-gather --max-chunks 2",
            "pareto line-50-75.toml all-gather --max-chunks 2 --round 25GB/s",
            "verify ../../../../corpus/valid/k-synchronous-broadcast.json",
            "verify ../../../../corpus/invalid/v7-reduce-sent-on-in-the-same-step.json",
        ],
    );
}

#[test]
fn bad_pareto() {
    snapshot(
        "bad-pareto",
        &[
            "pareto dgx-a100:2 all-gather",
            "pareto ring:4@2 all-gather",
            "pareto dgx-1v all-gather --round 100GB/s",
            "pareto dgx-1v all-gather --round 0.0001GB/s",
            "pareto dgx-1v all-gather --round 0GB/s",
            "pareto ring:4 all-gather --max-chunks 0",
            "pareto ring:4 nonsense",
            "pareto ring:4 all-gather -o absent/front.svg",
            "pareto ring:4 all-gather -o tdm-traffic.csv/front",
            "pareto ring:4 all-gather --max-chunks 4 --max-deliveries 20",
        ],
    );
}

#[test]
fn a_front_folder_has_files_that_the_judge_accepts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().display();
    let printed = run(&format!("pareto ring:5 broadcast --max-chunks 2 -o {place}/front"));
    assert!(printed.contains("[exit 0]"), "{printed}");
    for name in ["1-2-2.json", "2-2-4.json", "2-3-3.json"] {
        let printed = run(&format!("verify {place}/front/{name}"));
        assert!(printed.contains("k-synchronous") && printed.contains("[exit 0]"), "{printed}");
    }
    for name in ["2-2-3.cnf.gz", "2-2-3.lrat.gz", "front.json", "front.svg"] {
        assert!(Path::new(&format!("{place}/front/{name}")).is_file(), "{name}");
    }
}
