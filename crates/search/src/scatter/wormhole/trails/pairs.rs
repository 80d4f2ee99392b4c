//! The pairs of routers with a message from one to the other, and the shortest paths between them.

use crate::budget::Interrupt;
use pavane_model::{ChannelId, Problem, RouterId};

/// No message, or no channel.
pub(super) const NONE: u32 = u32::MAX;

/// The longest shortest path of a network that the search takes. Trails of longer pieces are slow to
/// cut.
const LONGEST: u32 = 16;

/// The channels of a network, the distances, and the message of every pair of routers.
#[derive(Debug)]
pub(super) struct PairTable {
    /// Number of routers; the pair of `from` and `to` has the number `from * routers + to`.
    pub routers: usize,
    /// First router of every channel.
    pub tail: Vec<u32>,
    /// Last router of every channel.
    pub head: Vec<u32>,
    /// The channels into every router.
    pub into: Vec<Vec<u32>>,
    /// The channels out of every router.
    pub out: Vec<Vec<u32>>,
    /// The distance of every pair, in channels; 0 if there is no path.
    pub distance: Vec<u8>,
    /// The message of every pair, or [`NONE`].
    pub message: Vec<u32>,
    /// The shortest paths from every router.
    pub sources: Vec<PathsFrom>,
    /// Channels that a search of all shortest paths looks at.
    pub work: u64,
}

/// The shortest paths from one router.
#[derive(Debug)]
pub(super) struct PathsFrom {
    /// The routers that it reaches, nearest first, without itself. With each, the end of its part of
    /// `steps`.
    pub reached: Vec<(u32, u32)>,
    /// Last channels of the shortest paths to the routers, and the routers before them.
    pub steps: Vec<(u32, u32)>,
}

impl PairTable {
    /// The pairs of a problem; `None` if a pair has several messages, if a shortest path is too long,
    /// or on interrupt.
    pub fn new(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
        let network = problem.network();
        let routers = network.router_count();
        let all = |channels: &[ChannelId]| channels.iter().map(|channel| channel.0).collect();
        let mut pairs = Self {
            routers,
            tail: network.channels().iter().map(|channel| channel.tail.0).collect(),
            head: network.channels().iter().map(|channel| channel.head.0).collect(),
            into: network.routers().map(|router| all(network.in_channels(router))).collect(),
            out: network.routers().map(|router| all(network.out_channels(router))).collect(),
            distance: vec![0; routers * routers],
            message: vec![NONE; routers * routers],
            sources: Vec::with_capacity(routers),
            work: 0,
        };
        for message in problem.messages().ids() {
            let messages = problem.messages();
            let (from, to) = (messages.origin(message), messages.destinations(message)[0]);
            let pair = pairs.pair(problem.home(from).0, problem.home(to).0);
            if problem.home(from) == problem.home(to) || pairs.message[pair] != NONE {
                return None;
            }
            pairs.message[pair] = message.0;
        }
        for router in network.routers() {
            if interrupt.is_raised() {
                return None;
            }
            pairs.add_source(router, &network.distances_from(router))?;
        }
        Some(pairs)
    }

    fn add_source(&mut self, source: RouterId, distance: &[u32]) -> Option<()> {
        let is_reached = |router: &u32| (1..u32::MAX).contains(&distance[*router as usize]);
        let mut order: Vec<u32> = (0..self.routers as u32).filter(is_reached).collect();
        order.sort_by_key(|&router| distance[router as usize]);
        let mut found = PathsFrom { reached: Vec::with_capacity(order.len()), steps: Vec::new() };
        for router in order {
            let length = distance[router as usize];
            if length > LONGEST {
                return None;
            }
            let pair = self.pair(source.0, router);
            self.distance[pair] = length as u8;
            for &channel in &self.into[router as usize] {
                let before = self.tail[channel as usize];
                if distance[before as usize] < length {
                    found.steps.push((channel, before));
                }
            }
            found.reached.push((router, found.steps.len() as u32));
        }
        self.work += found.steps.len() as u64;
        self.sources.push(found);
        Some(())
    }

    /// The number of a pair.
    pub fn pair(&self, from: u32, to: u32) -> usize {
        from as usize * self.routers + to as usize
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.tail.len()
    }
}
