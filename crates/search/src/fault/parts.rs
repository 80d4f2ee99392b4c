//! The parts of a network that may fail, and their images under automorphisms.

use pavane_model::{ChannelId, Fault, Network, RouterId};
use rustc_hash::FxHashMap;

/// A kind of part that may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Links, and channels that belong to no link. A channel parallel to a link is not listed: a
    /// fault names two routers, and the link between them fails first.
    Links,
    /// Single channels, including those of links.
    Channels,
    /// Routers, with their processors and channels.
    Routers,
}

impl Part {
    /// The kinds by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("links", Self::Links), ("channels", Self::Channels), ("routers", Self::Routers)];
}

/// All parts that may fail. Parallel links are listed once each. A fault removes the first one that
/// remains, so it does not matter which of them is meant. The network without a set of parts does
/// not depend on their order, up to the numbers of parallel channels.
#[derive(Debug, Clone)]
pub struct Parts {
    faults: Vec<Fault>,
    /// The parts with the same fault, in the order of the list.
    twins: FxHashMap<Fault, Vec<u32>>,
}

impl Parts {
    /// All parts of these kinds in a network: links, then channels, then routers. In this order, no
    /// fault of a set removes a part that an earlier one has already removed.
    pub fn new(network: &Network, kinds: &[Part]) -> Self {
        let mut kinds = kinds.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let mut faults = Vec::new();
        for kind in kinds {
            match kind {
                Part::Links => faults.extend(links(network)),
                Part::Channels => faults.extend(channels(network)),
                Part::Routers => {
                    let living = network.routers().filter(|&router| !network.is_lost(router));
                    faults.extend(living.map(Fault::Router));
                }
            }
        }
        let mut twins: FxHashMap<Fault, Vec<u32>> = FxHashMap::default();
        for (at, &fault) in (0..).zip(&faults) {
            twins.entry(fault).or_default().push(at);
        }
        Self { faults, twins }
    }

    /// The parts, each as the fault that removes it.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The faults of a set of parts.
    pub fn set(&self, set: &[u32]) -> Vec<Fault> {
        set.iter().map(|&part| self.faults[part as usize]).collect()
    }

    /// The image of every part under an automorphism.
    pub fn images(&self, network: &Network, routers: &[RouterId]) -> Vec<u32> {
        let image = |(at, &fault): (u32, &Fault)| {
            let to = match fault {
                Fault::Router(router) => Fault::Router(routers[router.index()]),
                Fault::Channel(tail, head) => {
                    Fault::Channel(routers[tail.index()], routers[head.index()])
                }
                Fault::Link(tail, head) => {
                    link(network, routers[tail.index()], routers[head.index()])
                }
            };
            let rank = self.twins[&fault].iter().position(|&twin| twin == at);
            let rank = rank.expect("every part is among its twins");
            self.twins[&to][rank]
        };
        (0..).zip(&self.faults).map(image).collect()
    }

    /// Swaps of consecutive parallel parts; none of them changes the network.
    pub fn swaps(&self) -> Vec<(u32, u32)> {
        let rows = self.faults.iter().enumerate().filter_map(|(at, fault)| {
            let twins = &self.twins[fault];
            (twins[0] as usize == at).then_some(twins)
        });
        rows.flat_map(|twins| twins.windows(2).map(|pair| (pair[0], pair[1]))).collect()
    }
}

/// A link in the notation of lists: lower end first, unless it is a channel that belongs to no link.
fn link(network: &Network, tail: RouterId, head: RouterId) -> Fault {
    let mut between = network.channels_between(tail, head);
    if between.any(|channel| network.opposite(channel).is_some()) {
        Fault::Link(tail.min(head), tail.max(head))
    } else {
        Fault::Link(tail, head)
    }
}

fn numbered(network: &Network) -> impl Iterator<Item = ChannelId> {
    (0..network.channel_count() as u32).map(ChannelId)
}

fn links(network: &Network) -> impl Iterator<Item = Fault> + '_ {
    let is_linked = |channel: ChannelId| network.opposite(channel).is_some();
    let is_listed = move |&channel: &ChannelId| match network.opposite(channel) {
        Some(opposite) => channel < opposite,
        None => {
            let ends = network.channel(channel);
            !network.channels_between(ends.tail, ends.head).any(is_linked)
        }
    };
    numbered(network).filter(is_listed).map(|channel| {
        let ends = network.channel(channel);
        match network.opposite(channel) {
            Some(_) => Fault::Link(ends.tail.min(ends.head), ends.tail.max(ends.head)),
            None => Fault::Link(ends.tail, ends.head),
        }
    })
}

fn channels(network: &Network) -> impl Iterator<Item = Fault> + '_ {
    let fault = |channel: &pavane_model::Channel| Fault::Channel(channel.tail, channel.head);
    network.channels().iter().map(fault)
}
