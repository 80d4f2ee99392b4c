//! A phase as the searches see it: always forwards.

use crate::channel_times::ChannelTimes;
use crate::solve::TimedSearchError;
use pavane_model::timed::BufferSize;
use pavane_model::{ChannelId, Duplex, Problem, RouterId};

/// A phase, read forwards: a reduce or gather as a broadcast or scatter on the reversed network.
pub(crate) struct PhaseCase {
    /// The forward problem. Channels and messages have the numbers of the phase.
    pub problem: Problem,
    /// Whether the phase itself runs backwards.
    pub is_backward: bool,
    /// The bytes of every message.
    pub sizes: Vec<u64>,
    /// Whether each router may copy.
    pub copying: Vec<bool>,
}

impl PhaseCase {
    pub fn new(problem: &Problem, sizes: Vec<u64>) -> Self {
        let network = problem.network();
        let copies = |router: RouterId| {
            !network.residents(router).is_empty() || network.is_multicast(router)
        };
        Self {
            copying: network.routers().map(copies).collect(),
            is_backward: problem.is_backward(),
            problem: problem.forward(),
            sizes,
        }
    }

    /// The number of routers.
    pub fn routers(&self) -> usize {
        self.copying.len()
    }

    /// The routers between which a channel leads.
    pub fn ends(&self, channel: ChannelId) -> (RouterId, RouterId) {
        let ends = self.problem.network().channel(channel);
        (ends.tail, ends.head)
    }

    /// The channels that leave a router.
    pub fn outgoing(&self, router: RouterId) -> &[ChannelId] {
        self.problem.network().out_channels(router)
    }

    /// The channels that enter a router.
    pub fn incoming(&self, router: RouterId) -> &[ChannelId] {
        self.problem.network().in_channels(router)
    }

    /// The router at which a message starts.
    pub fn origin(&self, message: usize) -> RouterId {
        let messages = self.problem.messages();
        self.problem.home(messages.origin(pavane_model::MessageId(message as u32)))
    }

    /// The routers that want a message, without its origin, in the order of their numbers.
    pub fn wanted_at(&self, message: usize) -> Vec<RouterId> {
        let id = pavane_model::MessageId(message as u32);
        let origin = self.origin(message);
        let destinations = self.problem.messages().destinations(id);
        let homes = destinations.iter().map(|&to| self.problem.home(to));
        let mut homes: Vec<RouterId> = homes.filter(|&home| home != origin).collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// No schedule has fewer sends: every message crosses as many channels as its farthest destination
    /// is away, and enters every router that wants it.
    pub fn fewest_sends(&self) -> u64 {
        let messages = self.problem.messages();
        let mut by_origin: Vec<usize> =
            (0..self.sizes.len()).filter(|&message| self.sizes[message] > 0).collect();
        by_origin.sort_by_key(|&message| self.origin(message));
        let mut sum = 0u64;
        for group in by_origin.chunk_by(|&one, &other| self.origin(one) == self.origin(other)) {
            let hops = self.problem.network().distances_from(self.origin(group[0]));
            for &message in group {
                let to = messages.destinations(pavane_model::MessageId(message as u32));
                let farthest = to.iter().map(|&to| hops[self.problem.home(to).index()]).max();
                let entered = if to.len() == 1 { 0 } else { self.wanted_at(message).len() as u64 };
                sum += u64::from(farthest.unwrap_or(0)).max(entered);
            }
        }
        sum
    }

    /// Whether every message has one destination.
    pub fn is_personalised(&self) -> bool {
        let messages = self.problem.messages();
        messages.ids().all(|message| messages.destinations(message).len() == 1)
    }
}

/// All phases of a collective with the times of the channels.
pub(crate) struct TimedCase {
    pub phases: Vec<PhaseCase>,
    pub times: ChannelTimes,
    /// The channel or half-duplex link that a channel belongs to.
    pub resource: Vec<u32>,
}

/// Whether a message has a destination on another router than its origin.
fn needs_channels(problem: &Problem) -> bool {
    let messages = problem.messages();
    messages.ids().any(|message| {
        let home = problem.home(messages.origin(message));
        messages.destinations(message).iter().any(|&to| problem.home(to) != home)
    })
}

impl TimedCase {
    /// The phases of these problems with messages of this size; fails if there is nothing to send.
    pub fn new(
        problems: &[Problem],
        size: &BufferSize,
        duplex: Duplex,
    ) -> Result<Self, TimedSearchError> {
        let sizes: Vec<Vec<u64>> =
            problems.iter().map(|problem| size.of_messages(problem)).collect();
        let total = sizes.iter().flatten().fold(0u64, |sum, &size| sum.saturating_add(size));
        if total == 0 {
            return Err(TimedSearchError::Nothing);
        }
        if !problems.iter().any(needs_channels) {
            return Err(TimedSearchError::SameRouter);
        }
        let network = problems[0].network();
        let resource = |channel: u32| match duplex {
            Duplex::Full => channel,
            Duplex::Half => {
                let opposite = network.opposite(ChannelId(channel));
                opposite.map_or(channel, |other| other.0.min(channel))
            }
        };
        Ok(Self {
            times: ChannelTimes::new(network, total)?,
            phases: problems
                .iter()
                .zip(sizes)
                .map(|(one, sizes)| PhaseCase::new(one, sizes))
                .collect(),
            resource: (0..network.channel_count() as u32).map(resource).collect(),
        })
    }
}
