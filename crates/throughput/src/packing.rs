//! Packs trees into a network in which every router duplicates: Edmonds' branchings (1973), with
//! trees of the same shape grown together.
//!
//! A class is a number of equal partial trees. Trees can be completed as long as every router set
//! X has at least as much capacity in as there are trees without a router in X. One flow tells how
//! many trees of a class may grow along an edge without breaking this.

use std::collections::{BTreeMap, BTreeSet};

use crate::maxflow::{Flow, UNLIMITED};
use crate::shallow::flatten;

/// Where trees of a sender start.
#[derive(Debug, Clone)]
pub struct Root {
    /// The sender.
    pub sender: u32,
    /// The first router.
    pub router: u32,
    /// Number of trees.
    pub amount: u128,
}

/// Capacity between two routers.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The router that sends.
    pub tail: u32,
    /// The router that receives.
    pub head: u32,
    /// Number of trees that may use it.
    pub amount: u128,
}

/// A number of equal trees.
#[derive(Debug, Clone)]
pub struct Class {
    /// Index of the root.
    pub root: usize,
    /// Number of trees.
    pub weight: u128,
    /// Indices of edges from the root outwards.
    pub edges: Vec<usize>,
}

/// Trees that span all `routers` from the given roots. None if the capacities do not suffice or
/// `stop` says so. For `levels` levels all trees grow at the same time, which keeps them equally
/// shallow; after that they are completed one by one.
pub fn pack(
    routers: &[u32],
    roots: &[Root],
    edges: &[Edge],
    levels: u32,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Class>> {
    let mut packing = Packing::new(routers, roots, edges);
    for level in 1..=levels.min(routers.len() as u32) {
        if packing.growing.is_empty() {
            break;
        }
        let mut at = 0;
        while at < packing.growing.len() {
            packing.grow(at, level, stop)?;
            at += 1;
        }
        packing.rebuild();
    }
    for root in 0..roots.len() {
        let mut at = 0;
        while at < packing.growing.len() {
            if packing.growing[at].root == root {
                packing.grow(at, u32::MAX, stop)?;
                if packing.growing[at].members.len() < routers.len() {
                    return None;
                }
            }
            at += 1;
        }
        packing.rebuild();
    }
    let Packing { mut finished, edges: mut free, .. } = packing;
    let nodes = routers.iter().max().map_or(0, |&router| router as usize + 1);
    flatten(nodes, &mut free, &mut finished, |root| roots[root].router);
    Some(finished)
}

#[derive(Debug, Clone)]
struct Growing {
    root: usize,
    weight: u128,
    edges: Vec<usize>,
    /// Routers reached, in order, with their depth.
    members: Vec<(u32, u32)>,
    /// Depth up to which all edges have been tried.
    tried: u32,
    /// Pairs of routers along which this class cannot grow.
    blocked: BTreeSet<(u32, u32)>,
    /// The supply arc and the node of the class in the flow network.
    supply: u32,
    node: u32,
}

struct Packing<'a> {
    routers: &'a [u32],
    edges: Vec<Edge>,
    /// Edges from each router.
    from: BTreeMap<u32, Vec<usize>>,
    flow: Flow,
    /// The arc of each pair of routers.
    arcs: BTreeMap<(u32, u32), u32>,
    hub: u32,
    growing: Vec<Growing>,
    finished: Vec<Class>,
    /// Trees that do not span yet.
    unfinished: u128,
}

