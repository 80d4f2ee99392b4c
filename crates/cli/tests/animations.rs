//! `pavane draw --animate`: what is animated, and what is refused with a hint.

use crate::common::run_in as run;
use std::fs;

#[test]
fn schedules_and_timed_schedules_move() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "solve ring:4 broadcast -o steps.json",
        "solve ring:4 all-reduce -o two.json",
        "solve ring:4 all-gather --bandwidth 10GB/s --minimize time --bytes 1KB --chunks 1 -o time.json",
        "draw steps.json --animate -o steps.svg",
        "draw two.json --animate --steps 1-2 -o two.svg",
        "draw time.json --animate -o time.svg",
        "draw steps.json -o steps.gif",
        "draw time.json --animate -o time.gif",
        "solve ring:4 broadcast -o at-once.gif",
    ] {
        let (code, text) = run(folder.path(), line, "");
        assert_eq!(code, 0, "{line}: {text}");
    }
    for name in ["steps", "two", "time"] {
        let svg = fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(svg.contains("<animateMotion"), "{name}");
    }
    let two = fs::read_to_string(folder.path().join("two.svg")).unwrap();
    assert!(two.contains("step 1: reduce-scatter") && two.contains("step 2: all-gather"));
    let (_, text) = run(folder.path(), "solve ring:4 all-reduce", "");
    assert!(text.contains("step 1 (reduce-scatter)\n") && text.contains("step 2 (all-gather)\n"));
    for name in ["steps", "time", "at-once"] {
        let gif = fs::read(folder.path().join(format!("{name}.gif"))).unwrap();
        assert!(gif.starts_with(b"GIF89a"), "{name}");
    }
}

#[test]
fn other_pictures_do_not_move() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["solve ring:4 broadcast -o steps.json", "tdm ring:4 -o tdm.json"] {
        assert_eq!(run(folder.path(), line, "").0, 0);
    }
    for (line, hint) in [
        ("draw ring:4 --animate -o x.svg", "only schedules and timed schedules"),
        ("draw ring:4 -o x.gif", "only schedules and timed schedules"),
        ("draw tdm.json -o x.gif", ".html plays a period"),
        ("draw steps.json --animate -o x.png", ".svg or .gif"),
        ("draw steps.json --animate --only channels -o x.svg", "drop --animate"),
        ("draw steps.json --animate --steps 7-9 -o x.svg", "no steps 7 to 9"),
        ("traffic run ring:4 --gantt x.gif", ".svg, .png or .html"),
    ] {
        let (code, text) = run(folder.path(), line, "");
        assert!(code == 2 && text.contains(hint), "{line}: {code} {text}");
    }
}

#[test]
fn large_schedules_show_the_steps_that_fit_and_say_which() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "solve hypercube:7 all-to-all -o all.json", "").0, 0);
    for (line, steps) in [
        ("draw all.json -o all.svg", "0 to 43 of 0 to 63; --steps selects others"),
        ("draw all.json --animate -o moving.svg", "0 to 21 of 0 to 63; --steps selects others"),
    ] {
        let (code, text) = run(folder.path(), line, "");
        assert!(code == 0 && text.contains(steps), "{line}: {code} {text}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("all.svg").contains("panels of steps 0 to 43 of 0 to 63"));
    assert!(read("moving.svg").contains("steps 0 to 21 of 0 to 63"));
    let (code, text) = run(folder.path(), "draw all.json --steps 0-1 -o two.svg", "");
    assert!(code == 0 && !text.contains("selects others"), "{text}");
    let (code, text) = run(folder.path(), "draw all.json -o play.html", "");
    assert!(code == 0 && !text.contains("selects others"), "{text}");
}
