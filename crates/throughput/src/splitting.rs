//! Removes routers that do not duplicate, by splitting off: capacity u→w and w→t is replaced by
//! capacity u→t that remembers its real channels, such that no receiver's minimum cut falls below
//! the demand (Mader 1982; Bang-Jensen, Frank and Jackson 1995). This succeeds for every router
//! with at least as much capacity in as out.
//!
//! Splits are proposed in bulk and corrected: a receiver whose flow falls short yields a cut, the
//! splits that lower this cut are reduced until it suffices, and pairs that would lower it again
//! are never tried again.

mod allotment;

use crate::integer::proportion;
use crate::maxflow::Flow;
use allotment::Table;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How often capacity out of one router is removed.
const MOST_ROUNDS: u32 = 16;

/// Capacity between two routers along one sequence of real channels.
#[derive(Debug, Clone)]
pub struct Strand {
    /// How many trees may use it.
    pub amount: u128,
    /// The sender, for capacity from the source.
    pub sender: Option<u32>,
    /// Real channels in the order of travel.
    pub channels: Vec<u32>,
}

/// Tail and head.
type Pair = (u32, u32);

/// A network with integer capacities, a source that supplies all senders, and receivers.
#[derive(Debug, Clone)]
pub struct Capacities {
    /// The number of the source; routers have smaller numbers.
    source: u32,
    /// Whether a router must get all messages.
    terminal: Vec<bool>,
    /// Trees that must reach every terminal.
    demand: u128,
    /// Trees of every sender.
    trees: u128,
    edges: BTreeMap<Pair, Vec<Strand>>,
}

/// Moves `amount` of capacity: away from the edges `less` and onto the edge `more`.
struct Change {
    less: Vec<Pair>,
    more: Option<Pair>,
    amount: u128,
}

/// Whether each router, and the source, is below the cut: on the side of a terminal.
struct CutSides(Vec<bool>);

impl CutSides {
    fn is_below(&self, router: u32) -> bool {
        self.0[router as usize]
    }

    fn crosses(&self, &(tail, head): &Pair) -> bool {
        !self.is_below(tail) && self.is_below(head)
    }
}

impl Change {
    /// Whether the change lowers the capacity that enters the routers below a cut.
    fn lowers(&self, cut: &CutSides) -> bool {
        self.less.iter().filter(|pair| cut.crosses(pair)).count()
            > self.more.iter().filter(|pair| cut.crosses(pair)).count()
    }

    fn split(tail: u32, through: u32, head: u32, amount: u128) -> Self {
        let more = (tail != head).then_some((tail, head));
        Change { less: vec![(tail, through), (through, head)], more, amount }
    }
}

impl Capacities {
    /// Capacity `amounts[i]` on the channel `i` from `links[i].0` to `links[i].1`, and `trees` trees
    /// for every sender.
    pub fn new(
        routers: u32,
        links: impl Iterator<Item = (u32, u32, u128)>,
        senders: &[u32],
        terminals: &[u32],
        trees: u128,
    ) -> Self {
        let mut terminal = vec![false; routers as usize + 1];
        terminals.iter().for_each(|&router| terminal[router as usize] = true);
        let demand = trees * senders.len() as u128;
        let edges = BTreeMap::new();
        let mut network = Capacities { source: routers, terminal, demand, trees, edges };
        for (channel, (tail, head, amount)) in links.enumerate() {
            let strand = Strand { amount, sender: None, channels: vec![channel as u32] };
            network.add((tail, head), strand);
        }
        for (sender, &router) in senders.iter().enumerate() {
            let sender = Some(sender as u32);
            network.add((routers, router), Strand { amount: trees, sender, channels: Vec::new() });
        }
        network
    }

    /// Whether every terminal can get all trees.
    pub fn is_feasible(&self) -> bool {
        self.fit(&mut []).is_some()
    }

    /// Whether a router must get all messages.
    pub fn is_terminal(&self, router: u32) -> bool {
        self.terminal[router as usize]
    }

