//! The names of downloads, and archives of several files.

use super::Studio;
use serde_json::json;
use std::collections::BTreeSet;

/// Names and sizes of the entries of a tar archive.
pub fn entries(archive: &[u8]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while archive[at] != 0 {
        let field = |from: usize, to: usize| {
            let bytes = &archive[at + from..at + to];
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8(bytes[..end].to_vec()).unwrap()
        };
        let size = usize::from_str_radix(&field(124, 136), 8).unwrap();
        let sum: usize = (0..512)
            .map(|byte| {
                usize::from(if (148..156).contains(&byte) { b' ' } else { archive[at + byte] })
            })
            .sum();
        assert_eq!(usize::from_str_radix(field(148, 154).trim(), 8).unwrap(), sum);
        found.push((field(0, 100), size));
        at += 512 + size.next_multiple_of(512);
    }
    found
}

#[test]
fn files_of_an_archive_have_different_names_whatever_the_network_is_called() {
    let studio = Studio::start("1024");
    let names = ["n".repeat(150), "../".repeat(60), "Überlänge ".repeat(20), "con".to_owned()];
    for name in names {
        let text = format!("name = {name:?}\nrouters = 3\nlinks = [[0, 1], [1, 2]]\n");
        let job = studio.add(&json!({"kind": "solve", "text": text, "collective": "all-gather"}));
        let (_, _, news) = studio.ask("GET", &format!("/api/jobs/{job}/events"), "");
        assert!(String::from_utf8_lossy(&news).contains("\"done\""));
        for (format, endings) in [
            ("simgrid", &[".platform.xml", ".trace.csv", ".replay.py"]),
            ("chakra", &[".0.et", ".1.et", ".2.et"]),
        ] {
            let path = format!("/api/jobs/{job}/download?to={format}");
            let (status, head, archive) = studio.ask("GET", &path, "");
            assert_eq!(status, 200);
            let file = head.split("filename=\"").nth(1).unwrap().split('"').next().unwrap();
            assert!(file.len() <= 100 && file.ends_with(&format!("-{format}.tar")), "{file}");
            let entries = entries(&archive);
            let lower: BTreeSet<String> =
                entries.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
            assert_eq!(lower.len(), endings.len(), "{entries:?}");
            for ((name, size), ending) in entries.iter().zip(endings) {
                assert!(name.ends_with(ending) && *size > 0, "{name}");
                assert!(name.starts_with("all-gather"), "{name}");
                let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
                assert!(name.chars().all(is_safe) && !name.contains(".."), "{name}");
            }
        }
    }
}
