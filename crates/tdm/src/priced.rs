//! Priced search: words are placed one after the other, each where the words in its way are cheapest to
//! remove. A dynamic programme over the route graph of a word finds the cheapest route of every start. The
//! start is chosen at random among those that are almost the cheapest; this noise works as the temperature
//! of an annealing does.
//!
//! A route pays once for a word that it ejects, even if it follows that word over several channels; for busy
//! and scarce channels; and for every turn that leaves a free slot of a channel without the free slot
//! straight on (or before it), because only straight runs of free slots serve long routes. A placed word is
//! dearer to eject if its channels and ports are scarce, if dear words were ejected when it was placed, and for a
//! while after that. It is cheaper to eject if it has another free place.

mod learning;

use crate::costs::{Block, CountNear, EdgeView, Incoming, LANES, SlotRows, TURN, count_near};
use crate::ejection::Ended;
use crate::guide::{Guide, NO_ROW};
use crate::instance::{Instance, Placement, Routes, edges_of};
use crate::loose::LooseWords;
use crate::pricing::Pricing;
use crate::table::NONE;
use pavane_model::ChannelId;
use pavane_search::{Interrupt, Rng};
use pulp::{Arch, Simd, WithSimd};
use std::collections::VecDeque;

/// Entries of the slot tables and of the dynamic programme up to which this search is used.
const MOST_ENTRIES: usize = 1 << 25;
/// No row before a port of a sender.
const FIRST: i16 = -1;
/// Insertions between two polls of the interrupt.
const POLL: u64 = 8;

pub(crate) struct PricedSearch<'a> {
    instance: &'a Instance,
    guide: &'a Guide,
    period: usize,
    /// The words in the way of a use that begin in its first slot or before.
    table: InTheWay,
    /// Those that begin later, if words have several phits.
    late: Option<InTheWay>,
    /// Per row and slot, the word that uses it.
    owners: Vec<u32>,
    /// The row of every block of the slot table of the instance: divisions take long.
    rows_of_blocks: Vec<u16>,
    /// Uses of every row, and what a use of a row pays by their number.
    loads: Vec<u32>,
    busy: Vec<i16>,
    tolls: Vec<i16>,
    /// Whether some channels continue each other, so that turns pay.
    has_turns: bool,
    placed: Vec<PricedWord>,
    queue: VecDeque<u32>,
    /// Which words have other free places, once few words are left.
    loose: Option<LooseWords>,
    /// Lists of edges that were given back, so that few have to be allocated.
    spare: Vec<Vec<u32>>,
    /// The edges that the routes to an edge come from.
    from: Vec<Incoming>,
    /// Per edge and start, the cheapest route up to it, without and with what a turn pays.
    costs: Vec<Block>,
    arch: Arch,
    pricing: Pricing,
    rng: Rng,
    /// Number of words placed so far.
    pub insertions: u64,
}

/// Per row and slot, the word in the way of a use from that slot.
struct InTheWay {
    /// What a use pays for the word that is ejected.
    prices: SlotRows,
    /// The row that this word uses one hop earlier.
    earlier: SlotRows,
}

impl InTheWay {
    fn new(rows: usize, period: usize) -> Self {
        let prices = SlotRows::new(rows, period, 0);
        Self { prices, earlier: SlotRows::new(rows, period, FIRST) }
    }

    #[inline]
    fn put(&mut self, row: usize, slot: usize, price: i16, earlier: i16) {
        self.prices.put(row, slot, price);
        self.earlier.put(row, slot, earlier);
    }

    /// The price of a use, unless the word comes from the same row.
    #[inline]
    fn price(&self, row: usize, slot: usize, from: i16) -> i16 {
        if self.earlier.get(row, slot) == from { 0 } else { self.prices.get(row, slot) }
    }
}

/// What is compiled for every kind of CPU. A closure would not do: its code is not inlined into the function
/// that has the instructions.
struct FindCosts<'a, 'b> {
    search: &'b mut PricedSearch<'a>,
    routes: &'b Routes,
}

impl WithSimd for FindCosts<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.search.find_costs_inline(self.routes);
    }
}

#[derive(Debug, Clone, Default)]
struct PricedWord {
    start: u32,
    /// The edges of the route; empty if the word is not placed.
    edges: Vec<u32>,
    /// What ejecting the word costs unless it is loose.
    price: i16,
    penalty: f64,
    /// When the penalty was computed.
    at: u64,
}

