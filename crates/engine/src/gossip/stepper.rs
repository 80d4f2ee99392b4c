//! Any list of messages under any rules, step by step: those who miss most choose first where to
//! get something from, and where all ways are taken another transfer is moved out of the way.

use super::bits::{self, BitRows, Counters};
use super::board::Board;
use super::demand;
use super::log::Log;
use super::private::Travellers;
use super::search::{Search, Way};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Switching};

/// How a run chooses, where there is a choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    /// Prefer messages that many still miss to those that the neighbours miss.
    pub is_global: bool,
    /// Fetch from far away first.
    pub is_far: bool,
    /// Messages for one destination move before the others.
    pub is_private_first: bool,
    /// Transfers that may be moved out of the way in a step, per processor.
    pub evictions: usize,
}

impl Habits {
    /// What is usually best.
    pub(super) fn first(problem: &Problem) -> Self {
        let messages = problem.messages();
        let private = messages.ids().filter(|&m| messages.is_private(m)).count();
        let is_far = 2 * private > messages.delivery_count();
        Self { is_global: false, is_far, is_private_first: true, evictions: 4 }
    }

    /// Something else.
    pub(super) fn random(problem: &Problem, rng: &mut Rng) -> Self {
        Self {
            is_global: rng.chance(0.3),
            is_private_first: rng.chance(0.5),
            evictions: 1 << rng.below(6),
            ..Self::first(problem)
        }
    }
}

/// A run that places transfers step by step.
#[derive(Debug)]
pub(super) struct Stepper<'a> {
    problem: &'a Problem,
    /// Messages that go hop by hop to their one destination.
    is_travelling: Vec<bool>,
    neighbours: Vec<Vec<usize>>,
    receivers: Vec<usize>,
    start: BitRows,
    demand: BitRows,
    held: BitRows,
    missing: BitRows,
    missing_count: Vec<u32>,
    missing_total: usize,
    misses: Vec<u32>,
    travellers: Travellers,
    board: Board,
    search: Search<'a>,
    log: Log,
    rarity: Counters,
    local: Counters,
    candidates: Vec<u64>,
    scratch: Vec<u64>,
}

