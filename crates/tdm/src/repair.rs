//! Repairs a schedule after faults. Words that the faults do not touch stay where they are; the others
//! are placed around them. If that fails, untouched words move: first in short chains, then as many as it
//! takes. Then all words are placed anew, and only then does the period grow. In the end, as many words as a
//! SAT solver can move return to where they were. If a share of the untouched words must stay, the period grows
//! until it does. If time runs out, a repair with a longer period counts that was found at once.

mod attempt;
mod formula;
mod keep;
mod matching;
mod soon;

use crate::bounds::{TdmBounds, bounds, channel_prices, in_words};
use crate::latency::{UnmetLatency, longest_period};
use crate::proof::{Settled, TdmProof, settle};
use crate::solve::{TdmOptions, checked, solve};
use crate::symmetry::Symmetry;
use attempt::{ATTEMPTS, EFFORT, RepairTable, UNTOUCHED};
use pavane_model::tdm::{MOST_PERIOD, TdmDemand, TdmProblemError, Word};
use pavane_model::words::counted;
use pavane_model::{ChannelId, Fault, FaultError, Network, ProcessorId, TdmProblem, TdmSchedule};
use pavane_search::Rng;
use pavane_verify::{CheckedTdm, TdmRejection};
use std::collections::BTreeMap;

/// A repaired schedule.
#[derive(Debug, Clone)]
pub struct TdmRepaired {
    /// The bounds after the faults.
    pub bounds: TdmBounds,
    /// The schedule, accepted by the judge.
    pub schedule: CheckedTdm,
    /// What has changed.
    pub changes: TdmChanges,
    /// The period before the faults.
    pub period_before: u32,
    /// The processors that are lost.
    pub missing: Vec<ProcessorId>,
    /// A proof that the period before the faults is impossible with them, if a SAT solver was asked.
    pub proof: Option<TdmProof>,
}

impl TdmRepaired {
    /// Whether the period is proved to be impossible with the faults.
    pub fn excludes(&self, period: u32) -> bool {
        let is_refuted = |proof: &TdmProof| (proof.from..=proof.to).contains(&period);
        period < self.bounds.best.period || self.proof.as_ref().is_some_and(is_refuted)
    }

    /// Why the period is longer than before the faults; `None` if it is not.
    pub fn longer(&self) -> Option<LongerPeriod> {
        let (period, before) = (self.schedule.schedule().period, self.period_before);
        if period <= before {
            return None;
        }
        let slots = counted(before, "slot");
        if !self.excludes(before) {
            return Some(LongerPeriod::Found(format!(
                "the shortest period found is {}, but it was {slots} before the faults",
                counted(period, "slot")
            )));
        }
        let bound = &self.bounds.best;
        let why = if before < bound.period {
            let words = in_words(&self.schedule.schedule().problem, bound);
            format!("{words} ({})", bound.certificate.reason())
        } else {
            "a SAT solver refuted it, and the judge has checked the proof".to_owned()
        };
        let text = format!("with these faults a period of {slots} is impossible: {why}");
        Some(LongerPeriod::Excluded(text))
    }
}

/// Why a period is longer than before the faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LongerPeriod {
    /// The period before is proved to be impossible.
    Excluded(String),
    /// No schedule with the period before was found.
    Found(String),
}

/// What a repair has changed, in words of the schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TdmChanges {
    /// Words before the faults.
    pub before: u64,
    /// Words whose processors and route are intact.
    pub untouched: u64,
    /// Words with the same start and route as before.
    pub kept: u64,
    /// Words with the same start and another route.
    pub rerouted: u64,
    /// Words with another start.
    pub moved: u64,
    /// Words of lost processors.
    pub dropped: u64,
}

impl TdmChanges {
    /// The share of the untouched words that are kept, 1 if there are none.
    pub fn kept_share(&self) -> f64 {
        if self.untouched == 0 { 1.0 } else { self.kept as f64 / self.untouched as f64 }
    }
}

/// Why a schedule is not repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TdmRepairError {
    /// The faults do not apply to the network.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The faults leave no problem.
    #[error("with these faults, {0}")]
    Problem(#[from] TdmProblemError),
    /// A demanded latency cannot be met.
    #[error("with these faults, {0}")]
    Unmet(UnmetLatency),
    /// None was found with the periods that were tried.
    #[error("no schedule was found for the network with these faults{}", allowed(*.longest))]
    NotFound {
        /// The longest period that demanded latencies allow.
        longest: Option<u32>,
    },
    /// No schedule keeps as many words as demanded.
    #[error(
        "no schedule was found that keeps {} % of the {untouched} words that are still valid; one with {} keeps \
         {kept}{}",
        100.0 * .demanded,
        counted(*.period, "slot"),
        allowed(*.longest)
    )]
    KeepsLess {
        /// The share that was demanded, from 0 to 1.
        demanded: f64,
        /// The words that the faults do not touch.
        untouched: u64,
        /// The most of them that a schedule keeps.
        kept: u64,
        /// Its period.
        period: u32,
        /// The longest period that demanded latencies allow.
        longest: Option<u32>,
    },
    /// The judge rejected the result, which is a bug.
    #[error("the judge rejected a repaired schedule: {0}")]
    Rejected(#[from] TdmRejection),
}

