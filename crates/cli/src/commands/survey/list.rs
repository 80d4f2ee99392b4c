//! The problems of a survey.
//!
//! A line is a problem: the arguments of `pavane solve`. Lines after `networks:` are networks, several
//! to a line, and lines after `rules:` are collectives with their options; every network is combined
//! with all rules of the block that follows it. Lines after `problems:` are problems again. `#` starts
//! a comment.

use crate::args::problem::ProblemArgs;
use crate::output::Failure;
use clap::Parser;
use std::collections::BTreeSet;

/// The list of the repository.
pub const BUILT_IN: &str = include_str!("../../../data/survey.txt");

/// A problem: a network, and the collective with its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProblem {
    /// The network.
    pub network: String,
    /// The other arguments of `pavane solve`, separated by single spaces.
    pub rules: String,
}

/// The command line of a problem.
#[derive(Parser)]
struct ListedArgs {
    #[command(flatten)]
    problem: ProblemArgs,
}

/// What the next lines are.
#[derive(Clone, Copy)]
enum ListBlock {
    Problems,
    Networks,
    Rules,
}

impl ListedProblem {
    /// The arguments of `pavane solve`.
    pub fn problem(&self) -> String {
        format!("{} {}", self.network, self.rules)
    }

    /// The arguments, parsed.
    pub fn arguments(&self) -> Result<ProblemArgs, clap::Error> {
        let words = ["pavane", &self.network].into_iter().chain(self.rules.split_whitespace());
        Ok(ListedArgs::try_parse_from(words)?.problem)
    }
}

/// Reads a list; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<ListedProblem>, Failure> {
    let mut list = ListReader { file, entries: Vec::new(), known: BTreeSet::new() };
    let (mut block, mut networks) = (ListBlock::Problems, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match (block, &words[..]) {
            (_, []) => {}
            (_, ["problems:"]) => block = ListBlock::Problems,
            (_, ["networks:"]) => {
                block = ListBlock::Networks;
                networks.clear();
            }
            (_, ["rules:"]) => block = ListBlock::Rules,
            (ListBlock::Networks, words) => {
                networks.extend(words.iter().map(|&word| word.to_owned()))
            }
            (ListBlock::Rules, words) => {
                for network in &networks {
                    list.add(number, network, words)?;
                }
            }
            (ListBlock::Problems, [network, rules @ ..]) => list.add(number, network, rules)?,
        }
    }
    Ok(list.entries)
}

struct ListReader<'a> {
    file: &'a str,
    entries: Vec<ListedProblem>,
    known: BTreeSet<String>,
}

impl ListReader<'_> {
    fn add(&mut self, line: usize, network: &str, rules: &[&str]) -> Result<(), Failure> {
        let entry = ListedProblem { network: network.to_owned(), rules: rules.join(" ") };
        let place = format!("{}, line {line}", self.file);
        if let Err(error) = entry.arguments() {
            let text = error.to_string();
            let why = text.lines().next().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            let problem = entry.problem();
            return Err(Failure::bad_input(format!("{place}: {}: {why}", problem.trim_end())));
        }
        if !self.known.insert(entry.problem()) {
            let problem = entry.problem();
            return Err(Failure::bad_input(format!("{place}: {problem} is listed twice")));
        }
        self.entries.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    fn problems(text: &str) -> Vec<String> {
        let entries = parse(text, "list").map_err(|failure| failure.text().to_owned());
        entries.unwrap().iter().map(ListedProblem::problem).collect()
    }

    #[test]
    fn every_network_of_a_block_is_combined_with_its_rules() {
        let text = "ring:3  broadcast  # first\nnetworks: # two\nring:4 ring:5\nrules:\nscatter\n\
                    broadcast --ports 1\nnetworks:\nring:6\nrules:\nscatter\nproblems:\nring:7 aas\n";
        assert_eq!(
            problems(text),
            [
                "ring:3 broadcast",
                "ring:4 scatter",
                "ring:5 scatter",
                "ring:4 broadcast --ports 1",
                "ring:5 broadcast --ports 1",
                "ring:6 scatter",
                "ring:7 aas",
            ]
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, expected) in [
            ("\nring:4", "list, line 2: ring:4: the following required arguments"),
            ("ring:4 aas --ports 0", "list, line 1: ring:4 aas --ports 0: invalid value '0'"),
            ("ring:4 aas\nring:4  aas", "list, line 2: ring:4 aas is listed twice"),
        ] {
            let failure = parse(text, "list").unwrap_err();
            assert!(failure.text().starts_with(expected), "{}", failure.text());
        }
    }

    #[test]
    fn the_survey_has_more_than_1500_problems_on_networks_that_exist() {
        let entries = parse(BUILT_IN, "survey.txt").map_err(|failure| failure.text().to_owned());
        let entries = entries.unwrap();
        assert!(entries.len() >= 1500, "{}", entries.len());
        let networks: BTreeSet<&str> = entries.iter().map(|entry| &entry.network[..]).collect();
        for network in networks {
            assert!(topology::build(network).is_ok(), "{network}");
        }
    }
}
