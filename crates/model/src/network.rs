//! A network: routers, directed channels between them, and processors at home on routers.
//! Built by a [`NetworkBuilder`] only, so a network that exists is well formed.

use crate::ids::{ChannelId, ProcessorId, RouterId};
use rustc_hash::FxHashMap;

/// The most routers, channels or processors that a network may have.
pub const LARGEST: u64 = 1 << 25;

/// What keeps a description from being a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// The name is of no family.
    #[error("no network family is called {name:?}; {nearest} (all: `pavane networks`)")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The most similar names, in words.
        nearest: String,
    },
    /// The parameters of a family do not read as it expects them.
    #[error("{spec:?}: {problem}; write {usage}")]
    Parameters {
        /// The whole specification.
        spec: String,
        /// What is wrong, with the value.
        problem: String,
        /// How the family is written, with an example.
        usage: String,
    },
    /// More routers, channels or processors than this program handles.
    #[error("{name} would have {count} {what}; at most {LARGEST} are handled")]
    TooLarge {
        /// The network.
        name: String,
        /// How many, in words where it overflows.
        count: String,
        /// Routers, channels or processors.
        what: &'static str,
    },
    /// A channel starts or ends at a router that is not there.
    #[error("{name}: channel {tail} -> {head} names router {missing}, but routers are 0 to {last}")]
    NoSuchRouter {
        /// The network.
        name: String,
        /// Where the channel starts.
        tail: u32,
        /// Where it ends.
        head: u32,
        /// The one that is not there.
        missing: u32,
        /// The last router there is.
        last: u32,
    },
    /// A channel from a router to itself.
    #[error("{name}: a channel from router {router} to itself is not allowed")]
    Loop {
        /// The network.
        name: String,
        /// The router.
        router: u32,
    },
    /// A processor lives on a router that is not there.
    #[error("{name}: processor {processor} lives on router {router}, but routers are 0 to {last}")]
    NoSuchHome {
        /// The network.
        name: String,
        /// The processor.
        processor: usize,
        /// Its home.
        router: u32,
        /// The last router there is.
        last: u32,
    },
    /// No routers, or no processors.
    #[error("{name} has no {what}")]
    Empty {
        /// The network.
        name: String,
        /// Routers or processors.
        what: &'static str,
    },
    /// More or fewer names than routers.
    #[error("{name}: {names} router names for {routers} routers")]
    NamesDoNotFit {
        /// The network.
        name: String,
        /// How many names.
        names: usize,
        /// How many routers.
        routers: u32,
    },
    /// Two routers of one name.
    #[error("{name}: two routers are called {router:?}")]
    SameName {
        /// The network.
        name: String,
        /// The name they share.
        router: String,
    },
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

/// Routers, channels and processors. Processors and routers lost by a fault keep their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    name: String,
    channels: Vec<Channel>,
    opposite: Vec<Option<ChannelId>>,
    timings: Vec<Timing>,
    homes: Vec<Option<RouterId>>,
    router_names: Vec<String>,
    faults: Vec<String>,
    out_channels: Rows<ChannelId>,
    in_channels: Rows<ChannelId>,
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
        &self.items[self.ends[row] as usize..self.ends[row + 1] as usize]
    }
}

/// Collects routers, channels and processors; [`NetworkBuilder::build`] checks them once.
#[derive(Debug, Clone)]
pub struct NetworkBuilder {
    name: String,
    routers: u32,
    channels: Vec<(u32, u32)>,
    opposite: Vec<Option<ChannelId>>,
    timings: Vec<Timing>,
    homes: Vec<Option<RouterId>>,
    router_names: Vec<String>,
    faults: Vec<String>,
}

