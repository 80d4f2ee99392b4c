//! All-to-all broadcast under store-and-forward with all ports, one processor per router and full
//! duplex: a step splits by receiver, and for each one its in-channels are matched to different
//! messages that it still misses.

use super::bits::{self, BitRows, Counters};
use super::demand;
use super::log::Log;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, Problem};

/// One way into a processor: a channel and the processor at its tail.
#[derive(Debug, Clone, Copy)]
struct Way {
    from: usize,
    channel: ChannelId,
}

/// A run in which everything spreads step by step.
#[derive(Debug)]
pub(super) struct Spread<'a> {
    problem: &'a Problem,
    ways_in: Vec<Vec<Way>>,
    neighbours_out: Vec<Vec<usize>>,
    demand: BitRows,
    held: BitRows,
    missing: BitRows,
    missing_total: usize,
    misses: Vec<u32>,
    log: Log,
    rarity: Counters,
    local: Counters,
    options: BitRows,
    candidates: Vec<u64>,
    scratch: Vec<u64>,
}

impl<'a> Spread<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let network = problem.network();
        let processors = network.processor_count();
        let messages = problem.messages().len();
        let mut ways_in = vec![Vec::new(); processors];
        let mut neighbours_out = vec![Vec::new(); processors];
        for p in network.living_processors() {
            let home = problem.home(p);
            for &channel in network.in_channels(home) {
                let from = network.residents(network.channel(channel).tail)[0].index();
                ways_in[p.index()].push(Way { from, channel });
                neighbours_out[from].push(p.index());
            }
        }
        let most_in = ways_in.iter().map(Vec::len).max().unwrap_or(0);
        let most_out = neighbours_out.iter().map(Vec::len).max().unwrap_or(0);
        for out in &mut neighbours_out {
            out.sort_unstable();
            out.dedup();
        }
        let digits = (usize::BITS - most_out.leading_zeros()) as usize;
        let words = messages.div_ceil(64);
        Self {
            problem,
            ways_in,
            neighbours_out,
            demand: BitRows::new(processors, messages),
            held: BitRows::new(processors, messages),
            missing: BitRows::new(processors, messages),
            missing_total: 0,
            misses: vec![0; messages],
            log: Log::default(),
            rarity: Counters::new(4, messages),
            local: Counters::new(digits, messages),
            options: BitRows::new(most_in, messages),
            candidates: vec![0; words],
            scratch: vec![0; words],
        }
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// Runs `steps` steps; how many receptions are then still missing.
    pub(super) fn run(
        &mut self,
        steps: u32,
        run: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> usize {
        self.reset(rng);
        let is_global = run % 3 == 2;
        let mut order: Vec<usize> =
            (0..self.ways_in.len()).filter(|&p| !self.ways_in[p].is_empty()).collect();
        for step in 0..steps {
            if self.missing_total == 0 {
                break;
            }
            self.log.start_step();
            let max = self.misses.iter().copied().max().unwrap_or(0);
            self.rarity.store(self.misses.iter().map(|&n| 15 - (max - n).min(15)));
            rng.shuffle(&mut order);
            for &to in &order {
                self.receive(to, is_global, rng);
            }
            for transfer in self.log.step(step as usize) {
                self.held.set(transfer.to.index(), transfer.message.index());
            }
            if !budget.spend(order.len() as u64) {
                break;
            }
        }
        self.missing_total
    }

    fn reset(&mut self, rng: &mut Rng) {
        self.demand = demand::demanded(self.problem, rng);
        self.log.clear();
        self.held = demand::held_at_start(self.problem);
        self.missing.clone_from(&self.demand);
        self.missing_total = 0;
        self.misses.fill(0);
        for p in 0..self.ways_in.len() {
            for message in bits::ones(self.demand.row(p)) {
                self.misses[message] += 1;
                self.missing_total += 1;
            }
        }
    }

    fn receive(&mut self, to: usize, is_global: bool, rng: &mut Rng) {
        let ways = self.ways_in[to].len();
        let missing = self.missing.row(to);
        if missing.iter().all(|&w| w == 0) {
            return;
        }
        for (at, way) in self.ways_in[to].iter().enumerate() {
            let held = self.held.row(way.from);
            for ((option, &a), &b) in self.options.row_mut(at).iter_mut().zip(held).zip(missing) {
                *option = a & b;
            }
        }
        self.local.reset();
        for &neighbour in &self.neighbours_out[to] {
            self.local.add(self.missing.row(neighbour));
        }
        let mut open: Vec<(u32, u64, usize)> =
            (0..ways).map(|at| (self.options.count(at), rng.bits(), at)).collect();
        while let Some(next) =
            open.iter().enumerate().min_by_key(|(_, o)| (o.0, o.1)).map(|(i, _)| i)
        {
            let (count, _, at) = open.swap_remove(next);
            if count == 0 {
                continue;
            }
            self.candidates.copy_from_slice(self.options.row(at));
            self.local.keep_largest(&mut self.candidates, &mut self.scratch);
            if is_global {
                self.rarity.keep_largest(&mut self.candidates, &mut self.scratch);
            }
            let message = bits::pick(&self.candidates, rng).expect("there was an option");
            for other in &mut open {
                if self.options.has(other.2, message) {
                    self.options.clear(other.2, message);
                    other.0 -= 1;
                }
            }
            let way = self.ways_in[to][at];
            self.log.push(message, way.from, to, &[way.channel]);
            self.missing.clear(to, message);
            self.missing_total -= 1;
            self.misses[message] -= 1;
        }
    }
}