impl<'a> PricedSearch<'a> {
    /// Whether this search can be used: no symmetry, shortest routes that never overlap themselves, at most
    /// two words in the way of a use, and tables of a moderate size.
    pub fn suits(instance: &Instance) -> bool {
        let rows = instance.moduli.len();
        let is_plain = instance.mirror.is_none()
            && instance.moduli.iter().all(|&modulus| modulus == instance.period);
        let is_simple = instance.phits * 2 <= instance.period.max(2)
            && !instance.has_self_conflicts
            && !instance.has_detours;
        let entries = SlotRows::entries(rows, instance.period as usize);
        is_plain && is_simple && entries <= MOST_ENTRIES && i16::try_from(rows).is_ok()
    }

    pub fn new(instance: &'a Instance, guide: &'a Guide, pricing: Pricing, rng: Rng) -> Self {
        let (rows, period) = (instance.moduli.len(), instance.period as usize);
        let channels = guide.channels as usize;
        let busy = |load: usize| {
            let slots = (load * instance.phits as usize).min(period) as f64;
            pricing.busy_toll * (slots / period as f64).powi(pricing.busy_power)
        };
        let words = instance.items.len();
        let mut search = Self {
            instance,
            guide,
            period,
            table: InTheWay::new(rows, period),
            late: (instance.phits > 1).then(|| InTheWay::new(rows, period)),
            owners: vec![NONE; rows * period],
            rows_of_blocks: (0..rows * instance.stride)
                .map(|block| (block / instance.stride) as u16)
                .collect(),
            loads: vec![0; rows],
            busy: (0..=period).map(|load| busy(load) as i16).collect(),
            tolls: guide.scarcity[..channels].iter().map(|s| (pricing.toll * s) as i16).collect(),
            has_turns: guide.has_straight_routes(),
            placed: vec![PricedWord::default(); words],
            queue: VecDeque::new(),
            loose: None,
            spare: Vec::new(),
            from: Vec::new(),
            costs: Vec::new(),
            arch: Arch::new(),
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

    #[inline]
    fn routes(&self, word: u32) -> &'a Routes {
        &self.instance.routes[self.instance.items[word as usize].routes as usize]
    }

    /// Places words until all are placed. Gives up after `limit` insertions, or after `patience` insertions
    /// without fewer words left than ever before.
    pub fn run(&mut self, limit: u64, patience: u64, interrupt: &Interrupt) -> Ended {
        let placed = &self.placed;
        self.queue.retain(|&word| placed[word as usize].edges.is_empty());
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
            let word = self.dearer(word);
            self.test_words();
            self.place(word);
        }
        Ended::Solved(self.placements())
    }

    /// Where the words are; all of them are placed.
    pub fn placements(&self) -> Vec<Placement> {
        let placement = |(word, placed): (usize, &PricedWord)| {
            let channels = &self.routes(word as u32).channels;
            let path = placed.edges.iter().filter_map(|&edge| channels[edge as usize]);
            let start = self.instance.slot(word as u32, placed.start);
            Placement { start, path: path.collect() }
        };
        self.placed.iter().enumerate().map(placement).collect()
    }

    /// Places a word before the search starts, if it fits. Ejecting it has the given price.
    pub fn keep(&mut self, word: u32, slot: u32, path: &[ChannelId], price: i16) -> bool {
        let Some(start) = self.instance.unit(word, slot) else { return false };
        let (routes, item) = (self.routes(word), self.instance.items[word as usize]);
        let after =
            (u64::from(start) + self.period as u64 - u64::from(item.first)) % self.period as u64;
        if start as usize >= self.period || after >= u64::from(item.count) {
            return false;
        }
        let Some(edges) = edges_of(routes, path) else { return false };
        let is_free = |&edge: &u32| {
            let (row, slot) = self.use_of(routes, edge, start as usize);
            self.slots(slot).all(|slot| self.owners[row * self.period + slot] == NONE)
        };
        if !edges.iter().all(is_free) {
            return false;
        }
        let placed = &mut self.placed[word as usize];
        (placed.start, placed.edges, placed.price) = (start, edges, price);
        self.occupy(word, price);
        true
    }

    /// Moves a placed word to a start and a route, if they are other ones and free.
    pub fn put_back(&mut self, word: u32, slot: u32, path: &[ChannelId]) -> bool {
        let now = self.instance.slot(word, self.placed[word as usize].start);
        let is_there = |edges: &[u32]| edges_of(self.routes(word), path).as_deref() == Some(edges);
        if now == slot && is_there(&self.placed[word as usize].edges) {
            return false;
        }
        let edges = self.leave(word);
        let is_back = self.keep(word, slot, path, 1);
        if !is_back {
            self.placed[word as usize].edges = edges;
            self.occupy(word, 1);
        }
        is_back
    }

