//! A route after faults: the part of its tree that still hangs on the root and leads to a receiver. A
//! path is a tree with one receiver. A reduction is read backwards, so every tree starts at its root.

use pavane_model::{ChannelId, MessageId, Problem, RouterId};

/// A route after faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trimmed {
    /// The message, by its new number.
    pub message: MessageId,
    /// The weight, in units of the scale before.
    pub weight: u64,
    /// The channels that remain, by their new numbers, from the root outwards.
    pub channels: Vec<ChannelId>,
    /// The routers that want the message and no longer get it.
    pub missing: Vec<RouterId>,
}

impl Trimmed {
    /// Whether all remaining receivers get the message.
    pub fn is_valid(&self) -> bool {
        self.missing.is_empty()
    }
}

/// A problem with its channels read from the roots of trees outwards.
pub(super) struct Side<'a> {
    problem: &'a Problem,
    /// Whether each router may copy.
    pub is_copying: Vec<bool>,
}

impl<'a> Side<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let network = problem.network();
        let copies = |router: RouterId| {
            !network.residents(router).is_empty() || network.is_multicast(router)
        };
        Self { problem, is_copying: network.routers().map(copies).collect() }
    }

    pub fn is_backward(&self) -> bool {
        self.problem.is_backward()
    }

    /// The router nearer to the root and the other one, if the channel is part of a tree.
    pub fn ends(&self, channel: ChannelId) -> (RouterId, RouterId) {
        let ends = self.problem.network().channel(channel);
        if self.is_backward() { (ends.head, ends.tail) } else { (ends.tail, ends.head) }
    }

    /// The channels that lead away from a router.
    pub fn outgoing(&self, router: RouterId) -> &'a [ChannelId] {
        let network = self.problem.network();
        if self.is_backward() { network.in_channels(router) } else { network.out_channels(router) }
    }

    pub fn root(&self, message: MessageId) -> RouterId {
        self.problem.home(self.problem.messages().origin(message))
    }

    /// Whether each router wants a message. The root has it.
    fn wanted(&self, message: MessageId) -> Vec<bool> {
        let mut is_wanted = vec![false; self.is_copying.len()];
        for &to in self.problem.messages().destinations(message) {
            is_wanted[self.problem.home(to).index()] = true;
        }
        is_wanted[self.root(message).index()] = false;
        is_wanted
    }

    /// What remains of a route, given the new numbers of its channels in the order of the plan.
    pub fn trim(
        &self,
        message: MessageId,
        weight: u64,
        channels: impl DoubleEndedIterator<Item = Option<ChannelId>>,
    ) -> Trimmed {
        let (root, is_wanted) = (self.root(message), self.wanted(message));
        let mut channels: Vec<ChannelId> = if self.is_backward() {
            channels.rev().flatten().collect()
        } else {
            channels.flatten().collect()
        };
        let mut entered = vec![0u32; self.is_copying.len()];
        let mut left = vec![0u32; self.is_copying.len()];
        // The part that hangs on the root. A switch that does not copy sends on every copy once.
        channels.retain(|&channel| {
            let (from, to) = self.ends(channel);
            let (times, sent) = (entered[from.index()], left[from.index()]);
            let has_data = from == root
                || if self.is_copying[from.index()] { times > 0 } else { times > sent };
            left[from.index()] += u32::from(has_data);
            entered[to.index()] += u32::from(has_data);
            has_data
        });
        // Branches that lead to no receiver, from their ends.
        loop {
            let count = channels.len();
            let mut kept = Vec::with_capacity(count);
            for &channel in channels.iter().rev() {
                let (from, to) = self.ends(channel);
                let is_useless = if self.is_copying[to.index()] {
                    left[to.index()] == 0 && !is_wanted[to.index()]
                } else {
                    entered[to.index()] > left[to.index()]
                };
                if is_useless {
                    left[from.index()] -= 1;
                    entered[to.index()] -= 1;
                } else {
                    kept.push(channel);
                }
            }
            kept.reverse();
            channels = kept;
            if channels.len() == count {
                break;
            }
        }
        let lacks = |router: &RouterId| is_wanted[router.index()] && entered[router.index()] == 0;
        let missing = self.problem.network().routers().filter(lacks).collect();
        Trimmed { message, weight, channels, missing }
    }
}
