//! Attempts at one period of a repair: words that the faults do not touch begin where they were, and are dear
//! to move.

use super::keep::Keeper;
use super::matching::{PairItems, items_of_pairs, matched, placements_of, rotated};
use super::{Survivor, changes, solver_evaluations};
use crate::ejection::{EjectionSearch, Ended};
use crate::guide::Guide;
use crate::instance::{Instance, Placement};
use crate::priced::PricedSearch;
use crate::pricing::{IRREGULAR, Pricing, REPAIR};
use crate::solve::TdmOptions;
use crate::symmetry::Symmetry;
use pavane_model::TdmProblem;
use pavane_model::tdm::Word;
use pavane_search::{Interrupt, Rng};

/// How dear it is to move a word that the faults do not touch, in an ejection search and in a priced one:
/// first dearer than anything else, then less and less.
pub(super) const UNTOUCHED: [(u32, i16); 5] =
    [(100_000, 20_000), (1000, 5000), (300, 1500), (30, 500), (3, 200)];
/// The stream of random numbers of chains, insertions per word, and the most words of a chain.
const CHAINS: u64 = 1 << 48;
const CHAIN_EFFORT: u64 = 20;
const LONGEST_CHAIN: usize = 16;
/// Insertions per word of one attempt.
pub(super) const EFFORT: u64 = 60;
/// The part of an attempt without fewer words left after which it ends.
const PATIENCE: u64 = 3;
/// Attempts at every period with each of these prices; one if there are more words than that.
pub(super) const ATTEMPTS: u64 = 4;
const MOST_TRIED_WORDS: u64 = 5000;
/// How often all moved words are offered their old places.
const RETURNS: usize = 8;
/// The stream of random numbers of the solver that returns words.
const RETURN: u64 = 1 << 50;

/// What all attempts at a period share.
pub(super) struct RepairTable<'a> {
    symmetry: &'a Symmetry,
    options: &'a TdmOptions,
    pub instance: Instance,
    pub items: PairItems,
    pub guide: Option<Guide>,
}

impl<'a> RepairTable<'a> {
    pub fn new(
        problem: &TdmProblem,
        symmetry: &'a Symmetry,
        prices: &[f64],
        period: u32,
        options: &'a TdmOptions,
    ) -> Option<Self> {
        let instance = Instance::in_slots(problem, symmetry, period, &options.interrupt)?;
        let items = items_of_pairs(&instance);
        let is_priced = PricedSearch::suits(&instance);
        let guide = is_priced.then(|| Guide::new(problem.network(), &instance, prices));
        Some(Self { symmetry, options, instance, items, guide })
    }

    /// Places all words, those that the faults do not touch as before. Of several attempts, the one that
    /// moves fewest.
    pub fn place(&self, survivors: &[Survivor]) -> Option<Vec<Word>> {
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
            let mut search =
                RepairSearch::Chains(EjectionSearch::new(instance, rng), LONGEST_CHAIN);
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
    pub fn return_words(&self, words: Vec<Word>, survivors: &[Survivor]) -> Vec<Word> {
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
pub(super) fn keep_untouched<'a>(
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
pub(super) fn put_back_all(search: &mut RepairSearch<'_>, old: &[(u32, &Word)]) {
    for _ in 0..RETURNS {
        let mut back = |&(item, word): &(u32, &Word)| search.put_back(item, word);
        if old.iter().filter(|one| back(one)).count() == 0 {
            break;
        }
    }
}

/// A search that starts from old places of words.
pub(super) enum RepairSearch<'a> {
    /// With the most words of a chain.
    Chains(EjectionSearch<'a>, usize),
    Ejection(EjectionSearch<'a>),
    Priced(Box<PricedSearch<'a>>),
}

impl<'a> RepairSearch<'a> {
    /// A priced search, if there is a guide for it.
    pub fn new(instance: &'a Instance, guide: Option<&'a Guide>, attempt: u64, rng: Rng) -> Self {
        let Some(guide) = guide else { return Self::Ejection(EjectionSearch::new(instance, rng)) };
        let pricings: &[Pricing] = if guide.has_straight_routes() { &REPAIR } else { &IRREGULAR };
        let pricing = pricings[attempt as usize % pricings.len()];
        Self::Priced(Box::new(PricedSearch::new(instance, guide, pricing, rng)))
    }

    /// Places a word where it was, if that is possible.
    fn keep(&mut self, item: u32, word: &Word, (penalty, price): (u32, i16)) -> bool {
        match self {
            Self::Chains(search, _) | Self::Ejection(search) => {
                search.keep(item, word.start, &word.path, penalty)
            }
            Self::Priced(search) => search.keep(item, word.start, &word.path, price),
        }
    }

    /// Moves a word to where it was, if that is free.
    fn put_back(&mut self, item: u32, word: &Word) -> bool {
        match self {
            Self::Chains(search, _) | Self::Ejection(search) => {
                search.put_back(item, word.start, &word.path)
            }
            Self::Priced(search) => search.put_back(item, word.start, &word.path),
        }
    }

    /// Places the words that are left. Returns whether that succeeds.
    pub fn run(&mut self, limit: u64, interrupt: &Interrupt) -> bool {
        let ended = match self {
            Self::Chains(search, longest) => {
                return search.place_by_chains(*longest, limit, interrupt);
            }
            Self::Ejection(search) => search.run(limit, limit, interrupt),
            Self::Priced(search) => search.run(limit, limit / PATIENCE, interrupt),
        };
        matches!(ended, Ended::Solved(_))
    }

    pub fn placements(&self) -> Vec<Placement> {
        match self {
            Self::Chains(search, _) | Self::Ejection(search) => search.placements(),
            Self::Priced(search) => search.placements(),
        }
    }
}
