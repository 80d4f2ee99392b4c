//! Properties of a network: counts, degrees, distances, the bisection width of its processors, and
//! its symmetries.

mod bisection;
mod distance;

pub use distance::Distances;

use crate::symmetry::symmetries;
use pavane_model::{Network, RouterId};
use serde::Serialize;

/// Properties of a network. Parts lost to faults are not counted unless a field says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetworkProperties {
    /// The name or file of the network.
    pub name: String,
    /// Routers, including lost ones.
    pub routers: usize,
    /// Routers that are not lost.
    pub living: usize,
    /// Living routers without a processor.
    pub switches: usize,
    /// Channels; a link has two.
    pub channels: usize,
    /// Links: pairs of opposite channels.
    pub links: usize,
    /// Processors that are not lost.
    pub processors: usize,
    /// The fewest channels that leave a living router.
    pub least_degree: usize,
    /// The most channels that leave a living router.
    pub largest_degree: usize,
    /// Whether no channel belongs to a link.
    pub is_directed: bool,
    /// Whether all living routers have the same number of outgoing channels, and of incoming ones.
    pub is_regular: bool,
    /// The distances between processors.
    pub distances: Distances,
    /// The fewest channels from one half of the processors to the other, over all halves (one more
    /// processor on one side if their number is odd) and all sides for the switches. Processors of
    /// one router stay together. `None` if there are too many halves to try, or none.
    pub bisection_width: Option<u64>,
    /// The number of automorphisms: renumberings of the routers that change neither the channels
    /// between them nor the number of processors on them. `None` if counting them takes too long.
    pub automorphisms: Option<String>,
    /// Generators of the automorphisms, each as its cycles: every router of a cycle maps to the
    /// next one, and routers in no cycle are fixed. Empty if none are known.
    pub generators: Vec<Vec<Vec<RouterId>>>,
}

/// Computes all properties of a network, in a second or two at most.
pub fn describe(network: &Network) -> NetworkProperties {
    let living: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let leaving = |router: &RouterId| network.out_channels(*router).len();
    let entering = |router: &RouterId| network.in_channels(*router).len();
    let is_alike = |degree: &dyn Fn(&RouterId) -> usize| {
        living.windows(2).all(|pair| degree(&pair[0]) == degree(&pair[1]))
    };
    let channels = network.channel_count();
    let linked =
        (0..channels as u32).filter(|&c| network.opposite(pavane_model::ChannelId(c)).is_some());
    let symmetries = symmetries(network);
    let generators = symmetries.iter().flat_map(|found| &found.generators);
    NetworkProperties {
        generators: generators.map(|generator| cycles(generator)).collect(),
        name: network.name().to_owned(),
        routers: network.router_count(),
        living: living.len(),
        switches: living.iter().filter(|&&r| network.residents(r).is_empty()).count(),
        channels,
        links: linked.count() / 2,
        processors: network.living_processors().count(),
        least_degree: living.iter().map(leaving).min().unwrap_or(0),
        largest_degree: living.iter().map(leaving).max().unwrap_or(0),
        is_directed: network.is_directed(),
        is_regular: is_alike(&leaving) && is_alike(&entering),
        distances: distance::measure(network),
        bisection_width: bisection::width(network),
        automorphisms: symmetries.map(|symmetries| symmetries.order),
    }
}

/// The cycles of a renumbering that are longer than one.
fn cycles(image: &[RouterId]) -> Vec<Vec<RouterId>> {
    let mut is_seen = vec![false; image.len()];
    let mut cycles = Vec::new();
    for start in (0..image.len() as u32).map(RouterId) {
        let mut cycle = Vec::new();
        let mut router = start;
        while !std::mem::replace(&mut is_seen[router.index()], true) {
            cycle.push(router);
            router = image[router.index()];
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;

    #[test]
    fn counts() {
        let fat_tree = describe(&build("fat-tree:4").expect("36 routers"));
        assert_eq!((fat_tree.routers, fat_tree.switches, fat_tree.processors), (36, 20, 16));
        assert_eq!((fat_tree.channels, fat_tree.links), (96, 48));
        assert_eq!((fat_tree.least_degree, fat_tree.largest_degree), (1, 4));
        assert!(!fat_tree.is_regular && !fat_tree.is_directed);
        let kautz = describe(&build("kautz:3,2").expect("12 routers"));
        assert!(kautz.is_regular && kautz.is_directed);
        assert_eq!((kautz.channels, kautz.links), (36, 0));
    }

    #[test]
    fn lost_parts_are_not_counted() {
        let ring = build("ring:5").expect("5 routers");
        let path = ring.without_parts(&[], &[RouterId(2)], vec!["2".into()]).expect("4 are left");
        let description = describe(&path);
        assert_eq!((description.routers, description.living, description.processors), (5, 4, 4));
        assert_eq!((description.links, description.switches), (3, 0));
        assert_eq!(description.distances.diameter(), Some(3));
        assert_eq!(description.bisection_width, Some(1));
        assert_eq!(description.automorphisms.as_deref(), Some("2"));
        let router = |pair: [u32; 2]| pair.map(RouterId).to_vec();
        assert_eq!(description.generators, [[router([0, 4]), router([1, 3])]]);
    }
}
