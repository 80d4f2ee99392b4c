//! Known orders of automorphism groups.

use super::*;
use crate::topology::build;
use pavane_model::NetworkBuilder;

const KNOWN: &[(&str, &str)] = &[
    ("ring:8", "16"),
    ("path:5", "2"),
    ("star:6", "120"),
    ("complete:8", "40320"),
    ("tree:2,3", "128"),
    ("mesh:4x4", "8"),
    ("mesh:2x3", "4"),
    ("torus:8x8", "512"),
    ("torus:4x4", "384"),
    ("torus:3x5", "60"),
    ("hypercube:3", "48"),
    ("hypercube:6", "46080"),
    ("hypercube:10", "3715891200"),
    ("folded-hypercube:4", "1920"),
    ("octagon:8", "16"),
    ("octagon:8@2", "16"),
    ("coated-mesh:4x4", "8"),
    ("unidirectional-torus:4x4", "32"),
    ("unidirectional-torus:3x4", "12"),
    ("kautz:3,2", "24"),
    ("kautz:2,3", "6"),
    ("de-bruijn:2,3", "2"),
    ("petersen", "120"),
    ("heawood", "336"),
    ("hoffman-singleton", "252000"),
    ("slim-fly:5", "252000"),
    ("hyperx:3x3", "72"),
    ("ccc:3", "48"),
    ("fat-tree:4", "786432"),
    ("dgx-a100", "29030400"),
    ("dgx-h100", "161280"),
    (
        "nvl72",
        "3920458861966711480009407556944413071985178978377091512890224968794198\
         89124331168685542638577233428480000000000000000000",
    ),
    ("complete:20", "2432902008176640000"),
];

#[test]
fn orders_of_groups() {
    for &(spec, order) in KNOWN {
        let network = build(spec).expect(spec);
        let found = symmetries(&network).map(|symmetries| symmetries.order);
        assert_eq!(found.as_deref(), Some(order), "{spec}");
    }
}

#[test]
fn generators_are_automorphisms_and_join_the_orbits() {
    for spec in ["torus:4x6", "kautz:3,2", "fat-tree:4", "coated-mesh:3x4"] {
        let network = build(spec).expect(spec);
        let symmetries = symmetries(&network).expect(spec);
        for generator in &symmetries.generators {
            for router in network.routers() {
                let image = generator[router.index()];
                assert_eq!(network.residents(router).len(), network.residents(image).len());
                assert_eq!(symmetries.orbits[router.index()], symmetries.orbits[image.index()]);
                for other in network.routers() {
                    let count = |a, b| network.channels_between(a, b).count();
                    assert_eq!(count(router, other), count(image, generator[other.index()]));
                }
            }
        }
    }
    let orbits = symmetries(&build("path:5").expect("5 routers")).expect("small").orbits;
    assert_eq!(orbits, [0, 1, 2, 1, 0].map(RouterId));
}

#[test]
fn automorphisms_respect_every_attribute() {
    let order = |builder: NetworkBuilder| {
        symmetries(&builder.build().expect("a network")).expect("small").order
    };
    let ring = |extra: &dyn Fn(&mut NetworkBuilder)| {
        let mut builder = NetworkBuilder::new("ring", 4);
        for router in 0..4 {
            builder.link(router, (router + 1) % 4).processor(Some(router));
        }
        extra(&mut builder);
        builder
    };
    assert_eq!(order(ring(&|_| ())), "8");
    assert_eq!(order(ring(&|builder| _ = builder.processor(Some(0)))), "2");
    assert_eq!(order(ring(&|builder| _ = builder.link(0, 1))), "2");
    assert_eq!(order(ring(&|builder| _ = builder.channel(0, 1))), "1");
    // The second pair of opposite channels forms a link in the first network, but not in the
    // second.
    assert_eq!(order(ring(&|builder| _ = builder.link(0, 1).link(2, 3))), "4");
    assert_eq!(order(ring(&|builder| _ = builder.link(0, 1).channel(2, 3).channel(3, 2))), "2");
}

#[test]
fn the_search_gives_up_rather_than_take_long() {
    let network = build("hypercube:6").expect("64 routers");
    let marks = vec![0; network.router_count()];
    let polls = std::cell::Cell::new(0);
    let count = || {
        polls.set(polls.get() + 1);
        false
    };
    let within = |work| symmetries_within(&network, &marks, Limit::new(work, &count));
    assert_eq!(within(10_000), None);
    assert!(within(1_000_000).is_some());
    // The search polls for an interrupt and stops when there is one.
    assert!(polls.get() > 2);
    let stop = || true;
    assert_eq!(symmetries_keeping_unless(&network, &marks, &stop), None);
}

#[test]
fn marks_are_kept() {
    let ring = build("ring:8").expect("8 routers");
    let order = |marks: &[u64]| symmetries_keeping(&ring, marks).map(|found| found.order);
    assert_eq!(order(&[1, 0, 0, 0, 0, 0, 0, 0]).as_deref(), Some("2"));
    assert_eq!(order(&[1, 0, 1, 0, 1, 0, 1, 0]).as_deref(), Some("8"));
    assert_eq!(order(&[1, 2, 3, 0, 0, 0, 0, 0]).as_deref(), Some("1"));
}
