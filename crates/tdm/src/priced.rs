//! Priced search: words are placed one after the other, each where the words in its way are cheapest to
//! remove. A dynamic programme over the route graph of a word finds the cheapest route of every start. The
//! start is chosen at random among those that are almost the cheapest; this noise works as the temperature
//! of an annealing does.
//!
//! A route pays for the words that it ejects, for busy and scarce channels, and for every turn that leaves a
//! free slot of a channel without the free slot straight on (or before it), because only straight runs of
//! free slots serve long routes. A placed word is dearer to eject if its channels and ports are scarce, and
//! for a while after it was placed.

use crate::ejection::Ended;
use crate::guide::{Guide, NO_ROW};
use crate::instance::{Instance, Placement, Routes};
use crate::table::NONE;
use pavane_search::{Interrupt, Rng};
use std::collections::VecDeque;

/// How a search prices words and channels. Dear ejections with much noise reach further where channels are
/// busy almost all the time; otherwise they take longer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pricing {
    /// The price of ejecting a word is this times its scarcity to a power.
    unit: f64,
    /// What a use of a free slot pays: this times the scarcity of the channel.
    toll: f64,
    /// And this times how busy the channel is, to a power.
    busy_toll: f64,
    busy_power: i32,
    /// How much dearer a word becomes when it is placed.
    penalty: f64,
    /// How much dearer than the cheapest start the chosen one may be. With more noise than the price of
    /// ejecting a short word, nothing stays in place.
    noise: usize,
}

const QUICK: Pricing =
    Pricing { unit: 25.0, toll: 100.0, busy_toll: 75.0, busy_power: 8, penalty: 2.0, noise: 100 };
const DEAR: Pricing =
    Pricing { unit: 50.0, toll: 100.0, busy_toll: 400.0, busy_power: 20, penalty: 1.0, noise: 300 };
const NOISY: Pricing = Pricing {
    unit: 50.0,
    toll: 600.0,
    busy_toll: 2000.0,
    busy_power: 30,
    penalty: 0.5,
    noise: 400,
};

/// The pricing of the searches of an attempt, one after the other, if channels continue each other, and if
/// they do not.
pub(crate) const STRAIGHT: [Pricing; 3] = [QUICK, DEAR, Pricing { noise: 80, ..QUICK }];
pub(crate) const IRREGULAR: [Pricing; 3] = [NOISY, Pricing { noise: 300, ..NOISY }, QUICK];
const POWER: f64 = 1.3;
/// What a turn pays for each straight run of free slots that it ends.
const TURN: i16 = 100;
/// Half of the penalty of a word is forgotten after so many insertions.
const HALF_LIFE: f64 = 8000.0;
/// Entries of the slot tables and of the dynamic programme up to which this search is used.
const MOST_ENTRIES: usize = 1 << 25;
/// Insertions between two polls of the interrupt.
const POLL: u64 = 8;

pub(crate) struct PricedSearch<'a> {
    instance: &'a Instance,
    guide: &'a Guide,
    period: usize,
    stride: usize,
    /// Per row and slot, what a use pays for the word that is ejected; every row is stored twice.
    cells: Vec<i16>,
    /// Per channel and slot, what a turn pays if the slot straight on is free, and if the one before is.
    after: Vec<i16>,
    before: Vec<i16>,
    owners: Vec<u32>,
    /// Uses of every row, and what a use of a row pays by their number.
    loads: Vec<u32>,
    busy: Vec<i16>,
    tolls: Vec<i16>,
    /// Whether some channels continue each other, so that turns pay.
    has_turns: bool,
    placed: Vec<PricedWord>,
    queue: VecDeque<u32>,
    /// Per edge and start, the cheapest route up to it, without and with what a turn pays.
    costs: Vec<i16>,
    pricing: Pricing,
    rng: Rng,
    /// Number of words placed so far.
    pub insertions: u64,
}

#[derive(Debug, Clone, Default)]
struct PricedWord {
    start: u32,
    /// The edges of the route; empty if the word is not placed.
    edges: Vec<u32>,
    penalty: f64,
    /// When the penalty was computed.
    at: u64,
}

