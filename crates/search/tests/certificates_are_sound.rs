//! No certificate makes the judge accept more than the true optimum. The test tries all
//! certificates that can be written for a tiny problem, not only useful ones.

use crate::common::{brute_force, tiny};
use pavane_model::collective::{self, Groups};
use pavane_model::{
    Bound, Certificate, CertificateKind, Collective, Duplex, Kind, MessageId, Model, NestedSet,
    NetworkBuilder, Ports, Problem, ProcessorId, RouterId, Switching,
};
use pavane_networks::topology;
use pavane_verify::{BoundError, cheap_bound, check_bound};
use proptest::prelude::*;

/// Every certificate with small numbers, one certificate of either kind of congestion for each list
/// of prices, and one nested-growth certificate for each family of sets and each message.
fn certificates(
    problem: &Problem,
    prices: &[Vec<u64>],
    nested: &[Vec<NestedSet>],
) -> Vec<Certificate> {
    let network = problem.network();
    let mut all = vec![Certificate::Distance, Certificate::PortDistance];
    let sets = 0u32..1 << network.router_count();
    let sets: Vec<Vec<RouterId>> = sets
        .map(|set| network.routers().filter(|router| set >> router.0 & 1 == 1).collect())
        .collect();
    all.extend(sets.iter().cloned().map(|routers| Certificate::Cut { routers }));
    all.extend(sets.iter().cloned().map(|routers| Certificate::CutQueue { routers }));
    all.extend(sets.iter().cloned().map(|routers| Certificate::Separator { routers }));
    let routers = (0..=network.router_count() as u32).map(RouterId);
    all.extend(routers.map(|router| Certificate::Relay { router }));
    all.extend(sets.iter().cloned().map(|routers| Certificate::JointGrowth { routers }));
    all.extend(sets.iter().cloned().map(|routers| Certificate::LateEntry { routers }));
    // One more than there are, so that invalid messages and processors are tried too.
    let processors = (0..=network.processor_count() as u32).map(ProcessorId);
    for message in (0..=problem.messages().len() as u32).map(MessageId) {
        all.push(Certificate::Growth { message });
        all.push(Certificate::Branches { message });
        all.push(Certificate::NeighbourGrowth { message });
        let inside = sets.iter().cloned();
        all.extend(inside.map(|routers| Certificate::CutGrowth { message, routers }));
        all.extend(processors.clone().map(|to| Certificate::Eccentricity { message, to }));
        for sets in nested {
            let mut sets = sets.clone();
            let is_there = |router: &RouterId| router.index() < network.router_count();
            sets.iter_mut().for_each(|set| set.routers.retain(is_there));
            all.push(Certificate::NestedGrowth { message, sets });
        }
    }
    for processor in processors.clone() {
        all.push(Certificate::Receive { processor });
        all.push(Certificate::Send { processor });
        for number in 0..6 {
            all.push(Certificate::Ball { processor, radius: number });
            all.push(Certificate::SendBall { processor, radius: number });
            all.push(Certificate::SendGrowth { processor, growth: number });
        }
    }
    for set in 0u32..1 << network.processor_count() {
        let members = processors.clone().filter(|processor| set >> processor.0 & 1 == 1);
        all.push(Certificate::IndependentSet { processors: members.collect() });
    }
    let (channels, routers) = (network.channel_count(), network.router_count());
    for prices in prices {
        let mut prices = prices.iter().cycle().copied();
        let mut take = |count: usize| prices.by_ref().take(count).collect::<Vec<u64>>();
        all.push(Certificate::Congestion { prices: take(channels) });
        let (channels, sends, receives) = (take(channels), take(routers), take(routers));
        all.push(Certificate::PortCongestion { channels, sends, receives });
    }
    all
}

/// A proof by a solver is a file of its own; `crates/search/tests/exact.rs` tests those.
#[test]
fn certificates_of_every_kind_are_tried() {
    let network = topology::build("ring:4").unwrap();
    let phases = collective::build("all-gather", &network, &Groups::default()).unwrap();
    let problem = Problem::new(network, phases[0].clone(), Model::default()).unwrap();
    let all = certificates(&problem, &[vec![1]], &[Vec::new()]);
    for &kind in CertificateKind::ALL.iter().filter(|&&kind| kind != CertificateKind::Exact) {
        let is_tried = all.iter().any(|certificate| certificate.kind() == kind);
        assert!(is_tried, "no certificate of the kind {} is tried", kind.name());
    }
}

