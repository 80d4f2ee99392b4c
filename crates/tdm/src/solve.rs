//! The driver: bounds first, then the shortest period that the methods reach.

use crate::bounds::{TdmBounds, add_slow_bounds, quick_bounds};
use crate::chains::{self, Orientation, SquareTorus};
use crate::ejection::{EjectionSearch, Ended};
use crate::instance::Instance;
use crate::stage::first_success;
use crate::symmetry::{self, Symmetry};
use pavane_model::tdm::{MOST_PERIOD, TdmBound, TdmRules, Word};
use pavane_model::{TdmProblem, TdmSchedule};
use pavane_search::{Interrupt, Rng};
use pavane_verify::{CheckedTdm, TdmRejection, check_tdm};

/// How a search is done.
#[derive(Debug, Clone)]
pub struct TdmOptions {
    /// Random seed. The result depends on the seed, but not on the number of threads unless the
    /// interrupt cuts the search short.
    pub seed: u64,
    /// Number of threads, at least 1.
    pub threads: usize,
    /// Search for a schedule with this period only.
    pub slots: Option<u32>,
    /// Limit on the number of times that words are placed; work that another thread
    /// makes unnecessary does not count.
    pub evaluations: Option<u64>,
    /// Deadline and interrupt.
    pub interrupt: Interrupt,
}

impl Default for TdmOptions {
    fn default() -> Self {
        let evaluations = Some(1_000_000);
        Self { seed: 1, threads: 1, slots: None, evaluations, interrupt: Interrupt::never() }
    }
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct TdmOutcome {
    /// The bounds.
    pub bounds: TdmBounds,
    /// The schedule with the shortest period that was found, accepted by the judge.
    pub schedule: Option<CheckedTdm>,
    /// The method that found it.
    pub method: Option<&'static str>,
    /// Whether the interrupt cut the search short.
    pub is_interrupted: bool,
}

/// Finds a schedule with a short period. Fails only if the judge rejects the result, which is a bug.
pub fn solve(problem: &TdmProblem, options: &TdmOptions) -> Result<TdmOutcome, TdmRejection> {
    solve_with(problem, options, &|_, _| {})
}

/// As [`solve`]; `progress` is told the bound and every shorter period.
pub fn solve_with(
    problem: &TdmProblem,
    options: &TdmOptions,
    progress: &(dyn Fn(&TdmBounds, Option<u32>) + Sync),
) -> Result<TdmOutcome, TdmRejection> {
    let mut driver = Driver {
        problem,
        options,
        bounds: quick_bounds(problem, &options.interrupt),
        symmetries: Vec::new(),
        torus: SquareTorus::of(problem),
        best: None,
        spent: 0,
        progress,
    };
    progress(&driver.bounds, None);
    driver.run();
    let is_interrupted = options.interrupt.is_raised();
    let Driver { bounds, best, .. } = driver;
    let (schedule, method) = match best {
        None => (None, None),
        Some(found) => {
            let bound = Some(bounds.best.clone());
            (Some(checked(problem, found.period, found.words, bound)?), Some(found.method))
        }
    };
    Ok(TdmOutcome { bounds, schedule, method, is_interrupted })
}

/// Has the judge accept a schedule.
pub(crate) fn checked(
    problem: &TdmProblem,
    period: u32,
    words: Vec<Word>,
    bound: Option<TdmBound>,
) -> Result<CheckedTdm, TdmRejection> {
    check_tdm(TdmSchedule { problem: problem.clone(), period, words, bound })
}

/// A schedule and how it was found.
struct Found {
    period: u32,
    words: Vec<Word>,
    method: &'static str,
}

/// A way to find a schedule.
#[derive(Debug, Clone, Copy)]
enum Method {
    /// Eulerian chains.
    Chains,
    /// Ejection search in the quotient by a symmetry.
    Ejection(usize),
}

struct Driver<'a> {
    problem: &'a TdmProblem,
    options: &'a TdmOptions,
    bounds: TdmBounds,
    symmetries: Vec<Symmetry>,
    torus: Option<SquareTorus>,
    best: Option<Found>,
    /// Placements of words so far.
    spent: u64,
    progress: &'a (dyn Fn(&TdmBounds, Option<u32>) + Sync),
}