impl<'a> PricedSearch<'a> {
    /// Whether this search can be used: no symmetry, one phit, shortest routes that never overlap
    /// themselves, and tables of a moderate size.
    pub fn suits(instance: &Instance) -> bool {
        let rows = instance.moduli.len();
        let is_plain = instance.mirror.is_none()
            && instance.moduli.iter().all(|&modulus| modulus == instance.period);
        let is_simple =
            instance.phits == 1 && !instance.has_self_conflicts && !instance.has_detours;
        let entries = rows.saturating_mul(2 * instance.period as usize);
        is_plain && is_simple && entries <= MOST_ENTRIES
    }

    pub fn new(instance: &'a Instance, guide: &'a Guide, pricing: Pricing, rng: Rng) -> Self {
        let (rows, period) = (instance.moduli.len(), instance.period as usize);
        let (stride, channels) = (2 * period, guide.channels as usize);
        let straight = |links: &[u32]| -> Vec<i16> {
            let price = |&link: &u32| if link == NO_ROW { 0 } else { TURN };
            let of_row = |link: &u32| std::iter::repeat_n(price(link), stride);
            links.iter().flat_map(of_row).collect()
        };
        let busy = |load: usize| {
            pricing.busy_toll * (load as f64 / period as f64).powi(pricing.busy_power)
        };
        let words = instance.items.len();
        let mut search = Self {
            instance,
            guide,
            period,
            stride,
            cells: vec![0; rows * stride],
            after: straight(&guide.next),
            before: straight(&guide.previous),
            owners: vec![NONE; rows * period],
            loads: vec![0; rows],
            busy: (0..=period).map(|load| busy(load) as i16).collect(),
            tolls: guide.scarcity[..channels].iter().map(|s| (pricing.toll * s) as i16).collect(),
            has_turns: guide.has_straight_routes(),
            placed: vec![PricedWord::default(); words],
            queue: VecDeque::new(),
            costs: Vec::new(),
            pricing,
            rng,
            insertions: 0,
        };
        let mut order: Vec<u32> = (0..words as u32).collect();
        search.rng.shuffle(&mut order);
        order.sort_by_key(|&word| std::cmp::Reverse(search.routes(word).hops));
        search.queue.extend(order);
        search
    }

