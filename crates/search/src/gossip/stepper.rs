//! Handles any list of messages under any rules, step by step. The processors that miss most choose
//! first. If all ways are taken, another transfer is moved out of the way.

use super::board::{PlacedTransfer, StepBoard};
use super::builder::Builder;
use super::choice::{Choice, Taste};
use super::demand;
use super::log::Log;
use super::personalised::Travellers;
use super::possession::Possession;
use super::sender_search::{SenderGoal, SenderSearch, Way};
use crate::budget::{Budget, Interrupt, LOOK_EVERY};
use crate::rng::Rng;
use pavane_model::{Model, Ports, Problem, Switching};
use std::cmp::Reverse;

/// Urgency of one missing message for a processor with one port.
const UNIT: u64 = 64;

/// Strategy of a run.
#[derive(Debug, Clone, Copy)]
struct Habits {
    /// Criterion for choosing a message.
    taste: Taste,
    /// Prefer the farthest sender.
    is_far: bool,
    /// Probability of inverting `is_far` for one search.
    far_share: f64,
    /// Probability of first searching for the messages that most processors miss.
    rare_share: f64,
    /// Move personalised messages before the others.
    is_personalised_first: bool,
    /// Rounds in which processors without a way may displace other transfers.
    pushes: usize,
    /// Fetch messages that are new to the router before messages that its other processors hold.
    is_new_first: bool,
    /// Serve processors with a high sending load first.
    is_load_aware: bool,
}

impl Habits {
    /// The strategy that usually works best.
    fn first(problem: &Problem, is_load_uneven: bool) -> Self {
        let messages = problem.messages();
        let personalised = messages.ids().filter(|&m| messages.is_personalised(m)).count();
        Self {
            taste: Taste::NearThenRare,
            is_far: 2 * personalised > messages.delivery_count(),
            far_share: 0.0,
            rare_share: 0.0,
            is_personalised_first: true,
            pushes: 2,
            is_new_first: true,
            is_load_aware: is_load_uneven,
        }
    }

    /// Chooses a random strategy.
    fn vary(&mut self, rng: &mut Rng) {
        let tastes = [Taste::Near, Taste::NearThenRare, Taste::RareThenNear];
        self.taste = tastes[rng.below(tastes.len())];
        self.is_personalised_first = rng.chance(0.5);
        self.pushes = rng.below(5);
        self.far_share = [0.0, 0.0, 0.1, 0.4][rng.below(4)];
        self.rare_share = [0.0, 0.0, 0.5, 1.0][rng.below(4)];
        self.is_new_first = rng.chance(0.7);
    }
}

/// Longest chain of displaced transfers for one new transfer.
const CHAIN: usize = 8;

/// A run that places transfers step by step.
#[derive(Debug)]
pub(super) struct Stepper<'a> {
    problem: &'a Problem,
    habits: Habits,
    /// Personalised messages under store-and-forward.
    is_travelling: Vec<bool>,
    neighbours: Vec<Vec<usize>>,
    possession: Possession,
    travellers_at_start: Travellers,
    travellers: Travellers,
    board: StepBoard,
    search: SenderSearch<'a>,
    choice: Choice,
    log: Log,
    /// The number of processors that can reach each processor in one hop.
    sources: Vec<u64>,
    need: Vec<u64>,
    load: Vec<u64>,
    urgency: Vec<u64>,
    /// The messages that the current receiver would accept.
    wanted: Vec<u64>,
    searches: u64,
    /// Ends a step early on interrupt: a step of thousands of processors takes seconds.
    pace: Budget,
}

impl<'a> Stepper<'a> {
    /// For any problem that runs forward.
    pub(super) fn new(problem: &'a Problem) -> Self {
        let messages = problem.messages();
        let neighbours = neighbours(problem);
        let processors = neighbours.len();
        let mut sources = vec![0; processors];
        for &neighbour in neighbours.iter().flatten() {
            sources[neighbour] += 1;
        }
        let most = neighbours.iter().map(Vec::len).max().unwrap_or(0);
        let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
        let is_travelling =
            messages.ids().map(|m| is_store_and_forward && messages.is_personalised(m));
        Self {
            problem,
            habits: Habits::first(problem, false),
            is_travelling: is_travelling.collect(),
            neighbours,
            possession: Possession::new(problem),
            travellers_at_start: Travellers::default(),
            travellers: Travellers::default(),
            board: StepBoard::new(problem),
            search: SenderSearch::new(problem),
            choice: Choice::new(messages.len(), most),
            log: Log::default(),
            sources,
            need: vec![0; processors],
            load: vec![0; processors],
            urgency: vec![0; processors],
            wanted: vec![0; messages.len().div_ceil(64)],
            searches: 0,
            pace: Budget::unlimited(&Interrupt::never()),
        }
    }

