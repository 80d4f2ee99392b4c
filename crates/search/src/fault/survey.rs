//! Solves a collective on a network after some faults.

use crate::attempt::Proof;
use crate::synthesize::{Options, Outcome, SynthesisError, synthesize};
use pavane_model::aftermath::Separated;
use pavane_model::{
    AftermathError, Bound, CollectiveRequest, Fault, Network, Problem, ProcessorId,
};
use pavane_verify::CheckedSchedule;

/// A collective after some faults.
#[derive(Debug, Clone)]
pub struct Job {
    /// The collective.
    pub request: CollectiveRequest,
    /// The faults; none gives the steps to compare with.
    pub faults: Vec<Fault>,
}

/// The result of a job.
#[derive(Debug)]
pub enum JobAnswer {
    /// Every phase has a schedule, accepted by the judge.
    Solved(Solved),
    /// Some processors can no longer reach each other.
    Separated(Separated),
    /// The remaining problem is empty or invalid.
    Impossible {
        /// The reason.
        why: String,
        /// The participating processors that were lost.
        missing: Vec<ProcessorId>,
    },
    /// The search ended before a schedule was found.
    Unsolved,
    /// The judge rejected a result: a bug in this program.
    Refused(String),
}

/// Schedules for all phases.
#[derive(Debug)]
pub struct Solved {
    /// The phases.
    pub phases: Vec<SurveyedPhase>,
    /// The participating processors that were lost.
    pub missing: Vec<ProcessorId>,
}

/// A phase with its schedule.
#[derive(Debug)]
pub struct SurveyedPhase {
    /// The schedule.
    pub checked: CheckedSchedule,
    /// The best bound, accepted by the judge.
    pub bound: Bound,
    /// The proof of the bound, if it rests on one.
    pub proof: Option<Proof>,
}

impl Solved {
    /// Steps of all phases.
    pub fn steps(&self) -> u32 {
        self.phases.iter().map(|phase| phase.checked.schedule().step_count()).sum()
    }

    /// The bound of all phases, executed one after the other.
    pub fn bound(&self) -> u32 {
        self.phases.iter().map(|phase| phase.bound.steps).sum()
    }
}

/// Solves all phases of a job.
///
/// ```
/// use pavane_search::fault::{JobAnswer, Job, answer};
/// use pavane_search::synthesize::Options;
/// use pavane_model::collective::Groups;
/// use pavane_model::{Fault, Model, CollectiveRequest};
/// use pavane_networks::topology;
///
/// let path = topology::build("path:3")?;
/// let (collective, groups) = ("oab".to_owned(), Groups::default());
/// let request = CollectiveRequest { collective, groups, chunks: 1, model: Model::default(), limit: 1000 };
/// let job = Job { request, faults: vec![Fault::parse(&path, "1-2")?] };
/// // The last processor is cut off, and the pair is named.
/// let JobAnswer::Separated(separated) = answer(&path, &job, &Options::default()) else {
///     return Err("they can still talk".into());
/// };
/// assert_eq!(separated.pairs.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn answer(network: &Network, job: &Job, options: &Options) -> JobAnswer {
    let broken = match network.without(&job.faults) {
        Ok(broken) => broken,
        Err(error) => return impossible(error, Vec::new()),
    };
    let left = match job.request.on(network, &broken) {
        Ok(left) => left,
        Err(AftermathError::Separated(separated)) => return JobAnswer::Separated(separated),
        Err(error) => return impossible(error, job.request.missing(network, &broken)),
    };
    let mut phases = Vec::new();
    for problem in &left.phases {
        match solve(problem, options) {
            Ok(phase) => phases.push(phase),
            Err(answer) => return answer,
        }
    }
    JobAnswer::Solved(Solved { phases, missing: left.missing })
}

fn impossible(why: impl ToString, missing: Vec<ProcessorId>) -> JobAnswer {
    JobAnswer::Impossible { why: why.to_string(), missing }
}

fn solve(problem: &Problem, options: &Options) -> Result<SurveyedPhase, JobAnswer> {
    let outcome = match synthesize(problem, options) {
        Ok(outcome) => outcome,
        Err(SynthesisError::RefusedBound(refused)) => {
            return Err(JobAnswer::Refused(refused.to_string()));
        }
        Err(error) => return Err(impossible(error, Vec::new())),
    };
    let Outcome { solution, bounds, proof, refusals, .. } = outcome;
    if let Some(refusal) = refusals.first() {
        return Err(JobAnswer::Refused(format!("{}: {}", refusal.engine, refusal.problem)));
    }
    let solution = solution.ok_or(JobAnswer::Unsolved)?;
    Ok(SurveyedPhase { checked: solution.checked, bound: bounds.best, proof })
}
