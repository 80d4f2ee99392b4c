//! Builds networks: collects routers, channels and processors in any order and checks them once.

use super::{Channel, LARGEST, Network, NetworkError, Position, Rows, Timing, most_routers};
use crate::ids::{ChannelId, ProcessorId, RouterId};

/// The largest absolute coordinate of a position.
const FARTHEST: f64 = 1e9;

/// Collects routers, channels and processors; [`NetworkBuilder::build`] checks them once.
///
/// ```
/// use pavane_model::NetworkBuilder;
///
/// let mut builder = NetworkBuilder::new("two and a switch", 3);
/// builder.link(0, 2).link(1, 2).processor(Some(0)).processor(Some(1));
/// let network = builder.build()?;
/// assert_eq!(network.channel_count(), 4);
/// assert!(network.first_switch().is_some());
/// # Ok::<(), pavane_model::NetworkError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NetworkBuilder {
    pub(super) name: String,
    pub(super) routers: u32,
    pub(super) channels: Vec<(u32, u32)>,
    pub(super) opposite: Vec<Option<ChannelId>>,
    pub(super) timings: Vec<Timing>,
    pub(super) homes: Vec<Option<RouterId>>,
    pub(super) router_names: Vec<String>,
    pub(super) positions: Vec<Position>,
    pub(super) faults: Vec<String>,
    pub(super) multicast: Vec<u32>,
}

impl NetworkBuilder {
    /// Starts a network of `routers` routers without channels and processors.
    pub fn new(name: impl Into<String>, routers: u32) -> Self {
        Self {
            name: name.into(),
            routers,
            channels: Vec::new(),
            opposite: Vec::new(),
            timings: Vec::new(),
            homes: Vec::new(),
            router_names: Vec::new(),
            positions: Vec::new(),
            faults: Vec::new(),
            multicast: Vec::new(),
        }
    }

    /// Adds a link: the channel from `a` to `b`, followed by the one from `b` to `a`.
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

    /// Pairs two opposite channels, already added, into a link.
    pub fn join(&mut self, one: ChannelId, other: ChannelId) -> &mut Self {
        self.opposite[one.index()] = Some(other);
        self.opposite[other.index()] = Some(one);
        self
    }

    /// Sets the timing of the last channel added and, if it belongs to a link, of the opposite
    /// channel.
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

    /// Adds a processor on `router`; `None` is a lost processor.
    pub fn processor(&mut self, router: Option<u32>) -> &mut Self {
        self.homes.push(router.map(RouterId));
        self
    }

    /// Puts one processor with the same number on every router.
    pub fn processor_on_each_router(&mut self) -> &mut Self {
        self.homes = (0..self.routers).map(|router| Some(RouterId(router))).collect();
        self
    }

    /// Sets the names of all routers, in order (`1,2` in a mesh, `01` in a Kautz network).
    pub fn router_names(&mut self, names: Vec<String>) -> &mut Self {
        self.router_names = names;
        self
    }

    /// Sets the positions of all routers, in order. Positions only affect drawings, so they are
    /// dropped if some are missing, too large or not numbers.
    pub fn positions(&mut self, positions: Vec<Position>) -> &mut Self {
        let is_sound = |value: f64| value.abs() <= FARTHEST;
        let are_sound = positions.iter().all(|&(x, y)| is_sound(x) && is_sound(y));
        let are_all = positions.len() == self.routers as usize;
        self.positions = if are_all && are_sound { positions } else { Vec::new() };
        self
    }

    /// Sets the texts of the faults that led to this network.
    pub fn faults(&mut self, faults: Vec<String>) -> &mut Self {
        self.faults = faults;
        self
    }

    /// Sets the switches that copy, in any order: routers with channels and without a processor.
    pub fn multicast(&mut self, routers: Vec<u32>) -> &mut Self {
        self.multicast = routers;
        self
    }

