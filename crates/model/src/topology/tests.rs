//! Facts about every family that a pencil confirms.

use super::*;
use crate::ids::{ProcessorId, RouterId};
use proptest::prelude::*;

/// Specification, routers, channels, processors, least and most channels that leave a router, and
/// the most hops between routers.
const FACTS: &[(&str, usize, usize, usize, usize, usize, u32)] = &[
    ("ring:3", 3, 6, 3, 2, 2, 1),
    ("ring:9", 9, 18, 9, 2, 2, 4),
    ("path:2", 2, 2, 2, 1, 1, 1),
    ("path:5", 5, 8, 5, 1, 2, 4),
    ("star:5", 5, 8, 5, 1, 4, 2),
    ("complete:2", 2, 2, 2, 1, 1, 1),
    ("complete:6", 6, 30, 6, 5, 5, 1),
    ("mesh:5", 5, 8, 5, 1, 2, 4),
    ("mesh:3x4", 12, 34, 12, 2, 4, 5),
    ("mesh:2x3x4", 24, 92, 24, 3, 5, 6),
    ("torus:3x4", 12, 48, 12, 4, 4, 3),
    ("torus:2x4", 8, 24, 8, 3, 3, 3),
    ("torus:4x4x4", 64, 384, 64, 6, 6, 6),
    ("torus:1x5", 5, 10, 5, 2, 2, 2),
    ("hypercube:1", 2, 2, 2, 1, 1, 1),
    ("hypercube:5", 32, 160, 32, 5, 5, 5),
    ("octagon:8", 8, 24, 8, 3, 3, 2),
    ("octagon:16", 16, 48, 16, 3, 3, 4),
    ("octagon:8@2", 8, 24, 16, 3, 3, 2),
    ("coated-mesh:4x4", 16, 48, 16, 2, 4, 6),
    ("coated-mesh:2x3", 6, 14, 10, 2, 3, 3),
    ("coated-mesh:1x3", 3, 4, 8, 1, 2, 2),
    ("kautz:3,1", 4, 12, 4, 3, 3, 1),
    ("kautz:3,2", 12, 36, 12, 3, 3, 2),
    ("kautz:3,3", 36, 108, 36, 3, 3, 3),
    ("kautz:2,4", 24, 48, 24, 2, 2, 4),
    ("kautz:1,3", 2, 2, 2, 1, 1, 1),
    ("petersen", 10, 30, 10, 3, 3, 2),
    ("hyperx:3x4", 12, 60, 12, 5, 5, 2),
    ("hyperx:2x2x2", 8, 24, 8, 3, 3, 3),
    ("random-regular:2,1,7", 2, 2, 2, 1, 1, 1),
    ("random-regular:6,5,7", 6, 30, 6, 5, 5, 1),
];

