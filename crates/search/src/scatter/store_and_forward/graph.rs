//! The processors that may hold a message on its way, and the hops between them.

use super::super::layout::Layout;
use super::super::routes::MessageRoutes;
use super::legs::NONE;
use pavane_model::{MessageId, ProcessorId, RouterId};
use std::ops::Range;

/// A processor that may hold the message.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The processor.
    pub processor: ProcessorId,
    /// Indices of the hops that lead here.
    pub hops: Range<usize>,
}

/// A hop into a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    /// Index of the node it comes from, which is always lower.
    pub tail: u32,
    /// The channel, or [`NONE`] within a router.
    pub channel: u32,
}

/// All paths of one message. The memory is reused between messages.
#[derive(Default)]
pub(super) struct RelayGraph {
    /// The nodes in topological order: the first is the origin, the last the destination.
    pub nodes: Vec<Node>,
    /// The hops, in the order of the nodes they lead to.
    pub hops: Vec<Hop>,
    routes: MessageRoutes,
    first_node: Vec<u32>,
}

impl RelayGraph {
    /// Finds the paths of a message that are at most `detour` channels longer than the shortest.
    pub fn find(&mut self, layout: &Layout<'_>, message: MessageId, detour: u32) {
        let (from, to) = layout.ends(message);
        let source = layout.problem.home(from);
        self.hops.clear();
        self.nodes.clear();
        self.nodes.push(Node { processor: from, hops: 0..0 });
        if source == layout.problem.home(to) {
            self.hops.push(Hop { tail: 0, channel: NONE });
            self.nodes.push(Node { processor: to, hops: 0..1 });
            return;
        }
        self.routes.find(layout, source, to, detour);
        // `first_node[state]..first_node[state + 1]` are the nodes of a state.
        self.first_node.clear();
        self.first_node.extend([0, 1]);
        let target = self.routes.states.len() - 1;
        for state in 1..target {
            for &relay in relays(layout, self.routes.states[state].router) {
                self.push_node(state, relay);
            }
            self.first_node.push(self.nodes.len() as u32);
        }
        self.push_node(target, to);
    }

    fn push_node(&mut self, state: usize, processor: ProcessorId) {
        let first = self.hops.len();
        let entries = &self.routes.states[state].entries;
        for entry in &self.routes.entries[entries.start as usize..entries.end as usize] {
            let tails = &self.first_node[entry.tail as usize..entry.tail as usize + 2];
            let channel = entry.channel.0;
            self.hops.extend((tails[0]..tails[1]).map(|tail| Hop { tail, channel }));
        }
        self.nodes.push(Node { processor, hops: first..self.hops.len() });
    }
}

/// The candidates for forwarding at a router: one processor without port rows is enough; otherwise
/// all processors of the router.
fn relays<'a>(layout: &'a Layout<'_>, router: RouterId) -> &'a [ProcessorId] {
    let residents = layout.problem.network().residents(router);
    let is_free =
        |&p: &ProcessorId| layout.send_rows(p).is_empty() && layout.receive_rows(p).is_empty();
    match residents.iter().position(is_free) {
        Some(free) => &residents[free..=free],
        None => residents,
    }
}
