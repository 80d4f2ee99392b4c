//! A network: routers, directed channels between them, and processors on routers. Only a
//! [`NetworkBuilder`] creates networks, so every network is well formed.

mod builder;
mod error;
mod timing;

pub use builder::NetworkBuilder;
pub use error::NetworkError;
pub use timing::{Timing, TimingError};

use crate::faults::Fault;
use crate::ids::{ChannelId, ProcessorId, RouterId};
use std::ops::Range;

/// The maximum number of routers, channels or processors of a network.
pub const LARGEST: u64 = 1 << 25;

/// The maximum number of routers of a network with this many channels, so that a short text cannot
/// exhaust memory with isolated routers.
pub fn most_routers(channels: u64) -> u64 {
    channels.saturating_mul(2).clamp(1 << 20, LARGEST)
}

/// A directed connection from one router to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// The router where it starts.
    pub tail: RouterId,
    /// The router where it ends.
    pub head: RouterId,
}

/// The position of a router in drawings: x to the right, y downwards, in arbitrary units.
pub type Position = (f64, f64);

/// Routers, channels and processors. Routers and processors that are lost to faults keep their
/// numbers.
///
/// ```
/// use pavane_model::{NetworkBuilder, RouterId};
///
/// let mut builder = NetworkBuilder::new("mesh", 4);
/// builder.link(0, 1).link(2, 3).link(0, 2).link(1, 3).processor_on_each_router();
/// builder.router_names(["0,0", "0,1", "1,0", "1,1"].map(String::from).to_vec());
/// let mesh = builder.build()?;
/// assert_eq!((mesh.router_count(), mesh.channel_count(), mesh.processor_count()), (4, 8, 4));
/// assert_eq!(mesh.router_name(RouterId(1)), "0,1");
/// assert_eq!(mesh.distances_from(RouterId(0)).into_iter().max(), Some(2));
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
    /// Whether a processor has another number than its router.
    is_numbered_apart: bool,
    positions: Vec<Position>,
    faults: Vec<String>,
    /// The switches that copy, sorted.
    multicast: Vec<RouterId>,
    out_channels: Rows<ChannelId>,
    in_channels: Rows<ChannelId>,
    /// The far ends of the channels above, at the same indices. Looking up each channel would make
    /// a search over a large network wait for memory most of the time.
    successors: Vec<RouterId>,
    predecessors: Vec<RouterId>,
    residents: Rows<ProcessorId>,
}

/// Rows of different lengths, stored in flat arrays.
#[derive(Debug, Clone, PartialEq)]
struct Rows<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Rows<T> {
    /// Groups the items by row, keeping the order within a row.
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
    /// The name or file of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Renames the network.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The number of routers, including lost ones.
    pub fn router_count(&self) -> usize {
        self.out_channels.ends.len() - 1
    }

    /// All routers, including lost ones.
    pub fn routers(&self) -> impl DoubleEndedIterator<Item = RouterId> + Clone + use<> {
        (0..self.router_count() as u32).map(RouterId)
    }

    /// Whether a router has neither channels nor processors.
    pub fn is_lost(&self, router: RouterId) -> bool {
        self.out_channels(router).is_empty()
            && self.in_channels(router).is_empty()
            && self.residents(router).is_empty()
    }

    /// The number of channels.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// All channels, by number.
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

    /// Whether the network is a tree: connected, all channels in links, and no cycle of links.
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

    /// The channels that leave a router, by number.
    pub fn out_channels(&self, router: RouterId) -> &[ChannelId] {
        self.out_channels.row(router.index())
    }

    /// The channels that enter a router, by number.
    pub fn in_channels(&self, router: RouterId) -> &[ChannelId] {
        self.in_channels.row(router.index())
    }

    /// The heads of the channels that leave a router, in the order of [`Self::out_channels`].
    pub fn successors(&self, router: RouterId) -> &[RouterId] {
        &self.successors[self.out_channels.places(router.index())]
    }

