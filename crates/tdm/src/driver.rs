//! The driver: bounds and a first schedule, then the shortest period that the methods reach.

use crate::bounds::{TdmBounds, bound_of_prices, channel_prices, quick_bounds, slow_bound};
use crate::chains::SquareTorus;
use crate::greedy::{GreedyResult, GreedyWords};
use crate::guide::has_straight_routes;
use crate::instance::Placement;
use crate::latency::longest_period;
use crate::phases::Phases;
use crate::proof::{Settled, TdmProof, TdmSolverAnswer, settle};
use crate::solve::{TdmOptions, solve};
use crate::symmetry::{self, Symmetry};
use pavane_model::tdm::{MOST_PERIOD, TdmBound, TdmRules, Word};
use pavane_model::{Routing, TdmProblem};
use pavane_search::Rng;
use std::sync::OnceLock;

/// A schedule and how it was found.
pub(crate) struct Found {
    pub period: u32,
    pub words: Vec<Word>,
    pub method: &'static str,
    /// If it was found modulo a symmetry, its index and the words of the quotient.
    pub quotient: Option<(usize, Vec<Placement>)>,
}

/// Progress callback: the bounds and a shorter period.
pub(crate) type Progress<'a> = &'a (dyn Fn(&TdmBounds, Option<u32>) + Sync);

pub(crate) struct Driver<'a> {
    pub problem: &'a TdmProblem,
    pub options: &'a TdmOptions,
    pub bounds: TdmBounds,
    pub symmetries: Vec<Symmetry>,
    pub torus: Option<SquareTorus>,
    pub best: Option<Found>,
    /// The proof that the best bound needs, or that the requested period is impossible.
    pub proof: Option<TdmProof>,
    /// What came of asking the solver, the last time.
    pub answer: Option<TdmSolverAnswer>,
    /// The longest period that demanded latencies allow.
    pub longest: Option<u32>,
    /// Placements of words so far.
    pub spent: u64,
    /// Threads that searches use.
    pub threads: usize,
    /// The bound, if it was searched while the slow bounds were computed.
    pub attempted: Option<u32>,
    /// Whether the slow bounds are computed.
    has_slow_bounds: bool,
    /// Prices of the channels that guide searches.
    prices: OnceLock<Vec<f64>>,
    /// Whether some channels go straight on after others.
    is_straight: OnceLock<bool>,
    unit: OnceLock<u32>,
    progress: Progress<'a>,
}

/// Words up to which the solver is asked about periods with demanded latencies.
const MOST_SOLVED_WORDS: u64 = 200;
/// Words up to which the solver is asked without a request, and its evaluations for a question.
const MOST_SMALL_WORDS: u64 = 100;
const SMALL_EVALUATIONS: u64 = 20_000_000;

/// Words up to which periods that suit no symmetry are searched.
const MOST_WITHOUT_SYMMETRY: u64 = 3000;
/// Words up to which first fit is tried at the bound, and up to which it comes before symmetries on tori.
const MOST_TRIED: u64 = 100_000;
const MOST_FITTED: u64 = 1_000_000;
/// Words of a quotient up to which searches begin with the bound.
const MOST_AT_BOUND: u64 = 30_000;
/// Words of a quotient up to which it gives the first schedule of a problem with more words.
const FEW_WORDS: u64 = 10_000;
/// Words of a quotient above which a failure excludes shorter periods from a round.
const MANY_WORDS: u64 = 3000;
/// If the prices that guide a search prove a period that is shorter than the bound by at most this part of it,
/// better prices may prove a longer one.
const CLOSE: u32 = 64;
/// Rounds of searches before the solver is asked.
const ROUNDS_BEFORE_PROOF: u32 = 1;
/// Rounds over all periods that demanded latencies allow, and the most such periods.
const ROUNDS_WITHIN_LATENCY: u32 = 3;
const MOST_WITHIN_LATENCY: usize = 64;
/// Words per message above which first fit takes little time for a word.
const MANY_PER_MESSAGE: u64 = 16;
/// Evaluations of the solver for every placement that is allowed.
const SOLVER_EVALUATIONS: u64 = 1000;

