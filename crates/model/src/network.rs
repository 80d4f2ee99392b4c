//! A network: routers, directed channels between them, and processors at home on routers.
//! Built by a [`NetworkBuilder`] only, so a network that exists is well formed.

mod builder;
mod error;

pub use builder::NetworkBuilder;
pub use error::NetworkError;

use crate::ids::{ChannelId, ProcessorId, RouterId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most routers, channels or processors that a network may have.
pub const LARGEST: u64 = 1 << 25;

/// The most routers of a network with so many channels: a few words could ask for a memory full of routers that nothing leads to.
pub(crate) fn most_routers(channels: u64) -> u64 {
    channels.saturating_mul(2).clamp(1 << 20, LARGEST)
}

/// A directed connection from one router to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// Where it starts.
    pub tail: RouterId,
    /// Where it ends.
    pub head: RouterId,
}

/// Latency and bandwidth of a channel, where they are known. Step counts ignore them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timing {
    /// Time that a message's first byte needs, in nanoseconds.
    pub latency_ns: Option<f64>,
    /// Bytes per nanosecond.
    pub bandwidth_gbytes: Option<f64>,
}

/// Where a file has a router on paper: x to the right, y downwards, in units of its own.
pub type Position = (f64, f64);

/// Routers, channels and processors. Processors and routers lost by a fault keep their numbers.
///
/// ```
/// use pavane_model::{RouterId, topology};
///
/// let torus = topology::build("torus:4x4")?;
/// assert_eq!((torus.router_count(), torus.channel_count(), torus.processor_count()), (16, 64, 16));
/// assert_eq!(torus.router_name(RouterId(5)), "1,1");
/// assert_eq!(torus.distances_from(RouterId(0)).into_iter().max(), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    name: String,
    channels: Vec<Channel>,
    opposite: Vec<Option<ChannelId>>,
    timings: Vec<Timing>,
    homes: Vec<Option<RouterId>>,
    router_names: Vec<String>,
    positions: Vec<Position>,
    faults: Vec<String>,
    out_channels: Rows<ChannelId>,
    in_channels: Rows<ChannelId>,
    /// The far ends of the channels above, in the same places: a search over a large network that
    /// had to look up each channel would wait for memory most of the time.
    successors: Vec<RouterId>,
    predecessors: Vec<RouterId>,
    residents: Rows<ProcessorId>,
}

/// Rows of different lengths in one block of memory.
#[derive(Debug, Clone, PartialEq)]
struct Rows<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Rows<T> {
    /// Puts every item into the row that goes with it, keeping the order within a row.
    fn group(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone, blank: T) -> Self {
        let mut ends = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            ends[row + 1] += 1;
        }
        for row in 0..rows {
            ends[row + 1] += ends[row];
        }
        let mut next = ends.clone();
        let mut items = vec![blank; ends[rows] as usize];
        for (row, item) in pairs {
            items[next[row] as usize] = item;
            next[row] += 1;
        }
        Self { ends, items }
    }

    fn row(&self, row: usize) -> &[T] {
        &self.items[self.places(row)]
    }

    fn places(&self, row: usize) -> Range<usize> {
        self.ends[row] as usize..self.ends[row + 1] as usize
    }
}

impl Network {
    /// The name or file that the network came from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same network under another name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How many routers there are, lost ones included.
    pub fn router_count(&self) -> usize {
        self.out_channels.ends.len() - 1
    }

    /// All routers, lost ones included.
    pub fn routers(&self) -> impl DoubleEndedIterator<Item = RouterId> + Clone + use<> {
        (0..self.router_count() as u32).map(RouterId)
    }

    /// Whether nothing is left of this router: no channel and no processor.
    pub fn is_lost(&self, router: RouterId) -> bool {
        self.out_channels(router).is_empty()
            && self.in_channels(router).is_empty()
            && self.residents(router).is_empty()
    }

    /// How many channels there are.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// All channels, in the order of their numbers.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The two ends of a channel.
    pub fn channel(&self, channel: ChannelId) -> Channel {
        self.channels[channel.index()]
    }

    /// The other channel of the same link; `None` for a channel that belongs to no link.
    pub fn opposite(&self, channel: ChannelId) -> Option<ChannelId> {
        self.opposite[channel.index()]
    }

    /// Latency and bandwidth of a channel.
    pub fn timing(&self, channel: ChannelId) -> Timing {
        self.timings.get(channel.index()).copied().unwrap_or_default()
    }