    fn take_step(&mut self, rng: &mut Rng) {
        self.board.clear();
        self.choice.look_everywhere(&self.possession);
        self.weigh();
        if self.habits.is_personalised_first {
            self.travellers.advance(self.problem, &mut self.board, rng);
        }
        let open = self.fill(rng);
        if !self.habits.is_personalised_first {
            self.travellers.advance(self.problem, &mut self.board, rng);
        }
        self.move_out_of_the_way(open, rng);
        self.log.start_step();
        for placed in self.board.transfers() {
            self.log.push(placed.message, placed.from, placed.to, self.board.path(placed));
            self.possession.held.set(placed.to, placed.message);
        }
    }

    /// Computes how urgent receiving and sending are for every processor: its remaining work
    /// relative to its ports.
    fn weigh(&mut self) {
        let possession = &self.possession;
        for (p, neighbours) in self.neighbours.iter().enumerate() {
            let ports = u64::from(self.board.receive_ports(p).max(1));
            self.need[p] = UNIT * u64::from(possession.missing_by(p)) / ports;
            self.load[p] = 0;
            if self.habits.is_load_aware {
                // Assumes that a neighbour gets its missing messages in equal parts from all its
                // sources.
                let share = |&q: &usize| {
                    UNIT * u64::from(possession.missing_by(q)) / self.sources[q].max(1)
                };
                let load: u64 = neighbours.iter().map(share).sum();
                self.load[p] = load / u64::from(self.board.send_ports(p).max(1));
            }
        }
        self.urgency.clone_from(&self.need);
        for (p, neighbours) in self.neighbours.iter().enumerate() {
            for &q in neighbours {
                self.urgency[q] = self.urgency[q].max(self.load[p]);
            }
        }
    }

    /// Whether sending will keep some processor busy much longer than receiving keeps any.
    fn is_load_uneven(&mut self) -> bool {
        let Model { switching, ports, .. } = self.problem.model();
        if switching == Switching::Wormhole || ports == Ports::All {
            return false;
        }
        self.habits.is_load_aware = true;
        self.weigh();
        let most = |list: &[u64]| list.iter().copied().max().unwrap_or(0);
        5 * most(&self.load) > 7 * most(&self.need)
    }

    /// Makes rounds in which every receiver, most urgent first, gets one more transfer. Messages
    /// new to the router come first, because channels are scarcer than transfers within a router.
    /// Returns the receivers that found no way.
    fn fill(&mut self, rng: &mut Rng) -> Vec<usize> {
        let all = 0..self.neighbours.len();
        let mut receivers: Vec<usize> =
            all.filter(|&p| self.possession.missing_by(p) > 0).collect();
        rng.shuffle(&mut receivers);
        receivers.sort_by_key(|&p| Reverse(self.urgency[p]));
        let mut sharing = receivers.clone();
        sharing.retain(|&p| self.habits.is_new_first && self.possession.has_company(p));
        while !sharing.is_empty() {
            sharing.retain(|&to| self.can_receive(to) && self.serve(to, true, rng));
        }
        let mut open = Vec::new();
        while !receivers.is_empty() {
            receivers.retain(|&to| {
                let is_served = self.can_receive(to) && self.serve(to, false, rng);
                if !is_served && self.can_receive(to) {
                    open.push(to);
                }
                is_served
            });
        }
        open
    }

    fn can_receive(&self, to: usize) -> bool {
        self.board.can_receive(to) && self.possession.missing_by(to) > 0
    }

    /// Places a transfer to a processor if there is a free way.
    fn serve(&mut self, to: usize, only_new: bool, rng: &mut Rng) -> bool {
        self.possession.copy_missing(to, only_new, &mut self.wanted);
        let is_far = self.habits.is_far ^ rng.chance(self.habits.far_share);
        if rng.chance(self.habits.rare_share) {
            self.choice.keep_rarest(&mut self.wanted);
            if self.fetch(to, is_far, rng) {
                return true;
            }
            self.possession.copy_missing(to, only_new, &mut self.wanted);
        }
        self.fetch(to, is_far, rng)
    }