    /// Edges with their strands; the tail of an edge from the source is not a router.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, &Strand)> {
        self.edges.iter().flat_map(|(&(tail, head), strands)| {
            strands.iter().map(move |strand| (tail, head, strand))
        })
    }

    /// Prepares routers that have more capacity out than in: removes capacity out that no
    /// terminal needs. A router that may duplicate and can get all messages becomes a terminal
    /// instead, which costs nothing.
    pub fn balance(&mut self, copying: &[bool], stop: &dyn Fn() -> bool) {
        // What one switch loses, another may gain, in ever smaller amounts.
        let mut rounds = vec![MOST_ROUNDS; self.source as usize];
        let unbalanced = |network: &Self, rounds: &[u32]| {
            (0..network.source).find(|&router| {
                rounds[router as usize] > 0
                    && !network.is_terminal(router)
                    && network.surplus(router) > 0
            })
        };
        while !stop()
            && let Some(router) = unbalanced(self, &rounds)
        {
            if copying[router as usize] && self.reaches(router) {
                self.terminal[router as usize] = true;
            } else {
                let left = &mut rounds[router as usize];
                *left = if self.trim(router, stop) { *left - 1 } else { 0 };
            }
        }
    }

    /// Removes all routers that are not terminals. False if that would lower a minimum cut below
    /// the demand.
    pub fn split_off_all(&mut self, stop: &dyn Fn() -> bool) -> bool {
        loop {
            let mut degrees: BTreeMap<u32, usize> = BTreeMap::new();
            for &(tail, head) in self.edges.keys() {
                for router in [tail, head] {
                    if router != self.source && !self.is_terminal(router) {
                        *degrees.entry(router).or_default() += 1;
                    }
                }
            }
            let next = degrees.iter().min_by_key(|&(_, degree)| degree);
            let Some((&router, _)) = next else { return true };
            if !self.split_off(router, stop) {
                return false;
            }
        }
    }

    fn add(&mut self, pair: Pair, strand: Strand) {
        if strand.amount == 0 || pair.0 == pair.1 {
            return;
        }
        let strands = self.edges.entry(pair).or_default();
        let same = |other: &&mut Strand| {
            other.sender == strand.sender && other.channels == strand.channels
        };
        if let Some(same) = strands.iter_mut().find(same) {
            same.amount += strand.amount;
        } else {
            strands.push(strand);
        }
    }

    /// Removes capacity and returns it, the largest strands first.
    fn take(&mut self, pair: Pair, mut amount: u128) -> Vec<Strand> {
        let mut taken = Vec::new();
        let Some(strands) = self.edges.get_mut(&pair) else { return taken };
        strands.sort_by_key(|strand| std::cmp::Reverse(strand.amount));
        for strand in strands.iter_mut() {
            let part = strand.amount.min(amount);
            if part > 0 {
                taken.push(Strand { amount: part, ..strand.clone() });
            }
            strand.amount -= part;
            amount -= part;
        }
        strands.retain(|strand| strand.amount > 0);
        if strands.is_empty() {
            self.edges.remove(&pair);
        }
        taken
    }

    fn amount(&self, pair: Pair) -> u128 {
        let strands = self.edges.get(&pair);
        strands.map_or(0, |strands| strands.iter().map(|strand| strand.amount).sum())
    }

    /// Neighbours with capacity into the router and neighbours with capacity from it.
    fn neighbours(&self, router: u32) -> (BTreeMap<u32, u128>, BTreeMap<u32, u128>) {
        let into = self.edges.keys().filter(|pair| pair.1 == router);
        let into = into.map(|&pair| (pair.0, self.amount(pair))).collect();
        let from = self.edges.range((router, 0)..=(router, u32::MAX));
        let from = from.map(|(&pair, _)| (pair.1, self.amount(pair))).collect();
        (into, from)
    }

    /// By how much the capacity from a router exceeds the capacity into it.
    fn surplus(&self, router: u32) -> u128 {
        let (into, from) = self.neighbours(router);
        from.values().sum::<u128>().saturating_sub(into.values().sum())
    }

    /// Whether all trees can reach a router.
    fn reaches(&self, router: u32) -> bool {
        let mut flow = self.network().0;
        flow.flow_into(router, self.demand) == self.demand
    }

    /// The flow network with the arc of every edge.
    fn network(&self) -> (Flow, BTreeMap<Pair, u32>) {
        let mut flow = Flow::new(self.source as usize + 1);
        let mut arcs = BTreeMap::new();
        for &pair in self.edges.keys() {
            arcs.insert(pair, flow.add_arc(pair.0, pair.1, self.amount(pair)));
        }
        flow.set_source(self.source, true);
        (flow, arcs)
    }

    /// Reduces the changes, the last ones first, until every terminal can get all trees. Returns
    /// the cuts that made this necessary; `None` if the demand is not met even without changes.
    fn fit(&self, changes: &mut [Change]) -> Option<Vec<CutSides>> {
        let mut cuts = Vec::new();
        let (mut flow, mut arcs) = self.network();
        for change in changes.iter() {
            for pair in change.less.iter().chain(&change.more) {
                arcs.entry(*pair).or_insert_with(|| flow.add_arc(pair.0, pair.1, 0));
            }
            if let Some(pair) = change.more {
                flow.set_capacity(arcs[&pair], flow.capacity(arcs[&pair]) + change.amount);
            }
        }
        for change in changes.iter() {
            for pair in &change.less {
                flow.set_capacity(arcs[pair], flow.capacity(arcs[pair]) - change.amount);
            }
        }
        for terminal in self.terminals_in_order() {
            loop {
                let mut missing = self.demand - flow.flow_into(terminal, self.demand);
                if missing == 0 {
                    break;
                }
                let cut =
                    CutSides((0..=self.source).map(|router| flow.is_below_cut(router)).collect());
                for change in changes.iter_mut().rev() {
                    if missing > 0 && change.lowers(&cut) {
                        let back = missing.min(change.amount);
                        change.amount -= back;
                        missing -= back;
                        for pair in &change.less {
                            flow.set_capacity(arcs[pair], flow.capacity(arcs[pair]) + back);
                        }
                        if let Some(pair) = change.more {
                            flow.set_capacity(arcs[&pair], flow.capacity(arcs[&pair]) - back);
                        }
                    }
                }
                if missing > 0 {
                    return None;
                }
                cuts.push(cut);
            }
            flow.set_source(terminal, true);
        }
        Some(cuts)
    }

    /// Whether a cut has no capacity to spare. A cut found by `fit` may have spare capacity again after
    /// changes were reduced for another cut. Then the next changes are made one at a time: the last cut
    /// that reduces a single change stays tight, so every change is made in full or ends a pair.
    fn is_tight(&self, cut: &CutSides) -> bool {
        let crossing = self.edges.keys().filter(|pair| cut.crosses(pair));
        crossing.map(|&pair| self.amount(pair)).sum::<u128>() == self.demand
    }

    /// Terminals by their distance from the source, so that flows into them stay local.
    fn terminals_in_order(&self) -> Vec<u32> {
        let distances = self.distances(self.source, None);
        let routers = 0..self.source;
        let mut terminals: Vec<u32> = routers.filter(|&router| self.is_terminal(router)).collect();
        terminals.sort_by_key(|&router| distances[router as usize]);
        terminals
    }

    /// Distances from a router along edges, without passing through one router.
    fn distances(&self, start: u32, without: Option<u32>) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.source as usize + 1];
        let mut queue = VecDeque::from([start]);
        distances[start as usize] = 0;
        while let Some(router) = queue.pop_front() {
            for &(_, head) in self.edges.range((router, 0)..=(router, u32::MAX)).map(|e| e.0) {
                if Some(head) != without && distances[head as usize] == u32::MAX {
                    distances[head as usize] = distances[router as usize] + 1;
                    queue.push_back(head);
                }
            }
        }
        distances
    }

    /// Removes capacity out of a router until it has no more than in. False if every further bit
    /// is needed, or on `stop`.
    fn trim(&mut self, router: u32, stop: &dyn Fn() -> bool) -> bool {
        let mut needed: BTreeSet<u32> = BTreeSet::new();
        let mut is_single = false;
        while !stop() {
            let surplus = self.surplus(router);
            let (_, mut from) = self.neighbours(router);
            from.retain(|head, _| !needed.contains(head));
            let total: u128 = from.values().sum();
            if surplus == 0 || total == 0 {
                return surplus == 0;
            }
            // The same share of every edge, rounded up.
            let mut left = surplus.min(total);
            let share = left;
            let mut changes = Vec::new();
            for (&head, &amount) in &from {
                let even = proportion(amount, share, total).saturating_add(1);
                let amount = if is_single { amount } else { even.min(amount) }.min(left);
                left -= amount;
                changes.push(Change { less: vec![(router, head)], more: None, amount });
            }
            if is_single {
                changes.truncate(1);
            }
            let Some(cuts) = self.fit(&mut changes) else { return false };
            for change in changes {
                self.take(change.less[0], change.amount);
            }
            let tight: Vec<&CutSides> = cuts.iter().filter(|cut| self.is_tight(cut)).collect();
            is_single |= tight.len() < cuts.len();
            for cut in tight {
                needed.extend(from.keys().filter(|&&head| cut.crosses(&(router, head))));
            }
        }
        false
    }

    /// Removes one router by splitting off. False if that would lower a minimum cut too far, or on
    /// `stop`.
    fn split_off(&mut self, router: u32, stop: &dyn Fn() -> bool) -> bool {
        // Pairs of which no more can be split off.
        let mut full: BTreeSet<Pair> = BTreeSet::new();
        let mut first = true;
        let mut is_single = false;
        while !stop() {
            let (into, from) = self.neighbours(router);
            if !first && self.is_removable(router, &from) {
                self.remove(router, &into, &from);
                return true;
            }
            let mut changes = if first {
                self.even_splits(router, &into, &from)
            } else {
                self.remaining_splits(router, &into, &from, &full)
            };
            if changes.is_empty() && !first {
                let feasible = self.is_feasible_without(router);
                self.remove(router, &into, &from);
                return feasible;
            }
            first = false;
            if is_single {
                changes.truncate(1);
            }
            let Some(cuts) = self.fit(&mut changes) else { return false };
            changes.iter().for_each(|change| self.split(router, change));
            let tight: Vec<&CutSides> = cuts.iter().filter(|cut| self.is_tight(cut)).collect();
            is_single |= tight.len() < cuts.len();
            for cut in tight {
                let across = |other: &&u32| cut.is_below(**other) != cut.is_below(router);
                for &tail in into.keys().filter(across) {
                    full.extend(from.keys().filter(across).map(|&head| (tail, head)));
                }
            }
        }
        false
    }

    /// Whether what remains of a router can go: no terminal needs it, and every router that it leads
    /// to keeps as much capacity in as out, so that it can be split off later.
    fn is_removable(&self, router: u32, from: &BTreeMap<u32, u128>) -> bool {
        let keeps_balance = |(&head, &amount): (&u32, &u128)| {
            let (into, from) = self.neighbours(head);
            self.is_terminal(head)
                || into.values().sum::<u128>() >= from.values().sum::<u128>() + amount
        };
        from.is_empty() || from.iter().all(keeps_balance) && self.is_feasible_without(router)
    }

    fn remove(&mut self, router: u32, into: &BTreeMap<u32, u128>, from: &BTreeMap<u32, u128>) {
        into.keys().for_each(|&tail| _ = self.edges.remove(&(tail, router)));
        from.keys().for_each(|&head| _ = self.edges.remove(&(router, head)));
    }

    fn is_feasible_without(&self, router: u32) -> bool {
        let (into, from) = self.neighbours(router);
        let into = into.into_iter().map(|(tail, amount)| ((tail, router), amount));
        let from = from.into_iter().map(|(head, amount)| ((router, head), amount));
        let mut changes: Vec<Change> = into
            .chain(from)
            .map(|(pair, amount)| Change { less: vec![pair], more: None, amount })
            .collect();
        self.fit(&mut changes).is_some_and(|cuts| cuts.is_empty())
    }

    fn split(&mut self, through: u32, change: &Change) {
        let [first, second] = [change.less[0], change.less[1]];
        let mut before = self.take(first, change.amount);
        let mut after = self.take(second, change.amount);
        while let (Some(mut a), Some(mut b)) = (before.pop(), after.pop()) {
            let amount = a.amount.min(b.amount);
            let channels = [&a.channels[..], &b.channels].concat();
            let sender = a.sender;
            debug_assert_eq!((first.1, second.0), (through, through));
            self.add((first.0, second.1), Strand { amount, sender, channels });
            a.amount -= amount;
            b.amount -= amount;
            before.extend((a.amount > 0).then_some(a));
            after.extend((b.amount > 0).then_some(b));
        }
    }

    /// Splits that connect every neighbour with as many others as whole messages allow: a star if
    /// there is enough capacity. Pairs that are far apart without the router come first.
    fn even_splits(
        &self,
        router: u32,
        into: &BTreeMap<u32, u128>,
        from: &BTreeMap<u32, u128>,
    ) -> Vec<Change> {
        let mut table = Table::new(self, router, into, from);
        let total: u128 = from.values().sum();
        let quota = |tail: u32, head: u32| {
            let others = total - from.get(&tail).unwrap_or(&0);
            let even = proportion(into[&tail], from[&head], others.max(1));
            (even - even % self.trees).max(self.trees)
        };
        let mut changes = table.allot(quota, &BTreeSet::new());
        changes.extend(table.allot(|_, _| self.trees, &BTreeSet::new()));
        changes.extend(table.allot(|_, _| u128::MAX, &BTreeSet::new()));
        changes
    }

    /// Splits of all capacity that remains, among pairs that are not full.
    fn remaining_splits(
        &self,
        router: u32,
        into: &BTreeMap<u32, u128>,
        from: &BTreeMap<u32, u128>,
        full: &BTreeSet<Pair>,
    ) -> Vec<Change> {
        let mut table = Table::new(self, router, into, from);
        let mut changes = table.allot(|_, _| u128::MAX, full);
        // Capacity from a neighbour back to itself is lost.
        for (&tail, &amount) in into {
            let amount = table.free(tail, tail).min(amount);
            if amount > 0 && !full.contains(&(tail, tail)) {
                table.use_up(tail, tail, amount);
                changes.push(Change::split(tail, router, tail, amount));
            }
        }
        changes
    }
}