    /// Whether it is all links and whole, but one link fewer would part it, whichever it is.
    pub fn is_tree(&self) -> bool {
        let living: Vec<RouterId> = self.routers().filter(|&r| !self.is_lost(r)).collect();
        let mut order: Vec<RouterId> = living.first().copied().into_iter().collect();
        let mut is_seen = vec![false; self.router_count()];
        order.iter().for_each(|router| is_seen[router.index()] = true);
        let mut at = 0;
        while at < order.len() {
            for &next in self.successors(order[at]) {
                if !std::mem::replace(&mut is_seen[next.index()], true) {
                    order.push(next);
                }
            }
            at += 1;
        }
        let mut all = (0..self.channel_count() as u32).map(ChannelId);
        order.len() == living.len()
            && self.channel_count() == 2 * living.len().saturating_sub(1)
            && all.all(|channel| self.opposite(channel).is_some())
    }

    /// Whether no channel belongs to a link.
    pub fn is_directed(&self) -> bool {
        !self.channels.is_empty() && self.opposite.iter().all(Option::is_none)
    }

    /// The channels that leave a router, in the order of their numbers.
    pub fn out_channels(&self, router: RouterId) -> &[ChannelId] {
        self.out_channels.row(router.index())
    }

    /// The channels that enter a router, in the order of their numbers.
    pub fn in_channels(&self, router: RouterId) -> &[ChannelId] {
        self.in_channels.row(router.index())
    }

    /// Where the channels that leave a router lead to, in their order.
    pub fn successors(&self, router: RouterId) -> &[RouterId] {
        &self.successors[self.out_channels.places(router.index())]
    }

    /// Where the channels that enter a router come from, in their order.
    pub fn predecessors(&self, router: RouterId) -> &[RouterId] {
        &self.predecessors[self.in_channels.places(router.index())]
    }

    /// How many processors there are, lost ones included.
    pub fn processor_count(&self) -> usize {
        self.homes.len()
    }

    /// The router a processor lives on; `None` if it was lost.
    pub fn home(&self, processor: ProcessorId) -> Option<RouterId> {
        self.homes.get(processor.index()).copied().flatten()
    }

