//! Entries of the index.

use crate::problem::AtlasProblem;
use pavane_model::Fraction;
use pavane_model::words::excerpt;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Decimals of a figure, and the most that tell two figures apart.
const FEWEST_DIGITS: usize = 4;
const MOST_DIGITS: usize = 12;

/// What an entry minimises, and the unit of its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtlasModel {
    /// The number of steps.
    Steps,
    /// The time per byte of a shard under bandwidths alone, in nanoseconds.
    Throughput,
    /// The time in nanoseconds.
    Time,
    /// The period of a TDM schedule, in slots.
    Tdm,
}

impl AtlasModel {
    /// Every model with its name.
    pub const ALL: &[(&str, Self)] = &[
        ("steps", Self::Steps),
        ("throughput", Self::Throughput),
        ("time", Self::Time),
        ("tdm", Self::Tdm),
    ];

    /// A figure in words, with four decimals of a microsecond or of a nanosecond per byte.
    pub fn in_words(self, value: Fraction) -> String {
        self.with_digits(value, FEWEST_DIGITS)
    }

    /// Two figures in words, with enough decimals to tell them apart.
    pub fn in_words_apart(self, one: Fraction, other: Fraction) -> (String, String) {
        let at = |digits| (self.with_digits(one, digits), self.with_digits(other, digits));
        let mut words = at(FEWEST_DIGITS);
        let mut digits = FEWEST_DIGITS;
        while one != other && words.0 == words.1 && digits < MOST_DIGITS {
            digits += 1;
            words = at(digits);
        }
        words
    }

    fn with_digits(self, value: Fraction, digits: usize) -> String {
        let plural = if value == Fraction::ONE { "" } else { "s" };
        let decimal = |value: f64| {
            let text = format!("{value:.digits$}");
            let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
            text.trim_end_matches('.').to_owned()
        };
        match self {
            Self::Steps => format!("{value} step{plural}"),
            Self::Throughput => format!("{} ns per byte", decimal(value.to_f64())),
            Self::Time => format!("{} µs", decimal(value.to_f64() / 1000.0)),
            Self::Tdm => format!("{value} slot{plural}"),
        }
    }

    /// Whether the figures are whole numbers.
    pub fn is_counted(self) -> bool {
        matches!(self, Self::Steps | Self::Tdm)
    }
}

impl fmt::Display for AtlasModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, model)| model == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

/// The best-known schedule of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtlasEntry {
    /// The name of the entry, unique in the atlas.
    pub id: String,
    /// What is minimised.
    pub model: AtlasModel,
    /// The figure of the schedule.
    pub value: Fraction,
    /// The proved lower bound.
    pub bound: Fraction,
    /// The schedule file, relative to the folder of the atlas.
    pub file: String,
    /// The random seed of the search that found it.
    pub seed: u64,
    /// The seconds that the search took.
    pub seconds: f64,
    /// Further options of the search, such as its time limit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// The problem.
    pub problem: AtlasProblem,
    /// The best published figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedFigure>,
    /// The index file without its ending: the family of networks.
    #[serde(skip)]
    pub family: String,
}

/// A figure in the literature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// The figure, in the unit of the model.
    pub value: Fraction,
    /// Where it is published.
    pub source: String,
    /// How it is to be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether the figure is for another problem: a network of the same size, or the worst of several
    /// faults. A better figure is then no improvement.
    #[serde(default, rename = "other_problem", skip_serializing_if = "std::ops::Not::not")]
    pub is_for_another_problem: bool,
}

impl PublishedFigure {
    /// What is wrong with a published figure of a problem with a proved bound.
    pub(crate) fn wrong_claim(&self, model: AtlasModel, bound: Fraction) -> Option<String> {
        let value = self.value;
        if self.source.trim().is_empty() {
            return Some("its published figure has no source".to_owned());
        }
        if self.source.contains(char::is_control) || self.note.contains(char::is_control) {
            return Some("the source or note of its published figure has line breaks".to_owned());
        }
        if model.is_counted() && value.denominator() != 1 {
            return Some(format!("its published figure {value} is not a whole number"));
        }
        (value < bound && !self.is_for_another_problem).then(|| {
            format!(
                "its published figure {value} is below the proved bound {bound}: it is wrong, or for \
                 another problem"
            )
        })
    }
}

/// The options that say how to search, each with a value. All others would make another problem, or
/// write files.
const SEARCH_OPTIONS: [&str; 9] = [
    "--time",
    "--evaluations",
    "--engine",
    "--set",
    "--preset",
    "--threads",
    "--chunks",
    "--trees",
    "--atlas",
];

/// Options of a search become part of a command that people copy: only options of searches, with plain
/// values.
pub(crate) fn check_options(options: &str) -> Result<(), String> {
    let is_plain = |word: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:/@+=,%".contains(c);
        !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain)
    };
    let words: Vec<&str> = options.split(' ').collect();
    let is_option = |pair: &[&str]| matches!(pair, [option, value] if SEARCH_OPTIONS.contains(option) && is_plain(value));
    if options.is_empty() || words.chunks(2).all(is_option) {
        return Ok(());
    }
    let (shown, known) = (excerpt(options), SEARCH_OPTIONS.join(", "));
    Err(format!(
        "{shown:?} are not options of a search: use some of {known}, each with a value, such as --time \
         60s"
    ))
}

impl AtlasEntry {
    /// Whether the schedule is proved optimal.
    pub fn is_optimal(&self) -> bool {
        self.value == self.bound
    }

    /// Whether the schedule is better than the best published figure for the same problem.
    pub fn is_improvement(&self) -> bool {
        let published = self.published.as_ref().filter(|figure| !figure.is_for_another_problem);
        published.is_some_and(|figure| self.value < figure.value)
    }

    /// The command that finds the schedule again, from a place where the atlas is in `folder`.
    pub fn command(&self, folder: &Path) -> String {
        let mut command = self.problem.command_beside(self.model, folder);
        if !self.options.is_empty() {
            command += &format!(" {}", self.options);
        }
        if self.seed != 1 {
            command += &format!(" --seed {}", self.seed);
        }
        command
    }

    /// Its figure in words, with enough decimals to tell it from the bound.
    pub fn figure(&self) -> String {
        self.model.in_words_apart(self.value, self.bound).0
    }

    /// What is wrong with the claims of the entry, as far as the index alone shows it.
    pub(crate) fn wrong_claim(&self) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if self.id.is_empty() || !self.id.chars().all(is_plain) {
            return Some("its name must have letters, digits and hyphens only".into());
        }
        if self.value < self.bound {
            let (value, bound) = (self.value, self.bound);
            return Some(format!("its figure {value} is below its bound {bound}"));
        }
        if self.model.is_counted() && [self.value, self.bound].iter().any(|v| v.denominator() != 1)
        {
            return Some(format!("its figure or bound is not a whole number of {}", self.model));
        }
        if !self.seconds.is_finite() || self.seconds < 0.0 {
            return Some(format!("{} is not a number of seconds", self.seconds));
        }
        let published = self.published.as_ref();
        let wrong_figure = published.and_then(|it| it.wrong_claim(self.model, self.bound));
        wrong_figure.or_else(|| check_options(&self.options).err())
    }

    /// Whether it is optimal, in words.
    pub fn status(&self) -> String {
        if self.is_optimal() {
            "optimal".to_owned()
        } else {
            let (_, bound) = self.model.in_words_apart(self.value, self.bound);
            format!("at least {bound} proved necessary")
        }
    }
}
