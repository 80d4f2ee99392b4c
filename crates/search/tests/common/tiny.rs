//! Random problems small enough for brute force: two to four routers, any rules, any collective.

use pavane_model::{
    Collective, Duplex, Kind, ListedMessage, Model, Network, NetworkBuilder, Ports, Problem,
    ProcessorId, Routing, Switching,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Any tiny problem: slim, fat and indirect networks, directed and parallel channels, groups, lists
/// of messages, and every switching, routing, duplex and number of ports.
pub fn problem() -> impl Strategy<Value = Problem> {
    (network(), collective(), model()).prop_filter_map(
        "at least one message has a reachable destination",
        |(network, collective, model)| {
            let problem = Problem::new(network, collective, model).ok()?;
            (problem.messages().delivery_count() <= 8).then_some(problem)
        },
    )
}

/// Any tiny network.
pub fn network() -> impl Strategy<Value = Network> {
    network_of(vec(prop_oneof![1 => Just(0u32), 6 => Just(1), 2 => Just(2)], 5))
}

/// Any network of two to four routers with the given numbers of processors.
pub fn network_of(residents: impl Strategy<Value = Vec<u32>>) -> impl Strategy<Value = Network> {
    let parents = vec(0u32..4, 1..4);
    let more = vec((0u32..5, 0u32..5, any::<bool>()), 0..4);
    (any::<bool>(), parents, more, residents).prop_filter_map(
        "there are processors",
        |(is_ring, parents, more, residents)| {
            let routers = parents.len() as u32 + 1;
            let mut builder = NetworkBuilder::new("tiny", routers);
            for (child, parent) in (1..).zip(parents) {
                if is_ring {
                    builder.channel(child - 1, child)
                } else {
                    builder.link(parent % child, child)
                };
            }
            if is_ring {
                builder.channel(routers - 1, 0);
            }
            for (a, b, is_link) in more {
                match (a % routers, b % routers) {
                    (a, b) if a == b => continue,
                    (a, b) if is_link => builder.link(a, b),
                    (a, b) => builder.channel(a, b),
                };
            }
            for router in 0..routers {
                for _ in 0..residents[router as usize] {
                    builder.processor(Some(router));
                }
            }
            builder.build().ok()
        },
    )
}

fn collective() -> impl Strategy<Value = Collective> {
    let kind = prop_oneof![
        2 => Just(Kind::Broadcast),
        2 => Just(Kind::Scatter),
        1 => Just(Kind::Gather),
        1 => Just(Kind::Reduce),
        3 => Just(Kind::Messages)
    ];
    let list = vec((0u32..5, group()), 1..5);
    (kind, group(), group(), list).prop_map(|(kind, senders, receivers, list)| match kind {
        Kind::Messages => {
            let list = list.into_iter().map(|(from, mut to)| {
                let from = ProcessorId(from);
                to.retain(|&p| p != from);
                ListedMessage { from, to }
            });
            Collective::listed("tiny", list.collect())
        }
        kind => Collective::between(kind, "tiny", senders, receivers),
    })
}

fn group() -> impl Strategy<Value = Vec<ProcessorId>> {
    let members = prop::sample::subsequence(vec![0, 1, 2, 3, 4], 1..4);
    members.prop_map(|members| members.into_iter().map(ProcessorId).collect())
}

/// Any model.
pub fn model() -> impl Strategy<Value = Model> {
    let switching = prop_oneof![Just(Switching::Wormhole), Just(Switching::StoreAndForward)];
    let routing = prop_oneof![
        Just(Routing::Minimal),
        Just(Routing::Any),
        (0u32..3).prop_map(Routing::Detour)
    ];
    let duplex = prop_oneof![Just(Duplex::Full), Just(Duplex::Half)];
    let ports = prop_oneof![Just(Ports::All), (1u32..3).prop_map(Ports::Limited)];
    (switching, routing, duplex, ports).prop_map(|(switching, routing, duplex, ports)| Model {
        switching,
        routing,
        duplex,
        ports,
    })
}
