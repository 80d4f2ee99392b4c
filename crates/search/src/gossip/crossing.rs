//! All-gather on a half-duplex mesh under store-and-forward. The hard part is the direction of each
//! link in each step: a processor near the border that sends once too often can no longer receive
//! everything in time. Every direction has a planned number of messages ([`Mesh::loads`]), and
//! [`Shares`] correct the plan so that no such step is taken. Within a step, links are matched with
//! messages: those with the longest way to go and with the most neighbours that miss them come
//! first. So every link of a square mesh carries a new message in every step.

use super::bits;
use super::builder::Builder;
use super::demand;
use super::log::Log;
use super::mesh::Mesh;
use super::possession::Possession;
use super::shares::{MeshLink, Shares};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, ProcessorId};

/// Longest chain of links that choose again for one link.
const CHAIN: u32 = 64;

/// Candidates examined for one evaluation.
const CANDIDATES: u64 = 32;

/// No link.
const NONE: u32 = u32::MAX;

/// What makes a message urgent, drawn anew whenever a run continues.
#[derive(Debug, Clone, Copy, Default)]
struct UrgencyWeights {
    /// For each hop that the message still makes from the receiver as planned.
    way: f32,
    /// For each neighbour of the receiver that misses the message.
    needed: f32,
    /// For each link of the receiver (negative): prefers the border.
    degree: f32,
    noise: f32,
}

impl UrgencyWeights {
    fn draw(rng: &mut Rng) -> Self {
        let mut within = |most: f64| (most * rng.unit()) as f32;
        let degree = within(3.0);
        Self { way: 0.3 + within(1.0), needed: degree + within(2.0), degree, noise: within(3.0) }
    }
}

/// A run of this method.
#[derive(Debug)]
pub(super) struct CrossingRun<'a> {
    problem: &'a Problem,
    shares: Shares,
    /// By processor: those from which it can receive.
    sources: Vec<Vec<usize>>,
    possession: Possession,
    log: Log,
    weights: UrgencyWeights,
    messages: usize,
    /// By processor and message: the hops that it still makes from there as planned.
    way: Vec<u16>,
    /// By processor and message: the neighbours to which it could pass the message.
    needed: Vec<u16>,
    /// By processor and message: the link that brings it in this step, and the last search that
    /// asked this link.
    bringer: Vec<u32>,
    asked: Vec<u32>,
    search: u32,
    /// By link: the message of this step and the end that receives it.
    chosen: Vec<Option<(usize, usize)>>,
    candidates: u64,
}

impl<'a> CrossingRun<'a> {
    pub(super) fn new(problem: &'a Problem, mesh: Mesh) -> Self {
        let shares = Shares::new(problem, &mesh.loads(problem.network()));
        let (processors, messages) =
            (problem.network().processor_count(), problem.messages().len());
        let mut sources = vec![Vec::new(); processors];
        for link in &shares.links {
            for end in (0..2).filter(|&end| link.into[end].is_some()) {
                sources[link.ends[end]].push(link.ends[1 - end]);
            }
        }
        Self {
            problem,
            way: ways(problem, mesh),
            sources,
            possession: Possession::new(problem),
            log: Log::default(),
            weights: UrgencyWeights::default(),
            messages,
            needed: vec![0; processors * messages],
            bringer: vec![NONE; processors * messages],
            asked: vec![0; processors * messages],
            search: 0,
            chosen: vec![None; shares.links.len()],
            candidates: 0,
            shares,
        }
    }

    fn at(&self, processor: usize, message: usize) -> usize {
        processor * self.messages + message
    }

    /// The messages that a link could carry, each with the end that would receive it.
    fn list(&self, link: usize, is_free: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ends = self.shares.links[link].ends;
        let may_serve = move |&end: &usize| {
            let is_open = is_free || self.shares.allows(link, end);
            is_open && self.shares.links[link].into[end].is_some()
        };
        (0..2).filter(may_serve).flat_map(move |end| {
            let held = self.possession.held.row(ends[1 - end]);
            let missing = self.possession.missing.row(ends[end]);
            let both = held.iter().zip(missing).map(|(held, missing)| held & missing);
            let words = both.enumerate().filter(|&(_, word)| word != 0);
            words.flat_map(move |(at, word)| bits::ones_of(word).map(move |b| (64 * at + b, end)))
        })
    }

    /// The most urgent message that no other link brings in this step.
    fn best(&mut self, link: usize, is_free: bool, rng: &mut Rng) -> Option<(usize, usize)> {
        let (ends, weights) = (self.shares.links[link].ends, self.weights);
        let basis = ends.map(|end| -weights.degree * self.shares.degree(end) as f32);
        let mut best: Option<(f32, (usize, usize))> = None;
        let mut seen = 0;
        for (message, end) in self.list(link, is_free) {
            seen += 1;
            let at = self.at(ends[end], message);
            if self.bringer[at] != NONE {
                continue;
            }
            let urgency = basis[end]
                + weights.way * f32::from(self.way[at])
                + weights.needed * f32::from(self.needed[at])
                + weights.noise * rng.unit() as f32;
            if best.is_none_or(|(most, _)| urgency > most) {
                best = Some((urgency, (message, end)));
            }
        }
        self.candidates += seen;
        best.map(|(_, choice)| choice)
    }

