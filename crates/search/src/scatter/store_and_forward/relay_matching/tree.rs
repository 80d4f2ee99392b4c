//! The hops of a message with several destinations on a tree, where the path to each destination is
//! unique.

use super::super::super::layout::Layout;
use super::edge::HopEdge;
use super::paths::Paths;
use pavane_model::{MessageId, Problem, ProcessorId, RouterId};

/// Whether there are several messages, the network is a tree, and each router has at most one
/// processor.
pub(super) fn is_tree(problem: &Problem) -> bool {
    let network = problem.network();
    problem.messages().len() > 1
        && network.is_tree()
        && network.routers().all(|router| network.residents(router).len() <= 1)
}

/// The hops from a router to all others in breadth-first order; hops from the same processor are
/// adjacent.
fn order(problem: &Problem, start: RouterId) -> Vec<HopEdge> {
    let network = problem.network();
    let mut is_reached = vec![false; network.router_count()];
    let mut hops = Vec::new();
    let mut routers = vec![start];
    let mut at = 0;
    while let Some(&tail) = routers.get(at) {
        at += 1;
        is_reached[tail.index()] = true;
        for &channel in network.out_channels(tail) {
            let head = network.channel(channel).head;
            let ends = network.residents(tail).first().zip(network.residents(head).first());
            if let Some((from, to)) = ends.filter(|_| !is_reached[head.index()]) {
                is_reached[head.index()] = true;
                hops.push(HopEdge { from: from.0, to: to.0, channel: channel.0 });
                routers.push(head);
            }
        }
    }
    hops
}

impl Paths {
    /// Stores the hops of a message to all its destinations, with the longest chain of hops from
    /// each.
    pub(super) fn set_tree(&mut self, layout: &Layout<'_>, message: MessageId) {
        let problem = layout.problem;
        let mut hops = order(problem, problem.home(problem.messages().origin(message)));
        // Hops that lead to no destination are dropped.
        let processors = problem.network().processor_count();
        let mut is_needed = vec![false; processors];
        let wanting = problem.messages().destinations(message);
        wanting.iter().for_each(|to: &ProcessorId| is_needed[to.index()] = true);
        for hop in hops.iter().rev() {
            is_needed[hop.from as usize] |= is_needed[hop.to as usize];
        }
        hops.retain(|hop| is_needed[hop.to as usize]);
        let mut below = vec![0; processors];
        for hop in hops.iter().rev() {
            let above = below[hop.to as usize] + 1;
            below[hop.from as usize] = above.max(below[hop.from as usize]);
        }
        let mut first = vec![hops.len() as u32; processors];
        for (at, hop) in hops.iter().enumerate().rev() {
            first[hop.from as usize] = at as u32;
        }
        let rest = |hop: &HopEdge| (below[hop.to as usize] + 1, first[hop.to as usize]);
        self.trees[message.index()] = hops.iter().map(rest).collect();
        let numbers = hops.iter().map(|&hop| self.add_hop(layout, hop)).collect();
        self.paths[message.index()] = numbers;
    }
}