/// Placements per word without progress after which a short search gives up, and of a short search.
const PATIENCE: u64 = 6;
const EFFORT: u64 = 60;
/// The same for a large problem at the bound, so that a longer period is tried soon.
const FIRST_EFFORT: u64 = 12;
/// The words that the searches of the first round place at least once, all together, and the most
/// searches.
const FIRST_WORDS: usize = 4000;
const MOST_SEARCHES: usize = 64;
/// Words up to which periods that suit no symmetry are searched.
const MOST_WITHOUT_SYMMETRY: u64 = 3000;
/// Attempts at chains in one round.
const CHAIN_TASKS: usize = 4;

impl Driver<'_> {
    fn run(&mut self) {
        if let Some(slots) = self.options.slots {
            if slots >= self.bounds.best.period {
                self.prepare();
                self.at_one_period(slots);
            }
            return;
        }
        let bound = self.bounds.best.period;
        if self.has_chain_period(bound) && self.attempt(bound, 0) {
            return;
        }
        self.prepare();
        if self.attempt(bound, 0) {
            return;
        }
        add_slow_bounds(self.problem, &mut self.bounds, &self.options.interrupt);
        (self.progress)(&self.bounds, None);
        self.scaled();
        self.first();
        self.shorten();
    }

    fn prepare(&mut self) {
        let rules = self.problem.rules();
        // A word that is longer than a hop would overlap its own images on a straight route.
        if rules.phits > rules.depth {
            self.symmetries = vec![Symmetry::trivial(self.problem)];
            return;
        }
        let mut rng = Rng::stream(self.options.seed, u64::MAX);
        self.symmetries = symmetry::candidates(self.problem, &self.options.interrupt, &mut rng);
    }

    fn is_over(&self) -> bool {
        self.options.evaluations.is_some_and(|most| self.spent >= most)
            || self.options.interrupt.is_raised()
    }

    fn is_done(&self) -> bool {
        let bound = self.bounds.best.period;
        self.best.as_ref().is_some_and(|best| best.period <= bound) || self.is_over()
    }

    /// Whether chains may have this period. They do not suit ports that are busy almost all the time.
    fn has_chain_period(&self, period: u32) -> bool {
        self.torus.is_some_and(|torus| {
            let words = torus.side * torus.side - 1;
            torus.chain_period() == period as usize && period as usize > words + words / 16
        })
    }

    /// Rounds with more and more effort at one period.
    fn at_one_period(&mut self, period: u32) {
        for round in 0.. {
            if self.is_over() || self.attempt(period, round) {
                return;
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
        let options = TdmOptions { evaluations: left, ..self.options.clone() };
        let outcome = solve(&reduced, &options);
        let Some(found) = outcome.ok().and_then(|outcome| outcome.schedule) else { return };
        let schedule = found.schedule();
        let Some(period) = schedule.period.checked_mul(phits).filter(|&p| p <= MOST_PERIOD) else {
            return;
        };
        let stretch = |word: &Word| Word { start: word.start * phits, ..word.clone() };
        let words = schedule.words.iter().map(stretch).collect();
        self.keep(Found { period, words, method: "ejection search in units of words" });
    }

    /// Periods that are not multiples of this are skipped in a round. Large problems need a symmetry.
    fn step(&self, round: u32) -> u32 {
        let is_large = self.problem.word_count() > MOST_WITHOUT_SYMMETRY;
        let useful = self.symmetries.iter().filter(|symmetry| symmetry.order() > 1);
        let parts: Vec<u32> = useful.map(|symmetry| symmetry.parts).collect();
        match parts.get(round as usize).or(parts.last()) {
            Some(&parts) if is_large => parts,
            _ => 1,
        }
    }

    /// Finds some schedule, with longer and longer periods.
    fn first(&mut self) {
        let (bound, step) = (u64::from(self.bounds.best.period), u64::from(self.step(0)));
        let mut extra = (bound / 50).max(1);
        // Every few periods, a less symmetric search joins in.
        for attempt in 0.. {
            if self.best.is_some() || self.options.interrupt.is_raised() {
                return;
            }
            let period = (bound + extra).next_multiple_of(step);
            let Some(period) = u32::try_from(period).ok().filter(|&p| p <= MOST_PERIOD) else {
                return;
            };
            self.attempt(period, attempt / 4);
            if extra > 64 * (bound + self.problem.word_count()) {
                return;
            }
            extra *= 2;
        }
    }

    /// Searches for shorter periods by bisection; every round has more effort than the one before.
    fn shorten(&mut self) {
        for round in 0.. {
            let Some(best) = &self.best else { return };
            let step = self.step(round);
            let mut low = self.bounds.best.period.div_ceil(step);
            let mut high = best.period.saturating_sub(1) / step;
            let is_idle = low > high;
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

    /// Searches at one period with the effort of a round. Keeps what it finds.
    fn attempt(&mut self, period: u32, round: u32) -> bool {
        let methods = self.methods(period, round);
        let instances: Vec<Option<Instance>> = methods
            .iter()
            .map(|method| match method {
                Method::Chains => None,
                Method::Ejection(at) => Instance::new(self.problem, &self.symmetries[*at], period),
            })
            .collect();
        // Without a schedule, the effort is limited so that longer periods get their share, and at least
        // enough to place all words.
        let left = self.options.evaluations.map_or(u64::MAX, |most| most - self.spent.min(most));
        let is_first = self.best.is_none() && self.options.slots.is_none();
        let limit = if is_first { (left / 4).max(20 * self.problem.word_count()) } else { left };
        let mut tasks: Vec<(usize, usize)> = Vec::new();
        for (number, method) in methods.iter().enumerate() {
            let count = match method {
                Method::Chains => CHAIN_TASKS << round.min(16),
                Method::Ejection(_) => instances[number].as_ref().map_or(0, |instance| {
                    let searches = FIRST_WORDS / instance.items.len();
                    let searches = searches.clamp(1, MOST_SEARCHES) << round.min(16);
                    let affordable = limit / (EFFORT * instance.items.len() as u64);
                    searches.min(affordable.try_into().unwrap_or(usize::MAX)).max(1)
                }),
            };
            tasks.extend((0..count).map(|task| (number, task)));
        }
        let work = |number: usize, interrupt: &Interrupt| {
            let (method, task) = tasks[number];
            let stream = u64::from(period) << 32 | u64::from(round) << 24 | number as u64;
            let mut rng = Rng::stream(self.options.seed, stream);
            match (methods[method], &instances[method]) {
                (Method::Chains, _) => self.chain(limit, &mut rng, interrupt),
                (Method::Ejection(at), Some(instance)) => {
                    let words = instance.items.len() as u64;
                    // After Luby, Sinclair and Zuckerman (1993): mostly short searches.
                    let longer = 1 << (task + 1).trailing_zeros();
                    let patience = PATIENCE * words.max(32) * longer;
                    let is_hurried =
                        is_first && words > FIRST_WORDS as u64 && period == self.bounds.best.period;
                    let effort = if is_hurried { FIRST_EFFORT } else { EFFORT };
                    let limit = limit.min(effort * words.max(32) * longer);
                    let mut search = EjectionSearch::new(instance, rng);
                    let ended = search.run(limit, patience, interrupt);
                    let found = match ended {
                        Ended::Solved(placements) => {
                            Some(instance.expand(&self.symmetries[at], &placements))
                        }
                        Ended::Exhausted | Ended::Interrupted => None,
                    };
                    (search.insertions, found)
                }
                (Method::Ejection(_), None) => (0, None),
            }
        };
        let threads = self.options.threads;
        let staged = first_success(tasks.len(), threads, &self.options.interrupt, work);
        self.spent += staged.effort.max(1);
        let Some((number, words)) = staged.success else { return false };
        let method = match methods[tasks[number].0] {
            Method::Chains => "Eulerian chains",
            Method::Ejection(at) if self.symmetries[at].order() > 1 => {
                "ejection search modulo symmetry"
            }
            Method::Ejection(_) => "ejection search",
        };
        self.keep(Found { period, words, method });
        true
    }

    /// The methods for a period. Less symmetric searches are slower and come into later rounds.
    fn methods(&self, period: u32, round: u32) -> Vec<Method> {
        let mut methods = Vec::new();
        if self.has_chain_period(period) {
            methods.push(Method::Chains);
        }
        let suits = |at: &usize| period.is_multiple_of(self.symmetries[*at].parts);
        let suitable = (0..self.symmetries.len()).filter(suits);
        methods.extend(suitable.take(1 + round as usize).map(Method::Ejection));
        methods
    }

    fn chain(&self, limit: u64, rng: &mut Rng, interrupt: &Interrupt) -> (u64, Option<Vec<Word>>) {
        let Some(torus) = self.torus else { return (0, None) };
        let (effort, starts) = match torus.orientation {
            Orientation::Bidirectional => chains::bidirectional(torus, limit, rng, interrupt),
            Orientation::Unidirectional => chains::unidirectional(torus, limit, rng, interrupt),
        };
        (effort, starts.and_then(|starts| torus.words(self.problem.network(), &starts)))
    }

    fn keep(&mut self, found: Found) {
        if self.best.as_ref().is_none_or(|best| found.period < best.period) {
            (self.progress)(&self.bounds, Some(found.period));
            self.best = Some(found);
        }
    }
}