    /// Places a word on a route that is almost the cheapest, and ejects the words in its way.
    fn place(&mut self, word: u32) {
        let routes = self.routes(word);
        self.find_costs(routes);
        let start = self.choose_start(word, routes);
        let edges = self.trace(routes, start);
        let mut paid = 0.0;
        for &edge in &edges {
            let (row, slot) = self.use_of(routes, edge, start);
            for slot in self.slots(slot) {
                let owner = self.owners[row * self.period + slot];
                if owner != NONE {
                    paid += f64::from(self.table.prices.get(row, slot));
                    self.eject(owner);
                }
            }
        }
        let scarcity = |&edge: &u32| self.guide.scarcity[self.row(routes, edge as usize)];
        let pricing = self.pricing;
        let base = pricing.unit * edges.iter().map(scarcity).sum::<f64>().powf(pricing.power);
        let half_life = pricing.half_life * self.placed.len() as f64;
        let now = self.insertions;
        let placed = &mut self.placed[word as usize];
        let forgotten = (-((now - placed.at) as f64) / half_life).exp2();
        placed.penalty = placed.penalty * forgotten + pricing.penalty;
        placed.at = now;
        placed.start = start as u32;
        let learnt = if pricing.step > 0.0 { paid + pricing.step } else { 0.0 };
        let price = (base + placed.penalty).max(learnt).min(f64::from(i16::MAX)) as i16;
        placed.edges = edges;
        placed.price = price;
        if let Some(loose) = &mut self.loose {
            loose.forget(word);
        }
        self.occupy(word, price);
    }

    /// Enters a placed word into the tables; ejecting it has the given price.
    fn occupy(&mut self, word: u32, price: i16) {
        let routes = self.routes(word);
        let placed = std::mem::take(&mut self.placed[word as usize]);
        let mut earlier = FIRST;
        for &edge in &placed.edges {
            let (row, slot) = self.use_of(routes, edge, placed.start as usize);
            self.mark(row, slot, word, price.max(1), earlier);
            earlier = row as i16;
            self.loads[row] += 1;
        }
        self.placed[word as usize] = placed;
    }

    /// Removes a placed word from the tables. Returns its edges.
    fn leave(&mut self, word: u32) -> Vec<u32> {
        let routes = self.routes(word);
        let start = self.placed[word as usize].start as usize;
        let edges = std::mem::take(&mut self.placed[word as usize].edges);
        for &edge in &edges {
            let (row, slot) = self.use_of(routes, edge, start);
            self.mark(row, slot, NONE, 0, FIRST);
            self.loads[row] -= 1;
        }
        edges
    }

    /// The slots of a use.
    #[inline]
    fn slots(&self, first: usize) -> impl Iterator<Item = usize> + use<> {
        let (period, phits) = (self.period, self.instance.phits as usize);
        (first..first + phits).map(move |slot| if slot < period { slot } else { slot - period })
    }

    /// Enters a use into the tables, or removes it.
    #[inline]
    fn mark(&mut self, row: usize, slot: usize, owner: u32, price: i16, earlier: i16) {
        for slot in self.slots(slot) {
            self.owners[row * self.period + slot] = owner;
            if let Some(loose) = &mut self.loose {
                loose.mark(row, slot, owner != NONE);
            }
            self.table.put(row, slot, price, earlier);
        }
        let Some(late) = &mut self.late else { return };
        for distance in 1..self.instance.phits as usize {
            let slot = if slot < distance { slot + self.period } else { slot } - distance;
            late.put(row, slot, price, earlier);
        }
    }

    /// Removes a word and puts it into the queue at random, or to the front while it has another free place.
    fn eject(&mut self, word: u32) {
        let mut edges = self.leave(word);
        edges.clear();
        self.spare.push(edges);
        if self.loose.as_ref().is_some_and(|loose| loose.is_loose(word)) {
            self.queue.push_front(word);
            return;
        }
        self.queue.push_back(word);
        let last = self.queue.len() - 1;
        let other = self.rng.below(last + 1);
        self.queue.swap(other, last);
    }

