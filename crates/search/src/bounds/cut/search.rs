//! The best cut so far, prefixes of router orders, and local search that moves single routers across the
//! best cut.

use super::demand::CutDemand;
use super::side::{Ratio, Side};
use super::{orders, routing};
use crate::bounds::hops::BreadthFirst;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{Duplex, Problem, RouterId};

/// Work limit for each family of cuts, in routers and channels visited.
pub const LOOKS: u64 = 20_000_000;

/// Random start vectors for the approximate Fiedler order.
const WAVES: u64 = 4;

/// The best cut so far and the state of the search.
pub struct CutSearch<'a> {
    pub problem: &'a Problem,
    pub demand: &'a CutDemand,
    pub routers: &'a [RouterId],
    side: Side<'a>,
    best: Ratio,
    best_set: Vec<bool>,
    ceiling: u64,
    /// Ends the search at an interrupt.
    pace: Budget,
}

impl<'a> CutSearch<'a> {
    /// No cut yet. `routers` are the living routers.
    pub fn new(
        problem: &'a Problem,
        demand: &'a CutDemand,
        routers: &'a [RouterId],
        interrupt: &Interrupt,
    ) -> Self {
        Self {
            problem,
            demand,
            routers,
            side: Side::empty(problem, demand),
            best: Ratio { messages: 0, channels: 0 },
            best_set: vec![false; problem.network().router_count()],
            ceiling: routing::ceiling(problem, demand, routers, 5 * LOOKS, interrupt),
            pace: Budget::unlimited(interrupt),
        }
    }

    /// The best cut so far.
    pub fn best(&self) -> (Ratio, Vec<RouterId>) {
        let inside = self.routers.iter().copied().filter(|router| self.best_set[router.index()]);
        (self.best, inside.collect())
    }
}