    /// The tails of the channels that enter a router, in the order of [`Self::in_channels`].
    pub fn predecessors(&self, router: RouterId) -> &[RouterId] {
        &self.predecessors[self.in_channels.places(router.index())]
    }

    /// The number of processors, including lost ones.
    pub fn processor_count(&self) -> usize {
        self.homes.len()
    }

    /// The router that hosts a processor; `None` if the processor is lost or does not exist.
    pub fn home(&self, processor: ProcessorId) -> Option<RouterId> {
        self.homes.get(processor.index()).copied().flatten()
    }

    /// The processors that are not lost.
    pub fn living_processors(&self) -> impl Iterator<Item = ProcessorId> + Clone + '_ {
        let numbered = self.homes.iter().enumerate();
        numbered.filter(|(_, home)| home.is_some()).map(|(p, _)| ProcessorId(p as u32))
    }

    /// The processors on a router.
    pub fn residents(&self, router: RouterId) -> &[ProcessorId] {
        self.residents.row(router.index())
    }

    /// The first switch: a router with channels but without a processor.
    pub fn first_switch(&self) -> Option<RouterId> {
        self.routers().find(|&r| !self.is_lost(r) && self.residents(r).is_empty())
    }

    /// Whether a router is a switch that can send copies of one message to several channels, as
    /// NVLink SHARP switches do. Other switches only forward. Step counts ignore it.
    pub fn is_multicast(&self, router: RouterId) -> bool {
        self.multicast.binary_search(&router).is_ok()
    }

    /// The switches that copy, sorted.
    pub fn multicast(&self) -> &[RouterId] {
        &self.multicast
    }

    /// The faults of the network, as texts.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The faults with router names, as users write them.
    pub fn fault_names(&self) -> Vec<String> {
        self.named_faults(Fault::name)
    }

    /// The faults with router names, as in pictures and text.
    pub fn fault_labels(&self) -> Vec<String> {
        self.named_faults(Fault::label)
    }

    fn named_faults(&self, name: impl Fn(Fault, &Self) -> String) -> Vec<String> {
        let named = |text: &String| match Fault::parse_numbers(self, text) {
            Ok(fault) => name(fault, self),
            Err(_) => text.clone(),
        };
        self.faults.iter().map(named).collect()
    }

    /// Whether the routers have names in addition to numbers.
    pub fn has_router_names(&self) -> bool {
        !self.router_names.is_empty()
    }

    /// The name of a router. In a network without router names it is the number, with an `r` if processors
    /// have other numbers than their routers: a plain number denotes a processor there.
    pub fn router_name(&self, router: RouterId) -> String {
        match self.router_names.get(router.index()) {
            Some(name) => name.clone(),
            None if self.is_numbered_apart => format!("r{router}"),
            None => router.to_string(),
        }
    }

    /// The name of a processor as in pictures: that of its router if no other processor lives there,
    /// otherwise its number, with a `p` if a router has that name.
    pub fn processor_name(&self, processor: ProcessorId) -> String {
        match self.home(processor) {
            Some(home)
                if self.residents(home).len() == 1
                    && !(self.has_router_names()
                        && self.is_processor_number(&self.router_name(home))) =>
            {
                self.router_name(home)
            }
            _ => self.processor_number(processor),
        }
    }

    /// Whether a text is a number that denotes a processor, even if a router has it as its name: routers host
    /// several processors.
    pub fn is_processor_number(&self, text: &str) -> bool {
        text.bytes().all(|byte| byte.is_ascii_digit())
            && self.routers().any(|router| self.residents(router).len() > 1)
    }

    /// The number of a processor as options take it: with a `p` if a router has the number as its name.
    pub fn processor_number(&self, processor: ProcessorId) -> String {
        let number = processor.to_string();
        if self.router_names.contains(&number) { format!("p{number}") } else { number }
    }

    /// The positions of the routers in drawings; empty unless a file gave all of them.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Finds a router by name or number. A name takes precedence, and may stand in brackets: `(1,2)`;
    /// `r10` is number 10 unless it is a name.
    pub fn find_router(&self, text: &str) -> Option<RouterId> {
        let named = |text: &str| self.router_names.iter().position(|name| name == text);
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        if let Some(at) = named(text).or_else(|| named(inner?)) {
            return Some(RouterId(at as u32));
        }
        let digits = text.strip_prefix('r').unwrap_or(text);
        let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        (number < self.router_count() as u32).then_some(RouterId(number))
    }

    /// The channels from `tail` to `head`.
    pub fn channels_between(
        &self,
        tail: RouterId,
        head: RouterId,
    ) -> impl Iterator<Item = ChannelId> + '_ {
        let leaving = self.out_channels(tail).iter().copied();
        leaving.filter(move |&c| self.channel(c).head == head)
    }

    /// The number of hops from `source` to every router; `u32::MAX` if there is no path.
    pub fn distances_from(&self, source: RouterId) -> Vec<u32> {
        self.breadth_first(source, |router| self.successors(router))
    }

    /// The number of hops from every router to `target`; `u32::MAX` if there is no path.
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
    /// Compares everything that rules, bounds and faults depend on: the number of routers, the ends
    /// of every channel, which channels form a link, the home of every processor, and which
    /// switches copy.
    ///
    /// Ignores the name of the network, the names and positions of its routers, the list of faults
    /// (their effect on channels and homes is compared), and latencies and bandwidths (rules, step
    /// counts and bounds do not use them).
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.has_same_channels_as(other) && self.opposite == other.opposite
    }

    /// As [`Network::is_same_as`], but the pairing of channels into links may differ. Under full
    /// duplex no rule depends on links, so both networks allow the same schedules.
    pub fn has_same_channels_as(&self, other: &Self) -> bool {
        // Lists every field, so that a new one is either compared or ignored on purpose.
        let Self {
            channels,
            homes,
            multicast,
            opposite: _,
            name: _,
            timings: _,
            router_names: _,
            is_numbered_apart: _,
            positions: _,
            faults: _,
            // The others are derived from channels and homes.
            out_channels: _,
            in_channels: _,
            successors: _,
            predecessors: _,
            residents: _,
        } = self;
        self.router_count() == other.router_count()
            && *channels == other.channels
            && *homes == other.homes
            && *multicast == other.multicast
    }

    /// The network with all channels reversed; all numbers stay the same.
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

    /// Replaces each processor by `count` processors: processor p lives where p div `count` lived.
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

    /// The network without the given channels and routers. Routers and processors keep their
    /// numbers; the remaining channels are renumbered consecutively. `faults` describes the loss.
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
        let mut new_number: Vec<Option<ChannelId>> = vec![None; self.channel_count()];
        for (old, channel) in self.channels.iter().enumerate() {
            if is_gone[old] {
                continue;
            }
            let old = ChannelId(old as u32);
            let new = ChannelId(builder.channels.len() as u32);
            new_number[old.index()] = Some(new);
            builder.channel(channel.tail.0, channel.head.0);
            if !self.timings.is_empty() {
                builder.timings.push(self.timing(old));
            }
            if let Some(other) = self.opposite(old).and_then(|other| new_number[other.index()]) {
                builder.join(new, other);
            }
        }
        builder.router_names = self.router_names.clone();
        builder.positions = self.positions.clone();
        builder.homes =
            self.homes.iter().map(|home| home.filter(|r| !is_lost[r.index()])).collect();
        builder.faults = self.faults.iter().cloned().chain(faults).collect();
        // A switch that has lost all its channels is lost.
        let mut has_channels = vec![false; self.router_count()];
        for &(tail, head) in &builder.channels {
            has_channels[tail as usize] = true;
            has_channels[head as usize] = true;
        }
        let copying = self.multicast.iter().filter(|router| has_channels[router.index()]);
        builder.multicast = copying.map(|router| router.0).collect();
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
            multicast: self.multicast.iter().map(|router| router.0).collect(),
        }
    }
}
