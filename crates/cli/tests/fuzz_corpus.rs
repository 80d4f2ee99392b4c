//! No reader panics on the fuzzing seeds or on inputs at which fuzzing has stopped.

#[path = "../../../fuzz/src/lib.rs"]
mod readers;

use std::fs;
use std::path::Path;

#[test]
fn corpora_are_read_without_a_panic() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, _) in readers::TARGETS {
        let folder = fs::read_dir(corpora.join(name)).expect("every target has a corpus");
        let mut files: Vec<_> = folder.map(|file| file.expect("it can be listed").path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{name} begins from nothing");
        for file in files {
            readers::run(name, &fs::read(&file).expect("it can be read"));
        }
    }
}