    /// The processors that a fault did not take.
    pub fn living_processors(&self) -> impl Iterator<Item = ProcessorId> + Clone + '_ {
        let numbered = self.homes.iter().enumerate();
        numbered.filter(|(_, home)| home.is_some()).map(|(p, _)| ProcessorId(p as u32))
    }

    /// The processors at home on a router.
    pub fn residents(&self, router: RouterId) -> &[ProcessorId] {
        self.residents.row(router.index())
    }

    /// The first switch: a router with channels but without a processor.
    pub fn first_switch(&self) -> Option<RouterId> {
        self.routers().find(|&r| !self.is_lost(r) && self.residents(r).is_empty())
    }

    /// What was broken, in words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Whether the routers have names besides their numbers.
    pub fn has_router_names(&self) -> bool {
        !self.router_names.is_empty()
    }

    /// The name of a router, or its number where the family has no names.
    pub fn router_name(&self, router: RouterId) -> String {
        self.router_names.get(router.index()).cloned().unwrap_or_else(|| router.to_string())
    }

    /// Where the routers are drawn, if a file said so for all of them; otherwise nothing.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The router that a user means: a full name wins over a number, `r10` is always number 10.
    pub fn find_router(&self, text: &str) -> Option<RouterId> {
        if let Some(at) = self.router_names.iter().position(|name| name == text) {
            return Some(RouterId(at as u32));
        }
        let digits = text.strip_prefix('r').unwrap_or(text);
        let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        (number < self.router_count() as u32).then_some(RouterId(number))
    }

    /// Channels between the two routers, from `tail` to `head`.
    pub fn channels_between(
        &self,
        tail: RouterId,
        head: RouterId,
    ) -> impl Iterator<Item = ChannelId> + '_ {
        let leaving = self.out_channels(tail).iter().copied();
        leaving.filter(move |&c| self.channel(c).head == head)
    }

    /// Hops from `source` to every router; `u32::MAX` where there is no way.
    pub fn distances_from(&self, source: RouterId) -> Vec<u32> {
        self.breadth_first(source, |router| self.successors(router))
    }

    /// Hops from every router to `target`; `u32::MAX` where there is no way.
    pub fn distances_to(&self, target: RouterId) -> Vec<u32> {
        self.breadth_first(target, |router| self.predecessors(router))
    }

    fn breadth_first<'a>(
        &'a self,
        start: RouterId,
        neighbours: impl Fn(RouterId) -> &'a [RouterId],
    ) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.router_count()];
        distance[start.index()] = 0;
        let mut queue = vec![start];
        let mut at = 0;
        while at < queue.len() {
            let router = queue[at];
            at += 1;
            for &next in neighbours(router) {
                if distance[next.index()] == u32::MAX {
                    distance[next.index()] = distance[router.index()] + 1;
                    queue.push(next);
                }
            }
        }
        distance
    }

    /// Whether both networks have the same routers, channels, links and processors under the same
    /// numbers.
    ///
    /// Compared is everything that a rule, a bound or a fault depends on: the number of routers, the
    /// ends of every channel, which channels form a link, and the home of every processor.
    ///
    /// Not compared are the name of the network, the names and positions of its routers, the list of
    /// faults (their effect is compared: the channels and homes that are left), and latencies and
    /// bandwidths (rules, numbers of steps and bounds ignore them).
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.has_same_channels_as(other) && self.opposite == other.opposite
    }

    /// As [`Network::is_same_as`], but channels may be paired into links differently. Under full
    /// duplex the two networks allow the same schedules, because no rule depends on links then.
    pub fn has_same_channels_as(&self, other: &Self) -> bool {
        // Every field is listed, so that a new one is either compared or ignored on purpose.
        let Self {
            channels,
            homes,
            opposite: _,
            name: _,
            timings: _,
            router_names: _,
            positions: _,
            faults: _,
            // The rest is derived from the channels and homes.
            out_channels: _,
            in_channels: _,
            successors: _,
            predecessors: _,
            residents: _,
        } = self;
        self.router_count() == other.router_count()
            && *channels == other.channels
            && *homes == other.homes
    }

    /// The network with every channel turned round; all numbers stay.
    pub fn reversed(&self) -> Self {
        let channels =
            self.channels.iter().map(|c| Channel { tail: c.head, head: c.tail }).collect();
        Self {
            channels,
            out_channels: self.in_channels.clone(),
            in_channels: self.out_channels.clone(),
            successors: self.predecessors.clone(),
            predecessors: self.successors.clone(),
            ..self.clone()
        }
    }

    /// `count` processors where there was one: processor p lives where p div `count` lived.
    pub fn with_fat_nodes(self, count: u32) -> Result<Self, NetworkError> {
        let name = format!("{}@{count}", self.name);
        let total = self.homes.len() as u64 * u64::from(count);
        if total > LARGEST {
            let count = total.to_string();
            return Err(NetworkError::TooLarge { name, count, what: "processors", most: LARGEST });
        }
        let mut builder = self.to_builder(name);
        builder.homes =
            self.homes.iter().flat_map(|&h| std::iter::repeat_n(h, count as usize)).collect();
        builder.build()
    }

    /// The network without the channels and routers marked; the rest keeps its numbers, but for
    /// the channels, which close ranks. `faults` says what happened, in words.
    pub fn without_parts(
        &self,
        lost_channels: &[ChannelId],
        lost_routers: &[RouterId],
        faults: Vec<String>,
    ) -> Result<Self, NetworkError> {
        let mut is_lost = vec![false; self.router_count()];
        for router in lost_routers {
            is_lost[router.index()] = true;
        }
        let mut is_gone: Vec<bool> = self
            .channels
            .iter()
            .map(|c| is_lost[c.tail.index()] || is_lost[c.head.index()])
            .collect();
        for channel in lost_channels {
            is_gone[channel.index()] = true;
        }
        let mut builder = NetworkBuilder::new(self.name.clone(), self.router_count() as u32);
        let mut new_number = FxHashMap::default();
        for (old, channel) in self.channels.iter().enumerate() {
            if is_gone[old] {
                continue;
            }
            let old = ChannelId(old as u32);
            let new = ChannelId(builder.channels.len() as u32);
            new_number.insert(old, new);
            builder.channel(channel.tail.0, channel.head.0);
            if !self.timings.is_empty() {
                builder.timings.push(self.timing(old));
            }
            if let Some(&other) = self.opposite(old).and_then(|other| new_number.get(&other)) {
                builder.join(new, other);
            }
        }
        builder.router_names = self.router_names.clone();
        builder.positions = self.positions.clone();
        builder.homes =
            self.homes.iter().map(|home| home.filter(|r| !is_lost[r.index()])).collect();
        builder.faults = self.faults.iter().cloned().chain(faults).collect();
        builder.build()
    }

    fn to_builder(&self, name: String) -> NetworkBuilder {
        NetworkBuilder {
            name,
            routers: self.router_count() as u32,
            channels: self.channels.iter().map(|c| (c.tail.0, c.head.0)).collect(),
            opposite: self.opposite.clone(),
            timings: self.timings.clone(),
            homes: self.homes.clone(),
            router_names: self.router_names.clone(),
            positions: self.positions.clone(),
            faults: self.faults.clone(),
        }
    }
}
