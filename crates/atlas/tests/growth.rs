//! Schedules that are added: only through the judge, and only better ones.

use crate::common::{copy, repository};
use pavane_atlas::{Addition, Atlas, AtlasError, NewEntry, PublishedFigure};
use pavane_model::Fraction;

fn new() -> NewEntry {
    NewEntry { family: "tests".into(), seed: 5, ..NewEntry::default() }
}

#[test]
fn a_schedule_is_added_once() {
    let from = Atlas::open(&repository()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for id in [
        "mesh-4x4-aas",
        "tdm-torus-4x4",
        "throughput-dgx-1v-all-reduce",
        "dgx-1v-all-gather-minimize-time-bytes-1000000",
        "kautz-3-2-aas-fault-01-10",
    ] {
        let entry = from.find(id).unwrap();
        let path = from.path(entry).unwrap();
        let mut atlas = Atlas::open_or_new(folder.path()).unwrap();
        let Addition::New(added) = atlas.add(&path, &new()).unwrap() else { panic!("{id}") };
        assert_eq!((&added.problem, added.value), (&entry.problem, entry.value));
        assert!(matches!(atlas.add(&path, &new()).unwrap(), Addition::Kept(_)));
        // What was written is what is read.
        let again = Atlas::open(folder.path()).unwrap();
        assert_eq!(again.find(&added.id).unwrap(), &added);
        again.judge(&added).unwrap();
        let published = Some(PublishedFigure {
            value: added.value.checked_add(Fraction::ONE).unwrap(),
            source: "a paper".into(),
            note: String::new(),
            is_for_another_problem: false,
        });
        let with_figure = NewEntry { published, ..new() };
        let Addition::Published(marked) = atlas.add(&path, &with_figure).unwrap() else {
            panic!("{id}")
        };
        assert!(marked.is_improvement());
    }
}

#[test]
fn a_better_schedule_replaces_the_one_of_before() {
    let from = Atlas::open(&repository()).unwrap();
    let entry = from.find("mesh-4x4-aas").unwrap();
    let folder = copy(&["mesh-4x4-aas"]);
    let index = crate::common::index(&folder);
    let worse =
        std::fs::read_to_string(&index).unwrap().replace("value = \"16\"", "value = \"17\"");
    std::fs::write(&index, worse).unwrap();
    let mut atlas = Atlas::open(folder.path()).unwrap();
    let path = from.path(entry).unwrap();
    let Addition::Better(better, value, _) = atlas.add(&path, &new()).unwrap() else { panic!() };
    assert_eq!((value, better.value), (Fraction::from(17), Fraction::from(16)));
    let again = Atlas::open(folder.path()).unwrap();
    again.judge(again.find("mesh-4x4-aas").unwrap()).unwrap();
}

#[test]
fn what_the_judge_rejects_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let mut atlas = Atlas::open_or_new(folder.path()).unwrap();
    let file = r#"{"format": "pavane/schedule/1",
        "network": {"name": "path:2", "routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
        "model": {"switching": "wormhole", "routing": "minimal", "duplex": "full", "ports": "all"},
        "collective": {"kind": "broadcast", "name": "oab", "senders": [0], "receivers": [1]},
        "steps": [[{"message": [0], "from": 0, "to": 1, "path": [0]}]]}"#;
    let path = folder.path().join("x.json");
    let mut add = |text: &str, family: &str| {
        std::fs::write(&path, text).unwrap();
        atlas.add(&path, &NewEntry { family: family.into(), ..NewEntry::default() })
    };
    let missing = file
        .replace("[[{\"message\"", "[[], [{\"message\"")
        .replace("\"path\": [0]", "\"path\": [1]");
    assert!(matches!(add(&missing, "tests"), Err(AtlasError::Rejected { .. })));
    let other = add(&file.replace("path:2", "path:3"), "tests").unwrap_err().to_string();
    assert!(other.contains("another network"), "{other}");
    let unknown = add(&file.replace("path:2", "my machine"), "tests").unwrap_err().to_string();
    assert!(unknown.contains("my machine"), "{unknown}");
    let family = add(file, "../x").unwrap_err().to_string();
    assert!(family.contains("is not a family"), "{family}");
    assert!(matches!(add("{", "tests"), Err(AtlasError::Format(_))));
    assert!(matches!(add(file, "tests"), Ok(Addition::New(_))));
    assert!(!folder.path().join("x.toml").exists());
}

