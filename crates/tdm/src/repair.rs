//! Repairs a schedule after faults. Words that the faults do not touch stay where they are; the others
//! are placed around them. If that fails, untouched words move: first in short chains, then as many as it
//! takes. Then all words are placed anew, and only then does the period grow. In the end, as many words as a
//! SAT solver can move return to where they were. If a share of the untouched words must stay, the period grows
//! until it does.

mod formula;
mod keep;
mod matching;

use crate::bounds::{TdmBounds, bounds, channel_prices, in_words};
use crate::ejection::{EjectionSearch, Ended};
use crate::guide::Guide;
use crate::instance::{Instance, Placement};
use crate::latency::{UnmetLatency, longest_period};
use crate::priced::PricedSearch;
use crate::pricing::{IRREGULAR, Pricing, REPAIR};
use crate::proof::{Settled, TdmProof, settle};
use crate::solve::{TdmOptions, checked, solve};
use crate::symmetry::Symmetry;
use keep::Keeper;
use matching::{PairItems, matched, placements_of, rotated};
use pavane_model::tdm::{MOST_PERIOD, TdmDemand, TdmProblemError, Word};
use pavane_model::words::counted;
use pavane_model::{ChannelId, Fault, FaultError, Network, ProcessorId, TdmProblem};
use pavane_search::{Interrupt, Rng};
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

/// How dear it is to move a word that the faults do not touch, in an ejection search and in a priced one:
/// first dearer than anything else, then less and less.
const UNTOUCHED: [(u32, i16); 5] =
    [(100_000, 20_000), (1000, 5000), (300, 1500), (30, 500), (3, 200)];
/// The stream of random numbers of chains, insertions per word, and the most words of a chain.
const CHAINS: u64 = 1 << 48;
const CHAIN_EFFORT: u64 = 20;
const LONGEST_CHAIN: usize = 16;
/// Insertions per word of one attempt.
const EFFORT: u64 = 60;
/// The part of an attempt without fewer words left after which it ends.
const PATIENCE: u64 = 3;
/// Attempts at every period with each of these prices; one if there are more words than that.
const ATTEMPTS: u64 = 4;
const MOST_TRIED_WORDS: u64 = 5000;
/// How often all moved words are offered their old places.
const RETURNS: usize = 8;

/// How often the period grows by one slot to keep more words, before it grows by a part.
const SLOT_BY_SLOT: u32 = 4;
/// Insertions before the period grows, at least.
const LEAST_ANEW: u64 = 20_000;
/// Words up to which a SAT solver is asked before the period grows, and its evaluations.
const MOST_SOLVED_WORDS: u64 = 200;
const SOLVER_EVALUATIONS: u64 = 300_000_000;
/// The streams of random numbers of the solver.
const SOLVER: u64 = 1 << 49;
const RETURN: u64 = 1 << 50;
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
    let bounds = bounds(&problem, &options.interrupt);
    if let Some(unmet) = UnmetLatency::find(&problem, bounds.best.period) {
        return Err(TdmRepairError::Unmet(unmet));
    }
    let longest = longest_period(&problem);
    let most = longest.unwrap_or(MOST_PERIOD).min(MOST_PERIOD);
    let survivors = survivors(&old.words, &problem, &renumbered);
    let symmetry = Symmetry::trivial(&problem);
    let prices = channel_prices(&problem, &options.interrupt);
    let mut period = old.period.max(bounds.best.period).min(most);
    let mut proof = None;
    // The schedule that keeps most, as long as none keeps enough.
    let mut best: Option<TdmChanges> = None;
    let mut best_period = period;
    loop {
        let table = RepairTable::new(&problem, &symmetry, &prices, period, options);
        let placed = table.as_ref().and_then(|table| table.place(&survivors));
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
                Some(table) => table.return_words(words, &survivors),
                None => words,
            };
            let changes = changes(&old.words, &words, &survivors);
            if changes.kept_share() >= keep {
                let schedule = checked(&problem, period, words, Some(bounds.best.clone()))?;
                let period_before = old.period;
                let proof = proof.filter(|proof: &TdmProof| proof.from == period_before);
                return Ok(TdmRepaired {
                    bounds,
                    schedule,
                    changes,
                    period_before,
                    missing,
                    proof,
                });
            }
            if best.is_none_or(|best| best.kept < changes.kept) {
                (best, best_period) = (Some(changes), period);
            }
        }
        let is_slow = best.is_some() && period < old.period + SLOT_BY_SLOT;
        let step = if is_slow { 1 } else { (period / 50).max(1) };
        let longer = (period + step).min(most);
        if options.interrupt.is_raised() || longer == period || longer > 64 * old.period + 1000 {
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

/// What all attempts at a period share.
struct RepairTable<'a> {
    symmetry: &'a Symmetry,
    options: &'a TdmOptions,
    instance: Instance,
    items: PairItems,
    guide: Option<Guide>,
}