    /// The number of channels added so far.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Checks and builds the network. Every channel must join two different existing routers and
    /// have a valid timing, every processor must have an existing home, router names must be
    /// unique, and only switches may copy.
    pub fn build(self) -> Result<Network, NetworkError> {
        self.check()?;
        self.check_multicast()?;
        let routers = self.routers as usize;
        let channels: Vec<Channel> = self
            .channels
            .iter()
            .map(|&(tail, head)| Channel { tail: RouterId(tail), head: RouterId(head) })
            .collect();
        let numbered = || channels.iter().enumerate().map(|(i, &c)| (ChannelId(i as u32), c));
        let living = self.homes.iter().enumerate();
        let mut multicast: Vec<RouterId> = self.multicast.iter().copied().map(RouterId).collect();
        multicast.sort_unstable();
        let mut timings = self.timings;
        if timings.iter().all(|timing| *timing == Timing::default()) {
            timings.clear();
        } else {
            timings.resize(channels.len(), Timing::default());
        }
        let mut living_homes = living.clone().filter_map(|(p, home)| home.map(|r| (p, r)));
        let is_numbered_apart = living_homes.any(|(p, r)| p != r.index());
        let leaving = numbered().map(|(id, c)| (c.tail.index(), id));
        let entering = numbered().map(|(id, c)| (c.head.index(), id));
        let out_channels = Rows::group(routers, leaving, ChannelId(0));
        let in_channels = Rows::group(routers, entering, ChannelId(0));
        Ok(Network {
            successors: out_channels.items.iter().map(|c| channels[c.index()].head).collect(),
            predecessors: in_channels.items.iter().map(|c| channels[c.index()].tail).collect(),
            out_channels,
            in_channels,
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
            is_numbered_apart,
            positions: self.positions,
            faults: self.faults,
            multicast,
        })
    }

    /// Checks that the routers that copy are different switches.
    fn check_multicast(&self) -> Result<(), NetworkError> {
        if self.multicast.is_empty() {
            return Ok(());
        }
        let routers = self.routers as usize;
        let mut has_processor = vec![false; routers];
        for home in self.homes.iter().flatten() {
            has_processor[home.index()] = true;
        }
        let mut has_channels = vec![false; routers];
        for &(tail, head) in &self.channels {
            has_channels[tail as usize] = true;
            has_channels[head as usize] = true;
        }
        let mut is_listed = vec![false; routers];
        for &router in &self.multicast {
            let at = router as usize;
            let problem = if at >= routers {
                "there is no such router"
            } else if has_processor[at] {
                "it has a processor"
            } else if !has_channels[at] {
                "it has no channels"
            } else if std::mem::replace(&mut is_listed[at], true) {
                "it is listed twice"
            } else {
                continue;
            };
            let shown = self.router_names.get(at).cloned().unwrap_or_else(|| router.to_string());
            let name = self.name.clone();
            return Err(NetworkError::NotMulticast { name, router: shown, problem });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), NetworkError> {
        let name = || self.name.clone();
        if self.routers == 0 {
            return Err(NetworkError::Empty { name: name(), what: "routers" });
        }
        if self.homes.iter().all(Option::is_none) {
            return Err(NetworkError::Empty { name: name(), what: "processors" });
        }
        let channels = self.channels.len() as u64;
        let sizes = [
            (u64::from(self.routers), "routers", LARGEST),
            (u64::from(self.routers), "routers with so few channels", most_routers(channels)),
            (channels, "channels", LARGEST),
            (self.homes.len() as u64, "processors", LARGEST),
        ];
        for (count, what, most) in sizes {
            if count > most {
                return Err(NetworkError::TooLarge {
                    name: name(),
                    count: count.to_string(),
                    what,
                    most,
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
        for (channel, timing) in self.timings.iter().enumerate() {
            if let Err(problem) = timing.check() {
                let (tail, head) = self.channels[channel];
                let name = name();
                return Err(NetworkError::Timing { name, channel, tail, head, problem });
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
