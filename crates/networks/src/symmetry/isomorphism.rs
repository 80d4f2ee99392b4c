//! Isomorphisms between two networks: the base of the one is followed in the other, with the same
//! refinements. Automorphisms of the second network spare equivalent attempts.

use super::graph::{Colour, Graph};
use super::partition::{Limit, Partition, Refiner, Trace};
use super::{AutomorphismSearch, Base, MOST_MEMORY, MOST_WORK};
use pavane_model::{ChannelId, Network, RouterId};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Added to the weight between two routers for an arc.
const ARC: u64 = 1 << 52;

/// Properties of channels that an isomorphism preserves, besides their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// Which channels belong to links.
    pub links: bool,
    /// Bandwidths.
    pub bandwidths: bool,
    /// Latencies.
    pub latencies: bool,
}

/// A network with properties of its routers that an isomorphism preserves.
#[derive(Debug, Clone, Copy)]
pub struct Marked<'a> {
    /// The network.
    pub network: &'a Network,
    /// A mark for every router, such as a hash of what its processors do. Marks of lost routers are
    /// ignored.
    pub marks: &'a [u64],
    /// Ordered pairs of routers, such as the ends of messages.
    pub arcs: &'a [(RouterId, RouterId)],
}

/// Why it is not known whether two networks are isomorphic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IsomorphismError {
    /// The search takes longer than about a second.
    #[error("comparing the two networks takes too long")]
    TooMuchWork,
    /// The networks have too many parts.
    #[error("the networks are too large to compare")]
    TooLarge,
}

/// Finds an isomorphism: for every router of the first network its image, `None` for a lost one. Lost
/// routers do not count, so a network without a router can be isomorphic to one that has lost it.
///
/// The caller must check what is preserved: marks and properties of channels are told apart by hashes.
pub fn isomorphism(
    from: Marked<'_>,
    to: Marked<'_>,
    kept: Kept,
) -> Result<Option<Vec<Option<RouterId>>>, IsomorphismError> {
    if from.network.channel_count() != to.network.channel_count()
        || from.arcs.len() != to.arcs.len()
    {
        return Ok(None);
    }
    let size = |side: Marked<'_>| side.network.router_count() + side.network.channel_count();
    if size(from) + size(to) + from.arcs.len() > MOST_MEMORY {
        return Err(IsomorphismError::TooLarge);
    }
    let (one, other) = (Side::new(from, kept), Side::new(to, kept));
    if sorted(&one.colours) != sorted(&other.colours) {
        return Ok(None);
    }
    let found = search(&one, &other).ok_or(IsomorphismError::TooMuchWork)?;
    Ok(found.map(|image| {
        let mut images = vec![None; from.network.router_count()];
        for (router, &point) in one.living.iter().zip(&image) {
            images[router.index()] = Some(other.living[point as usize]);
        }
        images
    }))
}

fn sorted(colours: &[Colour]) -> Vec<Colour> {
    let mut colours = colours.to_vec();
    colours.sort_unstable();
    colours
}

/// The living routers of a network as points of a graph.
struct Side {
    living: Vec<RouterId>,
    graph: Graph,
    colours: Vec<Colour>,
}

impl Side {
    fn new(side: Marked<'_>, kept: Kept) -> Self {
        let network = side.network;
        let living: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
        let mut point = vec![0; network.router_count()];
        for (at, router) in (0..).zip(&living) {
            point[router.index()] = at;
        }
        let ends = |tail: RouterId, head: RouterId| (point[tail.index()], point[head.index()]);
        let channels = (0..network.channel_count() as u32).map(ChannelId).map(|channel| {
            let (tail, head) = ends(network.channel(channel).tail, network.channel(channel).head);
            (tail, head, weight(network, channel, kept))
        });
        let arcs = side.arcs.iter().map(|&(tail, head)| {
            let (tail, head) = ends(tail, head);
            (tail, head, ARC)
        });
        let graph = Graph::of_weights(living.len(), channels.chain(arcs));
        let colour = |router: &RouterId| {
            let mark = side.marks.get(router.index()).copied().unwrap_or_default();
            (u64::from(network.is_multicast(*router)), mark)
        };
        let colours = living.iter().map(colour).collect();
        Self { living, graph, colours }
    }
}

/// The weight of a channel: equal for channels with the same kept properties.
fn weight(network: &Network, channel: ChannelId, kept: Kept) -> u64 {
    let timing = |channel| {
        let timing = network.timing(channel);
        let bandwidth = timing.bandwidth_gbytes.filter(|_| kept.bandwidths).map(f64::to_bits);
        (bandwidth, timing.latency_ns.filter(|_| kept.latencies).map(f64::to_bits))
    };
    let opposite = network.opposite(channel).filter(|_| kept.links).map(timing);
    let mut hash = DefaultHasher::new();
    (timing(channel), opposite).hash(&mut hash);
    // Few enough bits that the weights of parallel channels can be added up.
    (hash.finish() >> 24) + 1
}