impl<'a> RepairTable<'a> {
    fn new(
        problem: &TdmProblem,
        symmetry: &'a Symmetry,
        prices: &[f64],
        period: u32,
        options: &'a TdmOptions,
    ) -> Option<Self> {
        let instance = Instance::in_slots(problem, symmetry, period, &options.interrupt)?;
        let mut items = PairItems::new();
        for (number, item) in (0..).zip(&instance.items) {
            items.entry(instance.pairs[item.routes as usize]).or_default().push(number);
        }
        let is_priced = PricedSearch::suits(&instance);
        let guide = is_priced.then(|| Guide::new(problem.network(), &instance, prices));
        Some(Self { symmetry, options, instance, items, guide })
    }

    /// Places all words, those that the faults do not touch as before. Of several attempts, the one that
    /// moves fewest.
    fn place(&self, survivors: &[Survivor]) -> Option<Vec<Word>> {
        let (options, instance, items) = (self.options, &self.instance, &self.items);
        let (interrupt, period) = (&options.interrupt, instance.period);
        let words = instance.items.len() as u64;
        let mut best: Option<(u64, Vec<Word>)> = None;
        let mut keep_best = |search: &mut RepairSearch<'_>, old: &[(u32, &Word)]| {
            put_back_all(search, old);
            let words = instance.expand(self.symmetry, &search.placements());
            let moved = changes(&[], &words, survivors);
            let changed = moved.untouched - moved.kept;
            if best.as_ref().is_none_or(|(fewest, _)| changed < *fewest) {
                best = Some((changed, words));
            }
            changed
        };
        let mut is_found = false;
        let attempts = if words > MOST_TRIED_WORDS { 1 } else { ATTEMPTS };
        for attempt in 0..attempts {
            let rng = Rng::stream(options.seed, CHAINS | u64::from(period) << 8 | attempt);
            let mut search = RepairSearch::Chains(EjectionSearch::new(instance, rng));
            let old = keep_untouched(&mut search, survivors, items, (1, 1));
            // If short chains do not suffice once, they hardly ever do.
            if !search.run(CHAIN_EFFORT.saturating_mul(words).max(2000), interrupt) {
                break;
            }
            is_found = true;
            if keep_best(&mut search, &old) == 0 {
                break;
            }
        }
        let all = UNTOUCHED.iter().flat_map(|price| (0..attempts).map(|_| *price));
        for (attempt, price) in (0..).zip(all) {
            if is_found && attempt % attempts == 0 {
                break;
            }
            let rng = Rng::stream(options.seed, u64::from(period) << 8 | attempt);
            let mut search = RepairSearch::new(instance, self.guide.as_ref(), attempt, rng);
            let old = keep_untouched(&mut search, survivors, items, price);
            if !search.run(EFFORT.saturating_mul(words).max(2000), interrupt) {
                continue;
            }
            is_found = true;
            if keep_best(&mut search, &old) == 0 {
                break;
            }
        }
        best.map(|(_, words)| words)
    }

    /// Returns words to where they were, as many as a SAT solver can.
    fn return_words(&self, words: Vec<Word>, survivors: &[Survivor]) -> Vec<Word> {
        let untouched = survivors.iter().filter(|survivor| survivor.is_untouched);
        let old: Vec<&Word> = untouched.map(|survivor| &survivor.word).collect();
        let instance = &self.instance;
        let words = rotated(words, &old, instance);
        let Some(now) = placements_of(&words, instance, &self.items) else { return words };
        let old = matched(old.into_iter(), instance, &self.items);
        let Some(mut keeper) = Keeper::new(instance, &old, &now) else { return words };
        let mut rng = Rng::stream(self.options.seed, RETURN | u64::from(instance.period));
        let evaluations = solver_evaluations(self.options);
        let placements = keeper.improve(evaluations, &mut rng, &self.options.interrupt);
        instance.expand(self.symmetry, &placements)
    }
}