fn prices() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let price = prop_oneof![Just(0u64), Just(1), 0u64..5, Just(u64::MAX)];
    prop::collection::vec(prop::collection::vec(price, 1..12), 20)
}

/// Families of six sets. Each of five routers is in one set or in none; a set is within a later set
/// or in none.
fn nested() -> impl Strategy<Value = Vec<Vec<NestedSet>>> {
    let family = (prop::collection::vec(0usize..7, 5), prop::collection::vec(0u32..9, 6));
    let family = family.prop_map(|(home, around)| {
        let family = (0..6).map(|set: usize| {
            let members = (0..5u32).filter(|&router| home[router as usize] == set);
            let within = set as u32 + 1 + around[set];
            NestedSet {
                routers: members.map(RouterId).collect(),
                within: Some(within).filter(|&outer| outer < 6),
            }
        });
        family.collect()
    });
    prop::collection::vec(family, 40)
}

/// Store-and-forward broadcasts on four to seven routers, some of them with two processors: wide
/// enough for a router to run out of neighbours.
fn wide_broadcast() -> impl Strategy<Value = Problem> {
    let parents = prop::collection::vec(0u32..7, 3..7);
    let more = prop::collection::vec((0u32..7, 0u32..7, any::<bool>()), 0..4);
    let pairs = prop::collection::vec(prop::bool::weighted(0.15), 7);
    (parents, more, pairs, 1u32..3, any::<bool>()).prop_map(
        |(parents, more, pairs, ports, is_half)| {
            let routers = parents.len() as u32 + 1;
            let mut builder = NetworkBuilder::new("wide", routers);
            for (child, parent) in (1..).zip(parents) {
                builder.link(parent % child, child);
            }
            for (a, b, is_link) in more {
                match (a % routers, b % routers) {
                    (a, b) if a == b => continue,
                    (a, b) if is_link => builder.link(a, b),
                    (a, b) => builder.channel(a, b),
                };
            }
            for router in 0..routers {
                (0..=u32::from(pairs[router as usize])).for_each(|_| {
                    builder.processor(Some(router));
                });
            }
            let network = builder.build().expect("every router is linked");
            let others = network.living_processors().skip(1).collect();
            let broadcast =
                Collective::between(Kind::Broadcast, "oab", vec![ProcessorId(0)], others);
            let duplex = if is_half { Duplex::Half } else { Duplex::Full };
            let (switching, ports) = (Switching::StoreAndForward, Ports::Limited(ports));
            let model = Model { switching, ports, duplex, ..Model::default() };
            Problem::new(network, broadcast, model).expect("every processor is reached")
        },
    )
}

/// Whether the judge refuses a claim of one step more than the optimum.
fn check_refused(
    problem: &Problem,
    certificate: Certificate,
    optimum: u32,
) -> Result<(), TestCaseError> {
    let steps = optimum + 1;
    let reason = certificate.reason().to_owned();
    let certificate = Some(certificate);
    let bound = Bound { steps, reason, explanation: String::new(), certificate };
    let verdict = check_bound(problem, &bound);
    let is_refused = matches!(verdict, Err(BoundError::TooHigh { .. } | BoundError::Unfit { .. }));
    prop_assert!(is_refused, "{optimum} steps are enough, but {bound:?}: {verdict:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_growth_proves_more_than_the_optimum(problem in wide_broadcast()) {
        let Some(optimum) = brute_force::fewest_steps(&problem, 100_000) else {
            return Ok(());
        };
        let message = MessageId(0);
        for certificate in [
            Certificate::Growth { message },
            Certificate::NeighbourGrowth { message },
            Certificate::Branches { message },
            Certificate::LateEntry { routers: Vec::new() },
        ] {
            check_refused(&problem, certificate, optimum)?;
        }
        for router in problem.network().routers() {
            check_refused(&problem, Certificate::Relay { router }, optimum)?;
        }
    }

    #[test]
    fn nothing_proves_more_than_the_optimum(
        problem in tiny::problem(),
        prices in prices(),
        nested in nested(),
    ) {
        let Some(optimum) = brute_force::fewest_steps(&problem, 100_000) else {
            return Ok(());
        };
        prop_assert!(cheap_bound(&problem) <= optimum);
        for certificate in certificates(&problem, &prices, &nested) {
            check_refused(&problem, certificate, optimum)?;
        }
    }
}
