//! Properties of every family that can be checked by hand.

use super::*;
use pavane_model::{ProcessorId, RouterId};
use proptest::prelude::*;

/// Specification, routers, channels, processors, smallest and largest out-degree, diameter.
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
    ("unidirectional-torus:3x4", 12, 24, 12, 2, 2, 5),
    ("unidirectional-torus:2x2x2", 8, 24, 8, 3, 3, 3),
    ("unidirectional-torus:1x5", 5, 5, 5, 1, 1, 4),
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
    ("generalized-kautz:12,3", 12, 36, 12, 3, 3, 2),
    ("generalized-kautz:10,3", 10, 28, 10, 2, 3, 3),
    ("de-bruijn:2,3", 8, 14, 8, 1, 2, 3),
    ("de-bruijn:3,2", 9, 24, 9, 2, 3, 2),
    ("petersen", 10, 30, 10, 3, 3, 2),
    ("heawood", 14, 42, 14, 3, 3, 3),
    ("hoffman-singleton", 50, 350, 50, 7, 7, 2),
    ("amp:5", 5, 18, 5, 3, 4, 2),
    ("amp:8", 8, 30, 8, 3, 4, 2),
    ("amp:13", 13, 50, 13, 3, 4, 2),
    ("amp:32", 32, 126, 32, 3, 4, 3),
    ("tree:2,3", 15, 28, 15, 1, 3, 6),
    ("tree:3,2", 13, 24, 13, 1, 4, 4),
    ("folded-hypercube:2", 4, 12, 4, 3, 3, 1),
    ("folded-hypercube:4", 16, 80, 16, 5, 5, 2),
    ("folded-hypercube:5", 32, 192, 32, 6, 6, 3),
    ("midimew:5", 5, 20, 5, 4, 4, 1),
    ("midimew:13", 13, 52, 13, 4, 4, 2),
    ("midimew:25", 25, 100, 25, 4, 4, 3),
    ("circulant:13,1,5", 13, 52, 13, 4, 4, 2),
    ("circulant:8,1,4", 8, 24, 8, 3, 3, 2),
    ("circulant:7,6", 7, 14, 7, 2, 2, 3),
    ("ccc:3", 24, 72, 24, 3, 3, 6),
    ("ccc:4", 64, 192, 64, 3, 3, 8),
    ("butterfly:1", 4, 8, 2, 2, 2, 2),
    ("butterfly:3", 32, 96, 8, 2, 4, 6),
    ("fat-tree:2", 7, 12, 2, 1, 2, 6),
    ("fat-tree:4", 36, 96, 16, 1, 4, 6),
    ("k-ary-n-tree:3,1", 4, 6, 3, 1, 3, 2),
    ("k-ary-n-tree:2,3", 20, 48, 8, 1, 4, 6),
    ("omega:1", 3, 4, 2, 1, 2, 2),
    ("omega:3", 20, 32, 8, 1, 2, 6),
    ("dragonfly:1,2,1", 6, 12, 6, 2, 2, 3),
    ("dragonfly:2,4,2", 36, 180, 72, 5, 5, 3),
    ("hyperx:3x4", 12, 60, 12, 5, 5, 2),
    ("hyperx:2x2x2", 8, 24, 8, 3, 3, 3),
    ("slim-fly:3", 18, 90, 18, 5, 5, 2),
    ("slim-fly:4", 32, 192, 32, 6, 6, 2),
    ("slim-fly:5", 50, 350, 50, 7, 7, 2),
    ("slim-fly:7", 98, 1078, 98, 11, 11, 2),
    ("slim-fly:8", 128, 1536, 128, 12, 12, 2),
    ("slim-fly:9", 162, 2106, 162, 13, 13, 2),
    ("slim-fly:11", 242, 4114, 242, 17, 17, 2),
    ("slim-fly:13", 338, 6422, 338, 19, 19, 2),
    ("jellyfish:6,5,7", 6, 30, 6, 5, 5, 1),
    ("random-regular:2,1,7", 2, 2, 2, 1, 1, 1),
    ("random-regular:6,5,7", 6, 30, 6, 5, 5, 1),
    ("dgx-1v", 8, 48, 8, 6, 6, 2),
    ("dgx-a100", 14, 192, 8, 12, 16, 2),
    ("dgx-h100", 12, 288, 8, 18, 40, 2),
    ("dgx-a100:1", 9, 16, 8, 1, 8, 2),
    ("dgx-a100:2", 36, 96, 16, 2, 8, 6),
    ("dgx-a100:4", 70, 192, 32, 2, 16, 6),
    ("dgx-h100:1", 9, 16, 8, 1, 8, 2),
    ("dgx-h100:4", 77, 208, 32, 2, 8, 6),
    ("dgx2:1", 17, 32, 16, 1, 16, 2),
    ("dgx2:2", 34, 80, 32, 1, 16, 5),
    ("ndv2:1", 8, 32, 8, 4, 4, 2),
    ("ndv2:2", 16, 66, 16, 4, 5, 5),
    ("ndv2:4", 33, 136, 32, 4, 5, 6),
    ("mi250:1", 16, 112, 16, 7, 7, 5),
    ("mi250:2", 33, 288, 32, 8, 32, 2),
    ("nvl72", 90, 2592, 72, 18, 72, 2),
    ("mi300x:8", 8, 56, 8, 7, 7, 1),
    ("tpu:4x4x4", 64, 384, 64, 6, 6, 6),
];

