//! The program on a terminal, simulated by `script`: colours unless NO_COLOR is set, and a progress
//! bar after a second; neither if quiet or without a terminal.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::process::Command;

/// Never reaches its bound, so it uses all its time.
const LONG: &str = "solve tree:2,4 aab --switching sf --ports 1 --threads 1 --time 2s";

/// The output of a command line on a terminal, with or without NO_COLOR.
fn shown(line: &str, is_plain: bool) -> String {
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{} {line}", env!("CARGO_BIN_EXE_pavane")), "/dev/null"]);
    command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CLICOLOR");
    if is_plain {
        command.env("NO_COLOR", "1");
    }
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}

/// Whether a text contains colour or weight escape sequences.
fn has_colours(text: &str) -> bool {
    text.split('\u{1b}').skip(1).any(|rest| {
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic());
        rest.starts_with('[') && end.is_some_and(|end| rest[end..].starts_with('m'))
    })
}

#[test]
fn colours_are_for_terminals_and_go_with_no_color() {
    for line in ["--help", "solve --help", "nonsense"] {
        assert!(has_colours(&shown(line, false)), "{line}");
        assert!(!has_colours(&shown(line, true)), "{line}");
    }
    assert!(!has_colours(&shown(LONG, true)));
}

#[test]
fn slow_commands_show_progress_on_terminals_only() {
    let text = shown(LONG, false);
    assert!(text.contains("of 2 s; ") && text.contains('['), "{text}");
    assert!(!shown(&format!("{LONG} --quiet"), false).contains("of 2 s"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
    let output = command.args(LONG.split_whitespace()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(!output.stdout.contains(&b'\x1b'));
}
