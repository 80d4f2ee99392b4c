//! The hops that the words of a message may take.

use crate::distance::{Neighbours, UNREACHABLE};
use pavane_model::tdm::TdmMessage;
use pavane_model::{ChannelId, RouterId, Routing, TdmProblem};

/// All hops on allowed routes. Those of one number follow each other, and the numbers ascend.
#[derive(Debug)]
pub(super) struct HopGraph {
    pub hops: Vec<Hop>,
    /// The fewest and the most hops of a route.
    pub fewest: u32,
    pub most: u32,
    source: RouterId,
    /// Hop `number` of a route is one of those from `firsts[number]` to before `firsts[number + 1]`.
    firsts: Vec<usize>,
}

/// A channel as a certain hop of a route.
#[derive(Debug)]
pub(super) struct Hop {
    pub channel: ChannelId,
    tail: RouterId,
    head: RouterId,
    /// How many hops come before it.
    pub number: u32,
    /// Whether it leads to the router of the receiver.
    pub is_last: bool,
}

impl HopGraph {
    /// `against` are the neighbours of the network against its channels.
    pub fn new(problem: &TdmProblem, message: &TdmMessage, against: &Neighbours) -> Self {
        let network = problem.network();
        let homes = network.home(message.from).zip(network.home(message.to));
        let (source, target) = homes.expect("the processors of a checked problem exist");
        let rest = against.distances([target]);
        let fewest = rest[source.index()];
        // A route visits no router twice, so it has fewer hops than there are routers.
        let longest = (network.router_count() as u32).saturating_sub(1).max(fewest);
        let most = match problem.rules().routing {
            _ if fewest == 0 => 0,
            Routing::Minimal => fewest,
            Routing::Detour(more) => fewest.saturating_add(more).min(longest),
            Routing::Any => longest,
        };
        let mut hops: Vec<Hop> = Vec::new();
        let mut firsts = vec![0];
        let mut layer = vec![source];
        for number in 0..most {
            let mut next = Vec::new();
            for &tail in &layer {
                for &channel in network.out_channels(tail) {
                    let head = network.channel(channel).head;
                    let left = rest[head.index()];
                    if left == UNREACHABLE || number + 1 + left > most || head == source {
                        continue;
                    }
                    let is_last = head == target;
                    hops.push(Hop { channel, tail, head, number, is_last });
                    if !is_last {
                        next.push(head);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            firsts.push(hops.len());
            layer = next;
        }
        Self { hops, fewest, most, source, firsts }
    }

    /// The hops that may follow a hop, or that may be the first one.
    pub fn after(&self, hop: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let (number, router) = match hop {
            None => (0, self.source),
            Some(hop) => (self.hops[hop].number as usize + 1, self.hops[hop].head),
        };
        let range = match (self.firsts.get(number), self.firsts.get(number + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        };
        range.filter(move |&next| self.hops[next].tail == router)
    }

    /// The hops into each router that more than one hop enters.
    pub fn entries(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.hops.len()).collect();
        order.sort_by_key(|&hop| (self.hops[hop].head, hop));
        let groups = order.chunk_by(|&one, &other| self.hops[one].head == self.hops[other].head);
        groups.filter(|group| group.len() > 1).map(<[usize]>::to_vec).collect()
    }
}
