//! The judge accepts everything that the engine finds, on networks of every kind, and known step
//! counts are reached.

use super::{Gossip, greedy, trees};
use crate::attempt::{Attempt, Context, Engine, Suitability};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::collective::{self, Groups};
use pavane_model::{
    Collective, Duplex, Fault, Kind, ListedMessage, Model, Network, NetworkBuilder, Ports, Problem,
    ProcessorId, Routing, Schedule, Switching,
};
use pavane_networks::topology;
use pavane_verify::verify;
use proptest::prelude::*;

/// A connected network: a directed ring or a random tree, plus random channels and links, some
/// parallel; processors on all or some routers, sometimes several on one.
fn random_network(has_switches: bool, rng: &mut Rng) -> Network {
    let routers = 2 + rng.below(9) as u32;
    let mut builder = NetworkBuilder::new("random", routers);
    let is_directed = rng.chance(0.3);
    for router in 1..routers {
        if is_directed {
            builder.channel(router - 1, router)
        } else {
            builder.link(router, rng.below(router as usize) as u32)
        };
    }
    if is_directed {
        builder.channel(routers - 1, 0);
    }
    for _ in 0..rng.below(2 * routers as usize) {
        let (a, b) = (rng.below(routers as usize) as u32, rng.below(routers as usize) as u32);
        if a != b {
            if is_directed || rng.chance(0.2) {
                builder.channel(a, b)
            } else {
                builder.link(a, b)
            };
        }
    }
    if has_switches {
        for _ in 0..2 + rng.below(8) {
            builder.processor(Some(rng.below(routers as usize) as u32));
        }
    } else {
        builder.processor_on_each_router();
        for _ in 0..rng.below(2) * rng.below(6) {
            builder.processor(Some(rng.below(routers as usize) as u32));
        }
    }
    builder.build().unwrap()
}

fn some_of(processors: &[ProcessorId], rng: &mut Rng) -> Vec<ProcessorId> {
    let mut some = processors.to_vec();
    rng.shuffle(&mut some);
    some.truncate(1 + rng.below(processors.len()));
    some
}

fn random_collective(network: &Network, rng: &mut Rng) -> Collective {
    let all: Vec<ProcessorId> = network.living_processors().collect();
    match rng.below(4) {
        0 => Collective::between(Kind::Broadcast, "aab", all.clone(), all),
        1 => {
            let (senders, receivers) = (some_of(&all, rng), some_of(&all, rng));
            Collective::between(Kind::Broadcast, "mnb", senders, receivers)
        }
        2 => Collective::between(Kind::Scatter, "mns", some_of(&all, rng), some_of(&all, rng)),
        _ => {
            let mut list = Vec::new();
            for _ in 0..1 + rng.below(12) {
                let from = all[rng.below(all.len())];
                let mut to = some_of(&all, rng);
                to.truncate(1 + rng.below(3));
                to.retain(|&p| p != from);
                if !to.is_empty() {
                    list.push(ListedMessage { from, to });
                }
            }
            Collective::listed("list", list)
        }
    }
}

fn random_problem(seed: u64) -> Option<Problem> {
    let mut rng = Rng::seeded(seed);
    let rng = &mut rng;
    let model = Model {
        switching: if rng.chance(0.5) { Switching::StoreAndForward } else { Switching::Wormhole },
        routing: [Routing::Minimal, Routing::Any, Routing::Detour(1)][rng.below(3)],
        duplex: if rng.chance(0.3) { Duplex::Half } else { Duplex::Full },
        ports: [Ports::All, Ports::Limited(1), Ports::Limited(2)][rng.below(3)],
    };
    let has_switches = model.switching == Switching::Wormhole && rng.chance(0.5);
    let network = random_network(has_switches, rng);
    let collective = random_collective(&network, rng);
    Problem::new(network, collective, model).ok()
}

