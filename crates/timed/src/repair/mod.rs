//! Repair of a timed schedule after faults. Sends that no fault touches stay on their channels, what they
//! no longer bring takes the quickest paths, and all sends are started again in the order of before.

mod mend;

use crate::case::TimedCase;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::pieces::Piece;
use crate::search::{Found, found};
use crate::solve::{TimedAnswer, TimedRequest, TimedSearchError, solve};
use mend::{MendedChunk, mend};
use pavane_model::aftermath::{self, AftermathError};
use pavane_model::timed::{BufferSize, TimedPhase, TimedSchedule};
use pavane_model::{ChannelId, Fault, FaultError, Fraction, MessageId, Problem, ProcessorId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// How a repair searches.
#[derive(Clone, Copy)]
pub struct TimedRepairRequest<'a> {
    /// The share of the sends that are still valid which must be kept; `None` to keep all of them if
    /// that is possible.
    pub keep: Option<f64>,
    /// Random seed.
    pub seed: u64,
    /// The most rounds of random search for the quickest schedule; `None` to search until `stop`.
    pub rounds: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// Polled during the search for the quickest schedule.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// How the sends differ from those before. A send is a chunk on a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendChanges {
    /// The sends before.
    pub before: usize,
    /// Those of them whose channel, chunk and origin still exist.
    pub valid: usize,
    /// The valid sends that stay, perhaps at another time.
    pub kept: usize,
    /// The sends that are new.
    pub new: usize,
}

impl SendChanges {
    /// The share of the valid sends that is kept.
    pub fn kept_share(&self) -> f64 {
        if self.valid == 0 { 1.0 } else { self.kept as f64 / self.valid as f64 }
    }
}

/// One of the schedules after faults.
#[derive(Debug, Clone, PartialEq)]
pub struct MendedTimed {
    /// The schedule with its bound.
    pub answer: TimedAnswer,
    /// What changed.
    pub changes: SendChanges,
}

impl MendedTimed {
    /// Whether it is at least as quick and keeps at least as much, and is better in one of them.
    fn dominates(&self, other: &Self) -> bool {
        let (own, others) = (self.answer.time_ns, other.answer.time_ns);
        let (kept, others_kept) = (self.changes.kept, other.changes.kept);
        own <= others && kept >= others_kept && (own < others || kept > others_kept)
    }
}

/// A schedule after faults.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairedTimed {
    /// The schedule.
    pub chosen: MendedTimed,
    /// The other schedule, if it is quicker or keeps more.
    pub other: Option<MendedTimed>,
    /// The problems on the network with the faults, one for each phase.
    pub problems: Vec<Problem>,
    /// The participating processors that were lost.
    pub missing: Vec<ProcessorId>,
}

/// Why there is no schedule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedRepairError {
    /// A fault names something that the network does not have.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The remaining problem is empty, or some processors can no longer reach each other.
    #[error(transparent)]
    Aftermath(#[from] AftermathError),
    /// All senders or all receivers are lost.
    #[error("the faults remove all senders or all receivers, so no message remains")]
    NoParticipants {
        /// The participating processors that were lost.
        missing: Vec<ProcessorId>,
    },
    /// There is no schedule.
    #[error(transparent)]
    Search(Box<TimedSearchError>),
    /// No schedule keeps the required share.
    #[error(
        "no schedule was found that keeps {:.1} % of the sends that are still valid; the best keeps \
         {:.1} %; keep less",
        100.0 * asked, 100.0 * kept
    )]
    KeepsTooLittle {
        /// The required share.
        asked: f64,
        /// The largest share found.
        kept: f64,
    },
}

impl From<TimedSearchError> for TimedRepairError {
    fn from(error: TimedSearchError) -> Self {
        Self::Search(Box::new(error))
    }
}

