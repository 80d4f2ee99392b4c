//! One attempt at a period: several searches on all threads, with the effort of a round.

use crate::chains::{self, Orientation};
use crate::driver::{Driver, Found};
use crate::ejection::{EjectionSearch, Ended};
use crate::greedy::{GreedyResult, GreedyWords};
use crate::guide::Guide;
use crate::instance::{Instance, Placement};
use crate::priced::PricedSearch;
use crate::pricing::{IRREGULAR, Pricing, STRAIGHT};
use crate::stage::first_success;
use pavane_model::tdm::{TdmCertificate, Word};
use pavane_search::{Interrupt, Rng};

/// A way to find a schedule.
#[derive(Debug, Clone, Copy)]
enum Method {
    /// Eulerian chains.
    Chains,
    /// Ejection search in the quotient by a symmetry.
    Ejection(usize),
    /// First fit, for problems that are too large for the other ones.
    Greedy,
}

/// A method with what its searches share.
struct Prepared {
    method: Method,
    instance: Option<Instance>,
    /// A schedule with a longer period to start from.
    start: Option<(u32, Vec<Placement>)>,
    /// What a priced search needs, if that suits the instance.
    guide: Option<Guide>,
}

/// What a search has found: all words and, modulo a symmetry, those of the quotient.
type Words = (Vec<Word>, Option<Vec<Placement>>);

/// Placements per word without progress after which a short search gives up, and of a short search.
const PATIENCE: u64 = 6;
const EFFORT: u64 = 60;
/// The same for the first searches of a large problem, so that other periods are tried soon.
const FIRST_EFFORT: u64 = 12;
/// Words without symmetry above which searches are short, and begin with the best schedule; placements
/// per word of the first ones, and without progress.
const BROAD: u64 = 1500;
const BROAD_EFFORT: u64 = 10;
const BROAD_PATIENCE: u64 = 2;
const PORT_EFFORT: u64 = 40;
/// Placements per word of the first priced searches, and without progress.
const PRICED_EFFORT: u64 = 8;
const PRICED_PATIENCE: u64 = 2;
/// The same in networks in which channels do not continue each other, with more than `BROAD` words: few long
/// searches reach further than many short ones. They get at most this part of limited evaluations, and join
/// in early if there are at most so many words: in the first round, and in the second one.
const LONG_EFFORT: u64 = 800;
const LONG_PATIENCE: u64 = 200;
const LONG_PART: u64 = 8;
const MOST_LONG_FIRST: u64 = 6000;
const MOST_LONG: u64 = 20_000;
/// How often this effort is doubled if only ports bound the period.
const PORT_DOUBLINGS: u32 = 2;
/// The words that the searches of the first round place at least once, all together, and the most
/// searches.
const FIRST_WORDS: usize = 4000;
const MOST_SEARCHES: usize = 64;
/// Words up to which a search in single slots joins one in units of words in the first round.
const MOST_SINGLE_FIRST: u64 = 200;
/// Attempts at chains, and at first fit, in one round.
const CHAIN_TASKS: usize = 4;
const GREEDY_TASKS: usize = 2;