    /// Like [`Self::serve`], for the messages in `wanted`.
    fn fetch(&mut self, to: usize, is_far: bool, rng: &mut Rng) -> bool {
        self.searches += 1;
        if !self.pace.spend(1) {
            return false;
        }
        let (held, missing) = (&self.possession.held, &self.wanted[..]);
        let goal = SenderGoal { to, held, missing, load: &self.load, is_far };
        let way = self.search.free_way(&self.board, goal, rng);
        if let Some(way) = &way {
            self.place(to, way, rng);
        }
        way.is_some()
    }

    /// Lets each processor that found no way displace one other transfer, if its receiver, and any
    /// receiver that this displaces in turn, finds another way.
    fn move_out_of_the_way(&mut self, mut open: Vec<usize>, rng: &mut Rng) {
        for _ in 0..self.habits.pushes {
            open.retain(|&to| {
                while self.can_receive(to) && self.pace.spend(1) && self.push_in(to, rng) {}
                self.can_receive(to)
            });
        }
    }

    /// Adds one transfer to a processor without removing one from any other; returns whether that
    /// was possible.
    fn push_in(&mut self, to: usize, rng: &mut Rng) -> bool {
        let first_new = self.board.next_number();
        let mut pushed_out = Vec::new();
        let mut to_serve = to;
        for _ in 0..CHAIN {
            if self.serve(to_serve, false, rng) {
                return true;
            }
            let may_go = |number: usize| {
                let placed = self.board.placed(number);
                number < first_new && placed.to != to_serve && !self.is_travelling[placed.message]
            };
            self.possession.copy_missing(to_serve, false, &mut self.wanted);
            let (held, missing) = (&self.possession.held, &self.wanted[..]);
            let goal = SenderGoal { to: to_serve, held, missing, load: &self.load, is_far: false };
            self.searches += 1;
            let Some(way) = self.search.way_with_victim(&self.board, goal, may_go, rng) else {
                break;
            };
            let victim = way.victim.expect("a way without a victim was excluded");
            pushed_out.push(victim);
            let next = self.take_back(victim);
            self.place(to_serve, &way, rng);
            to_serve = next;
        }
        for number in (first_new..self.board.next_number()).rev() {
            self.take_back(number);
        }
        for number in pushed_out {
            let PlacedTransfer { to, message, .. } = *self.board.placed(number);
            self.board.put_back(number);
            self.possession.expect(to, message);
        }
        false
    }

    fn take_back(&mut self, number: usize) -> usize {
        let PlacedTransfer { to, message, .. } = *self.board.placed(number);
        self.board.remove(number);
        self.possession.give_up(to, message);
        to
    }

    fn place(&mut self, to: usize, way: &Way, rng: &mut Rng) {
        let possession = &self.possession;
        self.choice.look_around(&self.neighbours[to], &possession.missing);
        let sets = (possession.held.row(way.from), &self.wanted[..]);
        let message = self.choice.pick(sets, self.habits.taste, rng);
        let message = message.expect("the sender holds something that is missing");
        self.board.place(message, way.from, to, &way.path);
        self.possession.expect(to, message);
    }
}

impl Builder for Stepper<'_> {
    fn begin(&mut self, number: u32, rng: &mut Rng) {
        self.possession.set_demand(demand::demanded(self.problem, number, rng));
        self.habits = Habits::first(self.problem, self.is_load_uneven());
        if number > 0 {
            self.habits.vary(rng);
        }
        if self.is_travelling.contains(&true) {
            self.travellers_at_start = Travellers::new(self.problem, rng);
        }
        self.travellers.clone_from(&self.travellers_at_start);
        self.log.clear();
    }

    fn rewind(&mut self, log: &Log, steps: usize) {
        self.possession.rewind(log, steps);
        self.travellers.clone_from(&self.travellers_at_start);
        self.travellers.replay(log, steps);
        self.log.copy(log, steps);
    }

    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize {
        self.pace = Budget::unlimited(budget.interrupt());
        loop {
            let left = self.possession.total() + self.travellers.hops_left();
            if self.pace.is_over() {
                // Makes the budget notice the interrupt too.
                budget.spend(LOOK_EVERY);
                return left;
            }
            let is_over = left == 0 || self.log.step_count() >= steps as usize;
            if is_over || !budget.spend(std::mem::take(&mut self.searches)) {
                return left;
            }
            self.take_step(rng);
        }
    }

    fn log(&self) -> &Log {
        &self.log
    }
}

/// The processors that each processor can reach over at most one channel.
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
