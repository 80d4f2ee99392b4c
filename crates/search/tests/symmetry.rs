//! A network given as a plain list of links with shuffled labels is solved as well as by its name,
//! because its symmetry is computed.

use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Network, NetworkBuilder, Ports, Problem, Switching};
use pavane_networks::topology::build;
use pavane_search::Rng;
use pavane_search::synthesize::{Options, Outcome, synthesize};
use proptest::prelude::*;

/// The same network with routers and channels in random order and without names.
fn shuffled(network: &Network, seed: u64) -> Network {
    let mut rng = Rng::seeded(seed);
    let mut label: Vec<u32> = (0..network.router_count() as u32).collect();
    rng.shuffle(&mut label);
    let mut channels: Vec<u32> = (0..network.channel_count() as u32).collect();
    rng.shuffle(&mut channels);
    let mut builder = NetworkBuilder::new("shuffled", label.len() as u32);
    for channel in channels.into_iter().map(pavane_model::ChannelId) {
        let ends = network.channel(channel);
        let (tail, head) = (label[ends.tail.index()], label[ends.head.index()]);
        match network.opposite(channel) {
            None => builder.channel(tail, head),
            Some(other) if channel < other => builder.link(tail, head),
            Some(_) => continue,
        };
    }
    let mut homes: Vec<u32> =
        network.living_processors().filter_map(|p| network.home(p)).map(|home| home.0).collect();
    homes.sort_by_key(|&home| label[home as usize]);
    for home in homes {
        builder.processor(Some(label[home as usize]));
    }
    builder.build().expect("it was a network before")
}

fn solve(network: Network, groups: &Groups, model: Model, evaluations: u64) -> Outcome {
    let collective = collective::build("mns", &network, groups).expect("groups fit").remove(0);
    let problem = Problem::new(network, collective, model).expect("it is connected");
    let engine = match model.switching {
        Switching::Wormhole => "orbits",
        Switching::StoreAndForward => "relay-orbits",
    };
    let options = Options {
        engine: Some(engine.to_owned()),
        evaluations: Some(evaluations),
        ..Options::default()
    };
    synthesize(&problem, &options).expect("the engine takes it")
}

fn steps(outcome: &Outcome) -> Option<u32> {
    assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
    outcome.solution.as_ref().map(|solution| solution.checked.schedule().step_count())
}

/// Networks whose bound is reached, and the bound.
const OPTIMAL: &[(&str, u32)] = &[
    ("hypercube:4", 8),
    ("hypercube:5", 16),
    ("hypercube:6", 32),
    ("torus:4x4", 8),
    ("torus:5x5", 15),
    ("torus:7x7", 42),
    ("torus:4x4x4", 32),
    ("octagon:16", 16),
    ("octagon:32", 64),
    ("complete:8", 1),
    ("kautz:3,2", 7),
];

#[test]
fn shuffled_labels_are_solved_like_names() {
    for &(name, bound) in OPTIMAL {
        let named = build(name).expect(name);
        let mixed = shuffled(&named, 7);
        for network in [named, mixed] {
            let label = network.name().to_owned();
            let outcome = solve(network, &Groups::default(), Model::default(), 30_000_000);
            assert_eq!(outcome.bounds.best.steps, bound, "{name} as {label}");
            assert_eq!(steps(&outcome), Some(bound), "{name} as {label}");
        }
    }
}

/// Networks whose bound is reached under store-and-forward, with the ports, the duplex and the
/// bound.
const OPTIMAL_HOP_BY_HOP: &[(&str, Ports, Duplex, u32)] = &[
    ("ring:12", Ports::Limited(1), Duplex::Full, 36),
    ("ring:8", Ports::All, Duplex::Full, 8),
    ("ring:9", Ports::Limited(1), Duplex::Half, 20),
    ("torus:5x5", Ports::Limited(1), Duplex::Full, 60),
    ("torus:4x4", Ports::Limited(1), Duplex::Half, 32),
    ("torus:7x7", Ports::All, Duplex::Full, 42),
    ("torus:4x4x4", Ports::Limited(2), Duplex::Full, 96),
    ("hypercube:6", Ports::Limited(1), Duplex::Full, 192),
    ("hypercube:5", Ports::All, Duplex::Half, 32),
    ("circulant:24,1,5", Ports::Limited(3), Duplex::Full, 19),
    ("kautz:3,2", Ports::Limited(1), Duplex::Full, 19),
    ("petersen", Ports::Limited(1), Duplex::Full, 15),
    ("octagon:8@2", Ports::Limited(1), Duplex::Full, 23),
];

#[test]
fn shuffled_labels_are_solved_like_names_under_store_and_forward() {
    for &(name, ports, duplex, bound) in OPTIMAL_HOP_BY_HOP {
        let named = build(name).expect(name);
        let mixed = shuffled(&named, 7);
        let switching = Switching::StoreAndForward;
        let model = Model { switching, ports, duplex, ..Model::default() };
        for network in [named, mixed] {
            let label = network.name().to_owned();
            let outcome = solve(network, &Groups::default(), model, 10_000_000);
            assert_eq!(outcome.bounds.best.steps, bound, "{name} as {label}");
            assert_eq!(steps(&outcome), Some(bound), "{name} as {label}");
        }
    }
}

/// A circulant network; some links are doubled, some channels are one-way.
fn circulant(routers: u32, jumps: &[(u32, u8)], processors: u32) -> Network {
    let mut builder = NetworkBuilder::new("circulant", routers);
    for &(jump, kind) in jumps {
        for router in 0..routers {
            let next = (router + jump) % routers;
            match kind {
                0 => builder.channel(router, next),
                1 => builder.link(router, next),
                _ => builder.link(router, next).link(next, router),
            };
        }
    }
    for processor in 0..routers * processors {
        builder.processor(Some(processor / processors));
    }
    builder.build().expect("jumps are not 0")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_on_circulant_networks_are_valid(
        routers in 4u32..14,
        jumps in prop::collection::vec((2u32..4, 0u8..3), 0..3),
        processors in 1u32..3,
        ports in prop_oneof![Just(Ports::All), Just(Ports::Limited(1)), Just(Ports::Limited(2))],
        duplex in prop_oneof![Just(Duplex::Full), Just(Duplex::Half)],
        switching in prop_oneof![Just(Switching::Wormhole), Just(Switching::StoreAndForward)],
        seed in 0u64..1000,
    ) {
        let jumps: Vec<(u32, u8)> = [(1, 1)].into_iter().chain(jumps).collect();
        let network = shuffled(&circulant(routers, &jumps, processors), seed);
        let model = Model { switching, ports, duplex, ..Model::default() };
        let outcome = solve(network, &Groups::default(), model, 300_000);
        prop_assert!(steps(&outcome).is_none_or(|steps| steps >= outcome.bounds.best.steps));
    }
}
