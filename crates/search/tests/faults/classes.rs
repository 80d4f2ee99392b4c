//! Which faults are equivalent.

use super::{request, sets, tiny};
use pavane_model::network::Timing;
use pavane_model::{
    MessageId, Network, NetworkBuilder, Problem, ProcessorId, RouterId, Routing, Schedule,
};
use pavane_networks::topology;
use pavane_search::fault::{Part, Parts, classes, classes_with_bandwidths};
use proptest::prelude::*;

/// A path of three routers with its first link doubled.
fn doubled() -> Network {
    let mut builder = NetworkBuilder::new("doubled", 3);
    builder.link(0, 1).link(0, 1).link(1, 2).processor_on_each_router();
    builder.build().expect("it is a network")
}

/// A star of four routers; three channels to the centre run parallel to its first link.
fn mixed() -> Network {
    let mut builder = NetworkBuilder::new("mixed", 4);
    builder.link(0, 1).link(0, 2).link(0, 3).channel(1, 0).channel(1, 0).channel(1, 0);
    builder.processor_on_each_router();
    builder.build().expect("it is a network")
}

/// Sizes of the classes of faults.
#[test]
fn faults_that_look_alike_are_one_class() {
    let named = |name: &str| topology::build(name).unwrap();
    for (network, collective, root, kind, count, expected) in [
        (named("hypercube:4"), "aas", None, Part::Links, 1, vec![32]),
        (named("hypercube:4"), "oab", None, Part::Links, 1, vec![4, 12, 12, 4]),
        (named("hypercube:3"), "aas", None, Part::Channels, 1, vec![24]),
        (named("ring:6"), "aas", None, Part::Links, 2, vec![6, 6, 3]),
        (named("ring:6"), "shift:1", None, Part::Links, 1, vec![6]),
        (named("ring:6"), "shift:1", None, Part::Routers, 2, vec![6, 6, 3]),
        (named("ring:4"), "shift:1", None, Part::Routers, 1, vec![4]),
        (named("torus:4x4"), "shift:1", None, Part::Links, 1, vec![4; 8]),
        (named("torus:4x4"), "transpose", None, Part::Routers, 1, vec![4, 4, 8]),
        (named("hypercube:4"), "bit-reversal", None, Part::Routers, 1, vec![4, 8, 4]),
        (named("mesh:4x4"), "aab", None, Part::Routers, 1, vec![4, 8, 4]),
        (named("mesh:4x4"), "aas", None, Part::Links, 1, vec![8, 8, 4, 4]),
        (named("mesh:3x3"), "gather", Some("4"), Part::Links, 1, vec![8, 4]),
        (named("kautz:3,2"), "aas", None, Part::Channels, 1, vec![12, 24]),
        (doubled(), "aas", None, Part::Links, 1, vec![2, 1]),
        (doubled(), "aas", None, Part::Links, 2, vec![1, 2]),
        (doubled(), "aas", None, Part::Channels, 1, vec![2, 2, 1, 1]),
        (mixed(), "aas", None, Part::Links, 1, vec![1, 2]),
        (mixed(), "aas", None, Part::Channels, 1, vec![1, 4, 2, 2]),
    ] {
        let parts = Parts::new(&network, &[kind]);
        let phases = request(collective, root, Routing::Minimal).on(&network, &network).unwrap();
        let found = classes(&phases.phases, &parts, &sets(&parts, count).sets);
        let mut sizes: Vec<usize> = found.classes.iter().map(|c| c.members.len()).collect();
        let mut expected = expected;
        sizes.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sizes, expected, "{} {collective} {kind:?} {count}", network.name());
    }
}

/// All permutations of some numbers.
fn orders(numbers: &[u32]) -> Vec<Vec<u32>> {
    let Some((&last, others)) = numbers.split_last() else { return vec![Vec::new()] };
    let with_last = |order: &Vec<u32>, at: usize| {
        let mut order = order.clone();
        order.insert(at, last);
        order
    };
    let shorter = orders(others);
    shorter.iter().flat_map(|order| (0..=order.len()).map(|at| with_last(order, at))).collect()
}

/// After a renumbering of routers and processors: the channels with their ends and whether they
/// belong to links, the messages, and the homes of the processors.
fn renumbered(problem: &Problem, routers: &[u32], processors: &[u32]) -> [Vec<Vec<u32>>; 3] {
    let (network, messages) = (problem.network(), problem.messages());
    let router = |id: RouterId| routers[id.index()];
    let processor = |id: ProcessorId| processors[id.index()];
    let channel = |(at, channel): (u32, &pavane_model::Channel)| {
        let is_linked = network.opposite(pavane_model::ChannelId(at)).is_some();
        vec![router(channel.tail), router(channel.head), u32::from(is_linked)]
    };
    let message = |id: MessageId| {
        let mut to: Vec<u32> = messages.destinations(id).iter().map(|&p| processor(p)).collect();
        to.sort_unstable();
        to.insert(0, processor(messages.origin(id)));
        to
    };
    let homes = network.routers().flat_map(|home| {
        network.residents(home).iter().map(move |&id| vec![processor(id), router(home)])
    });
    let mut all = [
        (0..).zip(network.channels()).map(channel).collect::<Vec<_>>(),
        messages.ids().map(message).collect(),
        homes.collect(),
    ];
    all.iter_mut().for_each(|rows| rows.sort_unstable());
    all
}