fn judge(problem: &Problem, schedule: Schedule) {
    if let Err(violations) = verify(problem.clone(), schedule) {
        panic!("{problem:?}\n{:?}", violations[0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_it_finds_is_valid(seed: u64) {
        let Some(problem) = random_problem(seed) else { return Ok(()) };
        let context = Context::new(problem.clone());
        let rng = &mut Rng::seeded(seed);
        let length = greedy(&context, rng).step_count();
        judge(&problem, greedy(&context, &mut Rng::seeded(seed)));
        if Gossip.takes(&problem) {
            let endless = &mut Budget::evaluations(u64::MAX);
            let schedule = Gossip.construct(&context, endless, rng).unwrap();
            let goal = length.min(schedule.step_count()).max(2) - 1;
            judge(&problem, schedule);
            let mut budget = Budget::evaluations(2000);
            let attempt = Gossip.attempt(&context, goal, &mut budget, rng);
            if let Attempt::Found(schedule) = attempt {
                prop_assert!(schedule.step_count() <= goal);
                judge(&problem, schedule);
            }
        }
    }
}

/// Network, senders, receivers, ports, switching, steps; all are optimal.
const KNOWN: &[(&str, &str, &str, Ports, Switching, u32)] = {
    use Ports::{All, Limited};
    use Switching::{StoreAndForward as Sf, Wormhole as Wh};
    let evens = "0,2,4,6,8,10,12,14";
    let odds = "1,3,5,7,9,11,13,15";
    &[
        ("hypercube:3", "all", "all", All, Sf, 3),
        ("hypercube:4", "all", "all", All, Sf, 4),
        ("hypercube:5", "all", "all", All, Sf, 7),
        ("hypercube:6", "all", "all", All, Sf, 11),
        ("hypercube:6", "all", "all", All, Wh, 11),
        ("mesh:4x4", "all", "all", All, Sf, 8),
        ("kautz:3,2", "all", "all", All, Sf, 4),
        ("octagon:8", "all", "all", All, Sf, 3),
        ("petersen", "all", "all", All, Sf, 3),
        ("torus:4x4", "all", "all", All, Sf, 4),
        ("torus:8x8", "all", "all", All, Sf, 16),
        ("ring:8", "all", "all", All, Sf, 4),
        ("mesh:4x4", "all", "all", Limited(1), Sf, 15),
        ("mesh:3x3", "all", "all", Limited(1), Sf, 10),
        ("mesh:5x5", "all", "all", Limited(1), Sf, 26),
        ("star:9", "all", "all", Limited(1), Sf, 64),
        ("hypercube:4", "all", "all", Limited(2), Sf, 8),
        ("tree:2,3", "all", "all", Limited(1), Wh, 14),
        ("mesh:5x5", "all", "all", Limited(1), Wh, 24),
        ("mesh:4x4", "all", "all", Limited(1), Wh, 15),
        ("coated-mesh:4x4", "all", "all", Limited(1), Wh, 15),
        ("octagon:8@2", "all", "all", Limited(1), Wh, 15),
        ("octagon:8@2", evens, "all", Limited(1), Wh, 8),
        ("octagon:8@2", evens, evens, Limited(1), Wh, 7),
        ("octagon:8@2", evens, odds, Limited(1), Wh, 8),
    ]
};

#[test]
fn known_step_counts_are_reached() {
    for &(network, senders, receivers, ports, switching, steps) in KNOWN {
        let built = topology::build(network).unwrap();
        let groups = Groups {
            senders: Some(senders.to_owned()),
            receivers: Some(receivers.to_owned()),
            ..Groups::default()
        };
        let collective = collective::build("mnb", &built, &groups).unwrap().remove(0);
        let model = Model { switching, ports, ..Model::default() };
        let problem = Problem::new(built, collective, model).unwrap();
        for seed in 0..3 {
            assert!(is_found(&problem, steps, seed), "{network} {senders} {receivers} {steps}");
        }
    }
}

fn is_found(problem: &Problem, steps: u32, seed: u64) -> bool {
    let context = Context::new(problem.clone());
    let mut budget = Budget::evaluations(1_000_000);
    match Gossip.attempt(&context, steps, &mut budget, &mut Rng::seeded(seed)) {
        Attempt::Found(schedule) => judge(problem, schedule),
        _ => return false,
    }
    true
}

/// With each link, channel or router broken in turn, the engine needs as many steps as a processor
/// with the fewest remaining channels needs to receive everything.
#[test]
fn gossip_after_a_fault_reaches_the_bound() {
    for name in ["mesh:4x4", "kautz:3,2"] {
        let whole = topology::build(name).unwrap();
        let channels = whole.channels().iter();
        let links = channels.map(|c| Fault::Link(c.tail, c.head));
        let routers = whole.routers().map(Fault::Router);
        for fault in links.chain(routers.filter(|_| name == "mesh:4x4")) {
            let network = whole.without(&[fault]).unwrap();
            let all: Vec<ProcessorId> = network.living_processors().collect();
            let ways_in = |&p: &ProcessorId| network.in_channels(network.home(p).unwrap()).len();
            let steps = (all.len() - 1).div_ceil(all.iter().map(ways_in).min().unwrap());
            let collective = Collective::between(Kind::Broadcast, "aab", all.clone(), all);
            let switching = Switching::StoreAndForward;
            let model = Model { switching, ..Model::default() };
            let problem = Problem::new(network, collective, model).unwrap();
            assert!(is_found(&problem, steps as u32, 1), "{name} without {fault:?} in {steps}");
        }
    }
}

/// The network with its routers renumbered and its links reordered at random.
fn shuffled(network: &Network, rng: &mut Rng) -> Network {
    let mut number: Vec<u32> = (0..network.router_count() as u32).collect();
    rng.shuffle(&mut number);
    let ends = |c: &pavane_model::Channel| (number[c.tail.index()], number[c.head.index()]);
    let mut builder = NetworkBuilder::new("shuffled", network.router_count() as u32);
    let mut channels: Vec<(u32, u32)> = network.channels().iter().map(ends).collect();
    rng.shuffle(&mut channels);
    for (tail, head) in channels {
        if network.is_directed() {
            builder.channel(tail, head);
        } else if tail < head {
            builder.link(tail, head);
        }
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}

/// Networks and the fewest steps of an all-gather, reached by trees that a group of automorphisms
/// translates.
const TRANSLATED: &[(&str, u32)] = &[
    ("hypercube:4", 4),
    ("hypercube:7", 19),
    ("torus:5x5", 6),
    ("torus:4x6", 6),
    ("ring:9", 4),
    ("complete:8", 1),
    ("octagon:8", 3),
    ("petersen", 3),
    ("kautz:3,2", 4),
    ("ccc:3", 8),
    ("circulant:21,1,4,5", 4),
];

#[test]
fn translated_trees_reach_the_bound_whatever_the_routers_are_called() {
    for &(name, steps) in TRANSLATED {
        for seed in 0..3 {
            let rng = &mut Rng::seeded(seed);
            let network = shuffled(&topology::build(name).unwrap(), rng);
            let all: Vec<ProcessorId> = network.living_processors().collect();
            let aab = Collective::between(Kind::Broadcast, "aab", all.clone(), all);
            let switching = Switching::StoreAndForward;
            let model = Model { switching, ..Model::default() };
            let context = Context::new(Problem::new(network, aab, model).unwrap());
            let schedule = trees::find(&context, 8, &mut Budget::evaluations(u64::MAX), rng);
            let checked = verify(context.problem().clone(), schedule.expect(name)).unwrap();
            assert_eq!(checked.schedule().step_count(), steps, "{name}, seed {seed}");
        }
    }
}

/// The distance bound has n (n + 1) / 2 steps on a square mesh with sides n. Then every link must
/// carry a new message in every step.
#[test]
fn half_duplex_meshes_meet_the_distance_bound() {
    for (name, bound) in [("mesh:4x4", 10), ("mesh:6x6", 21), ("mesh:8x8", 36), ("mesh:10x10", 55)]
    {
        let network = topology::build(name).unwrap();
        let phases = collective::build("all-gather", &network, &Groups::default()).unwrap();
        let switching = Switching::StoreAndForward;
        let model = Model { switching, duplex: Duplex::Half, ..Model::default() };
        let problem = Problem::new(network, phases[0].clone(), model).unwrap();
        for seed in 0..3 {
            assert!(is_found(&problem, bound, seed), "{name}");
        }
    }
}