/// Specification and a part of the complaint.
const WRONG: &[(&str, &str)] = &[
    ("", "no topology"),
    ("rang:4", "nearest is \"ring\""),
    ("ring", "missing"),
    ("ring:", "missing"),
    ("ring:2", "at least 3"),
    ("ring:-4", "\"-4\" is not a whole number"),
    ("ring:+4", "not a whole number"),
    ("ring:4.5", "not a whole number"),
    ("ring:4,5", "2 numbers where 1 belong"),
    ("ring:4,", "a number is missing"),
    ("ring:99999999999999999999999", "too large"),
    ("ring:99999999999", "99999999999 routers"),
    ("ring:4@0", "@0"),
    ("ring:4@", "@"),
    ("ring:4@x", "@x"),
    ("ring:4@2@2", "@2@2"),
    ("ring:4@-1", "@-1"),
    ("ring:4@4000000000", "16000000000 processors"),
    ("ring:4@40000000000", "@40000000000"),
    ("path:1", "at least 2"),
    ("star:1", "at least 2"),
    ("complete:1", "at least 2"),
    ("complete:100000", "9999900000 channels"),
    ("complete:18446744073709551615", "routers"),
    ("mesh:0x4", "at least 1"),
    ("mesh:4,4", "not a whole number"),
    ("mesh:4x", "a number is missing"),
    ("mesh:1x1", "1 router alone"),
    ("mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2", "33 sides"),
    ("torus:4x4@0", "@0"),
    ("torus:99999x99999", "9999800001 routers"),
    ("torus:9999999999x9999999999x9999999999x9999999999", "more than 10^38 routers"),
    ("hypercube:0", "at least 1"),
    ("hypercube:40", "1099511627776 routers"),
    ("hypercube:25", "838860800 channels"),
    ("hypercube:18446744073709551615", "more than 10^38 routers"),
    ("octagon:9", "multiple of 4"),
    ("octagon:10", "multiple of 4"),
    ("octagon:4", "at least 8"),
    ("coated-mesh:4", "1 sides where 2 belong"),
    ("coated-mesh:2x2x2", "3 sides where 2 belong"),
    ("coated-mesh:1x1", "1 router alone"),
    ("coated-mesh:18446744073709551615x18446744073709551615", "routers"),
    ("kautz:3,0", "at least 1"),
    ("kautz:0,3", "at least 1"),
    ("kautz:3", "1 number where 2 belong"),
    ("kautz:9,30", "routers"),
    ("kautz:1,99999999999", "at most 64"),
    ("petersen:5", "no parameters"),
    ("petersen:", "no parameters"),
    ("random-regular:5,3,1", "one of the two must be even"),
    ("random-regular:5,5,1", "at most 4"),
    ("random-regular:4,1,1", "not connected"),
    ("random-regular:4,2", "2 numbers where 3 belong"),
];

fn most_hops(network: &Network) -> u32 {
    let longest = |router| network.distances_from(router).into_iter().max();
    network.routers().filter_map(longest).max().expect("a network has routers")
}

#[test]
fn sizes_degrees_and_diameters() {
    for &(spec, routers, channels, processors, least, most, hops) in FACTS {
        let network = build(spec).expect(spec);
        assert_eq!(network.name(), spec);
        assert_eq!(network.router_count(), routers, "{spec}: routers");
        assert_eq!(network.channel_count(), channels, "{spec}: channels");
        assert_eq!(network.processor_count(), processors, "{spec}: processors");
        let degrees = || network.routers().map(|r| network.out_channels(r).len());
        assert_eq!(degrees().min(), Some(least), "{spec}: least degree");
        assert_eq!(degrees().max(), Some(most), "{spec}: largest degree");
        assert_eq!(most_hops(&network), hops, "{spec}: diameter");
    }
}

#[test]
fn wrong_specifications_are_errors_that_say_why() {
    for &(spec, part) in WRONG {
        let error = build(spec).expect_err(spec).to_string();
        assert!(error.contains(part), "{spec}: {error}");
    }
}