/// A ring of four routers with two parallel links each, with these bandwidths.
fn square(bandwidths: [[f64; 2]; 4]) -> Network {
    let mut builder = NetworkBuilder::new("square", 4);
    for (at, pair) in (0..).zip(bandwidths) {
        for bandwidth in pair {
            let timing = Timing { bandwidth_gbytes: Some(bandwidth), latency_ns: None };
            builder.link(at, (at + 1) % 4).timing(timing);
        }
    }
    builder.processor_on_each_router();
    builder.build().expect("it is a network")
}

#[test]
fn faults_are_alike_only_if_bandwidths_are() {
    let even = [1.0, 1.0];
    for (bandwidths, expected) in [
        ([even; 4], vec![8]),
        ([even, [2.0, 2.0], even, [2.0, 2.0]], vec![4, 4]),
        ([even, even, even, [2.0, 2.0]], vec![4, 2, 2]),
        // The first of two parallel links fails, so their order matters.
        ([[1.0, 2.0]; 4], vec![8]),
        ([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]], vec![4, 4]),
    ] {
        let network = square(bandwidths);
        let left = request("aab", None, Routing::Minimal).on(&network, &network).unwrap();
        let parts = Parts::new(&network, &[Part::Links]);
        let sets = sets(&parts, 1).sets;
        let found = classes_with_bandwidths(&left.phases, &parts, &sets);
        let mut sizes: Vec<usize> = found.classes.iter().map(|c| c.members.len()).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(sizes, expected, "{bandwidths:?}");
        assert_eq!(classes(&left.phases, &parts, &sets).classes.len(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// Compares with every renumbering of routers and processors.
    #[test]
    fn classes_are_the_orbits_of_all_automorphisms(problem in tiny::problem()) {
        let network = problem.network();
        let parts = Parts::new(network, &[Part::Links, Part::Channels, Part::Routers]);
        let count = parts.faults().len();
        let mut class: Vec<usize> = (0..count).collect();
        let mut join = |one: u32, other: u32| {
            let (one, other) = (class[one as usize], class[other as usize]);
            class.iter_mut().filter(|c| **c == other).for_each(|c| *c = one);
        };
        let (routers, processors) = (network.router_count() as u32, network.processor_count() as u32);
        let numbers = |count: u32| (0..count).collect::<Vec<_>>();
        let all = |count: u32| orders(&numbers(count));
        let same = renumbered(&problem, &numbers(routers), &numbers(processors));
        for routers in all(routers) {
            let images: Vec<RouterId> = routers.iter().map(|&router| RouterId(router)).collect();
            let keeps = |processors: &Vec<u32>| renumbered(&problem, &routers, processors) == same;
            if all(processors).iter().any(keeps) {
                (0..).zip(parts.images(network, &images)).for_each(|(one, other)| join(one, other));
            }
        }
        parts.swaps().into_iter().for_each(|(one, other)| join(one, other));
        let sets: Vec<Vec<u32>> = (0..count as u32).map(|part| vec![part]).collect();
        let found = classes(std::slice::from_ref(&problem), &parts, &sets).class_of;
        for one in 0..count {
            for other in 0..one {
                prop_assert_eq!(class[one] == class[other], found[one] == found[other]);
            }
        }
    }
}

/// The kinds of parts that `pavane faults` breaks together.
const KINDS: [&[Part]; 5] = [
    &[Part::Links],
    &[Part::Channels],
    &[Part::Routers],
    &[Part::Links, Part::Routers],
    &[Part::Channels, Part::Routers],
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Results for the first member of a class are applied to all members, so each member must
    /// equal the first up to renumbering: network, links, homes and messages.
    #[test]
    fn members_of_a_class_differ_in_numbers_only(
        problem in tiny::problem(),
        kinds in 0..KINDS.len(),
        count in 1..=2u32,
    ) {
        let network = problem.network();
        let parts = Parts::new(network, KINDS[kinds]);
        prop_assume!(parts.faults().len() >= count as usize);
        let sets = sets(&parts, count).sets;
        let found = classes(std::slice::from_ref(&problem), &parts, &sets);
        for class in &found.classes {
            let left = |at: usize| {
                let broken = network.without(&parts.set(&sets[class.members[at].set])).ok()?;
                let collective = problem.collective().left_in(&broken);
                Some((Problem::new(broken.clone(), collective, problem.model()).ok(), broken))
            };
            let first = left(0);
            for at in 1..class.members.len() {
                let image = found.renumbering(class, at, network);
                let (Some((from, first)), Some((to, other))) = (&first, left(at)) else {
                    prop_assert!(first.is_none() && left(at).is_none());
                    continue;
                };
                prop_assert!(image.maps(first, &other), "{:?} {:?}", first.faults(), other.faults());
                prop_assert_eq!(from.is_some(), to.is_some());
                if let (Some(from), Some(to)) = (from, &to) {
                    prop_assert!(image.schedule(from, &Schedule::new(), to).is_some());
                }
            }
        }
    }
}
