//! Hops from the homes of the origins, which most bounds use: one breadth-first search per home,
//! shared by all messages that start there.

use super::finding::out_of_time;
use super::words;
use crate::budget::Interrupt;
use pavane_model::{MessageId, Network, Problem, RouterId};

/// Work limit, in routers and channels visited, beyond which a bound is skipped.
const MOST_LOOKS: u64 = 2_000_000_000;

/// Calls `visit` for every home of an origin with the messages that start there and the hops from
/// there to every router. `Err` says why that would take, or took, too long.
pub fn from_origins(
    problem: &Problem,
    interrupt: &Interrupt,
    mut visit: impl FnMut(RouterId, &[MessageId], &[u32]),
) -> Result<(), String> {
    let network = problem.network();
    let (ends, messages) = group_by_home(problem);
    let homes = ends.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let size = network.router_count() + network.channel_count();
    if homes as u64 * size as u64 > MOST_LOOKS {
        return Err(format!(
            "computing the distances from {homes} origins over {} channels takes too long",
            network.channel_count()
        ));
    }
    let mut search = BreadthFirst::new(network);
    let mut done = 0;
    for home in network.routers() {
        let group = ends[home.index()]..ends[home.index() + 1];
        if group.is_empty() {
            continue;
        }
        if interrupt.is_raised() {
            return Err(out_of_time(format!("{done} of {}", words::counted(homes, "origin"))));
        }
        visit(home, &messages[group], search.from(home));
        done += 1;
    }
    Ok(())
}

/// The messages grouped by the home of their origin, and the start and end of each group.
fn group_by_home(problem: &Problem) -> (Vec<usize>, Vec<MessageId>) {
    let home = |message| problem.home(problem.messages().origin(message)).index();
    let mut ends = vec![0; problem.network().router_count() + 1];
    for message in problem.messages().ids() {
        ends[home(message) + 1] += 1;
    }
    for router in 1..ends.len() {
        ends[router] += ends[router - 1];
    }
    let mut next = ends.clone();
    let mut messages = vec![MessageId(0); problem.messages().len()];
    for message in problem.messages().ids() {
        messages[next[home(message)]] = message;
        next[home(message)] += 1;
    }
    (ends, messages)
}

/// Breadth-first search with reusable memory.
pub struct BreadthFirst {
    ends: Vec<usize>,
    heads: Vec<u32>,
    distance: Vec<u32>,
    queue: Vec<u32>,
}

impl BreadthFirst {
    /// Searches along the channels.
    pub fn new(network: &Network) -> Self {
        Self::over(network, |router| {
            network.out_channels(router).iter().map(|&channel| network.channel(channel).head.0)
        })
    }

    /// Searches against the channels: distances are those to the source.
    pub fn backwards(network: &Network) -> Self {
        Self::over(network, |router| {
            network.in_channels(router).iter().map(|&channel| network.channel(channel).tail.0)
        })
    }

    fn over<I: Iterator<Item = u32>>(network: &Network, next: impl Fn(RouterId) -> I) -> Self {
        let mut ends = vec![0];
        let mut heads = Vec::with_capacity(network.channel_count());
        for router in network.routers() {
            heads.extend(next(router));
            ends.push(heads.len());
        }
        let (distance, queue) = (vec![u32::MAX; network.router_count()], Vec::new());
        Self { ends, heads, distance, queue }
    }

    /// Hops from `source` to every router; `u32::MAX` if unreachable.
    pub fn from(&mut self, source: RouterId) -> &[u32] {
        self.distances_and_order(source).0
    }

    /// The distances, and the routers reached, nearest first.
    pub fn distances_and_order(&mut self, source: RouterId) -> (&[u32], &[u32]) {
        self.distance.fill(u32::MAX);
        self.distance[source.index()] = 0;
        self.queue.clear();
        self.queue.push(source.0);
        let mut at = 0;
        while at < self.queue.len() {
            let router = self.queue[at] as usize;
            at += 1;
            let next = self.distance[router] + 1;
            for &head in &self.heads[self.ends[router]..self.ends[router + 1]] {
                if self.distance[head as usize] == u32::MAX {
                    self.distance[head as usize] = next;
                    self.queue.push(head);
                }
            }
        }
        (&self.distance, &self.queue)
    }
}
