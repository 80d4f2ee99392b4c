//! Ejection search: words are placed one after the other. A dynamic programme over the route graph of a
//! word finds all starts with the fewest conflicts. Of a sample of them, the one whose occupants are
//! cheapest to remove is chosen; the occupants are ejected and placed again later. Words with long routes
//! are dear to eject, and every word becomes dearer when it is placed, after guided local search
//! (Voudouris and Tsang 1999) and ejection chains (Glover 1996).

mod chain;

use crate::instance::{Instance, Mirror, Placement, Routes, edges_of};
use crate::reach::Reach;
use crate::table::{SlotTable, Use};
use pavane_model::{ChannelId, RouterId};
use pavane_search::{Interrupt, Rng};
use std::collections::VecDeque;

/// What a search compares and how it prices ejections.
#[derive(Debug, Clone, Copy)]
struct Tuning {
    /// Starts with the fewest conflicts that are compared for one insertion, and with one more.
    samples: usize,
    more_samples: usize,
    /// The price of ejecting a word per use of its shortest route: long routes are hard to place again.
    difficulty: u64,
    /// How much dearer a word becomes whenever it is placed.
    penalty: u64,
}

/// Up to and above `MANY_WORDS`. In problems with many words, the lengths of routes matter more.
const FEW: Tuning = Tuning { samples: 16, more_samples: 12, difficulty: 3, penalty: 1 };
const MANY: Tuning = Tuning { samples: 32, more_samples: 24, difficulty: 100, penalty: 10 };
const MANY_WORDS: usize = 1500;
/// Insertions between two polls of the interrupt.
const POLL: u64 = 64;

/// The outcome of a search.
#[derive(Debug)]
pub(crate) enum Ended {
    /// All words are placed.
    Solved(Vec<Placement>),
    /// The limit on insertions was reached.
    Exhausted,
    /// The interrupt was raised.
    Interrupted,
}

pub(crate) struct EjectionSearch<'a> {
    instance: &'a Instance,
    table: SlotTable,
    /// Per word, its start, its uses and the edges of its route; no uses if it is not placed.
    placed: Vec<Placed>,
    /// Per word, the price of ejecting it.
    prices: Vec<u64>,
    tuning: Tuning,
    queue: VecDeque<u32>,
    reach: Reach,
    /// The starts to choose from, the route that is looked at, and the best one.
    starts: Vec<u64>,
    sample: Sample,
    best: Sample,
    rng: Rng,
    /// Number of words placed so far.
    pub insertions: u64,
}

#[derive(Debug, Clone, Default)]
struct Placed {
    start: u32,
    uses: Vec<Use>,
    edges: Vec<u32>,
}

/// A start and a route, the words in its way and the sum of their penalties.
#[derive(Debug, Clone, Default)]
struct Sample {
    start: u32,
    edges: Vec<u32>,
    occupants: Vec<u32>,
    cost: u64,
}

impl<'a> EjectionSearch<'a> {
    pub fn new(instance: &'a Instance, rng: Rng) -> Self {
        let words = instance.items.len();
        let mut search = Self {
            instance,
            table: SlotTable::new(instance),
            placed: vec![Placed::default(); words],
            prices: vec![0; words],
            tuning: if words > MANY_WORDS { MANY } else { FEW },
            queue: VecDeque::new(),
            reach: Reach::new(instance.blocks, instance.period),
            starts: Vec::new(),
            sample: Sample::default(),
            best: Sample::default(),
            rng,
            insertions: 0,
        };
        let mut order: Vec<u32> = (0..words as u32).collect();
        search.rng.shuffle(&mut order);
        for word in 0..words as u32 {
            search.set_penalty(word, 1);
        }
        // Long routes are hardest to place.
        order.sort_by_key(|&word| std::cmp::Reverse(search.routes(word).hops));
        search.queue.extend(order);
        search
    }

