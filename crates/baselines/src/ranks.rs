//! The ranks of a phase, and the quickest paths between them.

use pavane_model::{ChannelId, Collective, Kind, Network, Problem, ProcessorId, RouterId};
use std::collections::BTreeSet;

/// The form of a phase, read forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Every rank sends one message to all others; message i is that of rank i.
    AllGather,
    /// One rank sends one message to all others.
    Broadcast,
    /// Every message has one destination.
    Personalised,
}

/// A phase, read forwards, with its ranks.
pub(crate) struct Ranks {
    pub problem: Problem,
    pub shape: Shape,
    /// The processor of every rank. The root of a broadcast is rank 0.
    pub processors: Vec<ProcessorId>,
    /// By router: its rank.
    rank_at: Vec<Option<usize>>,
    /// By rank: the last channel of the quickest path to every router.
    entries: Vec<Vec<Option<ChannelId>>>,
    /// Bytes that every channel carries so far, to share parallel channels.
    loads: Vec<u64>,
}

impl Ranks {
    /// `None` if no algorithm here suits the phase: several processors on a router, or groups that
    /// differ.
    pub fn new(phase: &Problem, bytes: u64) -> Option<Self> {
        let problem = phase.forward();
        let shape = shape(&problem)?;
        let Collective { senders, receivers, list, .. } = problem.collective();
        let listed = list.iter().flat_map(|message| message.to.iter().chain([&message.from]));
        let group: BTreeSet<ProcessorId> =
            senders.iter().chain(receivers).chain(listed).copied().collect();
        let mut processors: Vec<ProcessorId> = group.into_iter().collect();
        let messages = problem.messages();
        match shape {
            Shape::AllGather => {
                processors = messages.ids().map(|message| messages.origin(message)).collect();
            }
            Shape::Broadcast => {
                let root = messages.origin(messages.ids().next()?);
                let at = processors.iter().position(|&it| it == root)?;
                processors.rotate_left(at);
            }
            Shape::Personalised => {}
        }
        let network = problem.network().clone();
        let mut rank_at = vec![None; network.router_count()];
        for (rank, &processor) in processors.iter().enumerate() {
            let place = &mut rank_at[network.home(processor)?.index()];
            if place.replace(rank).is_some() {
                return None;
            }
        }
        let homes = processors.iter().map(|&it| problem.home(it));
        let entries = homes.map(|home| quickest(&network, home, bytes)).collect::<Option<_>>()?;
        let loads = vec![0; network.channel_count()];
        Some(Self { problem, shape, processors, rank_at, entries, loads })
    }

    pub fn network(&self) -> &Network {
        self.problem.network()
    }

    pub fn count(&self) -> usize {
        self.processors.len()
    }

    pub fn home(&self, rank: usize) -> RouterId {
        self.problem.home(self.processors[rank])
    }

    /// The rank of a processor.
    pub fn rank_of(&self, processor: ProcessorId) -> Option<usize> {
        self.rank_at[self.problem.home(processor).index()]
    }

    /// The quickest path between two ranks. Of parallel channels the least loaded one is taken.
    pub fn path(&mut self, from: usize, to: usize, bytes: u64) -> Vec<ChannelId> {
        let mut path = Vec::new();
        let mut router = self.home(to);
        let start = self.home(from);
        while router != start {
            let Some(entry) = self.entries[from][router.index()] else { return Vec::new() };
            let tail = self.network().channel(entry).tail;
            let like = |channel: ChannelId| self.network().timing(channel);
            let parallel = self.network().channels_between(tail, router);
            let equal = parallel.filter(|&it| like(it) == like(entry));
            let channel = equal.min_by_key(|it| self.loads[it.index()]).unwrap_or(entry);
            self.loads[channel.index()] += bytes;
            path.push(channel);
            router = tail;
        }
        path.reverse();
        path
    }
}

/// The form of a forward problem.
fn shape(problem: &Problem) -> Option<Shape> {
    let collective = problem.collective();
    match collective.kind {
        Kind::Broadcast if problem.messages().len() == 1 => Some(Shape::Broadcast),
        Kind::Broadcast => {
            let group = |members: &[ProcessorId]| members.iter().copied().collect::<BTreeSet<_>>();
            (group(&collective.senders) == group(&collective.receivers)).then_some(Shape::AllGather)
        }
        _ => {
            let messages = problem.messages();
            messages.ids().all(|it| messages.is_personalised(it)).then_some(Shape::Personalised)
        }
    }
}

/// The last channel of the quickest path from a router to every other one, for a message of `bytes`
/// bytes: Dijkstra's algorithm. `None` if bandwidths or latencies are missing.
fn quickest(network: &Network, from: RouterId, bytes: u64) -> Option<Vec<Option<ChannelId>>> {
    let (bandwidths, latencies) = (network.bandwidths().ok()?, network.latencies().ok()?);
    let mut times = vec![f64::INFINITY; network.router_count()];
    let mut entries = vec![None; network.router_count()];
    let mut is_done = vec![false; network.router_count()];
    times[from.index()] = 0.0;
    loop {
        let open = network.routers().filter(|it| !is_done[it.index()]);
        let near = open.min_by(|a, b| times[a.index()].total_cmp(&times[b.index()]));
        let Some(near) = near.filter(|it| times[it.index()].is_finite()) else { break };
        is_done[near.index()] = true;
        for &channel in network.out_channels(near) {
            let at = channel.index();
            let hop = latencies[at].to_f64() + bytes as f64 / bandwidths[at].to_f64();
            let head = network.channel(channel).head.index();
            // A small constant prefers few hops if hops cost nothing.
            let time = times[near.index()] + hop + 1e-6;
            if time < times[head] {
                times[head] = time;
                entries[head] = Some(channel);
            }
        }
    }
    Some(entries)
}
