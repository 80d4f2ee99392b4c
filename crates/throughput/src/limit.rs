//! The throughput limit of broadcasts: the largest ratio, over all cuts, of the messages that must
//! leave a set of routers to the bandwidth that leaves it.
//!
//! Newton's method on the ratio: at a ratio p/q every channel of bandwidth b carries p·b and every
//! sender supplies q. If the flow into some receiver falls short, the minimum cut has a larger
//! ratio. A receiver that has passed becomes a source: every cut that misses it has been checked.

use std::collections::VecDeque;

use crate::graph::{Graph, Ratio};
use crate::integer::gcd;
use crate::maxflow::Flow;

/// The throughput limit with its certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Time in which all receivers can get all messages of size 1, at best; 0 if no message needs a
    /// channel.
    pub time: Ratio,
    /// The routers of the bottleneck cut, ascending. The messages that start in it and have a
    /// receiver outside number `time` times the bandwidth of the channels that leave it.
    pub cut: Vec<u32>,
}

/// The largest sum of bandwidths, in units of the graph.
pub const LARGEST_TOTAL: u128 = 1 << 48;

/// Why there is no limit or no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BroadcastError {
    /// No path between two routers.
    #[error("router {receiver} cannot be reached from router {sender}")]
    Unreachable {
        /// The router of a sender.
        sender: u32,
        /// The router of a receiver.
        receiver: u32,
    },
    /// A router number that is too large.
    #[error("there is no router {router} (the network has {routers})")]
    NoSuchRouter {
        /// The number given.
        router: u32,
        /// The number of routers.
        routers: u32,
    },
    /// Bandwidths so large that exact fractions might overflow.
    #[error("the bandwidths together have too many digits for exact arithmetic; round them")]
    TooLarge {
        /// The sum of all bandwidths.
        total: u128,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The limit for broadcasting one message of size 1 from each sender to all receivers. `senders`
/// has the router of every sender and `receivers` that of every receiver; both may repeat routers.
/// A receiver on the router of a sender has that message already.
pub fn limit(graph: &Graph, senders: &[u32], receivers: &[u32]) -> Result<Limit, BroadcastError> {
    let supplies = count_senders(graph, senders, receivers)?;
    let mut best = simple_cut(graph, &supplies, receivers)?;
    if best.count == 0 {
        return Ok(Limit { time: Ratio::new_raw(0, 1), cut: Vec::new() });
    }
    let messages = senders.len() as u128;
    let order = breadth_first(graph, receivers);
    let mut flow = best.network(graph, &supplies);
    for (passed, &receiver) in order.iter().enumerate() {
        while flow.flow_into(receiver, messages * best.bandwidth) < messages * best.bandwidth {
            let inside = (0..graph.routers).map(|router| !flow.is_below_cut(router)).collect();
            best = Cut::new(graph, &supplies, inside);
            if best.bandwidth == 0 {
                return Err(best.unreachable(&supplies, receiver));
            }
            flow = best.network(graph, &supplies);
            for &receiver in &order[..passed] {
                flow.set_source(receiver, true);
            }
        }
        flow.set_source(receiver, true);
    }
    let cut = (0..graph.routers).filter(|&router| best.inside[router as usize]).collect();
    Ok(Limit { time: Ratio::new(best.count, best.bandwidth), cut })
}

/// A router set with the messages that start in it and the bandwidth that leaves it, both divided
/// by their greatest common divisor.
struct Cut {
    inside: Vec<bool>,
    count: u128,
    bandwidth: u128,
}

impl Cut {
    fn new(graph: &Graph, supplies: &[u128], inside: Vec<bool>) -> Self {
        let within = supplies.iter().zip(&inside).filter(|&(_, &is_inside)| is_inside);
        let count = within.map(|(count, _)| count).sum();
        let leaving = graph.links.iter().filter(|link| {
            let [tail, head] = [link.tail, link.head].map(|router| inside[router as usize]);
            tail && !head
        });
        let bandwidth = leaving.map(|link| u128::from(link.bandwidth)).sum();
        Cut::reduced(inside, count, bandwidth)
    }

    fn reduced(inside: Vec<bool>, count: u128, bandwidth: u128) -> Self {
        let divisor = gcd(count, bandwidth).max(1);
        Cut { inside, count: count / divisor, bandwidth: bandwidth / divisor }
    }

    /// The flow network in which this cut is tight.
    fn network(&self, graph: &Graph, supplies: &[u128]) -> Flow {
        let mut flow = Flow::new(graph.routers as usize + 1);
        for link in &graph.links {
            flow.add_arc(link.tail, link.head, u128::from(link.bandwidth) * self.count);
        }
        for (router, &count) in supplies.iter().enumerate() {
            if count > 0 {
                flow.add_arc(graph.routers, router as u32, count * self.bandwidth);
            }
        }
        flow.set_source(graph.routers, true);
        flow
    }

    fn unreachable(&self, supplies: &[u128], receiver: u32) -> BroadcastError {
        let sender = (0..supplies.len()).find(|&r| self.inside[r] && supplies[r] > 0);
        BroadcastError::Unreachable { sender: sender.unwrap_or_default() as u32, receiver }
    }
}

/// The number of senders on each router. Checks the input.
fn count_senders(
    graph: &Graph,
    senders: &[u32],
    receivers: &[u32],
) -> Result<Vec<u128>, BroadcastError> {
    let routers = graph.routers;
    if let Some(&router) = senders.iter().chain(receivers).find(|&&router| router >= routers) {
        return Err(BroadcastError::NoSuchRouter { router, routers });
    }
    let total = graph.links.iter().map(|link| u128::from(link.bandwidth)).sum();
    if total > LARGEST_TOTAL {
        return Err(BroadcastError::TooLarge { total });
    }
    let mut supplies = vec![0; routers as usize];
    for &sender in senders {
        supplies[sender as usize] += 1;
    }
    Ok(supplies)
}

/// The best of the cuts that separate one receiver from all others or one sender from all others.
fn simple_cut(graph: &Graph, supplies: &[u128], receivers: &[u32]) -> Result<Cut, BroadcastError> {
    let mut entering = vec![0u128; supplies.len()];
    let mut leaving = entering.clone();
    for link in graph.links.iter().filter(|link| link.tail != link.head) {
        leaving[link.tail as usize] += u128::from(link.bandwidth);
        entering[link.head as usize] += u128::from(link.bandwidth);
    }
    let total: u128 = supplies.iter().sum();
    let around = receivers.iter().map(|&router| {
        let at = router as usize;
        (router, false, total - supplies[at], entering[at])
    });
    let senders = (0..graph.routers).filter(|&router| supplies[router as usize] > 0);
    let wanted = |router: u32| receivers.iter().any(|&receiver| receiver != router);
    let alone = senders.filter(|&router| wanted(router)).map(|router| {
        let at = router as usize;
        (router, true, supplies[at], leaving[at])
    });
    let mut best = (0, false, 0, 1);
    for cut in around.chain(alone) {
        if compare((cut.2, cut.3), (best.2, best.3)).is_gt() {
            best = cut;
        }
    }
    let (router, alone, count, bandwidth) = best;
    let inside = (0..graph.routers).map(|other| (other == router) == alone).collect();
    let cut = Cut::reduced(inside, count, bandwidth);
    if bandwidth == 0 {
        let other = receivers.iter().find(|&&receiver| receiver != router);
        let receiver = if alone { other.copied().unwrap_or(router) } else { router };
        return Err(cut.unreachable(supplies, receiver));
    }
    Ok(cut)
}

/// Compares two ratios. A ratio over 0 is infinite, but 0/0 is 0. The products fit in 80 bits.
fn compare(left: (u128, u128), right: (u128, u128)) -> std::cmp::Ordering {
    if left.0 == 0 || right.0 == 0 {
        return left.0.cmp(&right.0);
    }
    (left.0 * right.1).cmp(&(right.0 * left.1))
}

/// The routers of the receivers in breadth-first order, each once.
pub(crate) fn breadth_first(graph: &Graph, receivers: &[u32]) -> Vec<u32> {
    let mut neighbours = vec![Vec::new(); graph.routers as usize];
    for link in &graph.links {
        neighbours[link.tail as usize].push(link.head);
        neighbours[link.head as usize].push(link.tail);
    }
    let mut wanted = vec![false; graph.routers as usize];
    for &receiver in receivers {
        wanted[receiver as usize] = true;
    }
    let mut seen = vec![false; graph.routers as usize];
    let mut order = Vec::new();
    for &start in receivers {
        let mut queue = VecDeque::from([start]);
        while let Some(router) = queue.pop_front() {
            if !std::mem::replace(&mut seen[router as usize], true) {
                order.extend(wanted[router as usize].then_some(router));
                queue.extend(neighbours[router as usize].iter().copied());
            }
        }
    }
    order
}
