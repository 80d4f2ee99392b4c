//! Comparison with the algorithms of libraries.

use super::{run, snapshot};

#[test]
fn compare() {
    snapshot(
        "compare",
        &[
            "compare ring:4 all-gather --bytes 1KB,1MB --latency 1us --evaluations 1 --threads 1",
            "compare dgx-1v all-reduce --bytes 1KB --evaluations 1 --threads 1 --json",
            "compare ring:4 all-gather --bytes 4KB --with sccl-ring.json --evaluations 1 --threads 1",
            "compare complete:3 all-to-all --bytes 3KB,30KB --with teccl-shares.json --evaluations 1 --threads 1",
            "compare path:3 broadcast --bytes 1KB --with ../../../../corpus/valid/k-synchronous-broadcast.json --evaluations 1 --threads 1",
        ],
    );
}

#[test]
fn bad_compare() {
    snapshot(
        "bad-compare",
        &[
            "compare ring:4 all-gather",
            "compare ring:4 all-gather --bytes 1KB,0",
            "compare ring:4 all-gather --bytes much",
            "compare ring:4 all-gather --bytes 1KB,1MB -o x.svg",
            "compare ring:4 all-gather --bytes 1KB -o x.png",
            "compare ring:4 all-gather --bytes 1KB --with absent.json",
            "compare ring:4 all-gather --bytes 1KB --with ../../../../corpus/valid/k-synchronous-broadcast.json",
            "compare path:3 all-gather --bytes 1KB --with ../../../../corpus/valid/k-synchronous-broadcast.json",
            "compare ring:4 all-gather --bytes 1KB --with ../../../../corpus/tdm/valid/ring4-residue.json",
            "compare ring:4 all-to-all --bytes 1KB --with sccl-ring.json",
            "compare ring:5 all-gather --bytes 1KB --with sccl-ring.json",
            "compare complete:4 all-gather --bytes 4KB --with teccl-star.json",
            "compare ring:4 all-gather --bytes 1KB --with ../../../../corpus/plans/wrong/deadlock-all-receive-first.xml",
        ],
    );
}

#[test]
fn timed_files_and_pictures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().display();
    let solve = "solve ring:4 all-gather --minimize time --bytes 1KB --evaluations 1 --threads 1";
    assert!(run(&format!("{solve} -o {place}/timed.json")).contains("[exit 0]"));
    let compare = format!("--with {place}/timed.json --evaluations 1 --threads 1");
    let line = format!("compare ring:4 all-gather --bytes 1KB {compare} -o {place}/x.svg");
    let printed = run(&line);
    assert!(printed.contains("timed.json") && printed.contains("[exit 0]"), "{printed}");
    let svg = std::fs::read_to_string(folder.path().join("x.svg")).expect("the picture");
    assert!(svg.starts_with("<svg") && svg.contains("ring: "), "no picture");
    let printed = run(&format!("compare ring:4 all-gather --bytes 2KB {compare}"));
    assert!(printed.contains("is for 1000 bytes") && printed.contains("[exit 2]"), "{printed}");
    let printed = run(&format!("compare ring:4 reduce-scatter --bytes 1KB {compare}"));
    assert!(printed.contains("not a schedule of reduce-scatter"), "{printed}");
}

/// The sums of a tree are completed at another processor than those of a reduce-scatter.
#[test]
fn plans_of_all_reduces() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().display();
    let done = |line: &str| {
        let printed = run(line);
        assert!(printed.contains("[exit 0]"), "{printed}");
        printed
    };
    done(&format!("solve ring:4 all-reduce -o {place}/steps.json"));
    done(&format!("export {place}/steps.json --to msccl -o {place}/gpu.xml"));
    done(&format!("export {place}/steps.json --to mscclpp -o {place}/gpu.json"));
    done(&format!("throughput ring:4 all-reduce -o {place}/plan.json"));
    let files = ["steps.json", "gpu.xml", "gpu.json", "plan.json"];
    let with: Vec<String> = files.iter().map(|name| format!("{place}/{name}")).collect();
    let printed = done(&format!(
        "compare ring:4 all-reduce --bytes 1KB,1MB --evaluations 1 --threads 1 --with {} ../../../../corpus/plans/right/allreduce-all-pairs.xml",
        with.join(" ")
    ));
    for name in files.iter().chain(&["allreduce-all-pairs.xml"]) {
        assert_eq!(printed.lines().filter(|line| line.contains(name)).count(), 3, "{printed}");
    }
    let printed = run(&format!("compare ring:4 all-gather --bytes 1KB --with {place}/plan.json"));
    assert!(printed.contains("not a schedule of all-gather"), "{printed}");
    let printed = run(&format!("compare path:4 all-reduce --bytes 1KB --with {place}/plan.json"));
    assert!(printed.contains("for another network") && printed.contains("[exit 2]"), "{printed}");
}
