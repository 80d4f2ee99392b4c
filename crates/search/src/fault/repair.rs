//! Repair of a schedule after faults: transfers that are still valid stay, the others get new paths
//! or steps around them. The number of steps is then minimised within the time limit.

mod search;
mod terms;

pub use terms::{Keep, RepairError, Terms};

use super::changes::{Changes, changes};
use crate::attempt::Proof;
use crate::synthesize::{Options, Outcome};
use pavane_model::aftermath::{self, AftermathError};
use pavane_model::{Bound, ChannelId, Fault, MessageId, Problem, ProcessorId, Schedule, Transfer};
use pavane_verify::CheckedSchedule;
use search::RepairSearch;
use std::sync::Arc;
use std::time::Duration;

/// A schedule after faults, and what changed.
#[derive(Debug)]
pub struct Repaired {
    /// The schedule.
    pub checked: CheckedSchedule,
    /// The best bound for the network with the faults, accepted by the judge.
    pub bound: Bound,
    /// The proof of the bound, if it rests on one.
    pub proof: Option<Proof>,
    /// The engine that found the schedule.
    pub engine: &'static str,
    /// Steps before.
    pub steps_before: u32,
    /// What changed.
    pub changes: Changes,
    /// The steps and changes of a shorter schedule that was rejected because this one keeps more.
    pub shorter: Option<(u32, Changes)>,
    /// The participating processors that were lost.
    pub missing: Vec<ProcessorId>,
}

/// Repairs a schedule after faults.
///
/// ```
/// use pavane_search::fault::{Terms, repair};
/// use pavane_search::synthesize::{Options, synthesize};
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Fault, Model, Problem};
/// use pavane_networks::topology;
///
/// let network = topology::build("mesh:3x3")?;
/// let fault = Fault::parse(&network, "0,0-0,1")?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let solution = synthesize(&problem, &Options::default())?.solution.ok_or("no schedule")?;
/// let repaired = repair(&solution.checked, &[fault], Terms::default(), &Options::default())?;
/// assert!(repaired.checked.problem().network().faults() == ["0-1"]);
/// assert!(repaired.checked.schedule().step_count() >= repaired.bound.steps);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn repair(
    before: &CheckedSchedule,
    faults: &[Fault],
    terms: Terms,
    options: &Options,
) -> Result<Repaired, RepairError> {
    let old = before.problem();
    let network = old.network().without(faults)?;
    let channels = old.network().channels_after(faults)?;
    let collective = old.collective().left_in(&network);
    let missing = aftermath::missing(std::slice::from_ref(old.collective()), &network);
    let problem = aftermath::problem(&network, collective, old.model(), u64::MAX, &missing);
    let problem = problem.map_err(|error| match error {
        AftermathError::Separated(_) => error.into(),
        _ if missing.is_empty() => error.into(),
        // The problem was valid before processors were lost.
        _ => RepairError::NoParticipants { missing: missing.clone() },
    })?;
    let was = forward(old, before.schedule());
    let numbers = renumbering(old, &problem);
    let kept = kept(&was, &problem, &numbers, &channels);
    let start = usable(old, &problem, &numbers, &kept);
    let steps = was.step_count();
    let untouched = kept.transfer_count();
    let compare = |found: &CheckedSchedule| Changes {
        untouched,
        ..changes(&was, &numbers, &channels, &forward(&problem, found.schedule()))
    };
    let limit = terms.keep_steps.then_some(steps);
    let keep = terms.keep;
    let search = RepairSearch { problem: &problem, start: Arc::new(start), limit, keep, options };
    let share = |found: &CheckedSchedule| compare(found).kept_share();
    let (outcome, given_up) = search.run(&share)?;
    let Outcome { solution, bounds, proof, .. } = outcome;
    let Some(solution) = solution else {
        return Err(if !terms.keep_steps {
            RepairError::OutOfTime
        } else if bounds.best.steps > steps {
            RepairError::TooFewSteps { steps, bound: Box::new(bounds.best) }
        } else {
            RepairError::NotFound { steps, bound: bounds.best.steps }
        });
    };
    Ok(Repaired {
        changes: compare(&solution.checked),
        shorter: given_up.map(|shorter| (shorter.schedule().step_count(), compare(&shorter))),
        checked: solution.checked,
        bound: bounds.best,
        proof,
        engine: solution.engine,
        steps_before: steps,
        missing,
    })
}

fn forward(problem: &Problem, schedule: &Schedule) -> Schedule {
    if problem.is_backward() { schedule.reversed() } else { schedule.clone() }
}

/// By old message, its new number. Messages keep their order; one remains if its origin and at
/// least one destination do.
fn renumbering(old: &Problem, new: &Problem) -> Vec<Option<MessageId>> {
    let messages = old.messages();
    let is_left = |processor: &ProcessorId| new.network().home(*processor).is_some();
    let mut next = (0..).map(MessageId);
    let number = |message: MessageId| {
        let has_ends = is_left(&messages.origin(message))
            && messages.destinations(message).iter().any(is_left);
        if has_ends { next.next() } else { None }
    };
    messages.ids().map(number).collect()
}

/// The transfers that no fault touches, renumbered for the remaining problem.
fn kept(
    was: &Schedule,
    problem: &Problem,
    renumbering: &[Option<MessageId>],
    channels: &[Option<ChannelId>],
) -> Schedule {
    let mut left = Schedule::new();
    let mut path = Vec::new();
    for step in 0..was.step_count() {
        left.start_step();
        for transfer in was.step(step) {
            let ends = [transfer.from, transfer.to];
            let Some(message) = renumbering[transfer.message.index()] else { continue };
            let is_there = ends.iter().all(|&p| problem.network().home(p).is_some());
            path.clear();
            path.extend(transfer.path.iter().map_while(|channel| channels[channel.index()]));
            if is_there && path.len() == transfer.path.len() {
                left.push(Transfer { message, path: &path, ..transfer });
            }
        }
    }
    left
}

/// The kept transfers that a search can start from. An intermediate processor may have lost the
/// message, which is allowed. But a message that had several destinations and now has one must go
/// directly from its origin, so its other transfers are dropped.
fn usable(
    old: &Problem,
    problem: &Problem,
    renumbering: &[Option<MessageId>],
    kept: &Schedule,
) -> Schedule {
    let messages = problem.messages();
    let mut was_shared = vec![false; messages.len()];
    for (before, now) in old.messages().ids().zip(renumbering) {
        if let Some(now) = now {
            was_shared[now.index()] = !old.messages().is_personalised(before);
        }
    }
    let is_straight = |transfer: &Transfer<'_>| match messages.destinations(transfer.message) {
        [only] if was_shared[transfer.message.index()] => {
            transfer.from == messages.origin(transfer.message) && transfer.to == *only
        }
        _ => true,
    };
    let mut left = Schedule::new();
    for step in 0..kept.step_count() {
        left.start_step();
        kept.step(step).filter(is_straight).for_each(|transfer| left.push(transfer));
    }
    left
}

/// Default time limit after the first schedule: a repair is needed soon.
pub const PATIENCE: Duration = Duration::from_secs(2);
