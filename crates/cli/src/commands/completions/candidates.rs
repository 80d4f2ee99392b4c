//! How the last word of a command line can go on.

use super::suggestions::with_colon;
use clap::{Arg, Command};
use pavane_model::words::shortened;

/// The most characters of a meaning.
const LONGEST: usize = 70;

/// A word that can stand in the place of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The word; a value follows it immediately if it ends in a colon or an equals sign.
    pub word: String,
    meaning: String,
}

impl Candidate {
    fn new(word: String, meaning: Option<String>) -> Self {
        let meaning = meaning.unwrap_or_default();
        let first = meaning.lines().next().unwrap_or_default();
        Self { word, meaning: shortened(first, LONGEST).into_owned() }
    }

    /// The word and, after a tabulator, what it means.
    pub fn with_meaning(&self) -> String {
        if self.meaning.is_empty() {
            return self.word.clone();
        }
        format!("{}\t{}", self.word, self.meaning)
    }
}

/// The candidates for the last of the words after the name of the program, which has its suggestions as possible values
/// and is built.
pub fn candidates(program: &Command, words: &[String]) -> Vec<Candidate> {
    let Some((current, before)) = words.split_last() else { return Vec::new() };
    let mut line = TypedLine { command: program, given: Vec::new(), place: 0, pending: None };
    before.iter().for_each(|word| line.take(word));
    line.complete(current)
}

/// What is known after some words.
struct TypedLine<'a> {
    command: &'a Command,
    /// The options that are given.
    given: Vec<&'a str>,
    /// The number of positional arguments.
    place: usize,
    /// The option whose value is next.
    pending: Option<&'a Arg>,
}

impl<'a> TypedLine<'a> {
    fn take(&mut self, word: &str) {
        if let Some(option) = self.pending {
            if !takes_several(option) {
                self.pending = None;
                return;
            }
            if !word.starts_with('-') {
                return;
            }
            self.pending = None;
        }
        if let Some(text) = word.strip_prefix("--").filter(|text| !text.is_empty()) {
            let (name, value) = text.split_once('=').unzip();
            let option = self.long(name.unwrap_or(text));
            self.given.extend(option.and_then(Arg::get_long));
            self.pending = option.filter(|option| value.is_none() && takes_next(option));
        } else if let Some(text) = word.strip_prefix('-').filter(|text| !text.is_empty()) {
            let name = text.chars().next();
            let option = self.command.get_opts().find(|option| option.get_short() == name);
            self.given.extend(option.and_then(Arg::get_long));
            let is_attached = text.chars().count() > 1;
            self.pending = option.filter(|option| !is_attached && takes_next(option));
        } else if let Some(part) = self.command.find_subcommand(word).filter(|_| self.place == 0) {
            *self = Self { command: part, given: Vec::new(), place: 0, pending: None };
        } else {
            self.place += 1;
        }
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.command.get_arguments().find(|option| option.get_long() == Some(name))
    }

    fn complete(&self, current: &str) -> Vec<Candidate> {
        let is_option = current.starts_with('-');
        if let Some(option) = self.pending.filter(|option| !is_option || !takes_several(option)) {
            return values(option, "", current);
        }
        if let Some((name, value)) = current.split_once('=').filter(|_| is_option) {
            let option = self.long(name.trim_start_matches('-'));
            return option.map_or(Vec::new(), |it| values(it, &format!("{name}="), value));
        }
        if is_option {
            return self.options(current);
        }
        let parts = self.command.get_subcommands().filter(|part| !part.is_hide_set());
        let parts = parts.filter(|part| self.place == 0 && part.get_name().starts_with(current));
        let part = |part: &Command| {
            Candidate::new(part.get_name().to_owned(), part.get_about().map(ToString::to_string))
        };
        let mut found: Vec<Candidate> = parts.map(part).collect();
        found.extend(self.positional().map_or(Vec::new(), |it| values(it, "", current)));
        found
    }

    /// The positional argument at the cursor. The last one may take several words.
    fn positional(&self) -> Option<&'a Arg> {
        let all: Vec<&Arg> = self.command.get_positionals().collect();
        let last = all.last().copied().filter(|last| takes_several(last));
        all.get(self.place).copied().or(last)
    }

    fn options(&self, current: &str) -> Vec<Candidate> {
        let is_open = |option: &&Arg| {
            let is_repeated = matches!(option.get_action(), clap::ArgAction::Append);
            !option.is_hide_set()
                && option.get_long().is_some_and(|name| is_repeated || !self.given.contains(&name))
        };
        let options = self.command.get_arguments().filter(is_open);
        let candidate = |option: &Arg| {
            let name = option.get_long().unwrap_or_default();
            Candidate::new(format!("--{name}"), option.get_help().map(ToString::to_string))
        };
        options.map(candidate).filter(|option| option.word.starts_with(current)).collect()
    }
}

fn takes_several(argument: &Arg) -> bool {
    argument.get_num_args().is_some_and(|count| count.max_values() > 1)
}

/// Whether the value of an option is the next word.
fn takes_next(option: &Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

/// The values of an argument. In a list, those that follow the last comma and are not in the list yet.
fn values(argument: &Arg, before: &str, current: &str) -> Vec<Candidate> {
    let comma =
        argument.get_value_delimiter().and_then(|comma| Some((comma, current.rfind(comma)?)));
    let (done, last) = match comma {
        Some((comma, at)) => current.split_at(at + comma.len_utf8()),
        None => ("", current),
    };
    let is_listed = |name: &str| done.split(',').any(|other| other == name);
    let possible = argument.get_possible_values().into_iter();
    let open = possible.filter(|value| !value.is_hide_set() && !is_listed(value.get_name()));
    let candidates = open.map(|value| (with_colon(value.get_name()), value));
    let fitting = candidates.filter(|(word, _)| word.starts_with(last));
    fitting
        .map(|(word, value)| {
            let meaning = value.get_help().map(ToString::to_string);
            Candidate::new(format!("{before}{done}{word}"), meaning)
        })
        .collect()
}
