//! Checks counts against closed forms, and numbers against brute-force enumeration.

use super::{DetourPaths, ShortestPaths, is_simple};
use num_bigint::BigUint;
use pavane_model::{ChannelId, Network, NetworkBuilder, RouterId};
use proptest::collection::vec;
use proptest::prelude::*;

fn hypercube(dimensions: u32) -> Network {
    let mut builder = NetworkBuilder::new("hypercube", 1 << dimensions);
    for x in 0..1 << dimensions {
        for bit in (0..dimensions).map(|i| 1 << i).filter(|bit| x & bit == 0) {
            builder.link(x, x | bit);
        }
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}

fn mesh(rows: u32, columns: u32) -> Network {
    let mut builder = NetworkBuilder::new("mesh", rows * columns);
    for at in 0..rows * columns {
        if at % columns + 1 < columns {
            builder.link(at, at + 1);
        }
        if at + columns < rows * columns {
            builder.link(at, at + columns);
        }
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}

fn factorial(n: u32) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

#[test]
fn a_hypercube_has_d_factorial_paths_between_antipodes() {
    for dimensions in [1, 4, 10] {
        let network = hypercube(dimensions);
        let paths = ShortestPaths::to(&network, RouterId(0));
        for from in network.routers() {
            assert_eq!(*paths.count(from), factorial(from.0.count_ones()));
        }
    }
}

#[test]
fn the_paths_of_a_large_hypercube_are_numbered_without_listing_them() {
    let network = hypercube(16);
    let paths = ShortestPaths::to(&network, RouterId(0));
    let antipode = RouterId((1 << 16) - 1);
    assert_eq!(paths.count(antipode).to_string(), "20922789888000");
    let last = paths.count(antipode) - 1u32;
    for number in [BigUint::ZERO, BigUint::from(10_461_394_944_000u64), last] {
        let path = paths.unrank(antipode, &number).unwrap();
        assert_eq!(path.len(), 16);
        assert!(is_simple(&network, &path));
        assert_eq!(paths.rank(&path), Some(number));
    }
    assert_eq!(paths.unrank(antipode, paths.count(antipode)), None);
}

#[test]
fn a_mesh_has_binomially_many_paths_between_corners() {
    let (rows, columns) = (9, 31);
    let network = mesh(rows, columns);
    let paths = ShortestPaths::to(&network, RouterId(rows * columns - 1));
    let (down, right) = (rows - 1, columns - 1);
    let binomial = factorial(down + right) / factorial(down) / factorial(right);
    assert_eq!(*paths.count(RouterId(0)), binomial);
    assert_eq!(paths.distance(RouterId(0)), down + right);
}

#[test]
fn a_ring_of_four_has_two_ways_round_and_walks_back_and_forth() {
    let network = hypercube(2);
    let count = |extra| DetourPaths::to(&network, RouterId(0), extra).count(RouterId(1)).clone();
    // One walk of one channel; two of three channels, one round the other side and one that goes
    // back; walks of even length do not exist.
    assert_eq!([count(0), count(1), count(2)], [1u32, 1, 3].map(BigUint::from));
    let paths = DetourPaths::to(&network, RouterId(0), 2);
    let listed: Vec<_> =
        (0..3u32).map(|i| paths.unrank(RouterId(1), &BigUint::from(i)).unwrap()).collect();
    let simple = listed.iter().filter(|path| is_simple(&network, path)).count();
    assert_eq!(simple, 2);
}

/// Networks of up to six routers, connected or not, with parallel channels.
fn any_network() -> impl Strategy<Value = Network> {
    (2u32..7, vec((0u32..6, 0u32..6), 0..14)).prop_map(|(routers, channels)| {
        let mut builder = NetworkBuilder::new("random", routers);
        for (tail, head) in channels {
            if tail % routers != head % routers {
                builder.channel(tail % routers, head % routers);
            }
        }
        builder.processor_on_each_router();
        builder.build().unwrap()
    })
}

/// Every walk of at most `most` channels that visits `target` only at its end, in lexicographic
/// order of channel numbers.
fn list_walks(
    network: &Network,
    from: RouterId,
    target: RouterId,
    most: u32,
) -> Vec<Vec<ChannelId>> {
    if from == target {
        return vec![Vec::new()];
    }
    let mut walks = Vec::new();
    for &channel in network.out_channels(from) {
        if let Some(left) = most.checked_sub(1) {
            for walk in list_walks(network, network.channel(channel).head, target, left) {
                walks.push([vec![channel], walk].concat());
            }
        }
    }
    walks
}

proptest! {
    #[test]
    fn numbers_agree_with_a_list(network in any_network(), extra in 0u32..4) {
        let target = RouterId(0);
        let paths = DetourPaths::to(&network, target, extra);
        for from in network.routers() {
            let listed = match network.distances_to(target)[from.index()] {
                u32::MAX => Vec::new(),
                distance => list_walks(&network, from, target, distance + extra),
            };
            prop_assert_eq!(paths.count(from), &BigUint::from(listed.len()));
            for (number, walk) in listed.iter().enumerate() {
                let number = BigUint::from(number);
                let found = paths.unrank(from, &number);
                prop_assert_eq!(found.as_ref(), Some(walk));
                // An empty walk does not determine its start, but only the target has one.
                prop_assert_eq!(paths.rank(walk), Some(number));
            }
            prop_assert_eq!(paths.unrank(from, paths.count(from)), None);
            for (number, walk) in listed.iter().enumerate() {
                let mut on = listed[number..].iter().chain(&listed);
                let simple = on.find(|walk| is_simple(&network, walk));
                prop_assert!(extra > 1 || simple == Some(walk));
                let found = paths.unrank_simple(from, &BigUint::from(number));
                prop_assert_eq!(found.as_ref(), simple);
            }
        }
    }

    #[test]
    fn other_chains_have_no_number(network in any_network(), path in vec(0u32..14, 1..4)) {
        let paths = ShortestPaths::to(&network, RouterId(0));
        let channels = network.channel_count() as u32;
        prop_assume!(channels > 0);
        let path: Vec<ChannelId> = path.into_iter().map(|c| ChannelId(c % channels)).collect();
        let start = network.channel(path[0]).tail;
        let is_shortest = start != RouterId(0)
            && list_walks(&network, start, RouterId(0), paths.distance(start).min(6)).contains(&path);
        prop_assert_eq!(paths.rank(&path).is_some(), is_shortest);
    }
}