fn allowed(longest: Option<u32>) -> String {
    longest.map_or(String::new(), |longest| {
        format!("; the max_latency demands allow at most {}", counted(longest, "slot"))
    })
}

/// How often the period grows by one slot to keep more words, before it grows by a part.
const SLOT_BY_SLOT: u32 = 4;
/// Insertions before the period grows, at least.
const LEAST_ANEW: u64 = 20_000;
/// Words up to which a SAT solver is asked before the period grows, and its evaluations.
const MOST_SOLVED_WORDS: u64 = 200;
const SOLVER_EVALUATIONS: u64 = 300_000_000;
/// The stream of random numbers of the solver.
const SOLVER: u64 = 1 << 49;
/// Evaluations of the solver for every placement that is allowed.
const EVALUATIONS_PER_PLACEMENT: u64 = 1000;

/// Repairs a schedule after faults of its network. The period grows if that is necessary for a schedule, or to keep
/// a share, from 0 to 1, of the words that the faults do not touch.
pub fn repair(
    schedule: &CheckedTdm,
    faults: &[Fault],
    keep: f64,
    options: &TdmOptions,
) -> Result<TdmRepaired, TdmRepairError> {
    let old = schedule.schedule();
    let network = old.problem.network();
    let (broken, renumbered) = (network.without(faults)?, network.channels_after(faults)?);
    let missing = network.living_processors().filter(|&p| broken.home(p).is_none()).collect();
    let demand = demand_after(&old.problem, &broken);
    let problem = TdmProblem::new(broken, demand, old.problem.rules(), old.problem.word_count())?;
    let longest = longest_period(&problem);
    let most = longest.unwrap_or(MOST_PERIOD).min(MOST_PERIOD);
    let survivors = survivors(&old.words, &problem, &renumbered);
    let symmetry = Symmetry::trivial(&problem);
    let task =
        RepairTask { old, problem: &problem, symmetry: &symmetry, survivors, keep, most, options };
    let mut soon = task.at_once();
    let bounds = bounds(&problem, &options.interrupt);
    if let Some(unmet) = UnmetLatency::find(&problem, bounds.best.period) {
        return Err(TdmRepairError::Unmet(unmet));
    }
    let prices = channel_prices(&problem, &options.interrupt);
    let mut period = old.period.max(bounds.best.period).min(most);
    soon = soon.map(|soon| task.shorten(soon, period, &prices));
    let mut proof = None;
    let finish = |candidate: Candidate, proof: Option<TdmProof>| -> Result<_, TdmRepairError> {
        let Candidate { period, words, changes } = candidate;
        let schedule = checked(&problem, period, words, Some(bounds.best.clone()))?;
        let period_before = old.period;
        let proof = proof.filter(|proof| proof.from == period_before);
        let bounds = bounds.clone();
        Ok(TdmRepaired { bounds, schedule, changes, period_before, missing, proof })
    };
    // The schedule that keeps most, as long as none keeps enough.
    let mut best: Option<TdmChanges> = None;
    let mut best_period = period;
    loop {
        let table = RepairTable::new(&problem, &symmetry, &prices, period, options);
        let placed = table.as_ref().and_then(|table| table.place(&task.survivors));
        let placed = match placed {
            Some(words) => Some(words),
            None if best.is_some() => None,
            None => match place_anew(&problem, period, options)? {
                Some(words) => Some(words),
                None => ask_solver(&problem, period, options, &mut proof),
            },
        };
        if let Some(words) = placed {
            let words = match &table {
                Some(table) => table.return_words(words, &task.survivors),
                None => words,
            };
            let found = task.candidate(period, words);
            if found.keeps(keep) {
                let is_better = |soon: &Candidate| {
                    soon.period <= period && soon.changes.kept > found.changes.kept
                };
                return finish(soon.filter(is_better).unwrap_or(found), proof);
            }
            if best.is_none_or(|best| best.kept < found.changes.kept) {
                (best, best_period) = (Some(found.changes), period);
            }
        }
        let is_slow = best.is_some() && period < old.period + SLOT_BY_SLOT;
        let step = if is_slow { 1 } else { (period / 50).max(1) };
        let longer = (period + step).min(most);
        let is_over = options.interrupt.is_raised() || longer == period;
        if let Some(soon) = soon.take_if(|soon| is_over || soon.period < longer) {
            return finish(soon, proof);
        }
        if is_over || longer > 64 * old.period + 1000 {
            return Err(match best {
                None => TdmRepairError::NotFound { longest },
                Some(TdmChanges { kept, untouched, .. }) => {
                    let (demanded, period) = (keep, best_period);
                    TdmRepairError::KeepsLess { demanded, untouched, kept, period, longest }
                }
            });
        }
        period = longer;
    }
}

