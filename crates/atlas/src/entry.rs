//! Entries of the index.

use crate::problem::AtlasProblem;
use pavane_model::Fraction;
use serde::{Deserialize, Serialize};
use std::fmt;

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

    /// A figure in words.
    pub fn in_words(self, value: Fraction) -> String {
        let plural = if value == Fraction::ONE { "" } else { "s" };
        match self {
            Self::Steps => format!("{value} step{plural}"),
            Self::Throughput => format!("{value} ns per byte"),
            Self::Time => {
                let digits = format!("{:.4}", value.to_f64() / 1000.0);
                format!("{} µs", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::Tdm => format!("{value} slot{plural}"),
        }
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

    /// The command that finds the schedule again.
    pub fn command(&self) -> String {
        let mut command = self.problem.command(self.model);
        if !self.options.is_empty() {
            command += &format!(" {}", self.options);
        }
        if self.seed != 1 {
            command += &format!(" --seed {}", self.seed);
        }
        command
    }

    /// Whether it is optimal, in words.
    pub fn status(&self) -> String {
        if self.is_optimal() {
            "optimal".to_owned()
        } else {
            format!("at least {} proved necessary", self.model.in_words(self.bound))
        }
    }
}