    /// Chooses a message for a link. If others bring all that it could carry, one of them chooses
    /// again.
    fn choose(&mut self, link: usize, length: u32, rng: &mut Rng) -> bool {
        if let Some(choice) = self.best(link, false, rng) {
            self.take(link, choice);
            return true;
        }
        if length == 0 {
            return false;
        }
        let list: Vec<(usize, usize)> = self.list(link, false).collect();
        for (message, end) in list {
            let at = self.at(self.shares.links[link].ends[end], message);
            let is_new = std::mem::replace(&mut self.asked[at], self.search) != self.search;
            if is_new && self.choose(self.bringer[at] as usize, length - 1, rng) {
                self.take(link, (message, end));
                return true;
            }
        }
        false
    }

    fn take(&mut self, link: usize, (message, end): (usize, usize)) {
        let at = self.at(self.shares.links[link].ends[end], message);
        self.bringer[at] = link as u32;
        self.chosen[link] = Some((message, end));
    }

    fn step(&mut self, rng: &mut Rng) {
        self.log.start_step();
        self.shares.balance(rng);
        self.chosen.fill(None);
        let mut order: Vec<usize> = (0..self.chosen.len()).collect();
        rng.shuffle(&mut order);
        for &link in &order {
            self.search += 1;
            self.choose(link, CHAIN, rng);
        }
        for link in order {
            // Better a message in the wrong direction than none.
            if self.chosen[link].is_none()
                && let Some(choice) = self.best(link, true, rng)
            {
                self.take(link, choice);
            }
            self.shares.spend(link, self.chosen[link].map(|(_, end)| end));
        }
        self.carry_out();
    }

    /// Makes the chosen transfers the last step of the log.
    fn carry_out(&mut self) {
        for link in 0..self.chosen.len() {
            let Some((message, end)) = self.chosen[link] else { continue };
            let MeshLink { ends, into } = &self.shares.links[link];
            let Some(channel) = into[end] else { continue };
            let (from, to) = (ends[1 - end], ends[end]);
            self.log.push(message, from, to, &[channel]);
            self.possession.expect(to, message);
            self.possession.held.set(to, message);
            let at = self.at(to, message);
            self.bringer[at] = NONE;
        }
        for link in 0..self.chosen.len() {
            if let Some((message, end)) = self.chosen[link] {
                self.no_longer_needs(self.shares.links[link].ends[end], message);
            }
        }
    }

    /// Records that a processor holds a message, for its neighbours.
    fn no_longer_needs(&mut self, processor: usize, message: usize) {
        for &neighbour in &self.sources[processor] {
            self.needed[neighbour * self.messages + message] -= 1;
        }
    }

    fn count_needed(&mut self) {
        self.needed.fill(0);
        for (processor, sources) in self.sources.iter().enumerate() {
            for message in bits::ones(self.possession.missing.row(processor)) {
                for &source in sources {
                    self.needed[source * self.messages + message] += 1;
                }
            }
        }
    }

    /// Divides the steps of the links for a schedule of at most `steps` steps, or for the fewest
    /// that allow it.
    fn divide(&mut self, steps: u32, rng: &mut Rng) {
        let Self { shares, possession, log, .. } = self;
        let sent = (0..log.step_count()).flat_map(|step| log.step(step)).map(|t| t.path[0]);
        shares.plan_rest(sent);
        let missing = |processor| possession.missing_by(processor);
        if steps < u32::MAX {
            shares.divide(steps - log.step_count() as u32, missing, rng);
            return;
        }
        let of_all = possession.total().div_ceil(shares.links.len().max(1)) as u32;
        let processors = 0..self.sources.len();
        let of_one = |p: usize| missing(p).div_ceil(self.sources[p].len().max(1) as u32);
        let mut least = processors.map(of_one).max().unwrap_or(0).max(of_all);
        let most = possession.total() as u32;
        while least < most && !shares.divide(least, missing, rng) {
            least += least / 64 + 1;
        }
    }
}

impl Builder for CrossingRun<'_> {
    fn begin(&mut self, number: u32, rng: &mut Rng) {
        self.possession.set_demand(demand::demanded(self.problem, number, rng));
        self.log.clear();
        self.count_needed();
    }

    fn rewind(&mut self, log: &Log, steps: usize) {
        self.possession.rewind(log, steps);
        self.log.copy(log, steps);
        self.count_needed();
    }

    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize {
        self.weights = UrgencyWeights::draw(rng);
        self.divide(steps, rng);
        while self.possession.total() > 0 && self.log.step_count() < steps as usize {
            self.step(rng);
            let spent = std::mem::take(&mut self.candidates) / CANDIDATES;
            if !budget.spend(spent.max(self.chosen.len() as u64)) {
                break;
            }
        }
        self.possession.total()
    }

    fn log(&self) -> &Log {
        &self.log
    }
}

/// By processor and message: the hops that it still makes from there as planned.
fn ways(problem: &Problem, mesh: Mesh) -> Vec<u16> {
    let messages = problem.messages();
    let mut ways = Vec::with_capacity(problem.network().processor_count() * messages.len());
    for processor in 0..problem.network().processor_count() as u32 {
        let at = problem.home(ProcessorId(processor)).index();
        for message in messages.ids() {
            let origin = problem.home(messages.origin(message)).index();
            ways.push(mesh.hops_after(origin, at) as u16);
        }
    }
    ways
}