    /// Places the words of a schedule with another period, as far as they fit, before the search starts.
    /// The schedule is rotated first.
    pub fn start_from(&mut self, placements: &[Placement], period: u32, rotation: u32) {
        let rotated =
            |start: u32| ((u64::from(start) + u64::from(rotation)) % u64::from(period)) as u32;
        let depth = u64::from(self.instance.rules.depth);
        for may_wrap in [false, true] {
            for (word, placement) in (0..).zip(placements) {
                let start = rotated(placement.start);
                let end = u64::from(start) + depth * (placement.path.len() as u64 + 1);
                // Words that cross the end of the period are the ones that meet others.
                if (end >= u64::from(self.instance.slots())) == may_wrap {
                    self.keep(word, start, &placement.path, 1);
                }
            }
        }
    }

    /// Places a word before the search starts, if it fits. Ejecting it has the given penalty.
    pub fn keep(&mut self, word: u32, slot: u32, path: &[ChannelId], penalty: u32) -> bool {
        let Some(start) = self.instance.unit(word, slot) else { return false };
        let routes = self.routes(word);
        let item = self.instance.items[word as usize];
        let period = u64::from(self.instance.period);
        let after = (u64::from(start) + period - u64::from(item.first)) % period;
        if u64::from(start) >= period || after >= u64::from(item.count) {
            return false;
        }
        let Some(edges) = edges_of(routes, path) else { return false };
        let uses = self.uses(word, start, &edges);
        let is_blocked = uses.iter().any(|&(row, slot)| self.table.is_blocked(row, slot));
        if is_blocked || self.overlaps_itself(&uses) || self.is_late(word, start, path.len()) {
            return false;
        }
        self.table.insert(word, &uses);
        self.placed[word as usize] = Placed { start, uses, edges };
        self.set_penalty(word, penalty);
        true
    }

    /// Moves a placed word to a start and a route, if they are other ones and free.
    pub fn put_back(&mut self, word: u32, slot: u32, path: &[ChannelId]) -> bool {
        let (routes, placed) = (self.routes(word), &self.placed[word as usize]);
        let is_there = self.instance.slot(word, placed.start) == slot
            && edges_of(routes, path).is_some_and(|edges| edges == placed.edges);
        if is_there {
            return false;
        }
        let now = std::mem::take(&mut self.placed[word as usize]);
        self.table.remove(&now.uses);
        let is_back = self.keep(word, slot, path, 1);
        if !is_back {
            self.table.insert(word, &now.uses);
            self.placed[word as usize] = now;
        }
        is_back
    }

    fn set_penalty(&mut self, word: u32, penalty: u32) {
        let uses = u64::from(self.routes(word).hops) + 1;
        self.prices[word as usize] = self.tuning.difficulty * uses + u64::from(penalty);
    }

