//! Output of `pavane solve`.

use super::atlas::AtlasStartReport;
use super::common::TotalBound;
use pavane_model::Bound;
use pavane_model::Model;
use pavane_model::collective::Kind;
use serde::Serialize;

/// A schedule that was found.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolutionReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The rules of the communication model.
    pub model: Model,
    /// Number of steps.
    pub steps: u32,
    /// Set if the messages are cut into chunks, or if the user asks for chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<ChunkReport>,
    /// The proved lower bound.
    pub bound: TotalBound<'a>,
    /// Whether the schedule is optimal, in words.
    pub status: String,
    /// Whether the schedule is proved optimal. An all-reduce is compared with all those that complete
    /// every sum at its root before they broadcast it.
    pub optimal: bool,
    /// Present if the phases of an all-reduce overlap: the number of steps before the broadcast starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// Number of steps above the bound.
    pub gap: u32,
    /// The engines that found it.
    pub engine: String,
    /// Random seed.
    pub seed: u64,
    /// Wall-clock time of the search: bounds, engines and judge, without reading the problem.
    pub seconds: f64,
    /// Number of evaluations of the search.
    pub evaluations: u64,
    /// For each step, the share of the channels that are in use.
    pub channel_use: Vec<f64>,
    /// The phases of an all-reduce. Absent for a collective of one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<SolvedPhase<'a>>>,
    /// Where the search started. Present only with `--atlas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atlas: Option<Vec<AtlasStartReport>>,
    /// A hint that other rules allow fewer steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'a str>,
    /// Total time by the cost model. Present only if one of its constants was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// How much cutting messages into chunks gains.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "chunks"))]
pub struct ChunkReport {
    /// Number of chunks of each message.
    pub count: u32,
    /// Steps divided by the number of chunks, as a fraction such as `7/6`.
    pub steps_per_message: String,
    /// Steps per message that no number of chunks can undercut, as a fraction; null if it is not known.
    pub throughput_limit: Option<String>,
    /// Why the limit is not known, if it is not.
    pub no_limit: Option<String>,
    /// The limit divided by the steps per message: 1 if no number of chunks gives a better ratio.
    pub limit_share: Option<f64>,
    /// Whether the links have different bandwidths. Steps and this limit count all links as equally
    /// fast.
    pub bandwidths_differ: bool,
}

/// A phase of a schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolvedPhase<'a> {
    /// The kind of collective.
    pub kind: Kind,
    /// Number of steps.
    pub steps: u32,
    /// The proved lower bound.
    pub bound: &'a Bound,
}

/// Why there is no schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "status")]
#[cfg_attr(feature = "schema", schemars(rename = "unsolved"))]
pub enum Unsolved<'a> {
    /// No schedule was found within the limits.
    #[serde(rename = "not found")]
    NotFound {
        /// The bound.
        bound: &'a Bound,
        /// The result in words.
        message: &'a str,
    },
    /// The requested number of steps is proved impossible.
    #[serde(rename = "impossible")]
    Impossible {
        /// The refuted number of steps.
        steps: u32,
        /// The bound that refutes it.
        bound: &'a Bound,
        /// The file of the proof; null if it was not kept.
        proof: Option<String>,
        /// The file of the refutation; null if it was not kept.
        file: Option<String>,
        /// The result in words.
        message: &'a str,
    },
    /// The search was interrupted before it found a schedule.
    #[serde(rename = "interrupted")]
    Interrupted {
        /// The result in words.
        message: &'a str,
    },
}