impl CutSearch<'_> {
    /// Work to build a set from the empty set.
    pub fn cost(&self) -> u64 {
        let network = self.problem.network();
        (network.router_count() + network.channel_count() + self.demand.size()) as u64
    }

    /// Stride through `count` candidates of `cost` each that keeps the total within `LOOKS`.
    pub fn stride(&self, count: usize, cost: u64) -> usize {
        let affordable = (LOOKS / cost.max(1)).max(1);
        (count as u64).div_ceil(affordable).max(1) as usize
    }

    /// Steps of the best cut so far.
    pub fn best_steps(&self) -> u64 {
        self.best.steps()
    }

    /// Whether no cut can beat the best so far, or an interrupt was raised.
    pub fn is_done(&self) -> bool {
        self.best.steps() >= self.ceiling || self.pace.is_over()
    }

    /// Returns `Some(true)` if the best cut is certainly one that maximises the steps out of a
    /// single router, `Some(false)` if into a single router. This holds if all messages share that
    /// end, and for a broadcast, where a best cut separates all senders from one receiver.
    pub fn is_settled_out_of_one(&self) -> Option<bool> {
        let is_star = |is_out| !self.demand.has_shared() && self.ends(is_out).len() == 1;
        match self.problem.model().duplex {
            Duplex::Half => None,
            Duplex::Full if is_star(true) => Some(true),
            Duplex::Full => (self.demand.is_broadcast() || is_star(false)).then_some(false),
        }
    }

    /// The routers where messages start (`is_out`), or those where they are wanted.
    pub fn ends(&self, is_out: bool) -> Vec<RouterId> {
        let demand = self.demand;
        let is_end = |router: &&RouterId| {
            if is_out {
                demand.has_origin_at(router.index())
            } else {
                demand.has_destination_at(router.index())
            }
        };
        self.routers.iter().filter(is_end).copied().collect()
    }

    /// Marks the best cut so far as optimal.
    pub fn settle(&mut self) {
        self.ceiling = self.best.steps();
    }

    /// Keeps a set if it is the best so far.
    pub fn try_set(&mut self, is_inside: &[bool]) {
        self.side.become_set(is_inside);
        self.pace.spend(self.cost());
        self.note();
    }

    fn note(&mut self) {
        if self.side.leaving().exceeds(self.best) {
            self.best = self.side.leaving();
            self.best_set.copy_from_slice(self.side.is_inside());
        }
        if self.side.entering().exceeds(self.best) {
            self.best = self.side.entering();
            for (best, inside) in self.best_set.iter_mut().zip(self.side.is_inside()) {
                *best = !inside;
            }
        }
    }

    pub fn try_beginnings(&mut self, order: &[RouterId]) {
        self.side.become_set(&vec![false; self.best_set.len()]);
        for &router in order {
            if self.is_done() {
                return;
            }
            self.side.toggle(router);
            self.pace.spend(self.cost() / order.len() as u64 + 1);
            self.note();
        }
    }

    /// Tries prefixes of orders: along the approximate Fiedler vector, by distance from a router,
    /// and by the difference of the distances from that router and from one furthest from it.
    pub fn try_orders(&mut self) {
        let network = self.problem.network();
        let rounds = (LOOKS / WAVES / self.cost()).clamp(10, 300);
        for wave in 0..WAVES {
            if self.is_done() {
                return;
            }
            let mut rng = Rng::stream(0, wave);
            let height = network.routers().map(|_| rng.unit()).collect();
            let order = orders::by_slowest_wave(network, self.routers, rounds, height);
            self.try_beginnings(&order);
        }
        let (mut near, mut far) = (BreadthFirst::new(network), BreadthFirst::new(network));
        for index in
            (0..self.routers.len()).step_by(self.stride(self.routers.len(), 4 * self.cost()))
        {
            if self.is_done() {
                return;
            }
            let distance = near.from(self.routers[index]);
            self.try_beginnings(&orders::by_key(self.routers, |r| distance[r.index()]));
            let reached = self.routers.iter().filter(|r| distance[r.index()] != u32::MAX);
            let Some(&end) = reached.max_by_key(|r| distance[r.index()]) else { continue };
            let other = far.from(end);
            let difference =
                |r: RouterId| i64::from(distance[r.index()]) - i64::from(other[r.index()]);
            self.try_beginnings(&orders::by_key(self.routers, difference));
        }
    }

    /// Local search after Kernighan and Lin, Bell System Tech. Journal 49, 1970. Moves routers
    /// across the border of the best set, each time the one that gives the best set, even if that
    /// is worse, and none twice. Repeats from the best set found until a pass brings no
    /// improvement.
    pub fn improve(&mut self) {
        let mut budget = self.pace.part(LOOKS);
        while !self.is_done() {
            let before = self.best;
            let start = self.best_set.clone();
            self.side.become_set(&start);
            let mut is_free = vec![true; start.len()];
            let mut idle = 0;
            while idle < 10 + self.routers.len() / 10 {
                let Some(router) = self.best_move(&is_free, &mut budget) else { return };
                is_free[router.index()] = false;
                self.side.toggle(router);
                let last = self.best;
                self.note();
                idle = if self.best.exceeds(last) { 0 } else { idle + 1 };
            }
            if !self.best.exceeds(before) {
                return;
            }
        }
    }

    /// The border router whose move gives the best set; `None` if there is none or the budget is
    /// spent.
    fn best_move(&mut self, is_free: &[bool], budget: &mut Budget) -> Option<RouterId> {
        let network = self.problem.network();
        let share = self.cost() / self.routers.len() as u64;
        let mut best: Option<(Ratio, RouterId)> = None;
        for &router in self.routers.iter().filter(|router| is_free[router.index()]) {
            if !budget.spend(share) {
                return None;
            }
            let is_inside = self.side.is_inside();
            let is_across = |other: RouterId| is_inside[other.index()] != is_inside[router.index()];
            let mut out = network.out_channels(router).iter();
            let mut into = network.in_channels(router).iter();
            if !out.any(|&c| is_across(network.channel(c).head))
                && !into.any(|&c| is_across(network.channel(c).tail))
            {
                continue;
            }
            if !budget.spend(2 * share) {
                return None;
            }
            self.side.toggle(router);
            let ratio = self.side.leaving();
            self.side.toggle(router);
            if best.is_none_or(|(best, _)| ratio.exceeds(best)) {
                best = Some((ratio, router));
            }
        }
        best.map(|(_, router)| router)
    }
}
