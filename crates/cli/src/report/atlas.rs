//! Output of `pavane atlas`.

use pavane_atlas::AtlasEntry;
use serde::Serialize;
use std::path::Path;

/// An entry of the atlas.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtlasEntryReport<'a> {
    /// The name of the entry.
    pub id: &'a str,
    /// The family of networks.
    pub family: &'a str,
    /// What is minimised: `steps`, `throughput`, `time` or `tdm`.
    pub model: String,
    /// The figure of the schedule, as a fraction: steps, nanoseconds per byte of a shard, nanoseconds or
    /// slots.
    pub value: String,
    /// The proved lower bound, in the same unit.
    pub bound: String,
    /// Whether the schedule is proved optimal.
    pub optimal: bool,
    /// The best published figure, in the same unit; null if none is known.
    pub published: Option<String>,
    /// Where it is published.
    pub source: Option<&'a str>,
    /// How the published figure is to be read; empty if there is nothing to say.
    pub note: &'a str,
    /// Whether the published figure is for another problem, so that no schedule is an improvement on it.
    pub other_problem: bool,
    /// Whether the schedule is better than the published figure for the same problem.
    pub improvement: bool,
    /// The command that finds the schedule again.
    pub command: String,
    /// Random seed of the search.
    pub seed: u64,
    /// Seconds that the search took.
    pub seconds: f64,
    /// The schedule file, relative to the folder of the atlas.
    pub schedule_file: &'a str,
}

impl<'a> AtlasEntryReport<'a> {
    /// Describes an entry. `folder` is that of the atlas.
    pub fn new(entry: &'a AtlasEntry, folder: &Path) -> Self {
        let published = entry.published.as_ref();
        Self {
            id: &entry.id,
            family: &entry.family,
            model: entry.model.to_string(),
            value: entry.value.to_string(),
            bound: entry.bound.to_string(),
            optimal: entry.is_optimal(),
            published: published.map(|figure| figure.value.to_string()),
            source: published.map(|figure| figure.source.as_str()),
            note: published.map_or("", |figure| figure.note.as_str()),
            other_problem: published.is_some_and(|figure| figure.is_for_another_problem),
            improvement: entry.is_improvement(),
            command: entry.command(folder),
            seed: entry.seed,
            seconds: entry.seconds,
            schedule_file: &entry.file,
        }
    }
}

/// An entry with the file that its schedule was written to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownEntry<'a> {
    /// The entry.
    #[serde(flatten)]
    pub entry: AtlasEntryReport<'a>,
    /// The schedule file that was written. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The verdict on the atlas.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtlasVerdict {
    /// Whether everything is right.
    pub valid: bool,
    /// Number of entries that were verified.
    pub entries: usize,
    /// Number of entries that are proved optimal.
    pub optimal: usize,
    /// Number of problems with a better schedule than published. Entries that are isomorphic to one another
    /// count once.
    pub improvements: usize,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// The entries of an isomorphic network.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtlasSearchReport<'a> {
    /// The network that was searched for.
    pub network: &'a str,
    /// The entries that fit.
    pub matches: Vec<AtlasEntryReport<'a>>,
    /// Entries of an isomorphic network that do not fit.
    pub near: Vec<NearEntry<'a>>,
    /// The entry whose schedule was mapped to this network and judged. Null without a collective.
    pub mapped: Option<&'a str>,
    /// The schedule file that was written. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// An entry that does not fit.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearEntry<'a> {
    /// The entry.
    pub id: &'a str,
    /// Why it does not fit.
    pub reason: &'a str,
}

/// What became of a schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtlasAddition<'a> {
    /// `new`, `better`, `published` or `kept`.
    pub status: &'static str,
    /// The figure of before. Present only if it was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Whether the problem is that of an entry under other names, to which the schedule was mapped.
    pub isomorphic: bool,
    /// The entry as it is now.
    pub entry: AtlasEntryReport<'a>,
}

/// The pages of the book about the atlas.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtlasPages {
    /// The files that were written.
    pub files: Vec<String>,
}

/// What `--atlas` of `pavane tdm` and `pavane throughput` found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "atlas-use"))]
pub struct AtlasUseReport {
    /// The entry; null if the atlas has none for an isomorphic problem.
    pub entry: Option<String>,
    /// Whether the result is the schedule of the entry, mapped to this network.
    pub is_result: bool,
}

/// Where `pavane solve --atlas` started.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "atlas-start"))]
pub struct AtlasStartReport {
    /// The entry; null if the atlas has none for an isomorphic problem.
    pub entry: Option<String>,
    /// The number of steps of its schedule.
    pub steps: Option<u32>,
    /// Whether the result is the schedule of the entry, mapped to this network.
    pub is_result: bool,
}