impl<'a> Driver<'a> {
    pub fn new(problem: &'a TdmProblem, options: &'a TdmOptions, progress: Progress<'a>) -> Self {
        let bounds = quick_bounds(problem, &options.interrupt);
        progress(&bounds, None);
        Self {
            problem,
            options,
            bounds,
            symmetries: Vec::new(),
            torus: SquareTorus::of(problem),
            best: None,
            proof: None,
            answer: None,
            longest: longest_period(problem),
            spent: 0,
            threads: options.threads,
            attempted: None,
            has_slow_bounds: false,
            prices: OnceLock::new(),
            is_straight: OnceLock::new(),
            unit: OnceLock::new(),
            progress,
        }
    }

    pub fn run(&mut self) {
        if let Some(slots) = self.options.slots {
            self.at_one_period(slots);
            return;
        }
        let bound = self.bounds.best.period;
        // First fit is quick, but not for a million words with long routes; the quotient of a torus is
        // small.
        let is_large = self.problem.word_count() > MOST_FITTED && self.torus.is_some();
        if is_large {
            self.prepare();
        }
        if is_large && self.quotient_words() <= FEW_WORDS {
            self.first(4);
        } else {
            self.place_greedily();
            self.in_rounds(None);
        }
        if self.is_done() || self.has_chain_period(bound) && self.attempt(bound, 0) {
            return;
        }
        if !is_large {
            self.prepare();
        }
        self.approach();
        if self.best.as_ref().is_some_and(|best| best.period <= self.bounds.best.period) {
            return;
        }
        // So many words take most of the time, and longer periods are easier.
        let is_tried = self.best.is_none() || self.quotient_words() <= MOST_AT_BOUND;
        let bound = self.bounds.best.period;
        if is_tried {
            self.attempt_whole_units(bound);
        }
        let is_tried = is_tried && self.attempted != Some(bound);
        if is_tried && !self.is_over() && self.attempt(bound, 0) {
            return;
        }
        self.add_slow_bounds();
        self.scaled();
        self.first(50);
        self.within_latency();
        if self.options.prove || self.is_small() {
            self.shorten(ROUNDS_BEFORE_PROOF);
            self.prove();
        }
        self.shorten(u32::MAX);
    }

    pub fn add_slow_bounds(&mut self) {
        if !self.has_slow_bounds {
            let enough = self.bounds.best.period;
            self.keep_slow_bound(slow_bound(self.problem, enough, &self.options.interrupt));
        }
    }

    pub fn keep_slow_bound(&mut self, bound: Option<TdmBound>) {
        self.has_slow_bounds = true;
        self.bounds.add_prices(bound);
        (self.progress)(&self.bounds, self.best.as_ref().map(|best| best.period));
    }

    /// The prices that guide searches may prove more than the quick bounds. Returns whether they come close, so
    /// that better prices may prove more.
    pub fn add_bound_of_guide(&mut self) -> bool {
        if self.problem.rules().routing != Routing::Minimal {
            return false;
        }
        let bound = bound_of_prices(self.problem, self.prices());
        let best = self.bounds.best.period;
        let is_close = bound.as_ref().is_some_and(|bound| best - best / CLOSE <= bound.period);
        self.bounds.add_prices(bound);
        (self.progress)(&self.bounds, self.best.as_ref().map(|best| best.period));
        is_close
    }

    fn prepare(&mut self) {
        let mut rng = Rng::stream(self.options.seed, u64::MAX);
        self.symmetries = symmetry::candidates(self.problem, &self.options.interrupt, &mut rng);
    }