impl NetworkBuilder {
    /// A network of `routers` routers, with no channel and no processor yet.
    pub fn new(name: impl Into<String>, routers: u32) -> Self {
        Self {
            name: name.into(),
            routers,
            channels: Vec::new(),
            opposite: Vec::new(),
            timings: Vec::new(),
            homes: Vec::new(),
            router_names: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Adds a link: the channel from `a` to `b` and, right after it, the one from `b` to `a`.
    pub fn link(&mut self, a: u32, b: u32) -> &mut Self {
        let first = self.channels.len() as u32;
        self.channels.extend([(a, b), (b, a)]);
        self.opposite.extend([Some(ChannelId(first + 1)), Some(ChannelId(first))]);
        self
    }

    /// Adds a channel that belongs to no link.
    pub fn channel(&mut self, tail: u32, head: u32) -> &mut Self {
        self.channels.push((tail, head));
        self.opposite.push(None);
        self
    }

    /// Joins two channels, already added and opposite to each other, into a link.
    pub fn join(&mut self, one: ChannelId, other: ChannelId) -> &mut Self {
        self.opposite[one.index()] = Some(other);
        self.opposite[other.index()] = Some(one);
        self
    }

    /// Says how fast the channel added last is; both channels of a link when that was a link.
    pub fn timing(&mut self, timing: Timing) -> &mut Self {
        self.timings.resize(self.channels.len(), Timing::default());
        if let Some(last) = self.timings.len().checked_sub(1) {
            self.timings[last] = timing;
            if let Some(other) = self.opposite[last] {
                self.timings[other.index()] = timing;
            }
        }
        self
    }

    /// Adds a processor at home on `router`; `None` is a processor that was lost.
    pub fn processor(&mut self, router: Option<u32>) -> &mut Self {
        self.homes.push(router.map(RouterId));
        self
    }

    /// One processor on every router, numbered like it.
    pub fn processor_on_each_router(&mut self) -> &mut Self {
        self.homes = (0..self.routers).map(|router| Some(RouterId(router))).collect();
        self
    }

    /// Names for the routers, in their order (`1,2` in a mesh, `01` in a Kautz network).
    pub fn router_names(&mut self, names: Vec<String>) -> &mut Self {
        self.router_names = names;
        self
    }

    /// What was broken before the network came to look like this, in words.
    pub fn faults(&mut self, faults: Vec<String>) -> &mut Self {
        self.faults = faults;
        self
    }

    /// How many channels there are so far.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// The only way to make a network: every channel joins two different known routers, every
    /// processor has a known home, names are unique.
    pub fn build(self) -> Result<Network, NetworkError> {
        self.check()?;
        let routers = self.routers as usize;
        let channels: Vec<Channel> = self
            .channels
            .iter()
            .map(|&(tail, head)| Channel { tail: RouterId(tail), head: RouterId(head) })
            .collect();
        let numbered = || channels.iter().enumerate().map(|(i, &c)| (ChannelId(i as u32), c));
        let living = self.homes.iter().enumerate();
        let mut timings = self.timings;
        if timings.iter().all(|timing| *timing == Timing::default()) {
            timings.clear();
        } else {
            timings.resize(channels.len(), Timing::default());
        }
        Ok(Network {
            out_channels: Rows::group(
                routers,
                numbered().map(|(id, c)| (c.tail.index(), id)),
                ChannelId(0),
            ),
            in_channels: Rows::group(
                routers,
                numbered().map(|(id, c)| (c.head.index(), id)),
                ChannelId(0),
            ),
            residents: Rows::group(
                routers,
                living.filter_map(|(p, home)| home.map(|r| (r.index(), ProcessorId(p as u32)))),
                ProcessorId(0),
            ),
            name: self.name,
            channels,
            opposite: self.opposite,
            timings,
            homes: self.homes,
            router_names: self.router_names,
            faults: self.faults,
        })
    }

    fn check(&self) -> Result<(), NetworkError> {
        let name = || self.name.clone();
        if self.routers == 0 {
            return Err(NetworkError::Empty { name: name(), what: "routers" });
        }
        if self.homes.iter().all(Option::is_none) {
            return Err(NetworkError::Empty { name: name(), what: "processors" });
        }
        let sizes = [
            (u64::from(self.routers), "routers"),
            (self.channels.len() as u64, "channels"),
            (self.homes.len() as u64, "processors"),
        ];
        for (count, what) in sizes {
            if count > LARGEST {
                return Err(NetworkError::TooLarge {
                    name: name(),
                    count: count.to_string(),
                    what,
                });
            }
        }
        let last = self.routers - 1;
        for &(tail, head) in &self.channels {
            if tail > last || head > last {
                let missing = if tail > last { tail } else { head };
                return Err(NetworkError::NoSuchRouter { name: name(), tail, head, missing, last });
            }
            if tail == head {
                return Err(NetworkError::Loop { name: name(), router: tail });
            }
        }
        for (processor, home) in self.homes.iter().enumerate() {
            if let Some(router) = home.filter(|router| router.0 > last) {
                let router = router.0;
                return Err(NetworkError::NoSuchHome { name: name(), processor, router, last });
            }
        }
        let names = self.router_names.len();
        if names > 0 && names != self.routers as usize {
            let routers = self.routers;
            return Err(NetworkError::NamesDoNotFit { name: name(), names, routers });
        }
        let mut sorted: Vec<&String> = self.router_names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(NetworkError::SameName { name: name(), router: pair[0].clone() }),
            None => Ok(()),
        }
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
        self.breadth_first(source, |router| self.out_channels(router), |channel| channel.head)
    }

    /// Hops from every router to `target`; `u32::MAX` where there is no way.
    pub fn distances_to(&self, target: RouterId) -> Vec<u32> {
        self.breadth_first(target, |router| self.in_channels(router), |channel| channel.tail)
    }

    fn breadth_first<'a>(
        &'a self,
        start: RouterId,
        channels_at: impl Fn(RouterId) -> &'a [ChannelId],
        far_end: impl Fn(Channel) -> RouterId,
    ) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.router_count()];
        distance[start.index()] = 0;
        let mut queue = vec![start];
        let mut at = 0;
        while at < queue.len() {
            let router = queue[at];
            at += 1;
            for &channel in channels_at(router) {
                let next = far_end(self.channel(channel));
                if distance[next.index()] == u32::MAX {
                    distance[next.index()] = distance[router.index()] + 1;
                    queue.push(next);
                }
            }
        }
        distance
    }

    /// Whether it has the same routers, channels and processors under the same numbers, whatever
    /// it is called.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.router_count() == other.router_count()
            && self.channels == other.channels
            && self.homes == other.homes
    }

    /// The network with every channel turned round; all numbers stay.
    pub fn reversed(&self) -> Self {
        let channels =
            self.channels.iter().map(|c| Channel { tail: c.head, head: c.tail }).collect();
        Self {
            channels,
            out_channels: self.in_channels.clone(),
            in_channels: self.out_channels.clone(),
            ..self.clone()
        }
    }

    /// `count` processors where there was one: processor p lives where p div `count` lived.
    pub fn with_fat_nodes(self, count: u32) -> Result<Self, NetworkError> {
        let name = format!("{}@{count}", self.name);
        let total = self.homes.len() as u64 * u64::from(count);
        if total > LARGEST {
            let count = total.to_string();
            return Err(NetworkError::TooLarge { name, count, what: "processors" });
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
            faults: self.faults.clone(),
        }
    }
}