/// A schedule to repair, and the problem with the faults.
struct RepairTask<'a> {
    old: &'a TdmSchedule,
    problem: &'a TdmProblem,
    symmetry: &'a Symmetry,
    survivors: Vec<Survivor>,
    /// The share of the untouched words that must stay.
    keep: f64,
    /// The longest period that is allowed.
    most: u32,
    options: &'a TdmOptions,
}

/// A repaired schedule that the judge has not seen.
struct Candidate {
    period: u32,
    words: Vec<Word>,
    changes: TdmChanges,
}

impl Candidate {
    /// Whether a share of the untouched words stays.
    fn keeps(&self, share: f64) -> bool {
        self.changes.kept_share() >= share
    }
}

impl RepairTask<'_> {
    fn candidate(&self, period: u32, words: Vec<Word>) -> Candidate {
        let changes = changes(&self.old.words, &words, &self.survivors);
        Candidate { period, words, changes }
    }
}

/// Asks a SAT solver for a schedule with a period, if there are few words. The first refutation is kept.
fn ask_solver(
    problem: &TdmProblem,
    period: u32,
    options: &TdmOptions,
    proof: &mut Option<TdmProof>,
) -> Option<Vec<Word>> {
    if problem.word_count() > MOST_SOLVED_WORDS || options.interrupt.is_raised() {
        return None;
    }
    let mut rng = Rng::stream(options.seed, SOLVER | u64::from(period));
    let evaluations = solver_evaluations(options).min(SOLVER_EVALUATIONS);
    match settle(problem, period, period, evaluations, &mut rng, &options.interrupt) {
        Settled::Possible(_, words) => Some(words),
        Settled::Impossible(refuted) => {
            proof.get_or_insert(refuted);
            None
        }
        Settled::TooLarge | Settled::Open => None,
    }
}

fn solver_evaluations(options: &TdmOptions) -> u64 {
    let most = options.evaluations.unwrap_or(u64::MAX);
    most.saturating_mul(EVALUATIONS_PER_PLACEMENT)
}

/// The demand without lost processors.
fn demand_after(problem: &TdmProblem, broken: &Network) -> TdmDemand {
    match problem.demand() {
        TdmDemand::AllToAll => TdmDemand::AllToAll,
        TdmDemand::Messages(list) => {
            let lives = |processor| broken.home(processor).is_some();
            let left = list.iter().filter(|message| lives(message.from) && lives(message.to));
            TdmDemand::Messages(left.copied().collect())
        }
    }
}

/// The words of messages that still exist; an intact route has the new channel numbers.
#[derive(Debug)]
struct Survivor {
    word: Word,
    is_untouched: bool,
}

fn survivors(
    words: &[Word],
    problem: &TdmProblem,
    renumbered: &[Option<ChannelId>],
) -> Vec<Survivor> {
    let lives = |word: &&Word| problem.find(word.from, word.to).is_some();
    let survivor = |word: &Word| {
        let path: Option<Vec<ChannelId>> =
            word.path.iter().map(|channel| renumbered[channel.index()]).collect();
        let is_untouched = path.is_some();
        let path = path.unwrap_or_default();
        Survivor { word: Word { path, ..word.clone() }, is_untouched }
    };
    words.iter().filter(lives).map(survivor).collect()
}

/// Places all words without regard to where they were.
fn place_anew(
    problem: &TdmProblem,
    period: u32,
    options: &TdmOptions,
) -> Result<Option<Vec<Word>>, TdmRejection> {
    let attempts = ATTEMPTS.saturating_mul(UNTOUCHED.len() as u64);
    let placements = attempts.saturating_mul(EFFORT).saturating_mul(problem.word_count());
    let most = options.evaluations.unwrap_or(u64::MAX);
    let evaluations = Some(placements.max(LEAST_ANEW).min(most));
    let slots = Some(period);
    let outcome =
        solve(problem, &TdmOptions { slots, evaluations, prove: false, ..options.clone() })?;
    Ok(outcome.schedule.map(|found| found.schedule().words.clone()))
}

fn changes(before: &[Word], after: &[Word], survivors: &[Survivor]) -> TdmChanges {
    let mut starts: BTreeMap<(ProcessorId, ProcessorId, u32), &Word> =
        after.iter().map(|word| ((word.from, word.to, word.start), word)).collect();
    let mut changes = TdmChanges {
        before: before.len() as u64,
        dropped: (before.len() as u64).saturating_sub(survivors.len() as u64),
        ..TdmChanges::default()
    };
    for Survivor { word, is_untouched } in survivors {
        changes.untouched += u64::from(*is_untouched);
        match starts.remove(&(word.from, word.to, word.start)) {
            Some(same) if *is_untouched && same.path == word.path => changes.kept += 1,
            Some(_) => changes.rerouted += 1,
            None => changes.moved += 1,
        }
    }
    changes
}