/// Repairs a schedule that the judge has accepted. Two schedules are made: one that keeps every valid
/// send that is still of use, and the quickest that is found. Without a demand the first is chosen,
/// unless the second is at least as good in both respects and better in one; otherwise the quicker one
/// of those that keep enough.
pub fn repair(
    before: &TimedSchedule,
    faults: &[Fault],
    request: &TimedRepairRequest<'_>,
) -> Result<RepairedTimed, TimedRepairError> {
    let left = Left::new(before, faults)?;
    let wanted = TimedRequest {
        size: &left.size,
        duplex: before.duplex,
        chunks: None,
        seed: request.seed,
        rounds: request.rounds,
        threads: request.threads,
        known: &[],
        stop: request.stop,
    };
    let quickest = solve(&before.name, &left.problems, &wanted)?;
    let mut made = Vec::new();
    if left.keeps_messages {
        made.push(left.mended(before, &wanted, &quickest)?);
    }
    made.push(left.compared(before, quickest));
    let most = made.iter().map(|made| made.changes.kept_share()).fold(0.0, f64::max);
    let chosen = match request.keep {
        None => (1..made.len()).find(|&at| made[at].dominates(&made[0])).unwrap_or(0),
        Some(asked) => {
            let fits = |at: &usize| made[*at].changes.kept_share() >= asked;
            let order = |at: &usize| (made[*at].answer.time_ns, Reverse(made[*at].changes.kept));
            let quicker = (0..made.len()).filter(fits).min_by_key(order);
            quicker.ok_or(TimedRepairError::KeepsTooLittle { asked, kept: most })?
        }
    };
    let chosen = made.swap_remove(chosen);
    let other = made.pop().filter(|other| {
        other.answer.time_ns < chosen.answer.time_ns
            || other.changes.kept_share() > chosen.changes.kept_share()
    });
    Ok(RepairedTimed { chosen, other, problems: left.problems, missing: left.missing })
}

/// What the faults leave of a schedule.
struct Left {
    problems: Vec<Problem>,
    /// By phase and old message, its new number.
    numbers: Vec<Vec<Option<MessageId>>>,
    /// By old channel, its new number.
    channels: Vec<Option<ChannelId>>,
    missing: Vec<ProcessorId>,
    size: BufferSize,
    /// Whether the messages have the bytes of before. An all-reduce that loses a root has other parts.
    keeps_messages: bool,
}

impl Left {
    fn new(before: &TimedSchedule, faults: &[Fault]) -> Result<Self, TimedRepairError> {
        let collectives: Vec<_> =
            before.phases.iter().map(|phase| phase.problem.collective().clone()).collect();
        let healthy = before.phases[0].problem.network();
        let network = healthy.without(faults)?;
        let channels = healthy.channels_after(faults)?;
        let missing = aftermath::missing(&collectives, &network);
        let (mut problems, mut numbers) = (Vec::new(), Vec::new());
        for phase in &before.phases {
            let old = &phase.problem;
            let collective = old.collective().left_in(&network);
            let problem = aftermath::problem(&network, collective, old.model(), u64::MAX, &missing);
            let problem = problem.map_err(|error| match error {
                AftermathError::Separated(_) => error.into(),
                _ if missing.is_empty() => error.into(),
                // The problem was valid before processors were lost.
                _ => TimedRepairError::NoParticipants { missing: missing.clone() },
            })?;
            numbers.push(renumbering(old, &problem));
            problems.push(problem);
        }
        let keeps_messages = problems.len() == 1 || missing.is_empty();
        let size = match before.size {
            BufferSize::Bytes(_) if missing.is_empty() || !keeps_messages => before.size.clone(),
            _ => BufferSize::Each(left_sizes(&before.phases[0], &numbers[0])),
        };
        // Blocks of the same buffer may be as before.
        let size = match (&size, &before.size) {
            (BufferSize::Each(sizes), BufferSize::Bytes(_))
                if *sizes == before.size.of_messages(&problems[0]) =>
            {
                before.size.clone()
            }
            _ => size,
        };
        Ok(Self { problems, numbers, channels, missing, size, keeps_messages })
    }