/// Places the words that the faults do not touch where they were. Returns those that fit.
fn keep_untouched<'a>(
    search: &mut RepairSearch<'_>,
    survivors: &'a [Survivor],
    items: &PairItems,
    price: (u32, i16),
) -> Vec<(u32, &'a Word)> {
    let mut free = items.clone();
    let mut old = Vec::new();
    for survivor in survivors.iter().filter(|survivor| survivor.is_untouched) {
        let word = &survivor.word;
        let Some(numbers) = free.get_mut(&(word.from, word.to)) else { continue };
        let placed = numbers.iter().position(|&item| search.keep(item, word, price));
        if let Some(at) = placed {
            old.push((numbers.remove(at), word));
        }
    }
    old
}

/// Words that moved out of the way of others may return once those are gone.
fn put_back_all(search: &mut RepairSearch<'_>, old: &[(u32, &Word)]) {
    for _ in 0..RETURNS {
        let mut back = |&(item, word): &(u32, &Word)| search.put_back(item, word);
        if old.iter().filter(|one| back(one)).count() == 0 {
            break;
        }
    }
}

/// A search that starts from old places of words.
enum RepairSearch<'a> {
    Chains(EjectionSearch<'a>),
    Ejection(EjectionSearch<'a>),
    Priced(PricedSearch<'a>),
}

impl<'a> RepairSearch<'a> {
    /// A priced search, if there is a guide for it.
    fn new(instance: &'a Instance, guide: Option<&'a Guide>, attempt: u64, rng: Rng) -> Self {
        let Some(guide) = guide else { return Self::Ejection(EjectionSearch::new(instance, rng)) };
        let pricings: &[Pricing] = if guide.has_straight_routes() { &REPAIR } else { &IRREGULAR };
        let pricing = pricings[attempt as usize % pricings.len()];
        Self::Priced(PricedSearch::new(instance, guide, pricing, rng))
    }

    /// Places a word where it was, if that is possible.
    fn keep(&mut self, item: u32, word: &Word, (penalty, price): (u32, i16)) -> bool {
        match self {
            Self::Chains(search) | Self::Ejection(search) => {
                search.keep(item, word.start, &word.path, penalty)
            }
            Self::Priced(search) => search.keep(item, word.start, &word.path, price),
        }
    }

    /// Moves a word to where it was, if that is free.
    fn put_back(&mut self, item: u32, word: &Word) -> bool {
        match self {
            Self::Chains(search) | Self::Ejection(search) => {
                search.put_back(item, word.start, &word.path)
            }
            Self::Priced(search) => search.put_back(item, word.start, &word.path),
        }
    }

    /// Places the words that are left. Returns whether that succeeds.
    fn run(&mut self, limit: u64, interrupt: &Interrupt) -> bool {
        let ended = match self {
            Self::Chains(search) => {
                return search.place_by_chains(LONGEST_CHAIN, limit, interrupt);
            }
            Self::Ejection(search) => search.run(limit, limit, interrupt),
            Self::Priced(search) => search.run(limit, limit / PATIENCE, interrupt),
        };
        matches!(ended, Ended::Solved(_))
    }

    fn placements(&self) -> Vec<Placement> {
        match self {
            Self::Chains(search) | Self::Ejection(search) => search.placements(),
            Self::Priced(search) => search.placements(),
        }
    }
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
