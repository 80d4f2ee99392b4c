//! Distances in hops, by breadth-first search. Rules, certificates and the exact formula use this
//! code; searches and bounds use other code, in `model`. It reads nothing but the list of channels
//! of a network.

use pavane_model::{Channel, Network, RouterId};

/// The distance to a router that cannot be reached.
pub(crate) const UNREACHABLE: u32 = u32::MAX;

/// The routers one hop away from each router.
pub(crate) struct Neighbours {
    /// The neighbours of router 0, then those of router 1, and so on.
    routers: Vec<RouterId>,
    /// Router r has the neighbours from `starts[r]` up to, but not including, `starts[r + 1]`.
    starts: Vec<usize>,
}

impl Neighbours {
    /// Neighbours in the direction of the channels: a hop leads from tail to head.
    pub fn along(network: &Network) -> Self {
        Self::new(network, |channel| (channel.tail, channel.head))
    }

    /// Neighbours against the direction of the channels: a hop leads from head to tail.
    pub fn against(network: &Network) -> Self {
        Self::new(network, |channel| (channel.head, channel.tail))
    }

    /// `hop` returns the start and the end of the hop over a channel. Sorts the ends by the starts,
    /// by counting.
    fn new(network: &Network, hop: impl Fn(&Channel) -> (RouterId, RouterId)) -> Self {
        let mut starts = vec![0; network.router_count() + 1];
        for channel in network.channels() {
            starts[hop(channel).0.index() + 1] += 1;
        }
        for router in 1..starts.len() {
            starts[router] += starts[router - 1];
        }
        let mut routers = vec![RouterId(0); network.channel_count()];
        let mut next_place = starts.clone();
        for channel in network.channels() {
            let (from, to) = hop(channel);
            routers[next_place[from.index()]] = to;
            next_place[from.index()] += 1;
        }
        Self { routers, starts }
    }

    /// The neighbours of a router, one for each channel.
    pub fn of(&self, router: RouterId) -> &[RouterId] {
        &self.routers[self.starts[router.index()]..self.starts[router.index() + 1]]
    }

    /// For every router, the number of hops from the nearest of `sources` to it, or
    /// [`UNREACHABLE`].
    pub fn distances(&self, sources: impl IntoIterator<Item = RouterId>) -> Vec<u32> {
        let mut distance = vec![UNREACHABLE; self.starts.len() - 1];
        let mut current: Vec<RouterId> = Vec::new();
        for source in sources {
            if distance[source.index()] == UNREACHABLE {
                distance[source.index()] = 0;
                current.push(source);
            }
        }
        let mut next: Vec<RouterId> = Vec::new();
        let mut hops = 0;
        while !current.is_empty() {
            hops += 1;
            for &router in &current {
                for &neighbour in self.of(router) {
                    if distance[neighbour.index()] == UNREACHABLE {
                        distance[neighbour.index()] = hops;
                        next.push(neighbour);
                    }
                }
            }
            current.clear();
            std::mem::swap(&mut current, &mut next);
        }
        distance
    }
}

/// The number of hops from `source` to every router, or [`UNREACHABLE`].
pub(crate) fn distances_from(network: &Network, source: RouterId) -> Vec<u32> {
    Neighbours::along(network).distances([source])
}

/// The number of hops from every router to `target`, or [`UNREACHABLE`].
pub(crate) fn distances_to(network: &Network, target: RouterId) -> Vec<u32> {
    Neighbours::against(network).distances([target])
}

/// The number of hops between any two routers, or [`UNREACHABLE`]: the row is the start, the
/// column the end.
pub(crate) fn all_distances(network: &Network) -> Vec<Vec<u32>> {
    let neighbours = Neighbours::along(network);
    network.routers().map(|source| neighbours.distances([source])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::{ChannelId, NetworkBuilder};
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Floyd–Warshall: paths through ever more routers. It uses neither queues nor neighbours.
    fn floyd_warshall(network: &Network) -> Vec<Vec<u32>> {
        let routers = network.router_count();
        let mut distance = vec![vec![UNREACHABLE; routers]; routers];
        for (router, row) in distance.iter_mut().enumerate() {
            row[router] = 0;
        }
        for channel in network.channels() {
            distance[channel.tail.index()][channel.head.index()] = 1;
        }
        for middle in 0..routers {
            for from in 0..routers {
                for to in 0..routers {
                    let through = distance[from][middle].saturating_add(distance[middle][to]);
                    distance[from][to] = distance[from][to].min(through);
                }
            }
        }
        distance
    }

    /// Networks of up to 12 routers with links, one-way channels, parallel channels and isolated
    /// routers, some of them with faults.
    fn network() -> impl Strategy<Value = Network> {
        let ends = vec((0u32..12, 0u32..12, any::<bool>()), 1..30);
        let lost_channels = vec(0u32..60, 0..4);
        let lost_routers = vec(0u32..12, 0..3);
        (1u32..=12, ends, lost_channels, lost_routers).prop_filter_map(
            "a network needs a processor",
            |(routers, ends, lost_channels, lost_routers)| {
                let mut builder = NetworkBuilder::new("random", routers);
                for (a, b, is_link) in ends {
                    match (a % routers, b % routers) {
                        (a, b) if a == b => continue,
                        (a, b) if is_link => builder.link(a, b),
                        (a, b) => builder.channel(a, b),
                    };
                }
                builder.processor_on_each_router();
                let whole = builder.build().ok()?;
                let exists = |channel: &u32| (*channel as usize) < whole.channel_count();
                let channels: Vec<ChannelId> =
                    lost_channels.into_iter().filter(exists).map(ChannelId).collect();
                let lost: Vec<RouterId> =
                    lost_routers.into_iter().map(|router| RouterId(router % routers)).collect();
                whole.without_parts(&channels, &lost, vec!["a fault".to_owned()]).ok()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn breadth_first_search_agrees_with_floyd_warshall(network in network()) {
            let expected = floyd_warshall(&network);
            prop_assert_eq!(&all_distances(&network), &expected);
            for router in network.routers() {
                let at = router.index();
                prop_assert_eq!(&distances_from(&network, router), &expected[at]);
                let column: Vec<u32> = expected.iter().map(|row| row[at]).collect();
                prop_assert_eq!(distances_to(&network, router), column);
            }
        }

        #[test]
        fn several_sources_give_the_nearest(network in network(), picks in vec(0u32..12, 0..5)) {
            let routers = network.router_count() as u32;
            let sources: Vec<RouterId> =
                picks.into_iter().map(|router| RouterId(router % routers)).collect();
            let all = floyd_warshall(&network);
            let nearest = |to: RouterId| {
                let hops = sources.iter().map(|from| all[from.index()][to.index()]);
                hops.min().unwrap_or(UNREACHABLE)
            };
            let expected: Vec<u32> = network.routers().map(nearest).collect();
            let found = Neighbours::along(&network).distances(sources.iter().copied());
            prop_assert_eq!(found, expected);
        }
    }
}
