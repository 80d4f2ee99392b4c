//! Routers and processors are named as in pictures, in arguments and in results.

use super::{run, snapshot};

#[test]
fn names() {
    snapshot(
        "names",
        &[
            "solve mesh:4x4 multicast --receivers 1,2 --quiet",
            "bound mesh:4x4 multicast --receivers 1,1;2,2",
            "bound mesh:4x4 multicast --receivers (1,2)",
            "bound mesh:4x4 broadcast --root 4,4",
            "bound mesh:4x4 multicast --receivers 1,2,2,3",
            "bound mesh:3x3 broadcast --fault 0,0–0,1 --fault 0,0–1,0 --json",
            "bound mesh:3x3 broadcast --fault 9,9",
            "bound mesh:3x3 all-gather --fault 2,2",
            "faults mesh:2x2 broadcast --of routers",
            "throughput mesh:2x2 all-to-all --all",
            "solve mesh:4x4 --json",
            "verify nothing.json --json",
            "deadlock mesh:2x2 --svg x.png",
            "faults mesh:2x2 broadcast --svg x.png",
            "studio --port x",
        ],
    );
}

#[test]
fn json_names_faults_as_the_command_line_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let named = |line: &str| {
        let text = run(&format!("{line} --fault 0,1-1,1 --json"));
        // Of the answer itself, not of a schedule in it.
        assert!(text.contains("\n  \"faults\": [\n    \"0,1-1,1\"\n  ]"), "{text}");
    };
    let timed = "all-gather --bytes 1KB --bandwidth 1GB/s --evaluations 1";
    for line in [
        "networks mesh:2x3",
        "bound mesh:2x3 broadcast",
        "solve mesh:2x3 broadcast",
        "tdm mesh:2x3 --evaluations 1",
        "throughput mesh:2x3 all-gather --bandwidth 1GB/s",
        "pareto mesh:2x3 broadcast --max-chunks 1",
    ] {
        named(line);
    }
    named(&format!("solve mesh:2x3 {timed} --minimize time"));
    named(&format!("compare mesh:2x3 {timed}"));
    for (name, line) in [
        ("steps.json", "solve mesh:2x3 all-gather".to_owned()),
        ("time.json", format!("solve mesh:2x3 {timed} --minimize time")),
        ("slots.json", "tdm mesh:2x3".to_owned()),
        ("plan.json", "throughput mesh:2x3 all-gather --bandwidth 1GB/s".to_owned()),
    ] {
        run(&format!("{line} -o {}", path(name)));
        named(&format!("repair {}", path(name)));
    }
}

#[test]
fn all_sends_of_a_timed_schedule_are_listed() {
    let options = "--minimize time --bytes 3KB --chunks 1 --evaluations 1 --all";
    let text = run(&format!("solve ring:3 all-gather {options}"));
    let send = "0.0000      1.0000      0 to 999 of message 0: 0 → 1";
    assert!(text.contains(send), "{text}");
    assert_eq!(text.matches(" of message ").count(), 6, "{text}");
}

#[test]
fn an_all_reduce_is_one_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    run(&format!("solve ring:4 all-reduce -o {}", path("ar.json")));
    let verdict = run(&format!("verify {}", path("ar.json")));
    for part in ["valid in 4 steps\n", "all-reduce in 2 phases", "phase 0: valid in 2 steps"] {
        assert!(verdict.contains(part), "{verdict}");
    }
    run(&format!("draw {} -o {}", path("ar.json"), path("ar.svg")));
    let picture = std::fs::read_to_string(path("ar.svg")).unwrap();
    for part in [">reduce-scatter<", ">all-gather<", ">step 3<"] {
        assert!(picture.contains(part), "{part}");
    }
    assert_eq!(picture.matches(">step 0<").count(), 1);
}
