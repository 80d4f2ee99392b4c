//! Store-and-forward broadcast. Every processor must receive the message in some step from a
//! neighbour that received it earlier. A processor that finds no such place takes the cheapest one
//! and ejects others from it, and its own weight grows each time.

use super::greedy::{ServedFirst, greedy};
use super::matched_growth::{GrowthPlace, Neighbours};
use super::one_message::{OneMessage, Send, is_one_message};
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, Duplex, Problem, ProcessorId, Schedule, Switching};

/// Guided ejection search over the step and the parent from which each processor receives the
/// message.
#[derive(Debug, Clone, Copy, Default)]
pub struct HopByHop;

/// Receive step of a processor that has no place yet.
const NEVER: u32 = u32::MAX;

/// Weight that a processor gains when it ejects others.
const WEIGHT_STEP: f32 = 0.1;

/// Moves without improvement after each inserted processor, before the next one is inserted.
const PUSHES: usize = 100;

/// Cost of a parent that has no place yet.
const HOPE: f32 = 1.5;

/// Moves without improvement, per candidate processor, before the search restarts.
const PATIENCE: usize = 30;

/// Probability that a search starts from the growth by matchings.
const GROWING: f64 = 0.7;

impl Suitability for HopByHop {
    fn takes(&self, problem: &Problem) -> bool {
        is_one_message(problem) && problem.model().switching == Switching::StoreAndForward
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        15
    }
}

impl Engine for HopByHop {
    fn describe(&self) -> Traits {
        Traits {
            name: "hop-by-hop",
            purpose: "one message with several destinations, store-and-forward",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        greedy(&OneMessage::new(context.problem()), ServedFirst::Farthest, u32::MAX, budget)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let task = OneMessage::new(context.problem());
        let mut board = HopBoard::new(&task, steps);
        let is_too_far = |p: &ProcessorId| board.earliest[p.index()] > steps;
        if task.destinations.iter().any(is_too_far) {
            return Attempt::OutOfBudget;
        }
        // Growth that pays no heed to destinations suits broadcasts, not multicasts.
        let neighbours =
            (task.destinations.len() == task.candidates.len()).then(|| Neighbours::new(&task));
        while budget.spend(1) {
            board.clear();
            let is_filled = match &neighbours {
                Some(neighbours) if rng.chance(GROWING) => {
                    let growth = neighbours.grow(&task, steps, budget, rng);
                    board.fill_from(&growth, budget, rng)
                }
                _ => board.fill(budget, rng),
            };
            if is_filled {
                return Attempt::Found(board.schedule());
            }
        }
        Attempt::OutOfBudget
    }
}

/// A possible reception of the message: processor, sender and step.
#[derive(Debug, Clone, Copy)]
struct HopPlace {
    parent: ProcessorId,
    /// `None` if the parent has the same home.
    channel: Option<ChannelId>,
    step: u32,
}

/// The step in which each processor receives the message, numbered from 1. A parent may still have
/// no place; it must then get one before those of its children.
struct HopBoard<'a> {
    task: &'a OneMessage<'a>,
    steps: u32,
    /// By processor: the first step in which the message can arrive.
    earliest: Vec<u32>,
    /// By processor: the step in which it receives the message; 0 for the origin.
    birth: Vec<u32>,
    place: Vec<Option<HopPlace>>,
    children: Vec<Vec<ProcessorId>>,
    weight: Vec<f32>,
    is_waiting: Vec<bool>,
    waiting: Vec<ProcessorId>,
}

