//! Output files: symbolic links are followed, pipes and devices are written to.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
#![cfg(unix)]

use crate::common::run_in as run;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[test]
fn links_are_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/old.json"), "old").unwrap();
    symlink("elsewhere/old.json", at("link.json")).unwrap();
    symlink("link.json", at("second.json")).unwrap();
    symlink("elsewhere/new.json", at("dangling.json")).unwrap();
    symlink("circle.json", at("circle.json")).unwrap();
    for (link, target) in
        [("second.json", "elsewhere/old.json"), ("dangling.json", "elsewhere/new.json")]
    {
        let (code, text) = run(folder.path(), &format!("solve ring:4 oab -o {link}"), "");
        assert_eq!(code, 0, "{text}");
        assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link} is replaced");
        assert!(at("link.json").symlink_metadata().unwrap().is_symlink());
        let (code, text) = run(folder.path(), &format!("verify {target}"), "");
        assert_eq!(code, 0, "{text}");
    }
    let (code, text) = run(folder.path(), "solve ring:4 oab -o circle.json", "");
    assert!(
        code == 2 && text.contains("cannot write") && text.contains("circle.json"),
        "{code} {text}"
    );
    assert!(at("circle.json").symlink_metadata().unwrap().is_symlink());
    let left = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!((left(folder.path()), left(&at("elsewhere"))), (5, 2), "nothing else is left");
}

/// Checkpoints, pictures, exports and tables also follow links.
#[test]
fn every_output_goes_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    run(folder.path(), "solve ring:4 oab -o ring.json", "");
    for (name, line) in [
        ("checkpoint", "solve ring:4 aab --resume checkpoint"),
        ("picture.svg", "draw ring:4 -o picture.svg"),
        ("table.csv", "export ring.json --to csv -o table.csv"),
        ("faults.csv", "faults ring:4 oab --csv faults.csv"),
        ("network.dot", "networks ring:4 --to dot -o network.dot"),
        ("log.csv", "traffic run ring:4 --log log.csv"),
    ] {
        let target = Path::new("elsewhere").join(name);
        symlink(&target, folder.path().join(name)).unwrap();
        let (code, text) = run(folder.path(), line, "");
        assert_eq!(code, 0, "{line}: {text}");
        assert!(folder.path().join(target).is_file(), "{line}");
        assert!(folder.path().join(name).symlink_metadata().unwrap().is_symlink(), "{line}");
    }
}

#[test]
fn standard_output_pipes_and_devices_are_written_to() {
    let folder = tempfile::tempdir().unwrap();
    for place in ["/dev/stdout", "-"] {
        let (code, text) = run(folder.path(), &format!("solve ring:4 oab --quiet -o {place}"), "");
        assert!(code == 0 && text.contains("\"format\": \"pavane/schedule/1\""), "{text}");
    }
    let (code, _) = run(folder.path(), "solve ring:4 oab -o /dev/null", "");
    assert_eq!(code, 0);
    // Standard output that is a file is written to, not replaced.
    let file = folder.path().join("out");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("pavane"));
    command.args(["draw", "ring:4", "-o", "/dev/stdout"]).stdout(fs::File::create(&file).unwrap());
    assert!(command.status().unwrap().success());
    assert!(fs::read_to_string(&file).unwrap().contains("<svg"));
    assert!(Path::new("/dev/stdout").symlink_metadata().unwrap().is_symlink());
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    let (code, text) = run(folder.path(), "draw ring:4 -o pipe", "");
    assert_eq!(code, 0, "{text}");
    assert!(reader.join().unwrap().contains("<svg"));
}

/// Plans of an earlier run would compete with the new ones; other files of the folder stay.
#[test]
fn a_second_tuning_replaces_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let tune = |sizes: &str| {
        let line =
            format!("tune ring:3 all-gather --bytes {sizes} --evaluations 1 --time 1s -o tuned");
        let (code, text) = run(folder.path(), &line, "");
        assert_eq!(code, 0, "{text}");
    };
    let files = |kind: &str| -> Vec<String> {
        let entries = fs::read_dir(folder.path().join("tuned").join(kind)).unwrap();
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    tune("300..600");
    fs::write(folder.path().join("tuned/timed/notes.txt"), "mine").unwrap();
    assert_eq!(files("timed"), ["300.json.gz", "600.json.gz", "notes.txt"]);
    tune("900..900");
    assert_eq!(files("timed"), ["900.json.gz", "notes.txt"]);
    assert_eq!(files("msccl"), ["0-max.xml"]);
}

#[test]
fn an_unknown_extension_is_refused_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "solve ring:4 all-gather -o ring.json", "");
    for line in [
        "solve ring:4 oab -o x.pdf",
        "solve ring:4 oab --minimize time --bytes 1KB -o x.pdf",
        "repair ring.json --fault 0-1 -o x.pdf",
        "throughput ring:4 all-gather -o x.pdf",
        "tdm torus:3x3 -o x.pdf",
        "draw ring:4 -o x.pdf",
    ] {
        let (code, text) = run(folder.path(), line, "");
        assert_eq!(code, 2, "{line}: {text}");
        let is_still = line.starts_with("throughput") || line.starts_with("tdm");
        assert_eq!(text.contains(".gif"), !is_still, "{line}: {text}");
        for part in ["x.pdf", ".svg", ".png", ".html"] {
            assert!(text.contains(part), "{line}: {text}");
        }
        assert_eq!(text.contains(".json"), !line.starts_with("draw"), "{line}: {text}");
        assert!(!folder.path().join("x.pdf").exists(), "{line}");
    }
    for name in ["a.JSON", "b.json.gz", "c", "d.Svg"] {
        let (code, text) = run(folder.path(), &format!("solve ring:4 oab -o {name}"), "");
        assert_eq!(code, 0, "{name}: {text}");
    }
}

/// Warnings and errors that cannot be written change neither the result nor the exit code.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_is_no_failure() {
    use assert_cmd::cargo::CommandCargoExt;
    use std::process::{Command, Stdio};
    for (line, code) in [
        ("traffic run ring:5 --switching wormhole --routing shortest", 1),
        ("tdm ring:5 --slots 0", 2),
        ("tdm nothing:5", 2),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::cargo_bin("pavane").unwrap();
        let status = command
            .args(line.split_whitespace())
            .stdout(Stdio::null())
            .stderr(full)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{line}");
    }
}
