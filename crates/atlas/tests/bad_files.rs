//! Damaged and lying entries get an error that names the entry and the reason.

use crate::common::{copy, index, replace};
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_atlas::{Atlas, AtlasError, NewEntry, PublishedFigure};
use pavane_model::Fraction;
use std::io::Write;
use tempfile::TempDir;

const ID: &str = "mesh-4x4-aab-switching-sf";

fn verdict(folder: &TempDir) -> String {
    let judged = |atlas: &Atlas| match atlas.refused().first() {
        None => atlas.judge(&atlas.entries()[0]).map(|_| "valid".to_owned()),
        Some(refused) => Ok(refused.reason.clone()),
    };
    let opened = Atlas::open(folder.path());
    opened.and_then(|atlas| judged(&atlas)).unwrap_or_else(|error| error.to_string())
}

#[test]
fn a_copied_entry_is_valid() {
    assert_eq!(verdict(&copy(&[ID])), "valid");
}

#[test]
fn an_index_that_lies_is_found_out() {
    for (old, new, reason) in [
        ("value = \"8\"", "value = \"9\"", "a figure of 9, but the file has 8"),
        ("value = \"8\"", "value = \"7\"", "its figure 7 is below its bound 8"),
        ("value = \"8\"", "value = \"17/2\"", "not a whole number of steps"),
        ("options = \"", "options = \"; rm -r / ", "are not options of a search"),
        ("bound = \"8\"", "bound = \"7\"", "a bound of 7, but the file has 8"),
        ("model = \"steps\"", "model = \"time\"", "its file minimises steps"),
        ("switching = \"sf\"", "ports = \"1\"", "its rules are"),
        ("switching = \"sf\"", "switching = \"sf\"\nports = \"1\"", "its rules are"),
        ("switching = \"sf\"", "switching = \"carrier pigeon\"", "carrier pigeon"),
        ("network = \"mesh:4x4\"", "network = \"torus:4x4\"", "another network"),
        ("network = \"mesh:4x4\"", "network = \"mesh:4x4@2\"", "another network"),
        ("network = \"mesh:4x4\"", "network = \"mesh:0x4\"", "mesh"),
        ("network = \"mesh:4x4\"", "network = \"../mesh.json\"", "not a file in the folder"),
        ("collective = \"aab\"", "collective = \"aas\"", "another collective"),
        ("collective = \"aab\"", "collective = \"messages.json\"", "unknown collective"),
        ("file = \"", "file = \"../", "not a file in the folder"),
        ("file = \"", "file = \"/", "not a file in the folder"),
        ("file = \"", "file = \"none/", "there is no such file"),
    ] {
        let folder = copy(&[ID]);
        replace(&folder, old, new);
        let found = verdict(&folder);
        assert!(found.contains(reason) && found.contains(ID), "{new}: {found}");
    }
}

#[test]
fn a_malformed_entry_is_refused_with_its_place() {
    for (old, new, reason) in [
        ("value = \"8\"", "value = \"eight\"", "not a non-negative fraction"),
        ("value = \"8\"", "valeu = \"8\"", "valeu"),
        ("[[entry]]", "[[entry", "copies.toml"),
        ("model = \"steps\"", "model = \"luck\"", "luck"),
    ] {
        let folder = copy(&[ID]);
        replace(&folder, old, new);
        let found = verdict(&folder);
        assert!(found.contains(reason) && found.contains("copies.toml"), "{new}: {found}");
    }
    let folder = copy(&[ID]);
    let text = std::fs::read_to_string(index(&folder)).unwrap();
    std::fs::write(index(&folder), format!("{text}\n{text}")).unwrap();
    assert!(verdict(&folder).contains("is in the atlas twice"));
    std::fs::write(index(&folder), [0xff, 0xfe]).unwrap();
    assert!(verdict(&folder).contains("not UTF-8"));
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Atlas::open(empty.path()), Err(AtlasError::NoAtlas { .. })));
    assert!(matches!(Atlas::open(&empty.path().join("none")), Err(AtlasError::NoAtlas { .. })));
}

#[test]
fn a_damaged_schedule_file_is_refused() {
    let folder = copy(&[ID]);
    let atlas = Atlas::open(folder.path()).unwrap();
    let path = atlas.path(&atlas.entries()[0]).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..80 {
        bomb.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let damaged: [(&str, Vec<u8>); 6] = [
        ("cut short", whole[..middle].to_vec()),
        ("flipped", flipped),
        ("empty", Vec::new()),
        ("not gzip", b"hello".to_vec()),
        ("a header alone", vec![0x1f, 0x8b]),
        ("a bomb", bomb.finish().unwrap()),
    ];
    for (what, bytes) in damaged {
        std::fs::write(&path, bytes).unwrap();
        let found = verdict(&folder);
        assert!(found.contains(ID) && found.contains(".json.gz"), "{what}: {found}");
        let is_gzip = matches!(what, "cut short" | "flipped" | "a header alone");
        let is_said = found.contains("the gzipped file is");
        assert_eq!(is_said, is_gzip, "{what}: {found}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(verdict(&folder).contains("there is no such file"));
}

#[test]
fn a_file_that_no_entry_names_is_reported() {
    let folder = copy(&[ID]);
    let atlas = Atlas::open(folder.path()).unwrap();
    std::fs::create_dir_all(folder.path().join("copies")).unwrap();
    std::fs::write(folder.path().join("copies/stray.json.gz"), "").unwrap();
    let strays = atlas.strays().unwrap();
    assert_eq!(strays.len(), 1);
    assert!(strays[0].contains("stray.json.gz: no entry names this file"));
    // Other files, too, in any folder.
    for name in ["notes.txt", "copies/deep.toml", "copies/old.lrat.gz"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    assert_eq!(atlas.strays().unwrap().len(), 4);
}

#[test]
fn a_malformed_entry_does_not_hide_the_others_and_is_not_lost() {
    let folder = copy(&[ID, "mesh-4x4-aas"]);
    replace(&folder, "value = \"8\"", "value = \"eight\"");
    let mut atlas = Atlas::open(folder.path()).unwrap();
    assert_eq!(atlas.entries().len(), 1);
    assert!(atlas.find(ID).unwrap_err().to_string().contains("not a non-negative fraction"));
    let path = atlas.path(&atlas.entries()[0]).unwrap();
    let published = Some(PublishedFigure {
        value: Fraction::from(16),
        source: "another paper".into(),
        note: String::new(),
        is_for_another_problem: false,
    });
    let new = NewEntry { family: "copies".into(), published, ..NewEntry::default() };
    let error = atlas.add(&path, &new).unwrap_err().to_string();
    assert!(error.contains("has a wrong entry, correct it first"), "{error}");
    assert!(std::fs::read_to_string(index(&folder)).unwrap().contains("eight"));
}
