//! What private messages ask of a network, message by message no more: how many go from each
//! router to each other one, and what they can get in each other's way on.

use pavane_model::{ChannelId, Duplex, Network, Problem, RouterId};
use std::borrow::Cow;

/// The private messages of a problem that must use a channel, gathered by the router that all
/// messages of one group share.
#[derive(Debug, Clone)]
pub(crate) struct Demand<'a> {
    /// The network, turned round if the groups share their first router and not their last.
    pub network: Cow<'a, Network>,
    /// Every router that messages go to, with the routers they come from and how many do.
    pub groups: Vec<Group>,
}

/// The messages to one router.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Where they go.
    pub to: RouterId,
    /// Where they come from, and how many; never from where they go.
    pub from: Vec<(RouterId, u64)>,
}

impl<'a> Demand<'a> {
    /// Counts the private messages of a problem. Groups are by first or by last router, whichever
    /// gives fewer.
    pub fn of(problem: &'a Problem) -> Self {
        let messages = problem.messages();
        let private = messages.ids().filter(|&message| messages.is_private(message));
        let mut pairs: Vec<(RouterId, RouterId)> = private
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
        let network = match is_turned_round {
            true => Cow::Owned(problem.network().reversed()),
            false => Cow::Borrowed(problem.network()),
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

/// What only one message at a time can use: a channel, or under half duplex a whole link.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    /// The lane that each channel belongs to.
    pub of_channel: Vec<u32>,
    /// How many there are.
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

    /// One value for every channel from one for every lane.
    pub fn spread<T: Copy>(&self, per_lane: &[T]) -> Vec<T> {
        self.of_channel.iter().map(|&lane| per_lane[lane as usize]).collect()
    }
}