/// An isomorphism as the image of every point; `None` inside if there is none, outside if the search
/// takes too long.
fn search(one: &Side, other: &Side) -> Option<Option<Vec<u32>>> {
    let never = || false;
    let mut refiner = Refiner::new(&one.graph, Limit::new(MOST_WORK, &never));
    let base = Base::find(&mut refiner, &one.colours)?;
    let mut refiner = Refiner::new(&other.graph, Limit::new(MOST_WORK, &never));
    let mut partition = Partition::by_colour(&other.colours);
    let mut trace = Trace::Compare(&base.trace, 0);
    refiner.refine_all(&mut partition, &mut trace)?;
    if !trace.is_matched() {
        return Some(None);
    }
    let mut search = IsomorphismSearch { one, other, base: &base, refiner };
    search.follow(0, partition)
}

struct IsomorphismSearch<'a> {
    one: &'a Side,
    other: &'a Side,
    base: &'a Base,
    refiner: Refiner<'a>,
}

impl IsomorphismSearch<'_> {
    /// Finds images for the base points from `level` on. `partition` is that of the second network and
    /// corresponds to the partition of the first one at this level.
    fn follow(&mut self, level: usize, partition: Partition) -> Option<Option<Vec<u32>>> {
        let Some(next) = self.base.levels.get(level) else {
            let image = self.base.last.mapping_to(&partition);
            self.refiner.charge(self.one.graph.size() as u64)?;
            let is_right = self.one.graph.is_mapped_to(&self.other.graph, &image);
            return Some(is_right.then_some(image));
        };
        let candidates = partition.cell(next.cell).to_vec();
        let mut tried: Vec<u32> = Vec::new();
        let mut orbits = None;
        for candidate in candidates {
            // An automorphism that maps one candidate to another shows that the second fails as well.
            if level == 0 && !tried.is_empty() {
                if orbits.is_none() {
                    orbits = Some(self.orbits()?);
                }
                let orbits = orbits.as_ref()?;
                let orbit = |point: u32| orbits[point as usize];
                if tried.iter().any(|&failed| orbit(failed) == orbit(candidate)) {
                    continue;
                }
            }
            self.refiner.charge(partition.len() as u64 / 4)?;
            let mut finer = partition.clone();
            let mut trace = Trace::Compare(&next.trace, 0);
            self.refiner.set_apart(&mut finer, candidate, &mut trace)?;
            if trace.is_matched()
                && let Some(found) = self.follow(level + 1, finer)?
            {
                return Some(Some(found));
            }
            tried.push(candidate);
        }
        Some(None)
    }

    /// The orbit of every point of the second network under its automorphisms.
    fn orbits(&self) -> Option<Vec<u32>> {
        let limit = Limit::new(MOST_WORK, &|| false);
        let mut search = AutomorphismSearch::new(&self.other.graph, &self.other.colours, limit)?;
        search.find_all()?;
        let points = self.other.living.len() as u32;
        Some((0..points).map(|point| search.orbits.find(point)).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        reason = "helpers of tests stop the test, as tests themselves do"
    )]

    use super::*;
    use crate::topology::build;
    use pavane_model::network::Timing;
    use pavane_model::{Fault, NetworkBuilder};
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The same network with routers, processors and channels in another order.
    fn shuffled(network: &Network, seed: u64) -> Network {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut image: Vec<u32> = (0..network.router_count() as u32).collect();
        image.shuffle(&mut random);
        let mut channels: Vec<u32> = (0..network.channel_count() as u32).collect();
        channels.shuffle(&mut random);
        let mut builder = NetworkBuilder::new("shuffled", network.router_count() as u32);
        for channel in channels.into_iter().map(ChannelId) {
            let ends = network.channel(channel);
            let (tail, head) = (image[ends.tail.index()], image[ends.head.index()]);
            match network.opposite(channel) {
                None => builder.channel(tail, head),
                Some(opposite) if channel < opposite => builder.link(tail, head),
                Some(_) => continue,
            };
            builder.timing(network.timing(channel));
        }
        let mut homes: Vec<Option<u32>> = network
            .living_processors()
            .map(|p| network.home(p).map(|home| image[home.index()]))
            .collect();
        homes.shuffle(&mut random);
        for home in homes {
            builder.processor(home);
        }
        builder.multicast(network.multicast().iter().map(|r| image[r.index()]).collect());
        builder.build().unwrap()
    }

    fn residents(network: &Network) -> Vec<u64> {
        network.routers().map(|router| network.residents(router).len() as u64).collect()
    }

    fn find(one: &Network, other: &Network, kept: Kept) -> Option<Vec<Option<RouterId>>> {
        let (marks, others) = (residents(one), residents(other));
        let from = Marked { network: one, marks: &marks, arcs: &[] };
        isomorphism(from, Marked { network: other, marks: &others, arcs: &[] }, kept).unwrap()
    }

    /// Counts channels by the images of their ends.
    fn is_right(one: &Network, other: &Network, image: &[Option<RouterId>]) -> bool {
        let mut mapped: Vec<_> = (one.channels().iter())
            .map(|c| (image[c.tail.index()], image[c.head.index()]))
            .collect();
        let mut wanted: Vec<_> =
            other.channels().iter().map(|c| (Some(c.tail), Some(c.head))).collect();
        mapped.sort();
        wanted.sort();
        mapped == wanted
    }

    #[test]
    fn a_shuffled_network_is_recognised() {
        for name in [
            "hypercube:7",
            "torus:8x8",
            "kautz:3,3",
            "dgx-1v",
            "petersen",
            "hoffman-singleton",
            "fat-tree:4",
            "mesh:4x5",
            "octagon:8@2",
            "de-bruijn:2,4",
            "dragonfly:2,4,2",
            "nvl72",
            "tree:2,4",
            "random-regular:60,5,9",
            "ndv2:2",
            "path:2",
        ] {
            let network = build(name).unwrap();
            for seed in 0..3 {
                let other = shuffled(&network, seed);
                let kept = Kept { links: true, bandwidths: true, latencies: true };
                let image = find(&network, &other, kept).unwrap();
                assert!(is_right(&network, &other, &image), "{name}, seed {seed}");
            }
        }
    }

    #[test]
    fn different_networks_of_the_same_size_are_told_apart() {
        for (one, other, is_same) in [
            ("slim-fly:5", "random-regular:50,7,1", false),
            ("slim-fly:5", "hoffman-singleton", true),
            ("torus:4x4", "hypercube:4", true),
            ("circulant:13,1,5", "circulant:13,1,3", false),
            ("circulant:13,1,5", "circulant:13,2,3", true),
            ("torus:6x6", "torus:4x9", false),
            ("kautz:2,3", "generalized-kautz:12,2", true),
            ("octagon:8", "octagon:8@2", false),
        ] {
            let networks = (build(one).unwrap(), build(other).unwrap());
            let found = find(&networks.0, &networks.1, Kept::default());
            assert_eq!(found.is_some(), is_same, "{one} and {other}");
        }
    }

    #[test]
    fn bandwidths_and_latencies_count_only_where_they_are_kept() {
        let ring = |slow: usize| {
            let mut builder = NetworkBuilder::new("ring", 5);
            for router in 0..5 {
                builder.link(router, (router + 1) % 5);
                let bandwidth = if (router as usize) < slow { 25.0 } else { 50.0 };
                let timing = Timing { bandwidth_gbytes: Some(bandwidth), ..Timing::default() };
                builder.timing(timing);
            }
            builder.processor_on_each_router();
            builder.build().unwrap()
        };
        let bandwidths = Kept { bandwidths: true, ..Kept::default() };
        assert!(find(&ring(2), &shuffled(&ring(2), 1), bandwidths).is_some());
        assert!(find(&ring(2), &ring(1), bandwidths).is_none());
        assert!(find(&ring(2), &ring(1), Kept::default()).is_some());
    }

    #[test]
    fn lost_routers_do_not_count() {
        let torus = build("torus:3x3").unwrap();
        let broken = torus.without(&[Fault::parse(&torus, "4").unwrap()]).unwrap();
        let other = torus.without(&[Fault::parse(&torus, "0").unwrap()]).unwrap();
        let image = find(&broken, &other, Kept::default()).unwrap();
        assert_eq!(image[4], None);
        assert_eq!(image.iter().flatten().count(), 8);
    }

    #[test]
    fn arcs_are_kept() {
        let ring = build("ring:6").unwrap();
        let marks = vec![0; 6];
        let arcs = |list: &[(u32, u32)]| -> Vec<(RouterId, RouterId)> {
            list.iter().map(|&(a, b)| (RouterId(a), RouterId(b))).collect()
        };
        let (near, far, turned) = (arcs(&[(0, 1)]), arcs(&[(0, 3)]), arcs(&[(5, 4)]));
        let find = |one: &[(RouterId, RouterId)], other: &[(RouterId, RouterId)]| {
            let side = |arcs| Marked { network: &ring, marks: &marks, arcs };
            isomorphism(side(one), side(other), Kept::default()).unwrap()
        };
        assert_eq!(find(&near, &far), None);
        let image = find(&near, &turned).unwrap();
        assert_eq!((image[0], image[1]), (Some(RouterId(5)), Some(RouterId(4))));
    }
}
