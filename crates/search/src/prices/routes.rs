//! All paths of the messages to one router, as a graph of states: a router and, under limited
//! detours, the detour that remains.

use super::demand::{Group, Lanes};
use pavane_model::{Network, RouterId, Routing};
use std::ops::{Add, Range};

/// Number type of prices: integers for certificates, floating point for searching.
pub(crate) trait Price: Copy + PartialOrd + Add<Output = Self> {
    /// The price of an empty path.
    const ZERO: Self;
    /// Above the cost of any path, with room to add a price without overflow.
    const UNKNOWN: Self;
}

impl Price for f64 {
    const ZERO: Self = 0.0;
    const UNKNOWN: Self = f64::INFINITY;
}

impl Price for u64 {
    const ZERO: Self = 0;
    const UNKNOWN: Self = u64::MAX / 2;
}

/// The states that the messages of one group may pass through: the target (state 0) first, the
/// others by increasing remaining detour and distance. Edges are the channels between states.
#[derive(Debug, Clone)]
pub(crate) struct Routes {
    /// Whether every edge leads to an earlier state, so that one sweep finds all cheapest paths.
    is_ordered: bool,
    /// Per state, one past its last edge; state 0 has none.
    ends: Vec<u32>,
    edges: Vec<Edge>,
    /// The states in which messages start, and the number of messages in each.
    starts: Vec<(u32, u64)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// The state it leads to.
    pub head: u32,
    /// The lane of its channel.
    pub lane: u32,
}

/// Buffers that are reused for every group.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T> {
    /// The cost of the cheapest path from each state.
    cost: Vec<T>,
    /// The first edge of that path.
    via: Vec<u32>,
    flow: Vec<u64>,
    waiting: Vec<u32>,
    ready: Vec<u32>,
}

/// Maximum detour of a path, in channels; `None` means unlimited.
pub(crate) fn spare_of(routing: Routing, network: &Network) -> Option<u32> {
    match routing {
        Routing::Minimal => Some(0),
        Routing::Any => None,
        // A simple path has fewer channels than there are routers, so a larger detour is no limit.
        Routing::Detour(extra) => Some(extra).filter(|&e| (e as usize) < network.router_count()),
    }
}

impl Routes {
    /// The paths from the sources of a group to its destination, at most `spare` channels longer
    /// than the shortest.
    pub fn new(network: &Network, lanes: &Lanes, group: &Group, spare: Option<u32>) -> Self {
        let distance = network.distances_to(group.to);
        let layers = Layers { network, distance, target: group.to, spare };
        let mut states = layers.states(group);
        states.sort_unstable_by_key(|&(router, left)| (left, layers.distance[router.index()]));
        // The target is one state, whatever detour remains there.
        let mut number = vec![u32::MAX; network.router_count() * (spare.unwrap_or(0) as usize + 1)];
        for left in 0..=spare.unwrap_or(0) {
            number[layers.slot((group.to, left))] = 0;
        }
        for (state, at) in (1..).zip(&states) {
            number[layers.slot(*at)] = state;
        }
        let mut ends = vec![0];
        let mut edges = Vec::new();
        for &at in &states {
            edges.extend(layers.onward(at).map(|(channel, next)| Edge {
                head: number[layers.slot(next)],
                lane: lanes.of_channel[channel],
            }));
            ends.push(edges.len() as u32);
        }
        let slot_of = |from| layers.slot((from, spare.unwrap_or(0)));
        let starts = group.from.iter().map(|&(from, count)| (number[slot_of(from)], count));
        Self { is_ordered: spare.is_some(), ends, edges, starts: starts.collect() }
    }

    /// The number of states, including the target.
    pub fn state_count(&self) -> usize {
        self.ends.len()
    }

    /// The number of edges, which is the work of one sweep.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The states in which messages start, and the number of messages in each.
    pub fn starts(&self) -> &[(u32, u64)] {
        &self.starts
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: usize) -> &[Edge] {
        &self.edges[self.range(state)]
    }

    fn range(&self, state: usize) -> Range<usize> {
        match state {
            0 => 0..0,
            state => self.ends[state - 1] as usize..self.ends[state] as usize,
        }
    }