impl<'a> Packing<'a> {
    fn new(routers: &'a [u32], roots: &[Root], edges: &[Edge]) -> Self {
        let mut from: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, edge) in edges.iter().enumerate() {
            from.entry(edge.tail).or_default().push(at);
        }
        let growing = roots.iter().enumerate().map(|(at, root)| Growing {
            root: at,
            weight: root.amount,
            edges: Vec::new(),
            members: vec![(root.router, 0)],
            tried: 0,
            blocked: BTreeSet::new(),
            supply: 0,
            node: 0,
        });
        let mut packing = Packing {
            routers,
            edges: edges.to_vec(),
            from,
            flow: Flow::default(),
            arcs: BTreeMap::new(),
            hub: 0,
            growing: growing.collect(),
            finished: Vec::new(),
            unfinished: 0,
        };
        packing.rebuild();
        packing
    }

    /// Moves complete classes to `finished` and builds the flow network of the others.
    fn rebuild(&mut self) {
        let spanning = self.routers.len();
        let (done, growing) = std::mem::take(&mut self.growing)
            .into_iter()
            .partition(|c| c.members.len() == spanning);
        self.growing = growing;
        let done: Vec<Growing> = done;
        self.finished.extend(done.into_iter().map(|class| Class {
            root: class.root,
            weight: class.weight,
            edges: class.edges,
        }));
        let nodes = self.routers.iter().max().map_or(0, |&router| router as usize + 1);
        self.flow = Flow::new(nodes);
        self.hub = self.flow.add_node();
        self.flow.set_source(self.hub, true);
        self.arcs.clear();
        let mut amounts: BTreeMap<(u32, u32), u128> = BTreeMap::new();
        for edge in &self.edges {
            *amounts.entry((edge.tail, edge.head)).or_default() += edge.amount;
        }
        for (pair, amount) in amounts {
            self.arcs.insert(pair, self.flow.add_arc(pair.0, pair.1, amount));
        }
        self.unfinished = 0;
        for at in 0..self.growing.len() {
            self.connect(at);
        }
    }

    /// Adds a class to the flow network.
    fn connect(&mut self, at: usize) {
        let class = &mut self.growing[at];
        self.unfinished += class.weight;
        if let [(router, _)] = class.members[..] {
            class.node = router;
            class.supply = self.flow.add_arc(self.hub, router, class.weight);
            return;
        }
        class.node = self.flow.add_node();
        class.supply = self.flow.add_arc(self.hub, class.node, class.weight);
        for &(router, _) in &class.members {
            self.flow.add_arc(class.node, router, UNLIMITED);
        }
    }

    /// Grows a class up to a depth. Parts that cannot grow with the rest become new classes at the
    /// end of the list.
    fn grow(&mut self, at: usize, depth: u32, stop: &dyn Fn() -> bool) -> Option<()> {
        while self.growing[at].members.len() < self.routers.len() {
            if stop() {
                return None;
            }
            if self.growing[at].tried >= depth {
                return Some(());
            }
            let Some((edge, amount)) = self.choose(at) else {
                let class = &mut self.growing[at];
                class.tried += 1;
                if class.tried > class.members.iter().map(|member| member.1).max().unwrap_or(0) {
                    return Some(());
                }
                continue;
            };
            self.extend(at, edge, amount);
        }
        Some(())
    }

    /// An edge by which a class can grow from its present depth, and the number of trees that can:
    /// an edge for all trees of the class, or else one for as many as possible.
    fn choose(&mut self, at: usize) -> Option<(usize, u128)> {
        let class = &self.growing[at];
        let reached: BTreeSet<u32> = class.members.iter().map(|member| member.0).collect();
        let mut candidates = Vec::new();
        for &(tail, depth) in &class.members {
            if depth != class.tried {
                continue;
            }
            for &edge in self.from.get(&tail).map_or(&[][..], Vec::as_slice) {
                let Edge { head, amount, .. } = self.edges[edge];
                let open = !reached.contains(&head) && !class.blocked.contains(&(tail, head));
                if amount > 0 && open {
                    candidates.push(edge);
                }
            }
        }
        let weight = class.weight;
        candidates.sort_by_key(|&edge| std::cmp::Reverse(self.edges[edge].amount));
        let mut best: Option<(usize, u128)> = None;
        for edge in candidates {
            let Edge { tail, head, amount } = self.edges[edge];
            let most = amount.min(weight);
            if best.is_some_and(|(_, amount)| amount >= most) {
                break;
            }
            if self.growing[at].blocked.contains(&(tail, head)) {
                continue;
            }
            let room = self.room(at, tail, head, most);
            if room == 0 {
                self.growing[at].blocked.insert((tail, head));
            } else if room == weight {
                return Some((edge, room));
            } else if best.is_none_or(|(_, amount)| room > amount) {
                best = Some((edge, room));
            }
        }
        best
    }

    /// How many trees of a class, at most `most`, may grow from `tail` to `head`.
    fn room(&mut self, at: usize, tail: u32, head: u32, most: u128) -> u128 {
        let Growing { supply, weight, .. } = self.growing[at];
        let others = self.unfinished - weight;
        self.flow.set_capacity(supply, 0);
        self.flow.set_source(tail, true);
        let flow = self.flow.flow_into(head, others + most);
        self.flow.set_source(tail, false);
        self.flow.set_capacity(supply, weight);
        flow.saturating_sub(others)
    }

    /// Grows `amount` trees of a class along an edge.
    fn extend(&mut self, at: usize, edge: usize, amount: u128) {
        let Edge { tail, head, .. } = self.edges[edge];
        self.edges[edge].amount -= amount;
        let arc = self.arcs[&(tail, head)];
        self.flow.set_capacity(arc, self.flow.capacity(arc) - amount);
        let class = &mut self.growing[at];
        let rest = class.weight - amount;
        if rest > 0 {
            let rest = Growing { weight: rest, ..class.clone() };
            class.weight = amount;
            self.unfinished -= rest.weight;
            self.flow.set_capacity(class.supply, amount);
            self.growing.push(rest);
            self.connect(self.growing.len() - 1);
        }
        let hub = self.hub;
        let class = &mut self.growing[at];
        class.edges.push(edge);
        class.members.push((head, class.tried + 1));
        if class.members.len() == self.routers.len() {
            self.flow.set_capacity(class.supply, 0);
            self.unfinished -= class.weight;
        } else if class.members.len() == 2 {
            // The class had no node of its own yet.
            self.flow.set_capacity(class.supply, 0);
            class.node = self.flow.add_node();
            class.supply = self.flow.add_arc(hub, class.node, class.weight);
            for &(router, _) in &class.members {
                self.flow.add_arc(class.node, router, UNLIMITED);
            }
        } else {
            self.flow.add_arc(class.node, head, UNLIMITED);
        }
    }
}
