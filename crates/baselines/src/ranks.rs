//! The ranks of a phase, and the quickest paths between them.

use pavane_model::{ChannelId, Collective, Kind, Network, Problem, ProcessorId, RouterId};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The most ranks.
const MOST_RANKS: usize = 512;

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
    /// `None` if no algorithm here suits the phase: several processors on a router, groups that
    /// differ, or too many ranks.
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
        if processors.len() > MOST_RANKS {
            return None;
        }
        let network = problem.network().clone();
        let mut rank_at = vec![None; network.router_count()];
        for (rank, &processor) in processors.iter().enumerate() {
            let place = &mut rank_at[network.home(processor)?.index()];
            if place.replace(rank).is_some() {
                return None;
            }
        }
        let hops = hop_times(&network, bytes)?;
        let homes = processors.iter().map(|&it| problem.home(it));
        let entries = homes.map(|home| quickest(&network, home, &hops)).collect();
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

/// The time of every channel for a message of `bytes` bytes. `None` if bandwidths or latencies are
/// missing.
fn hop_times(network: &Network, bytes: u64) -> Option<Vec<f64>> {
    let (bandwidths, latencies) = (network.bandwidths().ok()?, network.latencies().ok()?);
    let hops = bandwidths.iter().zip(&*latencies);
    // A small constant prefers few hops if hops cost nothing.
    let time = |bandwidth: f64, latency: f64| latency + bytes as f64 / bandwidth + 1e-6;
    Some(hops.map(|(bandwidth, latency)| time(bandwidth.to_f64(), latency.to_f64())).collect())
}

/// The last channel of the quickest path from a router to every other one: Dijkstra's algorithm.
fn quickest(network: &Network, from: RouterId, hops: &[f64]) -> Vec<Option<ChannelId>> {
    let mut times = vec![f64::INFINITY; network.router_count()];
    let mut entries = vec![None; network.router_count()];
    times[from.index()] = 0.0;
    // Times are not negative, so their bits are ordered as they are.
    let mut open = BinaryHeap::from([Reverse((0, from))]);
    while let Some(Reverse((bits, near))) = open.pop() {
        let start = f64::from_bits(bits);
        if start > times[near.index()] {
            continue;
        }
        for &channel in network.out_channels(near) {
            let head = network.channel(channel).head;
            let time = start + hops[channel.index()];
            if time < times[head.index()] {
                times[head.index()] = time;
                entries[head.index()] = Some(channel);
                open.push(Reverse((time.to_bits(), head)));
            }
        }
    }
    entries
}