    fn routes(&self, word: u32) -> &'a Routes {
        &self.instance.routes[self.instance.items[word as usize].routes as usize]
    }

    /// Places words until all are placed. Gives up after `limit` insertions, or after `patience` insertions
    /// without fewer words left than ever before.
    pub fn run(&mut self, limit: u64, patience: u64, interrupt: &Interrupt) -> Ended {
        let placed = &self.placed;
        self.queue.retain(|&word| placed[word as usize].uses.is_empty());
        let (mut spent, mut fewest, mut found_at) = (0, usize::MAX, 0);
        while let Some(word) = self.queue.pop_front() {
            if self.queue.len() < fewest {
                (fewest, found_at) = (self.queue.len(), spent);
            }
            if spent >= limit || spent - found_at > patience {
                self.queue.push_front(word);
                return Ended::Exhausted;
            }
            if spent % POLL == 0 && interrupt.is_raised() {
                return Ended::Interrupted;
            }
            spent += 1;
            self.insertions += 1;
            if !self.place(word) {
                self.enqueue(word);
            }
        }
        Ended::Solved(self.placements())
    }

    /// Where the words are; all of them are placed.
    pub fn placements(&self) -> Vec<Placement> {
        let placement = |(word, placed): (usize, &Placed)| {
            let channels = &self.routes(word as u32).channels;
            let path = placed.edges.iter().filter_map(|&edge| channels[edge as usize]);
            let start = self.instance.slot(word as u32, placed.start);
            Placement { start, path: path.collect() }
        };
        self.placed.iter().enumerate().map(placement).collect()
    }

    /// Places a word and ejects those in its way. Fails if every sampled route conflicts with itself.
    fn place(&mut self, word: u32) -> bool {
        let (routes, item) = (self.routes(word), self.instance.items[word as usize]);
        let level = self.reach.run(routes, item, &self.table.bits);
        self.best.cost = u64::MAX;
        self.choose(word, level, self.tuning.samples);
        if level > 0 {
            // Two words that are easy to place elsewhere may be better to eject than one that is not.
            self.choose(word, level + 1, self.tuning.more_samples);
        }
        if self.best.cost == u64::MAX {
            return false;
        }
        for number in 0..self.best.occupants.len() {
            let occupant = self.best.occupants[number];
            let ejected = &mut self.placed[occupant as usize];
            self.table.remove(&ejected.uses);
            ejected.uses.clear();
            self.enqueue(occupant);
        }
        let mut placed = std::mem::take(&mut self.placed[word as usize]);
        placed.start = self.best.start;
        placed.edges.clone_from(&self.best.edges);
        self.add_uses(word, placed.start, &placed.edges, &mut placed.uses);
        self.table.insert(word, &placed.uses);
        self.placed[word as usize] = placed;
        self.prices[word as usize] += self.tuning.penalty;
        true
    }

    /// Samples starts with at most `level` conflicts, and keeps the best.
    fn choose(&mut self, word: u32, level: usize, samples: usize) {
        let routes = self.routes(word);
        self.starts.clear();
        self.starts.extend_from_slice(self.reach.starts(level, routes.ends.len() - 1));
        let count: u32 = self.starts.iter().map(|block| block.count_ones()).sum();
        for _ in 0..samples.min(count as usize * 2) {
            self.sample.start = self.some_start();
            let is_better = self.trace(word, routes, level);
            if is_better && !self.is_flawed(word, routes) {
                std::mem::swap(&mut self.sample, &mut self.best);
            }
            if self.best.cost == 0 {
                return;
            }
        }
    }

    /// Puts a word into the queue at random.
    fn enqueue(&mut self, word: u32) {
        self.queue.push_back(word);
        let last = self.queue.len() - 1;
        let other = self.rng.below(last + 1);
        self.queue.swap(other, last);
    }

    /// A random start of a set that is not empty.
    fn some_start(&mut self) -> u32 {
        let period = self.instance.period as usize;
        let first = self.rng.below(period);
        let masked = self.starts[first / 64] >> (first % 64);
        if masked != 0 {
            return first as u32 + masked.trailing_zeros();
        }
        let blocks = (first / 64 + 1..self.starts.len()).chain(0..=first / 64);
        let found = blocks.map(|block| (block, self.starts[block])).find(|(_, bits)| *bits != 0);
        let (block, bits) = found.expect("the set is not empty");
        (block * 64) as u32 + bits.trailing_zeros()
    }

    /// Follows a random route from the start of the sample with at most `level` conflicts. Returns whether
    /// the words in its way are cheaper than those of the best sample.
    fn trace(&mut self, word: u32, routes: &Routes, level: usize) -> bool {
        let start = self.sample.start;
        self.sample.edges.clear();
        self.sample.occupants.clear();
        self.sample.cost = 0;
        let mut level = level;
        let mut node = routes.ends.len() - 1;
        let mut random = self.rng.bits();
        while node > 0 {
            let (first, end) = (routes.ends[node - 1], routes.ends[node]);
            let mut chosen = None;
            let mut count = 0;
            for number in first..end {
                let edge = routes.edges[number as usize];
                let is_blocked = self.table.is_edge_blocked(edge, start);
                if end - first == 1 {
                    chosen = Some((number, is_blocked));
                    break;
                }
                let Some(left) = level.checked_sub(usize::from(is_blocked)) else { continue };
                if !self.reach.is_reached(left, edge.from(), start) {
                    continue;
                }
                // Each of the edges is chosen with the same probability.
                count += 1;
                random =
                    random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                if ((random >> 32) * count) >> 32 == 0 {
                    chosen = Some((number, is_blocked));
                }
            }
            let (number, is_blocked) = chosen.expect("the start reaches this node");
            let edge = routes.edges[number as usize];
            self.sample.edges.push(number);
            node = edge.from();
            if is_blocked {
                level -= 1;
                if !self.add_occupants(self.table.use_of(edge, start)) {
                    return false;
                }
            }
        }
        self.sample.edges.reverse();
        if let Some(mirror) = self.mirror_of(word) {
            // Words that are their own reverse are in the way at one side only.
            for number in 0..self.sample.edges.len() {
                let edge = routes.edges[self.sample.edges[number] as usize];
                if !self.add_occupants(mirror.image(self.table.use_of(edge, start))) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds the words in the way of a use to the sample. Returns whether it is still cheaper than the best
    /// one.
    fn add_occupants(&mut self, place: Use) -> bool {
        let occupants = &mut self.sample.occupants;
        let known = occupants.len();
        self.table.add_occupants(place, occupants);
        let prices = occupants[known..].iter().map(|&other| self.prices[other as usize]);
        self.sample.cost += prices.sum::<u64>();
        self.sample.cost < self.best.cost
    }

    fn add_uses(&self, word: u32, start: u32, edges: &[u32], uses: &mut Vec<Use>) {
        let routes = self.routes(word);
        let place = |&number: &u32| self.table.use_of(routes.edges[number as usize], start);
        uses.extend(edges.iter().map(place));
        if let Some(mirror) = self.mirror_of(word) {
            for at in 0..uses.len() {
                uses.push(mirror.image(uses[at]));
            }
        }
    }

    fn mirror_of(&self, word: u32) -> Option<&'a Mirror> {
        let instance = self.instance;
        instance.mirror.as_ref().filter(|_| instance.items[word as usize].is_mirrored)
    }

    fn uses(&self, word: u32, start: u32, edges: &[u32]) -> Vec<Use> {
        let mut uses = Vec::new();
        self.add_uses(word, start, edges, &mut uses);
        uses
    }

    /// Whether a route is too long for its start.
    fn is_late(&self, word: u32, start: u32, hops: usize) -> bool {
        let (instance, item) = (self.instance, self.instance.items[word as usize]);
        let end = u64::from(instance.slot(word, start)) + instance.rules.travel(hops);
        !instance.rules.wraps && end > u64::from(instance.slots())
            || item.is_urgent && hops > self.routes(word).hops as usize
    }

    /// Whether the route of the sample overlaps itself, ends too late or visits a router twice.
    fn is_flawed(&self, word: u32, routes: &Routes) -> bool {
        let (start, edges) = (self.sample.start, &self.sample.edges);
        if self.instance.has_self_conflicts && self.overlaps_itself(&self.uses(word, start, edges))
        {
            return true;
        }
        // The first and the last edge are ports.
        self.instance.has_detours
            && (self.is_late(word, start, edges.len() - 2) || visits_twice(routes, edges))
    }

    /// Whether two uses of a word overlap.
    fn overlaps_itself(&self, uses: &[Use]) -> bool {
        let instance = self.instance;
        let overlaps = |one: Use, other: Use| {
            let modulus = instance.moduli[one.0 as usize];
            let gap = one.1.abs_diff(other.1);
            one.0 == other.0 && gap.min(modulus - gap) < instance.phits
        };
        instance.has_self_conflicts
            && (1..uses.len()).any(|at| uses[..at].iter().any(|&other| overlaps(uses[at], other)))
    }
}

/// Whether a route visits a router twice.
fn visits_twice(routes: &Routes, edges: &[u32]) -> bool {
    let visited: Vec<RouterId> = edges
        .iter()
        .filter_map(|&edge| routes.nodes[routes.edges[edge as usize].from()].router)
        .collect();
    (1..visited.len()).any(|at| visited[..at].contains(&visited[at]))
}