/// Specification and a part of the error message.
const WRONG: &[(&str, &str)] = &[
    ("", "no network family is called \"\"; write a name such as torus:8x8"),
    ("../net", "no network family is called \"../net\"; write a name such as torus:8x8"),
    ("rang:4", "no network family is called \"rang\"; the nearest is ring"),
    ("dgx", "the nearest are dgx-1v, dgx-a100, dgx-h100"),
    ("ring", "missing"),
    ("ring:", "missing"),
    ("ring:2", "at least 3"),
    ("ring:-4", "\"-4\" is not a whole number"),
    ("ring:+4", "not a whole number"),
    ("ring:4.5", "not a whole number"),
    ("ring:4,5", "2 numbers given, but 1 required"),
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
    ("mesh:1x1", "at least 2 routers"),
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
    ("coated-mesh:4", "2 sides are required, not 1"),
    ("coated-mesh:2x2x2", "2 sides are required, not 3"),
    ("coated-mesh:1x1", "at least 2 routers"),
    ("coated-mesh:18446744073709551615x18446744073709551615", "routers"),
    ("kautz:3,0", "at least 1"),
    ("kautz:0,3", "at least 1"),
    ("kautz:3", "1 number given, but 2 required"),
    ("kautz:9,30", "routers"),
    ("kautz:1,99999999999", "at most 64"),
    ("tree:2,0", "at least 1"),
    ("tree:1,3", "at least 2"),
    ("tree:2,40", "2199023255551 routers"),
    ("tree:9,18446744073709551615", "more than 10^38 routers"),
    ("folded-hypercube:1", "at least 2"),
    ("folded-hypercube:200", "more than 10^38 routers"),
    ("generalized-kautz:10,10", "at most 9"),
    ("generalized-kautz:10,0", "at least 1"),
    ("generalized-kautz:18446744073709551615,18446744073709551614", "routers"),
    ("de-bruijn:1,3", "at least 2"),
    ("de-bruijn:2,0", "at least 1"),
    ("de-bruijn:2,40", "1099511627776 routers"),
    ("amp:6", "one of 5, 8, 12, 13, 14, 23, 32, 36, 40, 42, 53, 64, 128, 256"),
    ("midimew:4", "at least 5"),
    ("midimew:18446744073709551615", "routers"),
    ("circulant:8", "offsets after n are missing"),
    ("circulant:8,0", "at least 1"),
    ("circulant:8,8", "at most 7"),
    ("circulant:8,3,5", "same links, ±3"),
    ("circulant:8,2,4", "multiples of 2"),
    ("circulant:1,1", "at least 2"),
    ("ccc:2", "at least 3"),
    ("ccc:30", "32212254720 routers"),
    ("ccc:121", "routers"),
    ("butterfly:0", "at least 1"),
    ("butterfly:60", "routers"),
    ("fat-tree:3", "must be even"),
    ("fat-tree:0", "at least 2"),
    ("fat-tree:100000", "routers"),
    ("fat-tree:18446744073709551614", "more than 10^38 routers"),
    ("k-ary-n-tree:1,3", "at least 2"),
    ("k-ary-n-tree:2,0", "at least 1"),
    ("k-ary-n-tree:9,99", "routers"),
    ("omega:0", "at least 1"),
    ("omega:64", "routers"),
    ("dragonfly:2,4", "2 numbers given, but 3 required"),
    ("dragonfly:0,4,2", "at least 1"),
    ("dragonfly:99999999999,4,2", "3599999999964 processors"),
    ("dragonfly:1,18446744073709551615,18446744073709551615", "more than 10^38 routers"),
    ("hyperx:99999", "9999700002 channels"),
    ("slim-fly:2", "at least 3"),
    ("slim-fly:6", "power of a prime"),
    ("slim-fly:15", "power of a prime"),
    ("slim-fly:999", "channels"),
    ("dgx-1v:8", "unexpected parameters"),
    ("dgx-a100:0", "K is 0, but must be at least 1"),
    ("dgx-a100:x", "\"x\" is not a whole number"),
    ("dgx-a100:1,2", "2 numbers given, but 1 required"),
    ("dgx-h100:1025", "K is 1025, but must be at most 1024"),
    ("dgx2:3", "K is 3, but must be at most 2; write dgx2:K with K = 1 or 2"),
    ("ndv2", "the parameters are missing"),
    ("mi250:99999999999", "at most 1024"),
    ("mi300x:9", "at most 8"),
    ("tpu:4x4", "3 sides are required, not 2"),
    ("petersen:5", "unexpected parameters"),
    ("petersen:", "unexpected parameters"),
    ("random-regular:5,3,1", "one of the two must be even"),
    ("random-regular:5,5,1", "at most 4"),
    ("random-regular:4,1,1", "not connected"),
    ("random-regular:4,2", "2 numbers given, but 3 required"),
];

