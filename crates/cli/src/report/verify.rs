//! Output of `pavane verify`.

use super::tdm::{TdmRefutationReport, TdmVerdictReport};
use pavane_model::ChannelId;
use serde::Serialize;
use std::fmt::Display;

/// The verdict on one file: on a schedule or on a refutation.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FileVerdict<'a> {
    /// On a schedule, or on a file that cannot be read.
    Schedule(Box<Verdict<'a>>),
    /// On a refutation.
    Refutation(Refutation<'a>),
    /// On a throughput plan.
    Throughput(Box<ThroughputVerdict<'a>>),
    /// On a timed schedule.
    Timed(Box<TimedFileVerdict<'a>>),
    /// On a TDM schedule.
    Tdm(Box<TdmVerdictReport<'a>>),
    /// On a refuted period of TDM schedules.
    TdmRefutation(TdmRefutationReport<'a>),
}

/// The verdict on a schedule file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[cfg_attr(feature = "schema", schemars(rename = "verdict"))]
pub enum Verdict<'a> {
    /// On a schedule of one phase.
    Phase {
        /// The file.
        file: &'a str,
        /// The verdict.
        #[serde(flatten)]
        phase: PhaseVerdict<'a>,
    },
    /// On a schedule of several phases.
    Phases {
        /// The file.
        file: &'a str,
        /// Always `all-reduce`, the only collective of several phases.
        kind: &'static str,
        /// Number of steps of the all-reduce.
        steps: u32,
        /// The number of steps before the broadcast starts, if the phases overlap.
        #[serde(skip_serializing_if = "Option::is_none")]
        start: Option<u32>,
        /// The lower bound on the steps of the all-reduce that the judge proved; null if a phase is not
        /// valid.
        bound: Option<u32>,
        /// Why the claimed bound of the all-reduce is false or too expensive to check; null if it is proved or
        /// none is claimed.
        bound_error: Option<String>,
        /// Whether all phases are valid, and may overlap as they do.
        valid: bool,
        /// Whether the all-reduce is valid and has as many steps as the proved bound.
        optimal: bool,
        /// The violations where the phases overlap; of each rule only the first ones.
        violations: Vec<ViolationReport>,
        /// The phases.
        phases: Vec<PhaseVerdict<'a>>,
    },
    /// The file cannot be read.
    Unreadable {
        /// The file.
        file: &'a str,
        /// Always null.
        valid: (),
        /// Always `error`.
        status: &'static str,
        /// Why it cannot be read.
        error: &'a str,
        /// Always 2, the exit code.
        exit_code: u8,
    },
}

/// The verdict on one phase.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseVerdict<'a> {
    /// The names in the file.
    #[serde(flatten)]
    pub names: Names<'a>,
    /// Number of steps.
    pub steps: u32,
    /// The rounds of every synchronous step, of which the steps are the sum. Present only for valid
    /// k-synchronous schedules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<u32>>,
    /// Whether the schedule obeys all rules.
    pub valid: bool,
    /// The violations; of each rule only the first ones.
    pub violations: Vec<ViolationReport>,
    /// Number of all violations.
    pub violation_count: u64,
    /// The lower bound that the judge proved.
    pub bound: u32,
    /// Why the claimed bound is false, open or too expensive to check; null if it is proved or none
    /// is claimed.
    pub bound_error: Option<String>,
    /// Whether the schedule is valid and has as many steps as the proved bound.
    pub optimal: bool,
}

/// Names in a file, and whether they were verified or only copied from the file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Names<'a> {
    /// The name of the collective.
    pub collective: &'a str,
    /// Whether the messages are those of the named collective.
    pub collective_checked: bool,
    /// The kind of collective: `broadcast`, `scatter`, `gather`, `reduce`, `messages`, or `all-reduce`
    /// for a throughput plan or timed schedule of two phases.
    pub kind: &'static str,
    /// The name of the network.
    pub network: &'a str,
    /// Whether the network is the one that the name refers to.
    pub network_checked: bool,
}

/// A violation of a rule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "violation"))]
pub struct ViolationReport {
    /// The rule.
    pub rule: String,
    /// The step, if the violation has one.
    pub step: Option<u32>,
    /// The channel, if the violation has one.
    pub channel: Option<ChannelId>,
    /// The transfers of the step that are involved, by index.
    pub transfers: Vec<usize>,
    /// Number of violations that this one represents.
    pub count: u64,
    /// The violation in words.
    pub message: String,
}

/// The verdict on a refutation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "refutation"))]
pub struct Refutation<'a> {
    /// The file.
    pub file: &'a str,
    /// The names in the file.
    #[serde(flatten)]
    pub names: Names<'a>,
    /// The number of steps that is proved impossible; null if that is not proved.
    pub refuted: Option<u32>,
    /// Why it is not proved; null if it is.
    pub bound_error: Option<String>,
}

/// The verdict on a throughput plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "throughput-verdict"))]
pub struct ThroughputVerdict<'a> {
    /// The file.
    pub file: &'a str,
    /// The names in the file; for an all-reduce, those of its reduce.
    #[serde(flatten)]
    pub names: Names<'a>,
    /// Whether the bandwidths are those of the network that the name refers to.
    pub bandwidths_checked: bool,
    /// Whether the plan obeys all rules.
    pub valid: bool,
    /// The violations; of each rule only the first ones.
    pub violations: Vec<PlanViolation>,
    /// Number of all violations.
    pub violation_count: u64,
    /// The time of the plan in nanoseconds per byte of a message, an exact fraction.
    pub ns_per_byte: String,
    /// The first channel that is busy all this time; null if nothing crosses a channel.
    pub busiest: Option<ChannelId>,
    /// The limit that the judge proved from the certificate, in nanoseconds per byte; null if there is
    /// none.
    pub limit_ns_per_byte: Option<String>,
    /// Why the claimed limit is false or too expensive to check; null if it is proved or none is
    /// claimed.
    pub limit_error: Option<String>,
    /// Whether the plan is valid and takes exactly the proved limit.
    pub throughput_optimal: bool,
}