    /// Finds the cheapest path from every state; returns the number of edges visited.
    pub fn sweep<T: Price>(&self, price: &[T], scratch: &mut Scratch<T>) -> u64 {
        let Scratch { cost, via, .. } = scratch;
        cost.clear();
        cost.resize(self.state_count(), T::UNKNOWN);
        cost[0] = T::ZERO;
        via.clear();
        via.resize(self.state_count(), 0);
        let mut sweeps = 0;
        loop {
            let mut is_better = false;
            let mut start = 0;
            for state in 1..self.ends.len() {
                let end = self.ends[state];
                let (mut best, mut best_at) = (cost[state], u32::MAX);
                for (at, edge) in (start..end).zip(&self.edges[start as usize..end as usize]) {
                    let through = cost[edge.head as usize] + price[edge.lane as usize];
                    if through < best {
                        (best, best_at) = (through, at);
                    }
                }
                if best_at != u32::MAX {
                    (cost[state], via[state]) = (best, best_at);
                    is_better = true;
                }
                start = end;
            }
            sweeps += 1;
            if self.is_ordered || !is_better {
                return sweeps * self.edges.len() as u64;
            }
        }
    }

    /// The cost of the cheapest path of every start, as found by [`Routes::sweep`], with its number
    /// of messages.
    pub fn payments<'s, T: Price>(
        &'s self,
        scratch: &'s Scratch<T>,
    ) -> impl Iterator<Item = (T, u64)> + 's {
        self.starts.iter().map(|&(state, count)| (scratch.cost[state as usize], count))
    }

    /// Sends every message along its cheapest path and adds it to the load of the lanes.
    pub fn load_cheapest<T>(&self, scratch: &mut Scratch<T>, load: &mut [u64]) {
        let Scratch { via, flow, waiting, ready, .. } = scratch;
        flow.clear();
        flow.resize(self.state_count(), 0);
        for &(state, count) in &self.starts {
            flow[state as usize] += count;
        }
        let mut pass_on = |state: usize| {
            let Edge { head, lane } = self.edges[via[state] as usize];
            load[lane as usize] += flow[state];
            flow[head as usize] += flow[state];
            head as usize
        };
        if self.is_ordered {
            (1..self.state_count()).rev().for_each(|state| _ = pass_on(state));
            return;
        }
        // The cheapest paths form a tree: a state forwards its flow once all of its children have.
        waiting.clear();
        waiting.resize(self.state_count(), 0);
        for state in 1..self.state_count() {
            waiting[self.edges[via[state] as usize].head as usize] += 1;
        }
        ready.clear();
        ready.extend((1..self.state_count() as u32).filter(|&s| waiting[s as usize] == 0));
        while let Some(state) = ready.pop() {
            let head = pass_on(state as usize);
            waiting[head] -= 1;
            if waiting[head] == 0 && head != 0 {
                ready.push(head as u32);
            }
        }
    }

    /// Splits the messages at every state evenly over its edges and adds them to the load of the
    /// lanes. Requires ordered routes.
    pub fn load_evenly(&self, load: &mut [f64]) {
        debug_assert!(self.is_ordered, "the routes are not ordered");
        let mut flow = vec![0.0; self.state_count()];
        for &(state, count) in &self.starts {
            flow[state as usize] += count as f64;
        }
        for state in (1..self.state_count()).rev() {
            let edges = self.edges(state);
            let share = flow[state] / edges.len() as f64;
            for edge in edges {
                load[edge.lane as usize] += share;
                flow[edge.head as usize] += share;
            }
        }
    }
}

/// The states of one target before they are numbered: a router and the detour that remains there.
struct Layers<'a> {
    network: &'a Network,
    distance: Vec<u32>,
    target: RouterId,
    spare: Option<u32>,
}

impl Layers<'_> {
    fn slot(&self, (router, left): (RouterId, u32)) -> usize {
        left as usize * self.network.router_count() + router.index()
    }

    /// The channels that may be taken from a state, and the states they lead to.
    fn onward(&self, at: (RouterId, u32)) -> impl Iterator<Item = (usize, (RouterId, u32))> {
        let (router, left) = at;
        self.network.out_channels(router).iter().filter_map(move |&channel| {
            let head = self.network.channel(channel).head;
            let needed = self.distance[head.index()].checked_add(1)?;
            let left = match self.spare {
                Some(_) => left.checked_sub(needed - self.distance[router.index()])?,
                None => 0,
            };
            Some((channel.index(), (head, left)))
        })
    }

    /// Every state except the target that the messages of a group can reach.
    fn states(&self, group: &Group) -> Vec<(RouterId, u32)> {
        let spare = self.spare.unwrap_or(0);
        let mut is_seen = vec![false; self.network.router_count() * (spare as usize + 1)];
        let mut states = Vec::new();
        let mut note = |at: (RouterId, u32), states: &mut Vec<_>| {
            let is_new = at.0 != self.target && !is_seen[self.slot(at)];
            if is_new {
                is_seen[self.slot(at)] = true;
                states.push(at);
            }
        };
        group.from.iter().for_each(|&(from, _)| note((from, spare), &mut states));
        let mut next = 0;
        while next < states.len() {
            self.onward(states[next]).for_each(|(_, at)| note(at, &mut states));
            next += 1;
        }
        states
    }
}