    /// Prices of the channels, with a mean of 1.
    pub fn prices(&self) -> &[f64] {
        self.prices.get_or_init(|| channel_prices(self.problem, &self.options.interrupt))
    }

    /// Whether some channels go straight on after others, as on meshes and tori.
    pub fn is_straight(&self) -> bool {
        *self.is_straight.get_or_init(|| has_straight_routes(self.problem.network()))
    }

    /// The slots of a unit, if words may start in step: then periods of whole units are easier.
    pub fn unit(&self) -> u32 {
        *self.unit.get_or_init(|| Phases::of(self.problem).map_or(1, |phases| phases.unit))
    }

    /// Words modulo the largest symmetry.
    pub fn quotient_words(&self) -> u64 {
        let order = self.symmetries.iter().map(Symmetry::order).max().unwrap_or(1);
        self.problem.word_count() / order as u64
    }

    pub fn is_over(&self) -> bool {
        self.options.evaluations.is_some_and(|most| self.spent >= most)
            || self.options.interrupt.is_raised()
    }

    fn is_done(&self) -> bool {
        let bound = self.bounds.best.period;
        self.best.as_ref().is_some_and(|best| best.period <= bound) || self.is_over()
    }

    /// A schedule that takes little time: at the bound if that is easy, otherwise with longer and longer
    /// periods.
    fn place_greedily(&mut self) {
        let interrupt = &self.options.interrupt;
        let mut rng = Rng::stream(self.options.seed, u64::MAX - 1);
        let Some(words) = GreedyWords::new(self.problem, &mut rng, interrupt) else { return };
        let load = u64::from(words.busiest) * u64::from(self.problem.rules().phits);
        let least = load.max(self.bounds.best.period.into());
        // A failure takes as long as a success, so large problems begin with a period that should do.
        let messages = self.problem.messages().len() as u64;
        let is_large = self.problem.word_count() > MOST_TRIED
            && self.problem.word_count() < MANY_PER_MESSAGE * messages;
        let mut extra = if is_large { least * 3 / 8 } else { 0 };
        while let Some(period) = u32::try_from(least + extra).ok().filter(|&p| p <= MOST_PERIOD) {
            self.spent += self.problem.word_count();
            match words.at(period, interrupt) {
                GreedyResult::Found(words) => {
                    let method = "first fit";
                    self.keep(Found { period, words, method, quotient: None });
                    return;
                }
                GreedyResult::Tight => extra = (2 * extra).max(least / 32 + 1),
                GreedyResult::Unsuitable | GreedyResult::Stopped => return,
            }
        }
    }

    /// Searches at the shortest period of whole units above the bound.
    fn attempt_whole_units(&mut self, bound: u32) {
        let period = bound.next_multiple_of(self.unit());
        let is_shorter = self.best.as_ref().is_none_or(|best| period < best.period);
        if period > bound && period <= MOST_PERIOD && is_shorter && !self.is_over() {
            self.attempt(period, 0);
        }
    }

    /// Rounds with more and more effort at one period.
    fn at_one_period(&mut self, period: u32) {
        if period < self.bounds.best.period || self.in_rounds(Some(period)) {
            return;
        }
        self.prepare();
        for round in 0.. {
            if self.is_over() || self.attempt(period, round) {
                return;
            }
            if round == 0 {
                self.add_slow_bounds();
            }
            let is_asked = self.is_solver_wanted() && round + 1 == ROUNDS_BEFORE_PROOF;
            if period < self.bounds.best.period || is_asked && self.settle(period, period) {
                return;
            }
        }
    }

    /// Whether the solver is asked about single periods: on request, for very few words, and for few words with
    /// demanded latencies, which searches often miss.
    fn is_solver_wanted(&self) -> bool {
        let has_latencies = self.problem.messages().iter().any(|one| one.max_latency.is_some());
        let is_few = self.problem.word_count() <= MOST_SOLVED_WORDS;
        self.options.prove || self.is_small() || has_latencies && is_few
    }

