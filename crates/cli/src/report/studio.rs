//! Output of `pavane studio`, and the answers of its server to its own page. The page and the server
//! belong to the same version, so the schema covers only what the command prints.

use crate::commands::reproduce::row::TableRow;
use crate::report::compare::AlgorithmComparison;
use crate::report::pareto::FrontReport;
use crate::report::tune::TuningReport;
use pavane_model::{ChannelId, RouterId};
use pavane_search::fault::Changes;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the command prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "studio"))]
pub struct StudioReport<'a> {
    /// The address of the page.
    pub address: &'a str,
}

/// An error that the page shows.
#[derive(Serialize)]
pub struct Refusal<'a> {
    /// The error in words.
    pub message: &'a str,
}

/// A job that was added or cancelled.
#[derive(Serialize)]
pub struct JobNumber {
    /// The number of the job.
    pub job: u64,
}

/// The size of a network.
#[derive(Serialize)]
pub struct NetworkSize {
    /// Routers.
    pub routers: usize,
    /// Channels.
    pub channels: usize,
}

/// A fault with router numbers.
#[derive(Serialize)]
pub struct FaultNumbers {
    /// `r5`, `r0-r1` or `r0:r1`; `None` if the network has no such part.
    pub fault: Option<String>,
}

/// The picture of a network.
#[derive(Serialize)]
pub struct NetworkPicture {
    /// Its name.
    pub name: String,
    /// The picture as SVG.
    pub svg: String,
}

/// The options that the page offers in its forms.
#[derive(Serialize)]
pub struct Choices {
    /// The network families.
    pub networks: Vec<FamilyChoice>,
    /// The names of the collectives, each with its meaning and today's name.
    pub collectives: Vec<(&'static str, &'static str, &'static str)>,
    /// The download formats, each with its description.
    pub formats: Vec<(&'static str, &'static str)>,
    /// The download formats of slot tables.
    pub slot_formats: Vec<(&'static str, &'static str)>,
    /// The download formats of timed schedules.
    pub timed_formats: Vec<(&'static str, &'static str)>,
    /// The engines for schedules by steps, each with its purpose.
    pub engines: Vec<(&'static str, &'static str)>,
    /// The routings of traffic, each with its description.
    pub routings: Vec<(&'static str, &'static str)>,
    /// The policies of traffic, each with its description.
    pub policies: Vec<(&'static str, &'static str)>,
    /// The permutations of traffic.
    pub permutations: Vec<&'static str>,
    /// The routings that can be examined for deadlocks, each with its description.
    pub deadlock_routings: Vec<(&'static str, &'static str)>,
    /// The tables of the papers, each with its paper and its number of problems.
    pub tables: Vec<(&'static str, &'static str, usize)>,
}

/// A network family in the form.
#[derive(Serialize)]
pub struct FamilyChoice {
    /// A valid specification.
    pub example: &'static str,
    /// Its syntax.
    pub usage: &'static str,
    /// A description in one line.
    pub about: &'static str,
}

/// The progress of a job.
#[derive(Serialize)]
pub struct JobReport<'a> {
    /// The number of the job.
    pub job: u64,
    /// The lower bound so far.
    pub bound: u32,
    /// The fewest steps so far.
    pub best: u32,
    /// The number of steps that the search tries.
    pub trying: u32,
    /// What the job does at the moment, in words; may be empty.
    pub doing: String,
    /// The rows of a table so far.
    pub rows: Vec<TableRow>,
    /// The state of the job.
    #[serde(flatten)]
    pub state: JobState<'a>,
}

/// The state of a job.
#[derive(Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum JobState<'a> {
    /// In the queue.
    Queued {
        /// Number of jobs before it.
        ahead: usize,
    },
    /// Running.
    Running,
    /// Finished with a result.
    Done,
    /// Finished without a result.
    Failed {
        /// The reason.
        message: &'a str,
    },
}

/// What the page shows next to a schedule.
#[derive(Serialize)]
pub struct AnswerSummary<'a> {
    /// Number of steps.
    pub steps: u32,
    /// The proved lower bound.
    pub bound: u32,
    /// The engines that found it.
    pub engine: &'a str,
    /// The lost processors, in words; may be empty.
    pub missing: &'a str,
    /// Chunks, steps per message and share of the throughput limit, in words; null if messages are
    /// whole.
    pub chunks: Option<&'a str>,
    /// The file that it was read from, or null.
    pub file: Option<&'a str>,
    /// The fields of the form that describe the problem of a file, by name; empty if it has none for it.
    pub form: Option<&'a BTreeMap<&'static str, String>>,
}

/// What the page shows of a throughput plan.
#[derive(Serialize)]
pub struct ThroughputSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The parts of the answer, each with its name: limit, why, plan and more.
    pub lines: &'a [(&'static str, String)],
    /// The number of phases of the plan.
    pub phases: usize,
    /// Whether its messages have two processors as names.
    pub has_pairs: bool,
}

/// What the page shows of a timed schedule.
#[derive(Serialize)]
pub struct TimedSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The parts of the answer, each with its name: bound, time, schedule and more.
    pub lines: &'a [(&'static str, String)],
    /// The time of the schedule.
    pub microseconds: f64,
    /// The proved lower bound.
    pub bound_microseconds: f64,
    /// The data of the player; null if there are too many sends to play.
    pub player: Option<Value>,
}

