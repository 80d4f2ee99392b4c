//! Checks groups of known order, and properties of every free group.

use super::*;
use crate::budget::Interrupt;
use crate::rng::Rng;
use pavane_model::{ChannelId, Network, NetworkBuilder};
use pavane_networks::symmetry::symmetries;
use pavane_networks::topology::build;
use proptest::prelude::*;

fn free_group(network: &Network, freedom: Freedom, seed: u64) -> FreeGroup {
    let symmetries = symmetries(network).expect("small networks are settled");
    find_free_group(network, &symmetries, freedom, &Interrupt::never(), &mut Rng::seeded(seed))
}

/// The orders of the largest groups that act freely on processors.
const LARGEST: &[(&str, usize)] = &[
    ("ring:8", 8),
    ("complete:8", 8),
    ("torus:5x5", 25),
    ("torus:4x4", 16),
    ("torus:4x6", 24),
    ("hypercube:5", 32),
    ("hypercube:7", 128),
    ("hypercube:5@3", 32),
    ("octagon:8", 8),
    ("kautz:3,2", 12),
    ("kautz:3,3", 12),
    ("ccc:3", 24),
    ("petersen", 5),
    ("mesh:4x4", 4),
    ("mesh:3x3", 1),
    ("coated-mesh:4x4", 4),
    ("path:5", 1),
    ("fat-tree:4", 16),
    ("de-bruijn:2,3", 2),
];

#[test]
fn the_largest_groups_are_found() {
    for &(spec, order) in LARGEST {
        let network = build(spec).expect(spec);
        for seed in 0..3 {
            let group = free_group(&network, Freedom::Processors, seed);
            assert_eq!(group.order(), order, "{spec}, seed {seed}");
        }
    }
}

#[test]
fn a_turned_mesh_keeps_only_its_centre() {
    let group = free_group(&build("mesh:3x3").expect("9 routers"), Freedom::Pairs, 1);
    assert_eq!(group.order(), 4);
    assert!(!group.is_regular());
}

#[test]
fn hypercubes_are_regular_from_every_seed() {
    let network = build("hypercube:10").expect("1024 routers");
    for seed in 0..3 {
        assert!(free_group(&network, Freedom::Processors, seed).is_regular(), "seed {seed}");
    }
}

#[test]
fn chains_climb_by_primes_where_the_group_is_abelian() {
    let group = free_group(&build("torus:4x6").expect("24 routers"), Freedom::Processors, 1);
    let chain = subgroup_chain(&group, &mut Rng::seeded(1));
    let orders: Vec<usize> = chain.iter().map(Subgroup::order).collect();
    assert!(orders.windows(2).all(|pair| [2, 3].contains(&(pair[1] / pair[0]))), "{orders:?}");
    assert_eq!(orders.last(), Some(&24));
}

/// Checks that the members are automorphisms, are free, and are closed under products.
fn check(network: &Network, group: &FreeGroup) {
    let order = ChannelOrder::new(network);
    for member in 0..group.order() as u32 {
        assert!(member == 0 || group.is_free(group.images(member)), "{member} is not free");
        let mut is_taken = vec![false; network.channel_count()];
        for (channel, ends) in (0..).map(ChannelId).zip(network.channels()) {
            let image = order.image(group, member, channel);
            assert!(!std::mem::replace(&mut is_taken[image.index()], true));
            assert_eq!(network.channel(image).tail, group.image(member, ends.tail));
            assert_eq!(network.channel(image).head, group.image(member, ends.head));
            let opposite = network.opposite(channel).map(|c| order.image(group, member, c));
            assert_eq!(network.opposite(image), opposite);
        }
        assert_eq!(group.product(member, group.inverse(member)), 0);
        for &generator in group.generators() {
            let both = group.product(member, generator);
            let through = |router| group.image(generator, group.image(member, router));
            assert!(network.routers().all(|router| group.image(both, router) == through(router)));
        }
    }
    for subgroup in subgroup_chain(group, &mut Rng::seeded(7)) {
        let cosets = subgroup.cosets(group);
        assert_eq!(cosets.len() * subgroup.order(), group.order());
    }
}

/// A circulant network with shuffled labels, some doubled links and some one-way channels.
fn circulant(routers: u32, jumps: &[(u32, u8)], labels: &[u32]) -> Network {
    let mut builder = NetworkBuilder::new("circulant", routers);
    for &(jump, kind) in jumps {
        for router in 0..routers {
            let (a, b) = (labels[router as usize], labels[((router + jump) % routers) as usize]);
            match kind {
                0 => builder.channel(a, b),
                1 => builder.link(a, b),
                _ => builder.link(a, b).link(b, a),
            };
        }
    }
    builder.processor_on_each_router();
    builder.build().expect("jumps are not 0")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn groups_of_circulant_networks_are_free(
        routers in 4u32..20,
        jumps in prop::collection::vec((1u32..4, 0u8..3), 1..4),
        seed in 0u64..1000,
    ) {
        let mut labels: Vec<u32> = (0..routers).collect();
        Rng::seeded(seed).shuffle(&mut labels);
        let network = circulant(routers, &jumps, &labels);
        for freedom in [Freedom::Processors, Freedom::Pairs] {
            let group = free_group(&network, freedom, seed);
            check(&network, &group);
        }
        let group = free_group(&network, Freedom::Processors, seed);
        prop_assert!(group.is_regular());
    }
}

#[test]
fn groups_of_other_networks_are_free() {
    for spec in ["kautz:3,2", "fat-tree:4", "mesh:3x3", "petersen", "octagon:8@2", "de-bruijn:2,3"]
    {
        let network = build(spec).expect(spec);
        for freedom in [Freedom::Processors, Freedom::Pairs] {
            check(&network, &free_group(&network, freedom, 5));
        }
    }
}