#[test]
fn every_family_builds_its_example_and_has_a_name_of_its_own() {
    let mut names: Vec<&str> = Vec::new();
    for family in FAMILIES {
        let network = build(family.example).expect(family.example);
        assert_eq!(network.name(), family.example);
        assert!(family.usage.starts_with(family.name));
        names.extend([family.name].iter().chain(family.aliases));
        for alias in family.aliases {
            assert_eq!(build(&family.example.replacen(family.name, alias, 1)), Ok(network.clone()));
        }
        let is_safe = |c: char| c.is_ascii_alphanumeric() || ",.-".contains(c);
        let mut router_names = network.routers().map(|r| network.router_name(r));
        assert!(router_names.all(|name| name.chars().all(is_safe)), "{}", family.example);
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn names_are_brought_into_one_form() {
    let forms = [
        (" Torus:04X4 ", "torus:4x4"),
        ("spidergon", "octagon:8"),
        ("ring: 8@1", "ring:8"),
        ("ring:8@02", "ring:8@2"),
    ];
    for (typed, name) in forms {
        assert_eq!(build(typed).expect(typed).name(), name);
    }
}

#[test]
fn routers_are_numbered_and_named_as_defined() {
    let named: [(&str, u32, &str); 8] = [
        ("kautz:3,2", 0, "01"),
        ("kautz:3,2", 3, "10"),
        ("kautz:3,2", 11, "32"),
        ("kautz:2,3", 1, "012"),
        ("kautz:10,2", 109, "10.9"),
        ("mesh:3x4", 6, "1,2"),
        ("torus:2x3x4", 23, "1,2,3"),
        ("hypercube:3", 5, "5"),
    ];
    for (spec, router, name) in named {
        let network = build(spec).expect(spec);
        assert_eq!(network.router_name(RouterId(router)), name, "{spec}");
    }
}

#[test]
fn kautz_words_shift() {
    let network = build("kautz:3,3").expect("36 routers");
    for router in network.routers() {
        let word = network.router_name(router);
        let next = network.out_channels(router).iter().map(|&c| network.channel(c).head);
        for head in next.map(|head| network.router_name(head)) {
            assert_eq!(head[..2], word[1..]);
        }
    }
    assert!(network.is_directed());
}

#[test]
fn processors_of_a_coated_mesh_go_clockwise_from_the_top_left() {
    let network = build("coated-mesh:2x3").expect("6 routers");
    let homes: Vec<u32> =
        network.living_processors().filter_map(|p| network.home(p)).map(|r| r.0).collect();
    assert_eq!(homes, [0, 1, 2, 2, 5, 5, 4, 3, 3, 0]);
}

#[test]
fn fat_nodes_keep_their_processors_together() {
    let network = build("octagon:8@2").expect("8 routers");
    for processor in 0..16 {
        assert_eq!(network.home(ProcessorId(processor)), Some(RouterId(processor / 2)));
    }
}

/// The length of a shortest circle, for networks of links.
fn girth(network: &Network) -> u32 {
    let without = |channel: &crate::ids::ChannelId| {
        let lost = [*channel, network.opposite(*channel).expect("a link")];
        let rest = network.without_parts(&lost, &[], Vec::new()).expect("the rest");
        let ends = network.channel(*channel);
        rest.distances_from(ends.tail)[ends.head.index()].saturating_add(1)
    };
    let all = network.routers().flat_map(|router| network.out_channels(router));
    all.map(without).min().expect("a network has channels")
}

#[test]
fn girths() {
    for (spec, expected) in [("ring:7", 7), ("petersen", 5), ("hypercube:3", 4), ("complete:4", 3)]
    {
        assert_eq!(girth(&build(spec).expect(spec)), expected, "{spec}");
    }
}

#[test]
fn random_networks_are_simple_regular_connected_and_repeatable() {
    for (n, degree) in [(3, 2), (40, 2), (500, 2), (10, 3), (64, 4), (11, 8), (11, 10), (12, 11)] {
        for seed in 0..5 {
            let spec = format!("random-regular:{n},{degree},{seed}");
            let network = build(&spec).expect(&spec);
            assert!(most_hops(&network) < n, "{spec}: connected");
            for router in network.routers() {
                let heads = network.out_channels(router).iter().map(|&c| network.channel(c).head);
                let mut heads: Vec<RouterId> = heads.collect();
                heads.sort_unstable();
                heads.dedup();
                assert_eq!(heads.len(), degree, "{spec}: {degree} different neighbours");
            }
            assert_eq!(build(&spec), Ok(network), "{spec}: repeatable");
        }
    }
    assert_ne!(
        build("random-regular:64,4,1").expect("64").named(""),
        build("random-regular:64,4,2").expect("64").named("")
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,40}") {
        let _ = build(&text);
    }

    #[test]
    fn no_parameters_make_it_panic(
        family in 0..FAMILIES.len(),
        numbers in proptest::collection::vec(prop_oneof![0u64..9, any::<u64>()], 0..5),
        separator in "[,x]",
        fat in prop_oneof![Just(String::new()), "@[0-9]{0,3}"],
    ) {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let _ = build(&format!("{}:{}{fat}", FAMILIES[family].name, numbers.join(&separator)));
    }
}