impl<'a> Stepper<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let processors = problem.network().processor_count();
        let messages = problem.messages().len();
        let is_hopping = problem.model().switching == Switching::StoreAndForward;
        let neighbours = neighbours(problem);
        let most = neighbours.iter().map(Vec::len).max().unwrap_or(0);
        let digits = (usize::BITS - most.leading_zeros()) as usize;
        let words = messages.div_ceil(64);
        Self {
            problem,
            is_travelling: problem
                .messages()
                .ids()
                .map(|m| is_hopping && problem.messages().is_private(m))
                .collect(),
            neighbours,
            receivers: Vec::new(),
            start: demand::held_at_start(problem),
            demand: BitRows::new(processors, messages),
            held: BitRows::new(processors, messages),
            missing: BitRows::new(processors, messages),
            missing_count: vec![0; processors],
            missing_total: 0,
            misses: vec![0; messages],
            travellers: Travellers::default(),
            board: Board::new(problem),
            search: Search::new(problem),
            log: Log::default(),
            rarity: Counters::new(4, messages),
            local: Counters::new(digits, messages),
            candidates: vec![0; words],
            scratch: vec![0; words],
        }
    }

    /// What the last run did.
    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// Runs until everything is where it should be (the answer is then true), `steps` steps are
    /// over, it is clear that they will not do, or the budget is spent.
    pub(super) fn run(
        &mut self,
        steps: u32,
        habits: Habits,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> bool {
        self.reset(rng);
        budget.spend(1);
        for step in 0..steps {
            if self.missing_total == 0 && self.travellers.is_empty() {
                break;
            }
            if !self.is_possible_in(steps - step) {
                return false;
            }
            self.take_step(habits, rng);
            if !budget.spend(self.finish_step()) {
                return false;
            }
        }
        self.missing_total == 0 && self.travellers.is_empty()
    }

    fn reset(&mut self, rng: &mut Rng) {
        self.log.clear();
        self.demand = demand::demanded(self.problem, rng);
        self.held.clone_from(&self.start);
        self.missing.clone_from(&self.demand);
        self.misses.fill(0);
        for processor in 0..self.missing_count.len() {
            self.missing_count[processor] = self.demand.count(processor);
            for message in bits::ones(self.demand.row(processor)) {
                self.misses[message] += 1;
            }
        }
        self.missing_total = self.missing_count.iter().map(|&count| count as usize).sum();
        self.receivers =
            (0..self.missing_count.len()).filter(|&p| self.missing_count[p] > 0).collect();
        if self.is_travelling.contains(&true) {
            self.travellers = Travellers::new(self.problem, rng);
        }
    }

    fn is_possible_in(&self, steps: u32) -> bool {
        self.receivers.iter().all(|&p| {
            u64::from(self.missing_count[p])
                <= u64::from(steps) * u64::from(self.board.receive_ports(p))
        }) && self.travellers.longest() <= steps as usize
    }

    fn take_step(&mut self, habits: Habits, rng: &mut Rng) {
        self.board.clear();
        let most = self.misses.iter().copied().max().unwrap_or(0);
        self.rarity.store(self.misses.iter().map(|&misses| 15 - (most - misses).min(15)));
        if habits.is_private_first {
            self.travellers.advance(self.problem, &mut self.board, rng);
        }
        let open = self.fill(habits, rng);
        if !habits.is_private_first {
            self.travellers.advance(self.problem, &mut self.board, rng);
        }
        self.move_out_of_the_way(open, habits, rng);
    }

    /// Rounds in which every receiver, those that miss most first, gets one transfer more. The
    /// answer is those that found no way.
    fn fill(&mut self, habits: Habits, rng: &mut Rng) -> Vec<usize> {
        let mut round = std::mem::take(&mut self.receivers);
        round.retain(|&p| self.missing_count[p] > 0);
        self.receivers.clone_from(&round);
        let mut open = Vec::new();
        while !round.is_empty() {
            rng.shuffle(&mut round);
            round.sort_by_key(|&p| std::cmp::Reverse(self.need(p)));
            let mut still = Vec::new();
            for &to in &round {
                if !self.board.can_receive(to) || self.missing_count[to] == 0 {
                    continue;
                }
                let sets = (&self.held, &self.missing);
                match self.search.free_way(&self.board, sets, to, habits.is_far, rng) {
                    Some(way) => {
                        self.place(to, &way, habits, rng);
                        still.push(to);
                    }
                    None => open.push(to),
                }
            }
            round = still;
        }
        open
    }

    fn need(&self, processor: usize) -> u64 {
        need_of(&self.board, &self.missing_count, processor)
    }

    /// Each processor that found no way may take back one other transfer; its receiver then looks
    /// for another way, and so on.
    fn move_out_of_the_way(&mut self, mut open: Vec<usize>, habits: Habits, rng: &mut Rng) {
        let mut left = habits.evictions * open.len();
        while left > 0 && !open.is_empty() {
            left -= 1;
            let to = open.swap_remove(rng.below(open.len()));
            if !self.board.can_receive(to) || self.missing_count[to] == 0 {
                continue;
            }
            let sets = (&self.held, &self.missing);
            if let Some(way) = self.search.free_way(&self.board, sets, to, habits.is_far, rng) {
                self.place(to, &way, habits, rng);
                open.push(to);
                continue;
            }
            let need = self.need(to);
            let (board, missing, private) = (&self.board, &self.missing_count, &self.is_travelling);
            let may_evict = |number: usize| {
                let placed = board.placed(number);
                let is_fair = need_of(board, missing, placed.to) <= need + 1000;
                placed.to != to && is_fair && !private[placed.message]
            };
            let Some(way) = self.search.way_with_victim(&self.board, sets, to, may_evict, rng)
            else {
                continue;
            };
            let victim = way.victim.expect("a way without one would have been found before");
            let evicted = self.take_back(victim);
            self.place(to, &way, habits, rng);
            open.push(to);
            open.push(evicted);
        }
    }

    fn take_back(&mut self, number: usize) -> usize {
        let (to, message) = (self.board.placed(number).to, self.board.placed(number).message);
        self.board.remove(number);
        self.missing.set(to, message);
        self.missing_count[to] += 1;
        self.misses[message] += 1;
        self.missing_total += 1;
        to
    }

    fn place(&mut self, to: usize, way: &Way, habits: Habits, rng: &mut Rng) {
        let message = self.choose_message(to, way.from, habits, rng);
        self.board.place(message, way.from, to, &way.path);
        self.missing.clear(to, message);
        self.missing_count[to] -= 1;
        self.misses[message] -= 1;
        self.missing_total -= 1;
    }

    fn choose_message(&mut self, to: usize, from: usize, habits: Habits, rng: &mut Rng) -> usize {
        let rows = self.held.row(from).iter().zip(self.missing.row(to));
        for (candidate, (held, missing)) in self.candidates.iter_mut().zip(rows) {
            *candidate = held & missing;
        }
        self.local.reset();
        for &neighbour in &self.neighbours[to] {
            self.local.add(self.missing.row(neighbour));
        }
        let counters = match habits.is_global {
            true => [&self.rarity, &self.local],
            false => [&self.local, &self.rarity],
        };
        for counter in counters {
            counter.keep_largest(&mut self.candidates, &mut self.scratch);
        }
        bits::pick(&self.candidates, rng).expect("the sender holds something that is missing")
    }

    /// Writes the step down; how many transfers it has.
    fn finish_step(&mut self) -> u64 {
        self.log.start_step();
        let mut count = 0;
        for placed in self.board.transfers() {
            self.log.push(placed.message, placed.from, placed.to, self.board.path(placed));
            self.held.set(placed.to, placed.message);
            count += 1;
        }
        count.max(1)
    }
}

/// What a processor misses, measured against its ports.
fn need_of(board: &Board, missing: &[u32], processor: usize) -> u64 {
    u64::from(missing[processor]) * 1000 / u64::from(board.receive_ports(processor).max(1))
}

/// The processors that a processor can pass something on to over at most one channel.
fn neighbours(problem: &Problem) -> Vec<Vec<usize>> {
    let network = problem.network();
    let mut neighbours = vec![Vec::new(); network.processor_count()];
    for p in network.living_processors() {
        let home = problem.home(p);
        let list = &mut neighbours[p.index()];
        list.extend(network.residents(home).iter().filter(|&&q| q != p).map(|q| q.index()));
        for &channel in network.out_channels(home) {
            let head = network.channel(channel).head;
            list.extend(network.residents(head).iter().map(|q| q.index()));
        }
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}