/// What the page shows of k-synchronous schedules.
#[derive(Serialize)]
pub struct FrontSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The legend of the table: C, S and R.
    pub legend: &'a str,
    /// Why one round less is impossible, for every point.
    pub fewer_in_words: Vec<String>,
    /// Where the points are in the plot, as shares of its width and height.
    pub places: Vec<(f64, f64)>,
    /// The lost processors, in words; may be empty.
    pub missing: &'a str,
    /// What the command prints with `--json`.
    #[serde(flatten)]
    pub front: FrontReport<'a>,
}

/// What the page shows of a comparison.
#[derive(Serialize)]
pub struct ContestSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The sizes in words.
    pub sizes_in_words: Vec<String>,
    /// The lost processors, in words; may be empty.
    pub missing: &'a str,
    /// What the command prints with `--json`.
    #[serde(flatten)]
    pub comparison: AlgorithmComparison<'a>,
}

/// What the page shows of a tuning.
#[derive(Serialize)]
pub struct TuningSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The sizes in words.
    pub sizes_in_words: Vec<String>,
    /// The smallest sizes of the ranges in words.
    pub ranges_in_words: Vec<String>,
    /// The lost processors, in words; may be empty.
    pub missing: &'a str,
    /// What the command prints with `--json`.
    #[serde(flatten)]
    pub tuning: TuningReport<'a>,
}

/// What the page shows of the throughput that every fault costs.
#[derive(Serialize)]
pub struct FaultLimitsSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The algorithm bandwidth without faults in GB/s.
    pub algorithm_gbytes: Option<f64>,
    /// The classes of equivalent faults, the costliest first.
    pub rows: &'a [FaultLimitRow],
}

/// A class of equivalent faults.
#[derive(Serialize)]
pub struct FaultLimitRow {
    /// The first member.
    pub fault: String,
    /// Number of members.
    pub count: usize,
    /// The limit in nanoseconds per byte.
    pub ns_per_byte: Option<String>,
    /// The algorithm bandwidth in GB/s.
    pub algorithm_gbytes: Option<f64>,
    /// What is lost in GB/s.
    pub cost_gbytes: Option<f64>,
    /// The same in percent.
    pub cost_percent: Option<f64>,
    /// Lost processors, disconnected ones or why there is no limit, in words.
    pub note: String,
}

/// What the page shows of the steps that every fault costs.
#[derive(Serialize)]
pub struct CostSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The classes of equivalent faults, the costliest first.
    pub rows: &'a [CostRow],
}

/// The steps after a fault of a class of equivalent ones.
#[derive(Serialize)]
pub struct CostRow {
    /// The first member.
    pub fault: String,
    /// Number of members.
    pub count: usize,
    /// Number of steps.
    pub steps: Option<u32>,
    /// The proved bound.
    pub bound: Option<u32>,
    /// Steps more than without the fault.
    pub more_steps: Option<i64>,
    /// The same in percent.
    pub cost_percent: Option<f64>,
    /// Lost processors, disconnected ones or why there is no schedule, in words.
    pub note: String,
}

/// What the page shows of the bounds on the number of steps.
#[derive(Serialize)]
pub struct BoundsSummary<'a> {
    /// The problem in one line.
    pub title: &'a str,
    /// The largest bound; that of an all-reduce as one problem.
    pub steps: u32,
    /// One bound of each kind and phase.
    pub rows: &'a [BoundRow],
}

/// A bound with the part of the network that it is about.
#[derive(Serialize)]
pub struct BoundRow {
    /// The phase, or the whole; `None` for a collective of one phase.
    pub phase: Option<String>,
    /// The number of steps.
    pub steps: u32,
    /// The kind of argument.
    pub reason: String,
    /// The argument in words.
    pub explanation: String,
    /// Whether it is the bound of the schedule.
    pub is_best: bool,
    /// The routers of the argument.
    pub routers: Vec<RouterId>,
    /// The channels of the argument.
    pub channels: Vec<ChannelId>,
}

/// What the page shows of a routing.
#[derive(Serialize)]
pub struct DeadlockSummary {
    /// Network and routing in one line.
    pub title: String,
    /// What was found.
    pub lines: Vec<String>,
    /// What waits for each other: channels, or links under half duplex.
    pub kind: &'static str,
    /// Whether there is no cycle.
    pub is_free: bool,
    /// The channels of a cycle.
    pub cycle: Vec<ChannelId>,
    /// Whether there is a picture.
    pub is_drawn: bool,
}

/// What the page shows of a mission.
#[derive(Serialize)]
pub struct TrafficSummary {
    /// The mission in one line.
    pub title: String,
    /// The parts of the answer, each with its name.
    pub lines: Vec<(&'static str, String)>,
    /// Whether there is a picture.
    pub is_drawn: bool,
}

/// What the page shows next to a repaired schedule.
#[derive(Serialize)]
pub struct RepairSummary {
    steps_before: u32,
    kept: usize,
    moved: usize,
    rerouted: usize,
    new: usize,
    dropped: usize,
    before: usize,
}

impl RepairSummary {
    /// Summarises the changes to a schedule that had `steps_before` steps.
    pub fn new(steps_before: u32, changes: &Changes) -> Self {
        let Changes { before, kept, moved, rerouted, new, dropped, .. } = *changes;
        Self { steps_before, kept, moved, rerouted, new, dropped, before }
    }
}
