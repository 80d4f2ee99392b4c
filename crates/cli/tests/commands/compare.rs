//! Comparison with the algorithms of libraries.

use super::{run, snapshot};

#[test]
fn compare() {
    snapshot(
        "compare",
        &[
            "compare ring:4 all-gather --bytes 1KB,1MB --latency 1us --evaluations 1 --threads 1",
            "compare dgx-1v all-reduce --bytes 1KB --evaluations 1 --threads 1 --json",
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