mod clusters;

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
        let is_safe = |c: char| c.is_ascii_alphanumeric() || ",.-/".contains(c);
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
    let named: [(&str, u32, &str); 10] = [
        ("kautz:3,2", 0, "01"),
        ("kautz:3,2", 3, "10"),
        ("kautz:3,2", 11, "32"),
        ("kautz:2,3", 1, "012"),
        ("kautz:10,2", 109, "10.9"),
        ("mesh:3x4", 6, "1,2"),
        ("torus:2x3x4", 23, "1,2,3"),
        ("hypercube:3", 5, "5"),
        ("de-bruijn:2,3", 6, "110"),
        ("hyperx:3x4", 7, "1,3"),
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

/// The length of a shortest cycle, for networks of links.
fn girth(network: &Network) -> u32 {
    let without = |channel: &pavane_model::ChannelId| {
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
    for (spec, expected) in [
        ("ring:7", 7),
        ("petersen", 5),
        ("heawood", 6),
        ("hoffman-singleton", 5),
        ("slim-fly:5", 5),
        ("hypercube:3", 4),
        ("complete:4", 3),
    ] {
        assert_eq!(girth(&build(spec).expect(spec)), expected, "{spec}");
    }
}

#[test]
fn random_networks_are_simple_regular_connected_and_repeatable() {
    for (n, degree) in
        [(3, 2), (40, 2), (500, 2), (10, 3), (64, 4), (11, 8), (11, 10), (12, 11), (300, 290)]
    {
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

/// Names with seeds are published, so they must mean the same links in every version.
#[test]
fn random_networks_never_change() {
    for (spec, expected) in [
        ("random-regular:64,4,1", 0xa327_2fdb_4111_16c3),
        ("random-regular:256,4,1", 0x3879_4902_5664_9bd6),
        ("jellyfish:256,4,1", 0x3879_4902_5664_9bd6),
        ("random-regular:100,60,1", 0x288e_8345_f1df_0abd),
        ("random-regular:101,100,1", 0x9133_de9d_07ca_6655),
        ("random-regular:500,251,1", 0x028e_37b3_838d_6d93),
        ("random-regular:1000,300,1", 0x34ce_3060_dac1_d645),
        ("random-regular:1000,990,1", 0xba87_6ab7_a1b7_e3a3),
        ("random-regular:4000,3,1", 0xd2d2_d310_10fb_53ef),
        ("random-regular:20000,4,9", 0x3a90_9268_f8a8_949e),
    ] {
        let network = build(spec).expect(spec);
        let mut found = 0u64;
        for channel in network.channels().iter().filter(|channel| channel.tail < channel.head) {
            let link = u64::from(channel.tail.0) << 32 | u64::from(channel.head.0);
            found = (found.rotate_left(5) ^ link).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        assert_eq!(found, expected, "{spec}: {found:#x}");
    }
}

#[test]
fn only_machines_have_parallel_channels() {
    for family in FAMILIES {
        let network = build(family.example).expect(family.example);
        let mut ends: Vec<_> = network.channels().iter().map(|c| (c.tail, c.head)).collect();
        ends.sort_unstable();
        ends.dedup();
        let has_parallel = ["dgx-1v", "dgx-a100", "dgx-h100", "mi250"].contains(&family.name);
        assert_eq!(ends.len() < network.channel_count(), has_parallel, "{}", family.name);
    }
}

#[test]
fn amp_networks_keep_two_ports_for_the_controller() {
    for n in [5, 8, 12, 13, 14, 23, 32, 36, 40, 42, 53, 64, 128, 256] {
        let network = build(&format!("amp:{n}")).expect("a stored network");
        let neighbours = |router: RouterId| {
            let channels = network.out_channels(router).iter();
            let mut heads: Vec<RouterId> = channels.map(|&c| network.channel(c).head).collect();
            heads.sort_unstable();
            heads.dedup();
            heads.len()
        };
        let with = |count| network.routers().filter(|&r| neighbours(r) == count).count();
        assert_eq!((with(4), with(3)), (n - 2, 2), "amp:{n}");
        assert!(most_hops(&network) <= 6, "amp:{n}");
    }
    let network = build("amp:8").expect("a stored network");
    assert_eq!([1, 4].map(|r| network.out_channels(RouterId(r)).len()), [3, 3]);
}

#[test]
fn links_of_a_dgx_1v_are_those_of_its_matrix() {
    let network = build("dgx-1v").expect("8 GPUs");
    let count = |a, b| network.channels_between(RouterId(a), RouterId(b)).count();
    for (a, b, links) in [(0, 1, 2), (0, 2, 1), (0, 5, 0), (2, 6, 2), (3, 7, 1), (6, 7, 2)] {
        assert_eq!((count(a, b), count(b, a)), (links, links), "{a} - {b}");
    }
    assert_eq!(network.timing(pavane_model::ChannelId(0)).bandwidth_gbytes, Some(25.0));
}

#[test]
fn an_omega_network_has_one_way_from_each_processor_to_each() {
    let network = build("omega:3").expect("8 processors");
    for processor in 0..8 {
        let mut reached = vec![RouterId(processor)];
        for _ in 0..4 {
            let channels = reached.iter().flat_map(|&router| network.out_channels(router));
            reached = channels.map(|&channel| network.channel(channel).head).collect();
        }
        reached.sort_unstable();
        assert_eq!(reached, (0..8).map(RouterId).collect::<Vec<_>>());
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,40}") {
        let _ = build(&text);
    }

    #[test]
    fn no_parameters_make_it_panic(
        family in 0..FAMILIES.len(),
        numbers in proptest::collection::vec(prop_oneof![3 => 0u64..9, 1 => 64u64..200, 1 => any::<u64>()], 0..5),
        separator in "[,x]",
        fat in prop_oneof![Just(String::new()), "@[0-9]{0,3}"],
    ) {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let _ = build(&format!("{}:{}{fat}", FAMILIES[family].name, numbers.join(&separator)));
    }
}