fn figure(value: u64, is_for_another_problem: bool) -> Option<PublishedFigure> {
    let (value, source) = (Fraction::from(value), "a paper".into());
    Some(PublishedFigure { value, source, note: String::new(), is_for_another_problem })
}

#[test]
fn a_published_figure_is_possible_and_the_best_one() {
    let folder = copy(&["mesh-4x4-aas-ports-1"]);
    let mut atlas = Atlas::open(folder.path()).unwrap();
    let path = atlas.path(&atlas.entries()[0]).unwrap();
    let mut publish = |published| atlas.add(&path, &NewEntry { published, ..new() });
    // The figure of before is 17, and 16 is proved necessary.
    for (published, reason) in [
        (figure(30, false), "a published figure of 17 steps"),
        (figure(30, true), "a published figure of 17 steps"),
        (figure(15, false), "below the proved bound 16"),
        (figure(0, false), "below the proved bound 16"),
    ] {
        let error = publish(published).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let half = Fraction::new(33, 2).unwrap();
    let unsourced = figure(16, false).map(|one| PublishedFigure { source: " ".into(), ..one });
    assert!(publish(unsourced).is_err());
    assert!(publish(figure(0, false).map(|one| PublishedFigure { value: half, ..one })).is_err());
    let Addition::Published(entry) = publish(figure(16, false)).unwrap() else { panic!() };
    assert!(!entry.is_improvement());
}

#[test]
fn a_problem_under_other_names_is_the_same_problem() {
    let from = Atlas::open(&repository()).unwrap();
    for (known, same) in [
        ("mesh-4x4-aas-fault-0-0-0-1", "mesh-4x4-aas-fault-3-2-3-3"),
        ("mesh-4x4-oas-fault-0-1", "mesh-4x4-oas-fault-1-0"),
    ] {
        let folder = copy(&[known]);
        let path = from.path(from.find(same).unwrap()).unwrap();
        let mut atlas = Atlas::open(folder.path()).unwrap();
        let Addition::Isomorphic(kept) = atlas.add(&path, &new()).unwrap() else {
            panic!("{same}")
        };
        assert!(matches!(*kept, Addition::Kept(_)));
        assert_eq!(kept.entry().id, known);
        // A better one is mapped to the names of the entry, and replaces it.
        let value = from.find(known).unwrap().value;
        let worse = value.checked_add(Fraction::ONE).unwrap();
        crate::common::replace(
            &folder,
            &format!("value = \"{value}\""),
            &format!("value = \"{worse}\""),
        );
        let mut atlas = Atlas::open(folder.path()).unwrap();
        let Addition::Isomorphic(better) = atlas.add(&path, &new()).unwrap() else {
            panic!("{same}")
        };
        assert!(matches!(*better, Addition::Better(..)));
        let again = Atlas::open(folder.path()).unwrap();
        assert_eq!(again.entries().len(), 1);
        assert_eq!(again.judge(again.find(known).unwrap()).unwrap().file.value(), value);
    }
}

#[test]
fn options_that_a_shell_would_run_are_refused() {
    let from = Atlas::open(&repository()).unwrap();
    let path = from.path(from.find("mesh-4x4-aas").unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut atlas = Atlas::open_or_new(folder.path()).unwrap();
    for options in [
        "; rm -r x",
        "--time $(id)",
        "--time 5s | sh",
        "--a `b`",
        "--a\n--b",
        "time 5s",
        "--output x --time 5s",
        "--ports 1",
        "--help",
    ] {
        let error = atlas.add(&path, &NewEntry { options: options.into(), ..new() }).unwrap_err();
        assert!(error.to_string().contains("are not options of a search"), "{options}: {error}");
    }
    let seconds = NewEntry { seconds: f64::NAN, ..new() };
    assert!(atlas.add(&path, &seconds).is_err());
    let options = "--time 5s --chunks 4".to_owned();
    atlas.add(&path, &NewEntry { options, ..new() }).unwrap();
}
