//! Broadcasts under store-and-forward with all ports, one processor per router and full duplex. A
//! step then splits by receiver: its in-channels are matched to different messages that it misses,
//! the channel with the fewest options first.

use super::bits::BitRows;
use super::builder::Builder;
use super::choice::{Choice, Taste};
use super::demand;
use super::log::Log;
use super::possession::Possession;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, Problem};

/// A channel into a processor, and the processor at its tail.
#[derive(Debug, Clone, Copy)]
struct WayIn {
    from: usize,
    channel: ChannelId,
}

/// A channel into the current receiver that has no message yet.
#[derive(Debug, Clone, Copy)]
struct OpenWayIn {
    options: u32,
    tie: u64,
    way: usize,
}

/// A run that spreads all messages step by step.
#[derive(Debug)]
pub(super) struct Spreading<'a> {
    problem: &'a Problem,
    ways_in: Vec<Vec<WayIn>>,
    neighbours_out: Vec<Vec<usize>>,
    receivers: Vec<usize>,
    possession: Possession,
    choice: Choice,
    taste: Taste,
    log: Log,
    options: BitRows,
    open: Vec<OpenWayIn>,
    /// Ways that bring nothing demanded to the current receiver.
    idle: Vec<usize>,
    /// Whether processors also receive messages only to pass them on.
    is_carrying: bool,
    /// Whether some message is not for all processors.
    has_bystanders: bool,
    /// Steps between receiving a message and being able to pass it on.
    delay: usize,
}

impl<'a> Spreading<'a> {
    /// For a problem that satisfies `can_spread`.
    pub(super) fn new(problem: &'a Problem) -> Self {
        Self::with_delay(problem, 0)
    }

    /// The same, but every message waits `delay` steps before it is passed on.
    pub(super) fn with_delay(problem: &'a Problem, delay: usize) -> Self {
        let network = problem.network();
        let processors = network.processor_count();
        let messages = problem.messages().len();
        let mut ways_in = vec![Vec::new(); processors];
        let mut neighbours_out = vec![Vec::new(); processors];
        for p in network.living_processors() {
            for &channel in network.in_channels(problem.home(p)) {
                let from = network.residents(network.channel(channel).tail)[0].index();
                ways_in[p.index()].push(WayIn { from, channel });
                neighbours_out[from].push(p.index());
            }
        }
        for out in &mut neighbours_out {
            out.sort_unstable();
            out.dedup();
        }
        let most_in = ways_in.iter().map(Vec::len).max().unwrap_or(0);
        let most_out = neighbours_out.iter().map(Vec::len).max().unwrap_or(0);
        Self {
            problem,
            receivers: (0..processors).filter(|&p| !ways_in[p].is_empty()).collect(),
            ways_in,
            neighbours_out,
            possession: Possession::new(problem),
            choice: Choice::new(messages, most_out),
            taste: Taste::Near,
            log: Log::default(),
            options: BitRows::new(most_in, messages),
            open: Vec::new(),
            idle: Vec::new(),
            is_carrying: false,
            has_bystanders: demand::has_bystanders(problem),
            delay,
        }
    }

    /// What every processor holds and misses.
    pub(super) fn possession(&self) -> &Possession {
        &self.possession
    }

    fn receive(&mut self, to: usize, rng: &mut Rng) {
        if self.possession.missing_by(to) == 0 && !self.is_carrying {
            return;
        }
        self.idle.clear();
        self.choice.look_around(&self.neighbours_out[to], &self.possession.missing);
        self.list_options(to, rng);
        while let Some(next) =
            (0..self.open.len()).min_by_key(|&at| (self.open[at].options, self.open[at].tie))
        {
            let OpenWayIn { options, way, .. } = self.open.swap_remove(next);
            if options == 0 {
                self.idle.push(way);
                continue;
            }
            let row = self.options.row(way);
            let message =
                self.choice.pick((row, row), self.taste, rng).expect("the way has an option");
            for other in &mut self.open {
                if self.options.has(other.way, message) {
                    self.options.clear(other.way, message);
                    other.options -= 1;
                }
            }
            let WayIn { from, channel } = self.ways_in[to][way];
            self.log.push(message, from, to, &[channel]);
            self.possession.expect(to, message);
        }
        if self.is_carrying {
            self.carry_for_others(to, rng);
        }
    }

    /// Uses the idle ways for messages that a neighbour misses.
    fn carry_for_others(&mut self, to: usize, rng: &mut Rng) {
        for way in std::mem::take(&mut self.idle) {
            let WayIn { from, channel } = self.ways_in[to][way];
            let sets = (self.possession.held.row(from), self.possession.lacking_at_home(to));
            let Some(message) = self.choice.pick(sets, Taste::Near, rng) else { continue };
            let is_of_use = |&p: &usize| self.possession.missing.has(p, message);
            if self.neighbours_out[to].iter().any(is_of_use) {
                self.log.push(message, from, to, &[channel]);
                self.possession.expect_for_others(to, message);
            }
        }
    }

    /// Lists the messages that each way can bring.
    fn list_options(&mut self, to: usize, rng: &mut Rng) {
        self.open.clear();
        let missing = self.possession.missing.row(to);
        for (number, way) in self.ways_in[to].iter().enumerate() {
            let held = self.possession.held.row(way.from);
            let row = self.options.row_mut(number);
            for (option, (a, b)) in row.iter_mut().zip(held.iter().zip(missing)) {
                *option = a & b;
            }
            let options = self.options.count(number);
            self.open.push(OpenWayIn { options, tie: rng.bits(), way: number });
        }
    }
}

impl Builder for Spreading<'_> {
    fn begin(&mut self, number: u32, rng: &mut Rng) {
        self.taste = if number % 3 == 2 { Taste::NearThenRare } else { Taste::Near };
        self.possession.set_demand(demand::demanded(self.problem, number, rng));
        self.is_carrying = self.has_bystanders && number.is_multiple_of(2);
        self.log.clear();
    }

    fn rewind(&mut self, log: &Log, steps: usize) {
        self.possession.rewind(log, steps);
        self.log.copy(log, steps);
        for transfer in (steps.saturating_sub(self.delay)..steps).flat_map(|step| log.step(step)) {
            self.possession.held.clear(transfer.to.index(), transfer.message.index());
        }
    }

    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize {
        let mut order = self.receivers.clone();
        while self.possession.total() > 0 && self.log.step_count() < steps as usize {
            let before = self.possession.total();
            self.choice.look_everywhere(&self.possession);
            self.log.start_step();
            rng.shuffle(&mut order);
            for &to in &order {
                self.receive(to, rng);
            }
            if let Some(step) = self.log.step_count().checked_sub(1 + self.delay) {
                for transfer in self.log.step(step) {
                    self.possession.held.set(transfer.to.index(), transfer.message.index());
                }
            }
            if !budget.spend((before - self.possession.total()).max(1) as u64) {
                break;
            }
        }
        self.possession.total()
    }

    fn log(&self) -> &Log {
        &self.log
    }
}
