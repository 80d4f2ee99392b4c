//! Board for store-and-forward: every message takes one channel at a time, in increasing steps.

use super::super::guided_search::{Board, Noise};
use super::super::layout::{Layout, Spare};
use super::graph::RelayGraph;
use super::greedy;
use super::grid::{FREE, HopGrid, rows_of};
use super::legs::{KeptMessage, Leg, NONE};
use crate::budget::Interrupt;
use crate::rng::Rng;
use pavane_model::{MessageId, ProcessorId};

/// Tabu list length per message.
const FORBIDDEN: usize = 4;

/// Minimum noise, used to break ties when `blur` is zero.
const TIES: f32 = 1e-4;

/// A channel in a step, forbidden until an iteration.
#[derive(Clone, Copy, Default)]
struct Forbidden {
    channel: u32,
    step: u32,
    until: u32,
}

/// A partial schedule with a fixed number of steps.
pub(super) struct RelayBoard<'a> {
    layout: &'a Layout<'a>,
    detour: u32,
    steps: usize,
    price_share: f32,
    grid: HopGrid,
    graph: RelayGraph,
    places: HopPlaces,
    forbidden: Vec<[Forbidden; FORBIDDEN]>,
    noise: Noise,
    /// Per node, the least cost of being there after 0, 1, ... steps.
    reach: Vec<f32>,
    hop_cost: Vec<f32>,
    plan: Vec<Leg>,
    evicted: Vec<u32>,
    /// Per evicted message, a step in which it conflicts with the plan.
    conflicts: Vec<u32>,
}

/// The tabu list and the noise while one message is planned.
struct Planning {
    forbidden: [Forbidden; FORBIDDEN],
    now: u32,
    scale: f32,
    salt: usize,
}

impl<'a> RelayBoard<'a> {
    /// Builds a schedule of `steps` steps: places the messages of `kept`, inserts those of `order`
    /// without conflicts, and returns it with the unplaced messages. An interrupt leaves more
    /// messages unplaced, or returns `None`.
    pub fn filled(
        layout: &'a Layout<'a>,
        detour: u32,
        steps: u32,
        (kept, order): (&[KeptMessage], &[u32]),
        (weight, price_share): (&[f32], f32),
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Option<(Self, Vec<u32>)> {
        let mut grid = HopGrid::new(layout.rows, steps, interrupt)?;
        let mut places = HopPlaces::new(layout, detour, kept);
        let mut place = |message: u32, legs: &[Leg]| {
            places.set(message, legs);
            for leg in legs {
                grid.set(layout, leg, message, weight[message as usize]);
            }
        };
        for (message, legs) in kept {
            place(*message, legs);
        }
        let left = greedy::insert_beside(layout, (kept, order), steps, interrupt, place);
        let board = Self {
            layout,
            detour,
            steps: steps as usize,
            price_share,
            grid,
            graph: RelayGraph::default(),
            places,
            forbidden: vec![[Forbidden::default(); FORBIDDEN]; weight.len()],
            noise: Noise::new(rng),
            reach: Vec::new(),
            hop_cost: vec![0.0; steps as usize],
            plan: Vec::new(),
            evicted: Vec::new(),
            conflicts: Vec::new(),
        };
        Some((board, left))
    }

    /// All legs in the schedule, each with its message.
    pub fn all_legs(&self) -> Vec<(u32, Leg)> {
        let messages = 0..self.places.starts.len() as u32;
        messages.flat_map(|m| self.places.legs(m).iter().map(move |&leg| (m, leg))).collect()
    }

    /// Writes the cost of a hop in every step into `hop_cost`.
    fn price_hop(&mut self, hop: usize, to: ProcessorId, planning: &Planning) {
        let tail = self.graph.hops[hop].tail as usize;
        let channel = self.graph.hops[hop].channel;
        let from = self.graph.nodes[tail].processor;
        self.grid.price_hop(self.layout, from, to, channel, &mut self.hop_cost);
        let price = match channel {
            NONE => 0.0,
            channel => self.price_share * self.layout.price[self.layout.row(channel) as usize],
        };
        let noise = self.noise.at(planning.salt.wrapping_add(hop.wrapping_mul(7919)));
        for costs in self.hop_cost.chunks_mut(noise.len()) {
            for (cost, noise) in costs.iter_mut().zip(noise) {
                *cost += price + planning.scale * noise;
            }
        }
        for forbidden in &planning.forbidden {
            if forbidden.until > planning.now && forbidden.channel == channel {
                self.hop_cost[forbidden.step as usize] = f32::INFINITY;
            }
        }
    }

    /// Fills `reach`, node by node.
    fn find_costs(&mut self, planning: &Planning) {
        let width = self.steps + 1;
        self.reach.clear();
        self.reach.resize(width, 0.0);
        self.reach.resize(width * self.graph.nodes.len(), f32::INFINITY);
        for node in 1..self.graph.nodes.len() {
            let to = self.graph.nodes[node].processor;
            for hop in self.graph.nodes[node].hops.clone() {
                self.price_hop(hop, to, planning);
                let (lower, upper) = self.reach.split_at_mut(node * width);
                let tail = self.graph.hops[hop].tail as usize * width;
                let before = &lower[tail..tail + self.steps];
                let after = &mut upper[1..width];
                for ((after, before), cost) in after.iter_mut().zip(before).zip(&self.hop_cost) {
                    let through = before + cost;
                    *after = if through < *after { through } else { *after };
                }
            }
            let mut least = f32::INFINITY;
            for reach in &mut self.reach[node * width..(node + 1) * width] {
                least = if *reach < least { *reach } else { least };
                *reach = least;
            }
        }
    }

    /// Follows the least cost back from the destination and stores the legs in `plan`.
    fn find_plan(&mut self, planning: &Planning) {
        let width = self.steps + 1;
        self.plan.clear();
        let (mut node, mut time) = (self.graph.nodes.len() - 1, self.steps);
        while node > 0 {
            let reach = &self.reach[node * width..(node + 1) * width];
            while reach[time - 1] == reach[time] {
                time -= 1;
            }
            time -= 1;
            let to = self.graph.nodes[node].processor;
            let mut best = (f32::INFINITY, 0);
            for hop in self.graph.nodes[node].hops.clone() {
                self.price_hop(hop, to, planning);
                let tail = self.graph.hops[hop].tail as usize;
                let cost = self.reach[tail * width + time] + self.hop_cost[time];
                if cost < best.0 {
                    best = (cost, hop);
                }
            }
            let hop = self.graph.hops[best.1];
            node = hop.tail as usize;
            let from = self.graph.nodes[node].processor;
            self.plan.push(self.grid.leg(self.layout, from, to, hop.channel, time as u32));
        }
        self.plan.reverse();
        if self.detour > 0 {
            self.cut_loops();
        }
    }

    /// Removes the legs between two visits to the same router; the message waits there instead.
    fn cut_loops(&mut self) {
        let home = |processor| self.layout.problem.home(ProcessorId(processor));
        let mut kept: Vec<Leg> = Vec::with_capacity(self.plan.len());
        for &leg in &self.plan {
            let mut leg = leg;
            if let Some(again) = kept.iter().position(|k| home(k.from) == home(leg.from)) {
                let (from, to) = (ProcessorId(kept[again].from), ProcessorId(leg.to));
                kept.truncate(again);
                leg = self.grid.leg(self.layout, from, to, leg.channel, leg.step);
            }
            kept.push(leg);
        }
        self.plan = kept;
    }

    fn find_evicted(&mut self) {
        self.evicted.clear();
        self.conflicts.clear();
        for leg in &self.plan {
            for row in rows_of(self.layout, leg) {
                let occupant = self.grid.occupant(row, leg.step);
                if occupant != FREE && !self.evicted.contains(&occupant) {
                    self.evicted.push(occupant);
                    self.conflicts.push(leg.step);
                }
            }
        }
    }
}

impl Board for RelayBoard<'_> {
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool {
        self.graph.find(self.layout, MessageId(message), self.detour);
        let planning = Planning {
            forbidden: self.forbidden[message as usize],
            now,
            scale: blur.max(TIES),
            salt: rng.bits() as usize,
        };
        self.find_costs(&planning);
        if self.reach.last().is_none_or(|cost| cost.is_infinite()) {
            return false;
        }
        self.find_plan(&planning);
        self.find_evicted();
        true
    }

