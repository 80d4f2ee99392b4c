//! Output of `pavane tdm`, and of `pavane repair` and `pavane verify` for TDM schedules.

use super::atlas::AtlasUseReport;
use super::verify::PlanViolation;
use pavane_model::tdm::{TdmBound, TdmRules};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use pavane_tdm::bounds::in_words;
use serde::Serialize;
use serde_json::{Map, Value};

/// The shortest period that was found, with a proved bound.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm"))]
pub struct TdmReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The rules.
    pub rules: RulesReport,
    /// Number of pairs that communicate.
    pub messages: usize,
    /// Words per period.
    pub words: u64,
    /// `optimal`, how far from optimal at most, `possible`, `impossible` or `not found`.
    pub status: String,
    /// Whether the requested period is possible. Present only with `--slots`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<SlotsReport>,
    /// What came of asking a SAT solver. Present only with `--prove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prove: Option<ProveReport>,
    /// The period in slots; null if no schedule was found.
    pub period: Option<u32>,
    /// The largest lower bound on the period.
    pub bound: TdmBoundReport,
    /// One bound per kind of proof.
    pub bounds: Vec<TdmBoundReport>,
    /// The method that found the schedule; null if there is none.
    pub method: Option<&'static str>,
    /// What the atlas has for the problem. Present only with `--atlas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atlas: Option<AtlasUseReport>,
    /// What every pair can rely on; empty if no schedule was found.
    pub guarantees: Vec<GuaranteeReport>,
    /// The random seed.
    pub seed: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// The file of the schedule. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file of the proof that the bound needs, or that refutes the period of `--slots`. Present only
    /// with `--prove` and `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// The schedule, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Map<String, Value>>,
}

/// Whether the period of `--slots` is possible.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-slots"))]
pub struct SlotsReport {
    /// The requested period.
    pub period: u32,
    /// What is known about it.
    pub outcome: SlotsOutcome,
}

/// What is known about a requested period.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum SlotsOutcome {
    /// There is a schedule.
    Possible,
    /// A bound or a proof excludes it.
    Impossible,
    /// None was found, and none is excluded.
    Undecided,
}

/// What came of asking a SAT solver.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-prove"))]
pub struct ProveReport {
    /// The answer, the last time.
    pub outcome: ProveOutcome,
    /// The shortest period of the question; null if none was asked.
    pub from: Option<u32>,
    /// The longest one; null if none was asked.
    pub to: Option<u32>,
    /// The same in words.
    pub explanation: String,
}

/// The answer of a SAT solver.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum ProveOutcome {
    /// It found a schedule.
    Possible,
    /// It proved that there is none, and the judge has checked the proof.
    Impossible,
    /// The limits were reached before it knew.
    Undecided,
    /// The formula is too large to be tried.
    TooLarge,
    /// Nothing had to be asked: a bound decides.
    NotNeeded,
    /// The limits were reached before it was asked.
    NotTried,
}

/// The rules of a TDM schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct RulesReport {
    /// Slots per hop.
    pub depth: u32,
    /// Slots per word.
    pub phits: u32,
    /// Whether a word may be under way when the next period begins.
    pub wrap: bool,
    /// Allowed routes.
    pub routing: Routing,
}

impl From<TdmRules> for RulesReport {
    fn from(rules: TdmRules) -> Self {
        let TdmRules { depth, phits, wraps, routing } = rules;
        Self { depth, phits, wrap: wraps, routing }
    }
}

/// A proved lower bound on the period.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-bound"))]
pub struct TdmBoundReport {
    /// Slots.
    pub period: u32,
    /// The kind of proof: ports, residue, offsets, capacity, cut, prices or exact.
    pub reason: &'static str,
    /// The argument in words.
    pub explanation: String,
}

impl TdmBoundReport {
    /// The report of a bound.
    pub fn new(problem: &TdmProblem, bound: &TdmBound) -> Self {
        let reason = bound.certificate.reason();
        Self { period: bound.period, reason, explanation: in_words(problem, bound) }
    }
}

/// What a pair of processors can rely on.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct GuaranteeReport {
    /// The sender.
    pub from: ProcessorId,
    /// The receiver.
    pub to: ProcessorId,
    /// Words per period.
    pub words: u32,
    /// Hops of the longest route.
    pub hops: usize,
    /// Slots from any moment at which a word is ready until it has been received, at most.
    pub latency: u64,
}

/// A repaired TDM schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-repair"))]
pub struct TdmRepairReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// Whether the schedule is optimal, in words.
    pub status: &'a str,
    /// The period before the repair.
    pub period_before: u32,
    /// The period.
    pub period: u32,
    /// The lower bound after the faults.
    pub bound: TdmBoundReport,
    /// Words before the repair.
    pub words_before: u64,
    /// Words before that no fault touches.
    pub untouched: u64,
    /// Same start and route.
    pub kept: u64,
    /// Same start, another route.
    pub rerouted: u64,
    /// Another start.
    pub moved: u64,
    /// Words of lost processors.
    pub dropped: u64,
    /// The lost processors.
    pub missing: &'a [ProcessorId],
    /// The random seed.
    pub seed: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// The file of the schedule. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The schedule, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Map<String, Value>>,
}

/// The verdict on a refuted period of TDM schedules.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-refutation"))]
pub struct TdmRefutationReport<'a> {
    /// The file.
    pub file: &'a str,
    /// The network.
    pub network: &'a str,
    /// Whether its name is checked, or only claimed by the file.
    pub network_checked: bool,
    /// The period that is proved impossible; null if that is not proved.
    pub refuted_period: Option<u32>,
    /// Why it is not proved; null if it is.
    pub bound_error: Option<String>,
}

/// The verdict on a TDM schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tdm-verdict"))]
pub struct TdmVerdictReport<'a> {
    /// The file.
    pub file: &'a str,
    /// The name of the network.
    pub network: &'a str,
    /// Whether the network is the one that the name refers to.
    pub network_checked: bool,
    /// The period in slots.
    pub period: u32,
    /// Whether the schedule obeys all rules.
    pub valid: bool,
    /// The violations; of each rule only the first ones.
    pub violations: Vec<PlanViolation>,
    /// Number of all violations.
    pub violation_count: u64,
    /// The bound that the judge proved from the certificate; null if there is none.
    pub bound: Option<u32>,
    /// Why the claimed bound is false or too expensive to check; null if it is proved or none is
    /// claimed.
    pub bound_error: Option<String>,
    /// Whether the schedule is valid and its period is the proved bound.
    pub optimal: bool,
}