/// The verdict on a timed schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "timed-verdict"))]
pub struct TimedFileVerdict<'a> {
    /// The file.
    pub file: &'a str,
    /// The names in the file; for an all-reduce, those of its reduce.
    #[serde(flatten)]
    pub names: Names<'a>,
    /// Whether the bandwidths and latencies are those of the named network, or of the given one.
    pub times_checked: bool,
    /// Whether the schedule obeys all rules.
    pub valid: bool,
    /// The violations; of each rule only the first ones.
    pub violations: Vec<PlanViolation>,
    /// Number of all violations.
    pub violation_count: u64,
    /// The last arrival in nanoseconds, an exact fraction.
    pub time_ns: String,
    /// The bound that the judge proved from the certificate, in nanoseconds; null if there is none.
    pub bound_ns: Option<String>,
    /// Why the claimed bound is false or too expensive to check; null if it is proved or none is
    /// claimed.
    pub bound_error: Option<String>,
    /// Whether the schedule is valid and takes exactly the proved bound.
    pub optimal: bool,
    /// What the file of another program claims. Present only for such a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<&'a ForeignClaims>,
}

/// What the file of another program claims about its schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "foreign-claims"))]
pub struct ForeignClaims {
    /// The format of the file.
    pub format: &'static str,
    /// The claimed time; null if the file claims none.
    pub microseconds: Option<f64>,
    /// The claimed algorithm bandwidth in GB/s; null if the file claims none.
    pub algorithm_gbytes: Option<f64>,
    /// Whether the claimed time is at least the proved bound.
    pub possible: bool,
    /// How many demands (message and destination) the sends in the file meet; null if not counted.
    pub demands_met: Option<u64>,
    /// How many demands the collective has on the network; null if not counted.
    pub demands: Option<u64>,
    /// What else is unusual about the file.
    pub notes: Vec<String>,
}

impl ForeignClaims {
    /// Whether there is something to say about the file.
    pub fn has_remarks(&self) -> bool {
        self.microseconds.is_some() || self.demands.is_some() || !self.notes.is_empty()
    }
}

/// A violation of a rule of throughput plans, timed schedules or TDM schedules.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "plan-violation"))]
pub struct PlanViolation {
    /// The rule.
    pub rule: String,
    /// Number of violations that this one represents.
    pub count: u64,
    /// The violation in words.
    pub message: String,
}

impl PlanViolation {
    /// A violation of a rule that stands for `count` of them.
    pub fn new(rule: impl Display, count: u64, violation: &impl Display) -> Self {
        Self { rule: rule.to_string(), count, message: violation.to_string() }
    }
}

/// The verdict on a folder of `pavane faults --save`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "folder-verdict"))]
pub struct FolderVerdict<'a> {
    /// The folder.
    pub folder: String,
    /// The name of the network.
    pub network: &'a str,
    /// Whether the network is the one that the name refers to.
    pub network_checked: bool,
    /// The parts that the network had lost before, in the syntax of `--fault`.
    pub faults: Option<Vec<String>>,
    /// Whether all schedules are valid and every fault is covered.
    pub valid: bool,
    /// Whether `pavane faults --save` has finished.
    pub complete: bool,
    /// The collectives.
    pub collectives: Vec<FolderCollective<'a>>,
}

/// The verdict on the schedules of one collective in a folder.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FolderCollective<'a> {
    /// The name of the collective in the index.
    pub collective: &'a str,
    /// Whether the schedules are for the named collective.
    pub collective_checked: bool,
    /// Number of fault sets in the index.
    pub faults: usize,
    /// Number of schedule files.
    pub schedules: usize,
    /// Number of fault sets with a valid schedule.
    pub valid: usize,
    /// Number of fault sets with an optimal schedule.
    pub optimal: usize,
    /// Number of fault sets that disconnect processors.
    pub disconnecting: usize,
    /// Number of fault sets that leave no messages.
    pub impossible: usize,
    /// What is wrong, in words.
    pub problems: &'a [String],
}