impl Driver<'_> {
    /// Whether chains may have this period. They do not suit ports that are busy almost all the time.
    pub fn has_chain_period(&self, period: u32) -> bool {
        self.torus.is_some_and(|torus| {
            let words = torus.side * torus.side - 1;
            torus.chain_period() == period as usize && period as usize > words + words / 16
        })
    }

    /// Searches at one period with the effort of a round. Keeps what it finds.
    pub fn attempt(&mut self, period: u32, round: u32) -> bool {
        let options = self.options;
        self.attempt_until(period, round, &options.interrupt)
    }

    /// The same with another interrupt.
    pub fn attempt_until(&mut self, period: u32, round: u32, interrupt: &Interrupt) -> bool {
        let methods = self.methods(period, round);
        // Without a schedule, the effort is limited so that longer periods get their share, and at least
        // enough to place all words.
        let left = self.options.evaluations.map_or(u64::MAX, |most| most - self.spent.min(most));
        let is_first = self.best.is_none() && self.options.slots.is_none();
        let limit = if is_first { (left / 4).max(20 * self.problem.word_count()) } else { left };
        let mut tasks: Vec<(usize, usize)> = Vec::new();
        for (number, prepared) in methods.iter().enumerate() {
            let count = match (prepared.method, &prepared.instance) {
                (Method::Chains, _) => CHAIN_TASKS << round.min(16),
                (Method::Greedy, _) => GREEDY_TASKS,
                (Method::Ejection(_), None) => 0,
                (Method::Ejection(_), Some(instance)) => {
                    let searches = FIRST_WORDS / instance.items.len();
                    let searches = searches.clamp(2, MOST_SEARCHES) << round.min(16);
                    let affordable = limit / (EFFORT * instance.items.len() as u64);
                    searches.min(affordable.try_into().unwrap_or(usize::MAX)).max(1)
                }
            };
            tasks.extend((0..count).map(|task| (number, task)));
        }
        let work = |number: usize, interrupt: &Interrupt| {
            let (method, task) = tasks[number];
            let stream = u64::from(period) << 32 | u64::from(round) << 24 | number as u64;
            let mut rng = Rng::stream(self.options.seed, stream);
            let prepared = &methods[method];
            match (prepared.method, &prepared.instance) {
                (Method::Chains, _) => self.chain(limit, &mut rng, interrupt),
                (Method::Greedy, _) => self.fit(period, &mut rng, interrupt),
                (Method::Ejection(at), Some(instance)) => {
                    if let Some(guide) = prepared.guide.as_ref().filter(|_| task % 4 != 3) {
                        return self.place(
                            at,
                            instance,
                            guide,
                            (round, task),
                            limit,
                            rng,
                            interrupt,
                        );
                    }
                    let start = prepared.start.as_ref().filter(|_| task % 2 == 0);
                    self.eject(at, instance, start, (round, task), limit, rng, interrupt)
                }
                (Method::Ejection(_), None) => (0, None),
            }
        };
        let staged = first_success(tasks.len(), self.threads, interrupt, work);
        self.spent += staged.effort.max(1);
        let Some((number, (words, placements))) = staged.success else { return false };
        let (method, quotient) = match methods[tasks[number].0].method {
            Method::Chains => ("Eulerian chains", None),
            Method::Greedy => ("first fit", None),
            Method::Ejection(at) if self.symmetries[at].order() > 1 => {
                ("ejection search modulo symmetry", placements.map(|placements| (at, placements)))
            }
            Method::Ejection(_) => ("ejection search", None),
        };
        self.keep(Found { period, words, method, quotient });
        true
    }

    /// The methods for a period. Less symmetric searches are slower and come into later rounds.
    fn methods(&self, period: u32, round: u32) -> Vec<Prepared> {
        let mut methods = Vec::new();
        if self.has_chain_period(period) {
            methods.push(Prepared {
                method: Method::Chains,
                instance: None,
                start: None,
                guide: None,
            });
        }
        let suits = |at: &usize| period.is_multiple_of(self.symmetries[*at].parts);
        let suitable = (0..self.symmetries.len()).filter(suits);
        for at in suitable.take(1 + round as usize) {
            let interrupt = &self.options.interrupt;
            let instance = Instance::new(self.problem, &self.symmetries[at], period, interrupt);
            let start = instance.as_ref().and_then(|_| self.start(at));
            let guide = instance.as_ref().and_then(|instance| self.guide(at, instance));
            methods.push(Prepared { method: Method::Ejection(at), instance, start, guide });
        }
        self.add_single_slots(&mut methods, period, round);
        let last = self.symmetries.len().saturating_sub(1);
        let is_missing =
            methods.iter().all(|one| !matches!(one.method, Method::Ejection(at) if at == last));
        if is_missing && self.has_long_search(round) {
            let interrupt = &self.options.interrupt;
            let instance = Instance::new(self.problem, &self.symmetries[last], period, interrupt);
            if let Some(guide) = instance.as_ref().and_then(|instance| self.guide(last, instance)) {
                let (method, start) = (Method::Ejection(last), self.start(last));
                methods.push(Prepared { method, instance, start, guide: Some(guide) });
            }
        }
        let is_stuck = methods.iter().all(|prepared| {
            matches!(prepared.method, Method::Ejection(_)) && prepared.instance.is_none()
        });
        if is_stuck && !self.symmetries.is_empty() {
            methods.push(Prepared {
                method: Method::Greedy,
                instance: None,
                start: None,
                guide: None,
            });
        }
        methods
    }

    /// Words that are not in step may have a shorter period. If the least symmetric search is one in units, a
    /// search in single slots joins it, in the first round only if there are few words.
    fn add_single_slots(&self, methods: &mut Vec<Prepared>, period: u32, round: u32) {
        let Some(Prepared { method: Method::Ejection(at), instance: Some(instance), .. }) =
            methods.last()
        else {
            return;
        };
        let (at, is_few) = (*at, self.problem.word_count() <= MOST_SINGLE_FIRST);
        if instance.phases.unit == 1 || round == 0 && !is_few {
            return;
        }
        let interrupt = &self.options.interrupt;
        let instance = Instance::in_slots(self.problem, &self.symmetries[at], period, interrupt);
        let start = instance.as_ref().and_then(|_| self.start(at));
        let guide = instance.as_ref().and_then(|instance| self.guide(at, instance));
        methods.push(Prepared { method: Method::Ejection(at), instance, start, guide });
    }

    /// Whether a long search without symmetry joins those in quotients.
    pub fn has_long_search(&self, round: u32) -> bool {
        let most = if round == 0 { MOST_LONG_FIRST } else { MOST_LONG };
        self.problem.word_count() <= most && !self.is_straight()
    }

    /// What a priced search needs, if that suits the instance.
    fn guide(&self, at: usize, instance: &Instance) -> Option<Guide> {
        let is_suitable = self.symmetries[at].order() == 1 && PricedSearch::suits(instance);
        is_suitable.then(|| Guide::new(self.problem.network(), instance, self.prices()))
    }

    /// The best schedule in the quotient by a symmetry, if it is invariant.
    fn start(&self, at: usize) -> Option<(u32, Vec<Placement>)> {
        let best = self.best.as_ref()?;
        let placements = match &best.quotient {
            Some((found_in, placements)) if *found_in == at => placements.clone(),
            _ if self.symmetries[at].order() == 1 => {
                let place = |word: &Word| Placement { start: word.start, path: word.path.clone() };
                best.words.iter().map(place).collect()
            }
            _ => return None,
        };
        Some((best.period, placements))
    }

    /// Whether only ports bound a period. They alone seldom stand in the way, so that it deserves more effort.
    pub fn is_at_ports(&self, period: u32) -> bool {
        let bound = &self.bounds.best;
        period == bound.period && matches!(bound.certificate, TdmCertificate::Ports { .. })
    }

    /// One ejection search.
    #[expect(clippy::too_many_arguments, reason = "a task and its limits")]
    fn eject(
        &self,
        at: usize,
        instance: &Instance,
        start: Option<&(u32, Vec<Placement>)>,
        (round, task): (u32, usize),
        limit: u64,
        mut rng: Rng,
        interrupt: &Interrupt,
    ) -> (u64, Option<Words>) {
        let words = instance.items.len() as u64;
        // After Luby, Sinclair and Zuckerman (1993): mostly short searches.
        let longer = 1 << (task / 2 + 1).trailing_zeros();
        let is_at_ports = self.is_at_ports(instance.period);
        let is_broad = self.symmetries[at].order() == 1 && words > BROAD;
        let (effort, patience) = if is_broad && is_at_ports {
            (PORT_EFFORT << round.min(16), PATIENCE << round.min(16))
        } else if is_broad {
            (BROAD_EFFORT << round.min(16), BROAD_PATIENCE << round.min(16))
        } else if words > FIRST_WORDS as u64 && instance.period == self.bounds.best.period {
            (FIRST_EFFORT, PATIENCE)
        } else {
            (EFFORT, PATIENCE)
        };
        let patience = patience * words.max(32) * longer;
        let limit = limit.min(effort * words.max(32) * longer);
        let rotation = if self.problem.rules().wraps { rng.bits() as u32 } else { 0 };
        let mut search = EjectionSearch::new(instance, rng);
        if let Some((period, placements)) = start {
            search.start_from(placements, *period, rotation % period);
        }
        let found = match search.run(limit, patience, interrupt) {
            Ended::Solved(placements) => {
                let words = instance.expand(&self.symmetries[at], &placements);
                Some((words, Some(placements)))
            }
            Ended::Exhausted | Ended::Interrupted => None,
        };
        (search.insertions, found)
    }

    /// One priced search.
    #[expect(clippy::too_many_arguments, reason = "a task and its limits")]
    fn place(
        &self,
        at: usize,
        instance: &Instance,
        guide: &Guide,
        (round, task): (u32, usize),
        limit: u64,
        rng: Rng,
        interrupt: &Interrupt,
    ) -> (u64, Option<Words>) {
        let words = (instance.items.len() as u64).max(32);
        let all = limit;
        let is_at_ports = self.is_at_ports(instance.period);
        let doublings = round.min(16) + u32::from(is_at_ports);
        let most = (PRICED_EFFORT * words) << doublings;
        // Longer periods get their share of few evaluations.
        let more = if is_at_ports { (most << PORT_DOUBLINGS).min(limit / 4) } else { 0 };
        let limit = limit.min(most.max(more));
        let patience = (PRICED_PATIENCE * words) << (doublings + 2 * u32::from(is_at_ports));
        let is_long = words > BROAD && !guide.has_straight_routes();
        let (limit, patience) = if is_long {
            // The bound itself is seldom reached, and longer periods are easier.
            let is_hard = instance.period == self.bounds.best.period;
            let scaled = |number: u64| {
                let number = if is_hard { number / 4 } else { number };
                (number * words) << (round / 2).min(16)
            };
            let part = (all / LONG_PART).max(PRICED_EFFORT * words);
            (all.min(scaled(LONG_EFFORT)).min(part), scaled(LONG_PATIENCE))
        } else {
            (limit, patience)
        };
        let pricings: &[Pricing] = if guide.has_straight_routes() { &STRAIGHT } else { &IRREGULAR };
        let mut search = PricedSearch::new(instance, guide, pricings[task % pricings.len()], rng);
        let found = match search.run(limit, patience, interrupt) {
            Ended::Solved(placements) => {
                let words = instance.expand(&self.symmetries[at], &placements);
                Some((words, Some(placements)))
            }
            Ended::Exhausted | Ended::Interrupted => None,
        };
        (search.insertions, found)
    }

    fn chain(&self, limit: u64, rng: &mut Rng, interrupt: &Interrupt) -> (u64, Option<Words>) {
        let Some(torus) = self.torus else { return (0, None) };
        let (effort, starts) = match torus.orientation {
            Orientation::Bidirectional => chains::bidirectional(torus, limit, rng, interrupt),
            Orientation::Unidirectional => chains::unidirectional(torus, limit, rng, interrupt),
        };
        let words = starts.and_then(|starts| torus.words(self.problem.network(), &starts));
        (effort, words.map(|words| (words, None)))
    }

    fn fit(&self, period: u32, rng: &mut Rng, interrupt: &Interrupt) -> (u64, Option<Words>) {
        let Some(words) = GreedyWords::new(self.problem, rng, interrupt) else { return (0, None) };
        let found = match words.at(period, interrupt) {
            GreedyResult::Found(words) => Some((words, None)),
            GreedyResult::Tight | GreedyResult::Unsuitable | GreedyResult::Stopped => None,
        };
        (self.problem.word_count(), found)
    }
}
