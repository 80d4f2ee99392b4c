//! The help lists the names of every table.

use super::run;
use pavane_model::collective;
use pavane_traffic::policy::POLICIES;
use pavane_traffic::routing::TABLES;
use pavane_traffic::{RoutingMethod, SwitchingMethod};
use std::collections::HashSet;

/// The words of the help of an option or argument, such as `--policy` or `<COLLECTIVE>`.
fn words_about(command: &str, option: &str) -> HashSet<String> {
    let help = run(&format!("{command} --help"));
    let is_start = |line: &&str| line.trim_start().starts_with(option);
    let mut lines = help.lines().skip_while(|line| !is_start(line));
    let first = lines.next().unwrap_or_else(|| panic!("{option} is not in {help}"));
    let is_next = |line: &&str| line.is_empty() || line.trim_start().starts_with(['-', '<', '[']);
    let text = lines
        .take_while(|line| !is_next(line))
        .fold(first.to_owned(), |text, line| text + " " + line);
    // A comma ends a word only before a space, because it may be part of a parameter.
    let words = text.split_whitespace().map(|word| word.trim_matches([',', ';', '(', ')', '.']));
    words.map(str::to_owned).collect()
}

#[test]
fn help_lists_every_collective() {
    for command in ["solve", "bound"] {
        let words = words_about(command, "<COLLECTIVE>");
        for (name, _) in collective::names() {
            assert!(words.contains(name), "{command}: {name} is not in {words:?}");
        }
    }
}

#[test]
fn help_lists_every_switching_method_routing_and_policy() {
    for command in ["traffic run", "traffic compare", "traffic sweep"] {
        let policies = POLICIES.iter().map(|policy| policy.name).collect();
        let tables: [(&str, Vec<&str>); 3] = [
            ("--switching", SwitchingMethod::names()),
            ("--routing", RoutingMethod::names()),
            ("--policy", policies),
        ];
        for (option, names) in tables {
            let words = words_about(command, option);
            for name in names {
                assert!(words.contains(name), "{command} {option}: {name} is not in {words:?}");
            }
        }
    }
    let words = words_about("deadlock", "--routing");
    for table in TABLES {
        let mut names = table.aliases.iter().chain([&table.name]);
        assert!(names.any(|&name| words.contains(name)), "{} is not in {words:?}", table.name);
    }
}
