//! Output of `pavane pareto`.

use serde::Serialize;

/// The k-synchronous schedules with the fewest rounds, by chunks and steps.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "front"))]
pub struct FrontReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The number of processors that take part.
    pub processors: usize,
    /// Rounds per chunk that no schedule can undercut, an exact fraction; null if it is not known.
    pub limit: Option<String>,
    /// The points, by chunks and then by steps.
    pub points: Vec<FrontPointReport>,
    /// Whether all numbers of chunks were tried.
    pub complete: bool,
    /// Wall-clock time.
    pub seconds: f64,
    /// The folder with the schedules. Present only with `-o DIR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The fewest rounds found for a number of chunks and steps.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "front-point"))]
pub struct FrontPointReport {
    /// C: chunks of the buffer that a processor sends: those of one message in an all-gather or
    /// broadcast, those of all its messages in an all-to-all, scatter or reduction.
    pub chunks: u64,
    /// Chunks of each message.
    pub chunks_per_message: u32,
    /// S: the number of steps.
    pub steps: u32,
    /// R: the number of rounds.
    pub rounds: u32,
    /// The rounds of every step.
    pub rounds_by_step: Vec<u32>,
    /// Rounds per chunk of a message, an exact fraction.
    pub rounds_per_chunk: String,
    /// Whether no other point has at most as many steps and rounds per chunk.
    pub front: bool,
    /// Why one round less is impossible: `steps` (every step has a round), `limit` (the throughput
    /// limit), `proof` (a proof that the judge checked), `phases` (each phase alone needs as many rounds);
    /// or `open`: it is not refuted.
    pub fewer: &'static str,
    /// The schedule. Present only with `-o DIR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