    /// Whether there are so few words that the solver takes little time.
    fn is_small(&self) -> bool {
        self.problem.word_count() <= MOST_SMALL_WORDS
    }

    /// Asks the solver whether there is a period from `from` to `to`. Returns whether it knows.
    fn settle(&mut self, from: u32, to: u32) -> bool {
        let evaluations = self.options.evaluations;
        let evaluations =
            evaluations.map_or(u64::MAX, |most| most.saturating_mul(SOLVER_EVALUATIONS));
        let is_limited = !self.options.prove && self.longest.is_none();
        let evaluations = if is_limited { evaluations.min(SMALL_EVALUATIONS) } else { evaluations };
        let mut rng = Rng::stream(self.options.seed, u64::MAX - 2);
        let interrupt = &self.options.interrupt;
        let settled = settle(self.problem, from, to, evaluations, &mut rng, interrupt);
        self.answer = Some(match &settled {
            Settled::Possible(period, _) => TdmSolverAnswer::Found(*period),
            Settled::Impossible(_) => TdmSolverAnswer::Refuted(from, to),
            Settled::TooLarge => TdmSolverAnswer::TooLarge(from, to),
            Settled::Open => TdmSolverAnswer::Open(from, to),
        });
        match settled {
            Settled::Possible(period, words) => {
                self.keep(Found { period, words, method: "satisfiability", quotient: None });
            }
            Settled::Impossible(proof) => self.proof = Some(proof),
            Settled::TooLarge | Settled::Open => return false,
        }
        true
    }

    /// If there is no schedule yet and demanded latencies allow a few periods only, tries all of them,
    /// and asks the solver.
    fn within_latency(&mut self) {
        let Some(longest) = self.longest else { return };
        let from = self.bounds.best.period;
        for round in 0..ROUNDS_WITHIN_LATENCY {
            for period in (from..=longest).take(MOST_WITHIN_LATENCY) {
                if self.best.is_some() || self.is_over() {
                    return;
                }
                self.attempt(period, round);
            }
            let is_asked = self.is_solver_wanted() && round == 0 && self.best.is_none();
            if is_asked && from <= longest && self.settle(from, longest) {
                if let Some(proof) = &self.proof {
                    proof.raise(&mut self.bounds);
                }
                return;
            }
        }
    }

    /// Refutes the periods below the best one, or finds a schedule, as far as the solver can.
    fn prove(&mut self) {
        let from = self.bounds.best.period;
        let is_open = |driver: &Self| {
            let best = driver.best.as_ref().map(|best| best.period);
            let is_above = best.is_some_and(|best| best > driver.bounds.best.period);
            is_above && !driver.options.interrupt.is_raised()
        };
        while is_open(self) {
            if !self.settle(from, self.bounds.best.period) {
                return;
            }
            if let Some(proof) =
                self.proof.as_ref().filter(|proof| proof.to >= self.bounds.best.period)
            {
                proof.raise(&mut self.bounds);
                (self.progress)(&self.bounds, self.best.as_ref().map(|best| best.period));
            }
        }
    }

    /// If every hop takes a multiple of the slots of a word, a schedule in units of words, stretched by
    /// the number of phits, is a schedule.
    fn scaled(&mut self) {
        let rules = self.problem.rules();
        if rules.phits == 1 || !rules.depth.is_multiple_of(rules.phits) {
            return;
        }
        let phits = rules.phits;
        let unit = TdmRules { depth: rules.depth / phits, phits: 1, ..rules };
        let network = self.problem.network().clone();
        let is_demanding = self.problem.messages().iter().any(|m| m.max_latency.is_some());
        let limit = self.problem.word_count();
        // The rest of the effort goes into periods that are not multiples.
        let left = self.options.evaluations.map(|most| most.saturating_sub(self.spent) / 2);
        let reduced = TdmProblem::new(network, self.problem.demand().clone(), unit, limit);
        let (Ok(reduced), false) = (reduced, is_demanding) else { return };
        let options = TdmOptions { evaluations: left, prove: false, ..self.options.clone() };
        let outcome = solve(&reduced, &options);
        let Some(found) = outcome.ok().and_then(|outcome| outcome.schedule) else { return };
        let schedule = found.schedule();
        let Some(period) = schedule.period.checked_mul(phits).filter(|&p| p <= MOST_PERIOD) else {
            return;
        };
        let stretch = |word: &Word| Word { start: word.start * phits, ..word.clone() };
        let words = schedule.words.iter().map(stretch).collect();
        let method = "ejection search in units of words";
        self.keep(Found { period, words, method, quotient: None });
    }