impl<'a> HopBoard<'a> {
    fn new(task: &'a OneMessage<'a>, steps: u32) -> Self {
        let distance = task.network.distances_from(task.home(task.origin));
        let processors = task.network.processor_count();
        let mut earliest = vec![NEVER; processors];
        for &processor in &task.candidates {
            earliest[processor.index()] = distance[task.home(processor).index()].max(1);
        }
        Self {
            task,
            steps,
            earliest,
            birth: vec![NEVER; processors],
            place: vec![None; processors],
            children: vec![Vec::new(); processors],
            weight: vec![1.0; processors],
            is_waiting: vec![false; processors],
            waiting: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.birth.fill(NEVER);
        self.birth[self.task.origin.index()] = 0;
        self.place.fill(None);
        self.children.iter_mut().for_each(Vec::clear);
        self.weight.fill(1.0);
        self.is_waiting.fill(false);
        self.waiting.clear();
    }

    fn wait(&mut self, processor: ProcessorId) {
        if !std::mem::replace(&mut self.is_waiting[processor.index()], true) {
            self.waiting.push(processor);
        }
    }

    /// Finds a place for every destination; returns whether it succeeded.
    fn fill(&mut self, budget: &mut Budget, rng: &mut Rng) -> bool {
        // Nearest first, in random order among equals.
        let mut order = self.task.destinations.to_vec();
        rng.shuffle(&mut order);
        order.sort_by_key(|p| self.earliest[p.index()]);
        for processor in order {
            // A processor already has a place if others chose it as their parent.
            if self.birth[processor.index()] == NEVER {
                self.wait(processor);
            }
            // Settle now: an ejected processor still finds a place near the origin.
            self.settle_all(PUSHES, budget, rng);
            if budget.is_over() {
                return false;
            }
        }
        self.settle_all(PATIENCE * self.task.candidates.len(), budget, rng)
    }

    /// Places processors as they received the message in a growth, then the others.
    fn fill_from(&mut self, growth: &[GrowthPlace], budget: &mut Budget, rng: &mut Rng) -> bool {
        for &GrowthPlace { processor, parent, channel, step } in growth {
            let place = HopPlace { parent, channel, step };
            let is_free = self.birth[parent.index()] < step
                && self.on_channel(place).is_none()
                && self.on_port(place).is_none();
            if is_free {
                self.birth[processor.index()] = step;
                self.place[processor.index()] = Some(place);
                self.children[parent.index()].push(processor);
            }
        }
        for &processor in self.task.destinations {
            if self.birth[processor.index()] == NEVER {
                self.wait(processor);
            }
        }
        // Far from complete growths are not worth the moves.
        let moves = PATIENCE * self.task.candidates.len() / (1 + self.waiting.len());
        self.settle_all(moves, budget, rng)
    }

    /// Places waiting processors, up to `moves` times; the count restarts whenever fewer wait than
    /// ever before. Returns whether none is left waiting.
    fn settle_all(&mut self, moves: usize, budget: &mut Budget, rng: &mut Rng) -> bool {
        let mut fewest = self.waiting.len();
        let mut left = moves;
        while !self.waiting.is_empty() && left > 0 && budget.spend(1) {
            let at = rng.below(self.waiting.len());
            let processor = self.waiting.swap_remove(at);
            self.settle(processor, rng);
            left -= 1;
            if self.waiting.len() < fewest {
                fewest = self.waiting.len();
                left = moves;
            }
        }
        self.waiting.is_empty()
    }

    /// Gives a waiting processor the cheapest place; the processors in conflict with it have to
    /// wait.
    fn settle(&mut self, processor: ProcessorId, rng: &mut Rng) {
        self.is_waiting[processor.index()] = false;
        if !self.is_wanted(processor) {
            return;
        }
        let Some((cost, place)) = self.best_place(processor, rng) else {
            self.wait(processor);
            return;
        };
        if cost >= 1.0 {
            self.weight[processor.index()] += WEIGHT_STEP;
        }
        let too_early =
            |p: &ProcessorId| self.birth[p.index()] != NEVER && self.birth[p.index()] <= place.step;
        let mut pushed: Vec<ProcessorId> = self.children[processor.index()].clone();
        pushed.retain(too_early);
        pushed.extend(self.on_channel(place));
        pushed.extend(self.on_port(place));
        for other in pushed {
            self.remove(other);
            self.wait(other);
        }
        self.birth[processor.index()] = place.step;
        self.place[processor.index()] = Some(place);
        self.children[place.parent.index()].push(processor);
        if self.birth[place.parent.index()] == NEVER {
            self.wait(place.parent);
        }
    }

    fn is_wanted(&self, processor: ProcessorId) -> bool {
        self.task.is_destination[processor.index()] || !self.children[processor.index()].is_empty()
    }

    /// Removes a processor's place, and those of ancestors that received the message only for its
    /// sake.
    fn remove(&mut self, processor: ProcessorId) {
        let mut next = Some(processor);
        while let Some(processor) = next.take() {
            self.birth[processor.index()] = NEVER;
            let Some(place) = self.place[processor.index()].take() else { return };
            let siblings = &mut self.children[place.parent.index()];
            siblings.retain(|&child| child != processor);
            if place.parent != self.task.origin && !self.is_wanted(place.parent) {
                next = Some(place.parent);
            }
        }
    }

    /// The cheapest place for a processor, the earliest among equals.
    fn best_place(&self, processor: ProcessorId, rng: &mut Rng) -> Option<(f32, HopPlace)> {
        let network = self.task.network;
        let home = self.task.home(processor);
        let mut best: Option<(f32, HopPlace)> = None;
        let mut ties = 0;
        let neighbours = network.in_channels(home).iter().copied().map(Some);
        for channel in neighbours.chain([None]) {
            let from = channel.map_or(home, |channel| network.channel(channel).tail);
            for &parent in network.residents(from) {
                if parent == processor || self.task.ports[parent.index()] == 0 {
                    continue;
                }
                let Some((cost, place)) = self.best_from(processor, parent, channel) else {
                    continue;
                };
                let is_better = best.is_none_or(|(least, at)| {
                    cost < least || cost == least && place.step < at.step
                });
                let is_tie = best.is_some_and(|(least, at)| cost == least && place.step == at.step);
                ties = if is_better { 1 } else { ties + u32::from(is_tie) };
                if is_better || is_tie && rng.below(ties as usize) == 0 {
                    best = Some((cost, place));
                }
            }
        }
        best
    }

    /// The cheapest step to receive the message from this parent over this channel.
    fn best_from(
        &self,
        processor: ProcessorId,
        parent: ProcessorId,
        channel: Option<ChannelId>,
    ) -> Option<(f32, HopPlace)> {
        let is_born = self.birth[parent.index()] != NEVER;
        let ready =
            if is_born { self.birth[parent.index()] } else { self.earliest[parent.index()] };
        let base = if is_born { 0.0 } else { HOPE };
        let mut best: Option<(f32, HopPlace)> = None;
        let first = (ready.saturating_add(1)).max(self.earliest[processor.index()]);
        for step in first..=self.steps {
            let place = HopPlace { parent, channel, step };
            let weight = |p: &ProcessorId| self.weight[p.index()];
            let too_early = self.children[processor.index()]
                .iter()
                .filter(|child| self.birth[child.index()] <= step)
                .map(weight)
                .sum::<f32>();
            let on_channel = self.on_channel(place).map_or(0.0, |p| weight(&p));
            let on_port = self.on_port(place).map_or(0.0, |p| weight(&p));
            let cost = base + too_early + on_channel + on_port;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
            if cost == base {
                break;
            }
        }
        best
    }

    /// The processor that receives the message over the same channel (half duplex: link) in the
    /// same step.
    fn on_channel(&self, place: HopPlace) -> Option<ProcessorId> {
        let network = self.task.network;
        let channel = place.channel?;
        let uses = |channel: ChannelId| {
            network.residents(network.channel(channel).head).iter().copied().find(move |p| {
                let other = self.place[p.index()];
                other.is_some_and(|o| o.channel == Some(channel) && o.step == place.step)
            })
        };
        let is_half = self.task.problem.model().duplex == Duplex::Half;
        let opposite = network.opposite(channel).filter(|_| is_half);
        uses(channel).or_else(|| uses(opposite?))
    }

    /// If the parent has no free port in this step: the lightest of the processors it sends to.
    fn on_port(&self, place: HopPlace) -> Option<ProcessorId> {
        let children = self.children[place.parent.index()].iter().copied();
        let rivals = children.filter(|p| self.birth[p.index()] == place.step);
        if (rivals.clone().count() as u32) < self.task.ports[place.parent.index()] {
            return None;
        }
        rivals.min_by(|a, b| self.weight[a.index()].total_cmp(&self.weight[b.index()]))
    }

    fn schedule(&self) -> Schedule {
        let mut sends = vec![Vec::new(); self.steps as usize];
        for (to, place) in self.place.iter().enumerate() {
            let Some(HopPlace { parent, channel, step }) = *place else { continue };
            let (to, path) = (ProcessorId(to as u32), channel.into_iter().collect());
            sends[step as usize - 1].push(Send { from: parent, to, path });
        }
        self.task.schedule(sends)
    }
}