    fn evicted(&self) -> &[u32] {
        &self.evicted
    }

    fn evict(&mut self, message: u32, until: u32) {
        let at = self.evicted.iter().position(|&other| other == message);
        let step = at.map_or(0, |at| self.conflicts[at]);
        for leg in self.places.legs(message) {
            self.grid.set(self.layout, leg, FREE, 0.0);
            let entries = &mut self.forbidden[message as usize];
            if leg.step == step
                && let Some(oldest) = entries.iter_mut().min_by_key(|entry| entry.until)
            {
                *oldest = Forbidden { channel: leg.channel, step, until };
            }
        }
        self.places.set(message, &[]);
    }

    fn carry_out(&mut self, message: u32, weight: f32) {
        self.places.set(message, &self.plan);
        self.reweigh(message, weight);
    }

    fn reweigh(&mut self, message: u32, weight: f32) {
        for leg in self.places.legs(message) {
            debug_assert!(
                rows_of(self.layout, leg)
                    .all(|row| [FREE, message].contains(&self.grid.occupant(row, leg.step))),
                "message {message} conflicts with another: {leg:?}"
            );
            self.grid.set(self.layout, leg, message, weight);
        }
    }
}

/// The legs of each message, in one block of memory.
struct HopPlaces {
    starts: Vec<u32>,
    lengths: Vec<u32>,
    legs: Vec<Leg>,
}

impl HopPlaces {
    fn new(layout: &Layout<'_>, detour: u32, kept: &[KeptMessage]) -> Self {
        let mut longest = vec![0; layout.problem.messages().len()];
        for (message, legs) in kept {
            longest[*message as usize] = legs.len() as u32;
        }
        let mut spare = Spare::default();
        let mut end = 0;
        let mut starts = Vec::with_capacity(layout.problem.messages().len());
        for message in layout.problem.messages().ids() {
            starts.push(end);
            // A message within one router has one leg, too.
            let new = layout.distance(message, &mut spare).max(1) + detour;
            end += new.max(longest[message.index()]);
        }
        let lengths = vec![0; starts.len()];
        Self { starts, lengths, legs: vec![Leg::default(); end as usize] }
    }

    fn legs(&self, message: u32) -> &[Leg] {
        let start = self.starts[message as usize] as usize;
        &self.legs[start..start + self.lengths[message as usize] as usize]
    }

    fn set(&mut self, message: u32, legs: &[Leg]) {
        let start = self.starts[message as usize] as usize;
        self.lengths[message as usize] = legs.len() as u32;
        self.legs[start..start + legs.len()].copy_from_slice(legs);
    }
}