    /// Periods that are not multiples of this are skipped in a round. The first round keeps to whole units.
    fn step(&self, round: u32) -> u32 {
        let unit = if round == 0 { self.unit() } else { 1 };
        self.parts(round) * unit
    }

    /// Large problems need a symmetry, and periods that suit it, unless a long search without one joins in.
    fn parts(&self, round: u32) -> u32 {
        let is_large =
            self.problem.word_count() > MOST_WITHOUT_SYMMETRY && !self.has_long_search(round);
        let useful = self.symmetries.iter().filter(|symmetry| symmetry.order() > 1);
        let parts: Vec<u32> = useful.map(|symmetry| symmetry.parts).collect();
        match parts.get(round as usize).or(parts.last()) {
            Some(&parts) if is_large => parts,
            _ => 1,
        }
    }

    /// If there is no schedule yet, finds one, with longer and longer periods, the first one longer than the
    /// bound by this part of it.
    fn first(&mut self, part: u64) {
        let (bound, step) = (u64::from(self.bounds.best.period), u64::from(self.step(0)));
        let mut extra = (bound / part).max(1);
        // Every few periods, a less symmetric search joins in.
        for attempt in 0.. {
            if self.best.is_some() || self.options.interrupt.is_raised() {
                return;
            }
            let period = (bound + extra).next_multiple_of(step);
            let most = self.longest.unwrap_or(MOST_PERIOD).min(MOST_PERIOD);
            let Some(period) = u32::try_from(period).ok().filter(|&p| p <= most) else {
                return;
            };
            self.attempt(period, attempt / 4);
            if extra > 64 * (bound + self.problem.word_count()) {
                return;
            }
            extra *= 2;
        }
    }

    /// Searches for shorter periods by bisection; every round has more effort than the one before. Later
    /// rounds begin with the longest of them, which is the easiest, and large problems end with the first
    /// failure.
    fn shorten(&mut self, rounds: u32) {
        let is_large = self.quotient_words() > MANY_WORDS;
        for round in 0..rounds {
            let Some(best) = &self.best else { return };
            let step = self.step(round);
            let mut low = self.bounds.best.period.div_ceil(step);
            let mut high = best.period.saturating_sub(1) / step;
            let is_idle = low > high;
            while round > 0 && low <= high && !self.is_done() {
                let is_found = self.attempt(high * step, round);
                high = high.saturating_sub(1);
                if !is_found {
                    low = if is_large { high + 1 } else { low };
                    break;
                }
            }
            while low <= high {
                if self.is_done() {
                    return;
                }
                let middle = low + (high - low) / 2;
                if self.attempt(middle * step, round) {
                    high = middle.saturating_sub(1);
                } else {
                    low = middle + 1;
                }
            }
            let is_last = round as usize >= self.symmetries.len();
            if self.is_done() || is_last && is_idle {
                return;
            }
        }
    }

    /// Keeps a schedule if it is the shortest.
    pub fn keep(&mut self, found: Found) {
        if self.best.as_ref().is_none_or(|best| found.period < best.period) {
            (self.progress)(&self.bounds, Some(found.period));
            self.best = Some(found);
        }
    }
}
