//! Schedules along the routes of a throughput plan.

use crate::case::TimedCase;
use crate::search::Search;
use crate::solve::{TimedRequest, TimedSearchError};
use pavane_model::timed::{BufferSize, TimedPhase, TimedSchedule};
use pavane_model::{Duplex, Problem, ThroughputPlan};

/// Why a plan cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The plan is for other phases.
    #[error("it is a plan of another collective")]
    Collective,
    /// The plan is for other channels.
    #[error("it is a plan for another network")]
    Network,
    /// The plan is for messages of different sizes.
    #[error("its messages differ in size")]
    Sizes,
    /// No schedule has integer times of reasonable size.
    #[error("{0}")]
    Search(Box<TimedSearchError>),
}

impl From<TimedSearchError> for FollowError {
    fn from(error: TimedSearchError) -> Self {
        Self::Search(Box::new(error))
    }
}

/// Sends messages of a size along the routes of a plan, in as many chunks as is quickest. The bandwidths
/// and latencies are those of `problems`. The schedule claims no bound. Once `stop` returns true, the result
/// is the quickest schedule so far.
pub fn follow(
    plan: &ThroughputPlan,
    problems: &[Problem],
    bytes: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<TimedSchedule, FollowError> {
    if plan.phases.len() != problems.len() {
        return Err(FollowError::Collective);
    }
    for (phase, problem) in plan.phases.iter().zip(problems) {
        let (found, wanted) = (phase.problem.collective(), problem.collective());
        if !phase.problem.network().has_same_channels_as(problem.network()) {
            return Err(FollowError::Network);
        }
        let is_same = found.kind == wanted.kind
            && found.senders == wanted.senders
            && found.receivers == wanted.receivers
            && found.list == wanted.list;
        if !is_same {
            return Err(FollowError::Collective);
        }
        if !phase.sizes.is_empty() {
            return Err(FollowError::Sizes);
        }
    }
    let size = BufferSize::Bytes(bytes);
    let case = TimedCase::new(problems, &size, Duplex::Full)?;
    let request = TimedRequest {
        size: &size,
        duplex: Duplex::Full,
        chunks: None,
        seed: 0,
        rounds: Some(0),
        threads: 1,
        known: &[],
        stop,
    };
    let found = Search::new(&case, &request).along(plan)?;
    let phases = problems.iter().zip(found.phases).map(|(problem, (chunks, sends))| TimedPhase {
        problem: problem.clone(),
        chunks,
        sends,
    });
    Ok(TimedSchedule {
        name: plan.name.clone(),
        phases: phases.collect(),
        size,
        duplex: Duplex::Full,
        time_unit_ns: case.times.unit_ns,
        time: Some(found.end),
        bound: None,
    })
}