    /// The rows and slots straight before and straight on from a slot of a channel.
    #[inline]
    fn straight(&self, row: usize, slot: usize) -> [Option<(usize, usize)>; 2] {
        let link = |links: &[u32]| {
            let link = links.get(row).filter(|&&link| link != NO_ROW);
            link.map(|&link| link as usize)
        };
        let hop = |row: usize| self.guide.hops[row] as usize;
        let before = link(&self.guide.previous)
            .map(|before| (before, self.modulo(slot + self.period - hop(before))));
        let after = link(&self.guide.next).map(|after| (after, self.modulo(slot + hop(row))));
        [before, after]
    }

    /// A sum of two slots modulo the period, without a division.
    #[inline]
    fn modulo(&self, sum: usize) -> usize {
        if sum < self.period { sum } else { sum - self.period }
    }

    #[inline]
    fn row(&self, routes: &Routes, edge: usize) -> usize {
        self.rows_of_blocks[routes.edges[edge].block as usize] as usize
    }

    /// The row of an edge and the slots from the start of a word to its use.
    #[inline]
    fn place_of(&self, routes: &Routes, edge: usize) -> (usize, usize) {
        let (row, edge) = (self.row(routes, edge), routes.edges[edge]);
        let block = edge.block as usize - row * self.instance.stride;
        (row, 64 * block + edge.bit() as usize)
    }

    #[inline]
    fn use_of(&self, routes: &Routes, edge: u32, start: usize) -> (usize, usize) {
        let (row, offset) = self.place_of(routes, edge as usize);
        (row, self.modulo(start + offset))
    }

    /// What a use of a free slot pays.
    #[inline]
    fn toll(&self, row: usize) -> i16 {
        let busy = self.busy[self.loads[row] as usize];
        self.tolls.get(row).map_or(0, |toll| toll.saturating_add(busy))
    }

    /// Computes the cheapest routes up to every edge, for all starts, with the widest SIMD instructions
    /// of this CPU.
    fn find_costs(&mut self, routes: &Routes) {
        let arch = self.arch;
        arch.dispatch(FindCosts { search: self, routes });
    }

    #[inline(always)]
    fn find_costs_inline(&mut self, routes: &Routes) {
        let blocks = self.blocks();
        let mut costs = std::mem::take(&mut self.costs);
        costs.resize(costs.len().max(routes.edges.len() * 2 * blocks), [0; LANES]);
        let mut from = std::mem::take(&mut self.from);
        for edge in 0..routes.edges.len() {
            let (row, offset) = self.place_of(routes, edge);
            let (done, rest) = costs.split_at_mut(edge * 2 * blocks);
            let (now, turned) = rest[..2 * blocks].split_at_mut(blocks);
            let prices = self.table.prices.view(row, offset);
            let late = self.late.as_ref();
            let late =
                late.map(|late| (late.prices.view(row, offset), late.earlier.view(row, offset)));
            let Some(node) = routes.edges[edge].from().checked_sub(1) else {
                now.copy_from_slice(prices);
                if let Some((late, _)) = late {
                    let (now, late) = (now.as_flattened_mut(), late.as_flattened());
                    now.iter_mut()
                        .zip(late)
                        .for_each(|(cost, price)| *cost = cost.saturating_add(*price));
                }
                turned.copy_from_slice(now);
                continue;
            };
            let [before, after] = self.straight(row, offset);
            from.clear();
            for other in routes.ends[node] as usize..routes.ends[node + 1] as usize {
                let other_row = self.row(routes, other);
                let is_straight =
                    !self.has_turns || before.is_some_and(|(before, _)| before == other_row);
                let first = 2 * other * blocks + if is_straight { 0 } else { blocks };
                from.push(Incoming { first, row: other_row as i16, is_straight });
            }
            let view = |place: Option<(usize, usize)>| {
                place
                    .filter(|_| self.has_turns)
                    .map(|(row, slot)| self.table.prices.view(row, slot))
            };
            let edge = EdgeView {
                prices,
                earlier: self.table.earlier.view(row, offset),
                late,
                before: view(before),
                after: view(after),
                toll: self.toll(row),
            };
            edge.pass(&from, done, now, if self.has_turns { turned } else { &mut [] });
        }
        self.costs = costs;
        self.from = from;
    }

    /// Blocks of costs per edge.
    #[inline]
    fn blocks(&self) -> usize {
        self.period.div_ceil(LANES)
    }

    /// The costs of all starts up to an edge, without or with what a turn behind it pays.
    #[inline]
    fn costs_at(&self, edge: usize, is_turning: bool) -> &[i16] {
        let at = (2 * edge + usize::from(is_turning)) * self.blocks();
        &self.costs[at..][..self.blocks()].as_flattened()[..self.period]
    }

