//! The demand of personalised messages: how many go from each router to each other router, and the
//! lanes that they compete for.

use pavane_model::{ChannelId, Duplex, Network, Problem, RouterId};
use std::borrow::Cow;

/// The personalised messages of a problem that must use a channel, grouped by a router that all
/// messages of a group share.
#[derive(Debug, Clone)]
pub(crate) struct Demand<'a> {
    /// The network, reversed if the messages are grouped by their first router instead of their
    /// last.
    pub network: Cow<'a, Network>,
    /// One group for every router that messages go to.
    pub groups: Vec<Group>,
}

/// The messages to one router.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Their destination.
    pub to: RouterId,
    /// Their sources, never the destination, and the number of messages from each.
    pub from: Vec<(RouterId, u64)>,
}

impl<'a> Demand<'a> {
    /// Counts the personalised messages of a problem. They are grouped by first or last router,
    /// whichever gives fewer groups.
    pub fn of(problem: &'a Problem) -> Self {
        let messages = problem.messages();
        let personalised = messages.ids().filter(|&message| messages.is_personalised(message));
        let mut pairs: Vec<(RouterId, RouterId)> = personalised
            .map(|m| (messages.origin(m), messages.destinations(m)[0]))
            .map(|(from, to)| (problem.home(from), problem.home(to)))
            .filter(|(from, to)| from != to)
            .collect();
        pairs.sort_unstable();
        let count = |pick: fn(&(RouterId, RouterId)) -> RouterId| {
            let mut is_there = vec![false; problem.network().router_count()];
            pairs.iter().for_each(|pair| is_there[pick(pair).index()] = true);
            is_there.into_iter().filter(|&is_there| is_there).count()
        };
        let is_turned_round = count(|pair| pair.0) < count(|pair| pair.1);
        let network = if is_turned_round {
            Cow::Owned(problem.network().reversed())
        } else {
            Cow::Borrowed(problem.network())
        };
        let mut by_router = vec![Vec::new(); problem.network().router_count()];
        for run in pairs.chunk_by(|a, b| a == b) {
            let (from, to) = if is_turned_round { (run[0].1, run[0].0) } else { run[0] };
            by_router[to.index()].push((from, run.len() as u64));
        }
        let groups = network.routers().zip(by_router).filter(|(_, from)| !from.is_empty());
        let groups = groups.map(|(to, from)| Group { to, from }).collect();
        Self { network, groups }
    }
}

/// Resources that only one message can use at a time: a channel or, under half duplex, a whole
/// link.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    /// The lane of each channel.
    pub of_channel: Vec<u32>,
    /// Number of lanes.
    pub count: usize,
}

impl Lanes {
    /// The lanes of a problem, in the order of their first channels.
    pub fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let mut of_channel: Vec<u32> = Vec::with_capacity(network.channel_count());
        let mut count = 0;
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            let partner = match problem.model().duplex {
                Duplex::Full => None,
                Duplex::Half => network.opposite(channel).filter(|&other| other < channel),
            };
            of_channel.push(match partner {
                Some(other) => of_channel[other.index()],
                None => {
                    count += 1;
                    count - 1
                }
            });
        }
        Self { of_channel, count: count as usize }
    }

    /// Expands values per lane to values per channel.
    pub fn spread<T: Copy>(&self, per_lane: &[T]) -> Vec<T> {
        self.of_channel.iter().map(|&lane| per_lane[lane as usize]).collect()
    }
}
