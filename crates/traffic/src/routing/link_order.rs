//! Precomputed properties of a routing table for the simulators: an order of the links in which all
//! messages move forward, and whether every chain of consecutive channels is the path of some
//! message.

use super::RoutingTable;
use super::dependencies::{Dependencies, order};
use crate::links::Links;
use pavane_model::{ChannelId, Network};

/// How links follow each other under a routing table.
#[derive(Debug, Clone)]
pub struct LinkOrder {
    /// The links in an order in which every message moves forward, if there is one.
    pub(crate) forward: Option<Vec<u32>>,
    /// The channels before and after each channel, if every chain of them is the path from its
    /// start to its end.
    pub(crate) chains: Option<Chains>,
}

/// The channels of a network in which every chain of consecutive channels is the path from its
/// start to its end.
#[derive(Debug, Clone)]
pub(crate) struct Chains {
    pub(crate) routers: usize,
    /// Number of places per router for entering channels, and as many for leaving ones.
    pub(crate) places: usize,
    /// For every place where a channel can leave a router, that channel. Places are numbered across
    /// all routers.
    pub(crate) hops: Vec<Hop>,
    /// For every channel, the place where it leaves its router.
    pub(crate) exits: Vec<u32>,
}

/// A channel with all data that a simulator needs, side by side in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hop {
    pub(crate) tail: u16,
    pub(crate) head: u16,
    /// Its place among the channels that leave its tail.
    pub(crate) place_out: u8,
    /// Its place among the channels that enter its head.
    pub(crate) place_in: u8,
    /// Places of the opposite channel of its link, where it leaves the head and enters the tail, or
    /// [`NO_PLACE`].
    pub(crate) back_out: u8,
    pub(crate) back_in: u8,
    pub(crate) link: u32,
    pub(crate) channel: u32,
}

/// There is no opposite channel.
pub(crate) const NO_PLACE: u8 = u8::MAX;

/// Chains are stored only if a table of all pairs of routers is not too large.
const MOST_ROUTERS: usize = 2048;

impl LinkOrder {
    /// Computes the order of the links under a table.
    pub fn new(network: &Network, links: &Links, table: &RoutingTable) -> Self {
        let graph = Dependencies::new(network, table);
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); links.count()];
        for number in 0..network.channel_count() as u32 {
            let from = links.of_number(number);
            let successors = graph.next_channels(ChannelId(number)).into_iter();
            edges[from as usize].extend(successors.map(|next| links.of(next)));
        }
        for list in &mut edges {
            list.sort_unstable();
            list.dedup();
        }
        Self { forward: order(&edges).ok(), chains: Chains::new(network, links, &graph) }
    }
}

impl Chains {
    /// Counts chains. Every path is a chain, and so are its parts. Therefore every chain is a path
    /// if and only if there are as many chains as pairs with a path.
    fn new(network: &Network, links: &Links, graph: &Dependencies) -> Option<Self> {
        let routers = network.router_count();
        let is_direct = network.routers().all(|router| !network.residents(router).is_empty());
        if routers > MOST_ROUTERS || !is_direct {
            return None;
        }
        let channels = network.channel_count();
        let after: Vec<Vec<u32>> = (0..channels as u32)
            .map(|number| {
                graph.next_channels(ChannelId(number)).into_iter().map(|next| next.0).collect()
            })
            .collect();
        let sorted = order(&after).ok()?;
        let mut chains_from = vec![0u128; channels];
        for &channel in sorted.iter().rev() {
            let longer: u128 =
                after[channel as usize].iter().map(|&n| chains_from[n as usize]).sum();
            chains_from[channel as usize] =
                u128::from(graph.is_used(ChannelId(channel))).saturating_add(longer);
        }
        let chains: u128 = chains_from.iter().sum();
        if chains != (routers * (routers - 1)) as u128 {
            return None;
        }
        Self::with_places(network, links)
    }

    /// Maximum number of channels that enter or leave a router: the bits of a set.
    const MOST_PLACES: usize = u64::BITS as usize;

    /// The channels of a network with their places; `None` if a router has too many.
    fn with_places(network: &Network, links: &Links) -> Option<Self> {
        let (routers, channels) = (network.router_count(), network.channel_count());
        let degree =
            |router| network.in_channels(router).len().max(network.out_channels(router).len());
        let places = network.routers().map(degree).max().unwrap_or(0);
        if places > Self::MOST_PLACES {
            return None;
        }
        let mut places_in = vec![0u8; channels];
        let mut places_out = vec![0u8; channels];
        for router in network.routers() {
            for (place, channel) in (0..).zip(network.in_channels(router)) {
                places_in[channel.index()] = place;
            }
            for (place, channel) in (0..).zip(network.out_channels(router)) {
                places_out[channel.index()] = place;
            }
        }
        let mut chains = Self {
            routers,
            places,
            hops: vec![Hop::default(); routers * places],
            exits: Vec::with_capacity(channels),
        };
        for (number, channel) in (0..).zip(network.channels()) {
            let at = number as usize;
            let link = links.of_number(number);
            let back = network.opposite(ChannelId(number)).filter(|back| links.of(*back) == link);
            let exit = channel.tail.index() * places + places_out[at] as usize;
            chains.exits.push(exit as u32);
            chains.hops[exit] = Hop {
                tail: channel.tail.0 as u16,
                head: channel.head.0 as u16,
                place_out: places_out[at],
                place_in: places_in[at],
                back_out: back.map_or(NO_PLACE, |back| places_out[back.index()]),
                back_in: back.map_or(NO_PLACE, |back| places_in[back.index()]),
                link,
                channel: number,
            };
        }
        Some(chains)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableMaker;
    use super::*;
    use pavane_model::Duplex;
    use pavane_networks::topology;

    #[test]
    fn link_orders_of_known_networks() {
        // (network, routing, duplex, whether links have an order, whether every chain is a path)
        let claims = [
            ("hypercube:4", "e-cube", Duplex::Half, true, true),
            ("hypercube:4", "e-cube", Duplex::Full, true, true),
            ("mesh:3x4", "e-cube", Duplex::Full, true, true),
            ("mesh:3x4", "e-cube", Duplex::Half, false, true),
            ("torus:5x5", "e-cube", Duplex::Full, false, false),
            ("ring:6", "shortest", Duplex::Full, false, false),
            ("tree:2,3", "shortest", Duplex::Full, true, true),
        ];
        for (name, routing, duplex, is_ordered, has_chains) in claims {
            let network = topology::build(name).unwrap();
            let table = TableMaker::find(routing).unwrap().table(&network).unwrap();
            let found = LinkOrder::new(&network, &Links::new(&network, duplex), &table);
            assert_eq!(found.forward.is_some(), is_ordered, "{name} {duplex:?}");
            assert_eq!(found.chains.is_some(), has_chains, "{name} {duplex:?}");
        }
    }
}