    /// A random start among those that are almost the cheapest.
    fn choose_start(&mut self, word: u32, routes: &Routes) -> usize {
        let period = self.period;
        let item = self.instance.items[word as usize];
        let (first, count) = (item.first as usize % period, (item.count as usize).min(period));
        let noise = self.rng.below(self.pricing.noise.max(1)) as i16;
        let last = routes.edges.len() - 1;
        let costs = self.costs_at(last, false);
        // The starts may go around to slot 0.
        let before_end = count.min(period - first);
        let ranges = [first..first + before_end, 0..count - before_end];
        let parts = ranges.clone().map(|range| &costs[range]);
        let (least, near) = self.arch.dispatch(CountNear { parts, noise });
        let most = least.saturating_add(noise);
        let mut skipped = self.rng.below(near.max(1) as usize);
        let costs = self.costs_at(last, false);
        for range in ranges {
            for part in range.clone().step_by(LANES) {
                let part = part..(part + LANES).min(range.end);
                let here = count_near(&costs[part.clone()], most) as usize;
                if skipped < here {
                    let is_near = |slot: &usize| costs[*slot] <= most;
                    return part.into_iter().filter(is_near).nth(skipped).unwrap_or(first);
                }
                skipped -= here;
            }
        }
        first
    }

    /// The edges of a cheapest route from a start.
    fn trace(&mut self, routes: &Routes, start: usize) -> Vec<u32> {
        let mut edge = routes.edges.len() - 1;
        let mut edges = self.spare.pop().unwrap_or_default();
        edges.push(edge as u32);
        while let Some(node) = routes.edges[edge].from().checked_sub(1) {
            let (row, offset) = self.place_of(routes, edge);
            let slot = self.modulo(offset + start);
            let before = self.straight(row, slot)[0];
            let turn = match before {
                Some((row, slot)) if self.table.prices.get(row, slot) == 0 => TURN,
                _ => 0,
            };
            let mut best = (i16::MAX, edge);
            let mut ties = 0;
            for other in routes.ends[node] as usize..routes.ends[node + 1] as usize {
                let from = self.row(routes, other);
                let is_straight = before.is_some_and(|(before, _)| before == from);
                let cost = if is_straight || !self.has_turns {
                    self.costs_at(other, false)[start]
                } else {
                    self.costs_at(other, true)[start].saturating_add(turn)
                };
                let late = self.late.as_ref().map_or(0, |late| late.price(row, slot, from as i16));
                // In the order of the dynamic programme.
                let cost = cost.saturating_add(late);
                let cost = cost.saturating_add(self.table.price(row, slot, from as i16));
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::pricing::IRREGULAR;
    use crate::symmetry::Symmetry;
    use pavane_model::tdm::{TdmDemand, TdmMessage, TdmRules};
    use pavane_model::{ProcessorId, TdmProblem};

    #[test]
    fn a_word_that_is_followed_over_several_channels_is_paid_once() {
        let network = pavane_networks::topology::build("path:5").unwrap();
        let message = |from, to| TdmMessage {
            from: ProcessorId(from),
            to: ProcessorId(to),
            weight: 1,
            max_latency: None,
        };
        let demand = TdmDemand::Messages(vec![message(0, 4), message(1, 3)]);
        let problem = TdmProblem::new(network, demand, TdmRules::default(), 10).unwrap();
        let symmetry = Symmetry::trivial(&problem);
        let instance = Instance::new(&problem, &symmetry, 9, &Interrupt::never()).unwrap();
        let prices = vec![1.0; problem.network().channel_count()];
        let guide = Guide::new(problem.network(), &instance, &prices);
        let mut search = PricedSearch::new(&instance, &guide, IRREGULAR[0], Rng::stream(1, 1));
        // What turns pay depends on free slots.
        search.has_turns = false;
        search.place(0);
        let start = search.placed[0].start as usize;
        let last = |search: &PricedSearch<'_>| {
            let edges = search.routes(1).edges.len();
            search.costs_at(edges - 1, false).to_vec()
        };
        search.find_costs(search.routes(1));
        let blocked = last(&search);
        let price = (0..search.period).map(|slot| search.table.prices.get(0, slot)).max().unwrap();
        search.eject(0);
        search.find_costs(search.routes(1));
        let free = last(&search);
        // A word from 1 that starts with the next slot follows the word from 0 over two channels, and the
        // toll of the busy channels is less than a second price.
        let at = (start + 1) % search.period;
        let paid = blocked[at] - free[at];
        assert!((price..2 * price).contains(&paid), "{paid} {price}");
    }
}