    fn routes(&self, word: u32) -> &'a Routes {
        &self.instance.routes[self.instance.items[word as usize].routes as usize]
    }

    /// Places words until all are placed. Gives up after `limit` insertions, or after `patience` insertions
    /// without fewer words left than ever before.
    pub fn run(&mut self, limit: u64, patience: u64, interrupt: &Interrupt) -> Ended {
        let (mut fewest, mut found_at) = (usize::MAX, 0);
        while let Some(word) = self.queue.pop_front() {
            if self.queue.len() < fewest {
                (fewest, found_at) = (self.queue.len(), self.insertions);
            }
            if self.insertions >= limit || self.insertions - found_at > patience {
                return Ended::Exhausted;
            }
            if self.insertions.is_multiple_of(POLL) && interrupt.is_raised() {
                return Ended::Interrupted;
            }
            self.insertions += 1;
            self.place(word);
        }
        Ended::Solved(self.placements())
    }

    fn placements(&self) -> Vec<Placement> {
        let placement = |(word, placed): (usize, &PricedWord)| {
            let channels = &self.routes(word as u32).channels;
            let path = placed.edges.iter().filter_map(|&edge| channels[edge as usize]);
            Placement { start: placed.start, path: path.collect() }
        };
        self.placed.iter().enumerate().map(placement).collect()
    }

    /// Places a word on a route that is almost the cheapest, and ejects the words in its way.
    fn place(&mut self, word: u32) {
        let routes = self.routes(word);
        self.find_costs(routes);
        let start = self.choose_start(word, routes);
        let edges = self.trace(routes, start);
        for &edge in &edges {
            let (row, slot) = self.use_of(routes, edge, start);
            let owner = self.owners[row * self.period + slot];
            if owner != NONE {
                self.eject(owner);
            }
        }
        let scarcity = |&edge: &u32| self.guide.scarcity[self.row(routes, edge as usize)];
        let base = self.pricing.unit * edges.iter().map(scarcity).sum::<f64>().powf(POWER);
        let now = self.insertions;
        let placed = &mut self.placed[word as usize];
        let forgotten = (-((now - placed.at) as f64) / HALF_LIFE).exp2();
        placed.penalty = placed.penalty * forgotten + self.pricing.penalty;
        placed.at = now;
        placed.start = start as u32;
        let price = (base + placed.penalty).min(f64::from(i16::MAX)) as i16;
        for &edge in &edges {
            let (row, slot) = self.use_of(routes, edge, start);
            self.owners[row * self.period + slot] = word;
            self.set(row, slot, price.max(1));
            self.loads[row] += 1;
        }
        self.placed[word as usize].edges = edges;
    }

    /// Removes a word and puts it into the queue at random.
    fn eject(&mut self, word: u32) {
        let routes = self.routes(word);
        let start = self.placed[word as usize].start as usize;
        let edges = std::mem::take(&mut self.placed[word as usize].edges);
        for edge in edges {
            let (row, slot) = self.use_of(routes, edge, start);
            self.owners[row * self.period + slot] = NONE;
            self.set(row, slot, 0);
            self.loads[row] -= 1;
        }
        self.queue.push_back(word);
        let last = self.queue.len() - 1;
        let other = self.rng.below(last + 1);
        self.queue.swap(other, last);
    }

    /// Sets what a use of a slot pays; 0 if it is free.
    fn set(&mut self, row: usize, slot: usize, price: i16) {
        let (period, hop) = (self.period, self.hop());
        let turn = if price == 0 { TURN } else { 0 };
        put(&mut self.cells[row * self.stride..], period, slot, price);
        let links = (self.guide.next.get(row), self.guide.previous.get(row));
        let (Some(&next), Some(&previous)) = links else { return };
        if previous != NO_ROW {
            let row = &mut self.after[previous as usize * self.stride..];
            put(row, period, (slot + period - hop) % period, turn);
        }
        if next != NO_ROW {
            let row = &mut self.before[next as usize * self.stride..];
            put(row, period, (slot + hop) % period, turn);
        }
    }

    /// The slots of a hop, modulo the period.
    fn hop(&self) -> usize {
        self.instance.rules.depth as usize % self.period
    }

    fn row(&self, routes: &Routes, edge: usize) -> usize {
        routes.edges[edge].block as usize / self.instance.stride
    }

    /// The row of an edge and the slots from the start of a word to its use.
    fn place_of(&self, routes: &Routes, edge: usize) -> (usize, usize) {
        let (block, stride) = (routes.edges[edge].block as usize, self.instance.stride);
        (block / stride, 64 * (block % stride) + routes.edges[edge].bit() as usize)
    }

    fn use_of(&self, routes: &Routes, edge: u32, start: usize) -> (usize, usize) {
        let (row, offset) = self.place_of(routes, edge as usize);
        (row, (start + offset) % self.period)
    }

    /// What a use of a free slot pays.
    fn toll(&self, row: usize) -> i16 {
        let busy = self.busy[self.loads[row] as usize];
        self.tolls.get(row).map_or(0, |toll| toll.saturating_add(busy))
    }

    /// Computes the cheapest routes up to every edge, for all starts.
    fn find_costs(&mut self, routes: &Routes) {
        let period = self.period;
        let has_turns = self.has_turns;
        let mut costs = std::mem::take(&mut self.costs);
        costs.resize(costs.len().max(routes.edges.len() * 2 * period), 0);
        for edge in 0..routes.edges.len() {
            let (row, offset) = self.place_of(routes, edge);
            let first = row * self.stride + offset;
            let view = |cells: &'_ [i16]| -> Option<std::ops::Range<usize>> {
                cells.get(first..first + period).map(|_| first..first + period)
            };
            let (done, rest) = costs.split_at_mut(edge * 2 * period);
            let (now, turned) = rest.split_at_mut(period);
            let turned = &mut turned[..period];
            let from = routes.edges[edge].from();
            let earlier = match from.checked_sub(1) {
                None => 0..0,
                Some(node) => routes.ends[node] as usize..routes.ends[from] as usize,
            };
            let previous = self.guide.previous.get(row).copied().unwrap_or(NO_ROW);
            let mut straight = None;
            let mut is_first = true;
            for other in earlier {
                let source = &done[other * 2 * period..][..2 * period];
                if !has_turns {
                    if std::mem::take(&mut is_first) {
                        now.copy_from_slice(&source[..period]);
                    } else {
                        lower(now, &source[..period]);
                    }
                    continue;
                }
                if previous != NO_ROW && self.row(routes, other) == previous as usize {
                    straight = Some(&source[..period]);
                } else if std::mem::take(&mut is_first) {
                    now.copy_from_slice(&source[period..]);
                } else {
                    lower(now, &source[period..]);
                }
            }
            let before = view(&self.before).map(|range| &self.before[range]);
            match (straight, is_first) {
                (Some(straight), true) => now.copy_from_slice(straight),
                (None, true) => now.fill(0),
                (None, false) if !has_turns => {}
                (straight, false) => {
                    if let Some(before) = before {
                        add(now, before);
                    }
                    if let Some(straight) = straight {
                        lower(now, straight);
                    }
                }
            }
            let toll = self.toll(row);
            let cells = &self.cells[first..first + period];
            now.iter_mut()
                .zip(cells)
                .for_each(|(now, cell)| *now = now.saturating_add(*cell).saturating_add(toll));
            if !has_turns {
                continue;
            }
            turned.copy_from_slice(now);
            if let Some(range) = view(&self.after) {
                add(turned, &self.after[range]);
            }
        }
        self.costs = costs;
    }

    /// A random start among those that are almost the cheapest.
    fn choose_start(&mut self, word: u32, routes: &Routes) -> usize {
        let period = self.period;
        let item = self.instance.items[word as usize];
        let (first, count) = (item.first as usize, (item.count as usize).min(period));
        let costs = &self.costs[(routes.edges.len() - 1) * 2 * period..][..period];
        let slot = |at: usize| if first + at < period { first + at } else { first + at - period };
        let least = (0..count).map(|at| costs[slot(at)]).min().unwrap_or(0);
        let most = least.saturating_add(self.rng.below(self.pricing.noise.max(1)) as i16);
        let is_near = |at: &usize| costs[slot(*at)] <= most;
        let near = (0..count).filter(is_near).count();
        let chosen = self.rng.below(near.max(1));
        (0..count).filter(is_near).nth(chosen).map_or(first, slot)
    }

    /// The edges of a cheapest route from a start.
    fn trace(&mut self, routes: &Routes, start: usize) -> Vec<u32> {
        let period = self.period;
        let mut edge = routes.edges.len() - 1;
        let mut edges = vec![edge as u32];
        while let Some(node) = routes.edges[edge].from().checked_sub(1) {
            let (row, offset) = self.place_of(routes, edge);
            let previous = self.guide.previous.get(row).copied().unwrap_or(NO_ROW);
            let before = self.before.get(row * self.stride + offset + start).copied().unwrap_or(0);
            let mut best = (i16::MAX, edge);
            let mut ties = 0;
            for other in routes.ends[node] as usize..routes.ends[node + 1] as usize {
                let costs = &self.costs[other * 2 * period..];
                let is_straight =
                    previous != NO_ROW && self.row(routes, other) == previous as usize;
                let cost = if is_straight || !self.has_turns {
                    costs[start]
                } else {
                    costs[period + start].saturating_add(before)
                };
                if ties == 0 || cost < best.0 {
                    (best, ties) = ((cost, other), 1);
                } else if cost == best.0 {
                    ties += 1;
                    if self.rng.below(ties) == 0 {
                        best.1 = other;
                    }
                }
            }
            edge = best.1;
            edges.push(edge as u32);
        }
        edges.reverse();
        edges
    }
}

/// Writes both copies of a slot.
fn put(row: &mut [i16], period: usize, slot: usize, value: i16) {
    row[slot] = value;
    row[slot + period] = value;
}

fn add(to: &mut [i16], other: &[i16]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to = to.saturating_add(*other));
}

fn lower(to: &mut [i16], other: &[i16]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to = (*to).min(*other));
}