    /// The schedule that keeps every valid send that is still of use.
    fn mended(
        &self,
        before: &TimedSchedule,
        request: &TimedRequest<'_>,
        quickest: &TimedAnswer,
    ) -> Result<MendedTimed, TimedRepairError> {
        let case = TimedCase::new(&self.problems, request.size, request.duplex)?;
        let ratio = before.time_unit_ns.to_f64() / case.times.unit_ns.to_f64();
        let mut pieces: Vec<Vec<Piece>> = Vec::new();
        let mut due: Vec<u64> = Vec::new();
        for (at, phase) in before.phases.iter().enumerate() {
            let chunks = mend(&case, at, phase, &self.numbers[at], &self.channels, ratio);
            due.extend(chunks.iter().flat_map(|chunk: &MendedChunk| chunk.due.iter().copied()));
            pieces.push(chunks.into_iter().map(|chunk| chunk.piece).collect());
        }
        let best = started(&case, &pieces, &due);
        let answer = TimedAnswer {
            time_ns: Fraction::from(best.end)
                .checked_mul(case.times.unit_ns)
                .ok_or(TimedSearchError::TooFine)?,
            bound_ns: quickest.bound_ns,
            method: best.method,
            schedule: TimedSchedule {
                phases: (self.problems.iter().zip(best.phases))
                    .map(|(problem, (chunks, sends))| TimedPhase {
                        problem: problem.clone(),
                        chunks,
                        sends,
                    })
                    .collect(),
                time_unit_ns: case.times.unit_ns,
                time: Some(best.end),
                ..quickest.schedule.clone()
            },
        };
        Ok(self.compared(before, answer))
    }

    /// A schedule with what it changes.
    fn compared(&self, before: &TimedSchedule, answer: TimedAnswer) -> MendedTimed {
        let mut changes = SendChanges::default();
        for (at, phase) in answer.schedule.phases.iter().enumerate() {
            let mut now: FxHashMap<SendKey, usize> = FxHashMap::default();
            // Messages to other roots are other messages.
            let is_same = phase.problem.collective() == self.problems[at].collective();
            for send in phase.sends.iter().filter(|_| is_same) {
                let chunk = &phase.chunks[send.chunk as usize];
                let key = (chunk.message, chunk.offset, chunk.bytes, send.channel);
                *now.entry(key).or_default() += 1;
            }
            let old = &before.phases[at];
            changes.before += old.sends.len();
            let mut kept = 0;
            for send in &old.sends {
                let chunk = &old.chunks[send.chunk as usize];
                let message = self.numbers[at][chunk.message.index()];
                let channel = self.channels[send.channel.index()];
                let (Some(message), Some(channel)) = (message, channel) else { continue };
                changes.valid += 1;
                let key = (message, chunk.offset, chunk.bytes, channel);
                if let Some(count) = now.get_mut(&key).filter(|count| **count > 0) {
                    *count -= 1;
                    kept += 1;
                }
            }
            changes.kept += kept;
            changes.new += phase.sends.len() - kept;
        }
        MendedTimed { answer, changes }
    }
}

/// A chunk by its message, offset and bytes, on a channel.
type SendKey = (MessageId, u64, u64, ChannelId);

/// Starts the sends of all pieces: in the order of before, or those with the longest way to go first.
fn started(case: &TimedCase, pieces: &[Vec<Piece>], due: &[u64]) -> Found {
    let jobs = Jobs::new(case, pieces);
    let mut early: Vec<u64> = due.iter().map(|&due| u64::MAX - due).collect();
    // Jobs that join others come last and take no time.
    early.resize(jobs.jobs.len(), 0);
    let mut best: Option<Found> = None;
    for priority in [early, jobs.tails()] {
        let Some(times) = list_schedule(&jobs, case.resource.len(), &priority, &|| false) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| times.end < best.end) {
            best = Some(found(&jobs, &times.starts, pieces, times.end, "repair"));
        }
    }
    best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "repair" })
}

/// The bytes of the messages that are left.
fn left_sizes(phase: &TimedPhase, numbers: &[Option<MessageId>]) -> Vec<u64> {
    let mut sizes = vec![0; numbers.len()];
    phase.chunks.iter().for_each(|chunk| sizes[chunk.message.index()] += chunk.bytes);
    let left = sizes.iter().zip(numbers).filter(|(_, number)| number.is_some());
    left.map(|(&size, _)| size).collect()
}

/// By old message, its new number. Messages keep their order; one remains if its origin and at least
/// one destination do.
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
