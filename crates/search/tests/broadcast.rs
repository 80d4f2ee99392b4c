//! Broadcast and multicast of one message: known results, every answer checked, and optimal results
//! on tiny problems.

use crate::common::{brute_force, tiny};
use pavane_model::{
    Collective, Kind, Model, Ports, Problem, ProcessorId, Routing, Schedule, Switching,
};
use pavane_networks::topology;
use pavane_search::broadcast::ENGINES;
use pavane_search::{Attempt, Budget, Context, Engine, Rng};
use pavane_verify::verify;
use proptest::prelude::*;

/// The number of steps of an engine's answer, checked by the judge; `None` if it finds none.
fn steps_found(engine: &dyn Engine, problem: &Problem, steps: u32, seed: u64) -> Option<u32> {
    let context = Context::new(problem.clone());
    let mut budget = Budget::evaluations(200_000);
    let mut rng = Rng::seeded(seed);
    match engine.attempt(&context, steps, &mut budget, &mut rng) {
        Attempt::Found(schedule) => Some(judged(problem, schedule)),
        _ => None,
    }
}

fn judged(problem: &Problem, schedule: Schedule) -> u32 {
    let steps = schedule.step_count();
    match verify(problem.clone(), schedule) {
        Ok(_) => steps,
        Err(violations) => panic!("{}: {violations:?}", problem.network().name()),
    }
}

fn oab(network: &str, root: u32, model: Model) -> Problem {
    let network = topology::build(network).expect("the table is sound");
    let root = ProcessorId(root);
    let all = network.living_processors().filter(|&p| p != root).collect();
    Problem::new(network, Collective::between(Kind::Broadcast, "oab", vec![root], all), model)
        .expect("the table is sound")
}

fn engine_for(problem: &Problem) -> &'static dyn Engine {
    *ENGINES.iter().find(|engine| engine.takes(problem)).expect("one takes every broadcast")
}

/// Network, root, ports (0: all), steps: the bound, which is reached with shortest and with any
/// paths.
const WORMHOLE: &[(&str, u32, u32, u32)] = &[
    ("hypercube:3", 0, 0, 2),
    ("hypercube:4", 5, 0, 2),
    ("hypercube:5", 0, 0, 2),
    ("hypercube:6", 0, 0, 3),
    ("hypercube:7", 0, 0, 3),
    ("hypercube:8", 0, 0, 3),
    ("hypercube:9", 0, 0, 3),
    ("hypercube:10", 0, 0, 3),
    ("hypercube:7", 0, 1, 7),
    ("hypercube:6", 0, 2, 4),
    ("mesh:4x4", 0, 0, 3),
    ("mesh:4x4", 1, 0, 2),
    ("mesh:4x4", 5, 0, 2),
    ("mesh:4x4", 0, 1, 4),
    ("kautz:3,2", 0, 0, 2),
    ("octagon:8", 0, 0, 2),
    ("octagon:8@2", 0, 1, 4),
    ("petersen", 0, 0, 2),
    ("torus:4x4", 0, 0, 2),
    ("torus:5x5", 0, 0, 2),
    ("torus:8x8", 0, 0, 3),
    ("torus:5x25", 0, 0, 3),
    ("ring:27", 0, 0, 3),
    ("ring:81", 7, 0, 4),
    ("torus:25x25", 3, 0, 4),
    ("torus:7x7x7", 0, 0, 3),
    ("circulant:125,1,12", 0, 0, 3),
    ("torus:16x16", 0, 0, 4),
    ("ring:8", 0, 0, 2),
    ("path:16", 0, 1, 4),
    ("star:12", 3, 0, 2),
    ("star:12", 0, 0, 1),
    ("complete:9", 4, 0, 1),
    ("random-regular:256,4,1", 0, 0, 4),
];

#[test]
fn wormhole_broadcast_reaches_the_bound() {
    for &(network, root, ports, steps) in WORMHOLE {
        for routing in [Routing::Minimal, Routing::Detour(1), Routing::Any] {
            let ports = if ports == 0 { Ports::All } else { Ports::Limited(ports) };
            let problem = oab(network, root, Model { routing, ports, ..Model::default() });
            for seed in 0..3 {
                let found = steps_found(engine_for(&problem), &problem, steps, seed);
                assert_eq!(found, Some(steps), "{network} {routing} seed {seed}");
            }
        }
    }
}

/// Network, root, ports (0: all), steps: the eccentricity or growth bound, which is reached.
const STORE_AND_FORWARD: &[(&str, u32, u32, u32)] = &[
    ("hypercube:3", 0, 0, 3),
    ("hypercube:7", 0, 0, 7),
    ("hypercube:10", 0, 0, 10),
    ("hypercube:3", 0, 1, 3),
    ("hypercube:6", 0, 1, 6),
    ("hypercube:8", 0, 1, 8),
    ("mesh:8x8", 0, 1, 14),
    ("mesh:4x4", 5, 1, 4),
    ("torus:8x8", 0, 1, 8),
    ("octagon:8@2", 0, 1, 4),
    ("petersen", 0, 0, 2),
    ("petersen", 0, 1, 4),
    ("complete:16", 0, 1, 4),
    ("kautz:3,2", 0, 0, 2),
    ("path:21", 10, 1, 11),
];

#[test]
fn store_and_forward_broadcast_reaches_the_bound() {
    for &(network, root, ports, steps) in STORE_AND_FORWARD {
        let ports = if ports == 0 { Ports::All } else { Ports::Limited(ports) };
        let switching = Switching::StoreAndForward;
        let problem = oab(network, root, Model { switching, ports, ..Model::default() });
        for seed in 0..3 {
            let found = steps_found(engine_for(&problem), &problem, steps, seed);
            assert_eq!(found, Some(steps), "{network} seed {seed}");
        }
    }
}

fn one_message() -> impl Strategy<Value = Problem> {
    tiny::problem()
        .prop_map(|problem| problem.forward())
        .prop_filter("one message", |problem| ENGINES.iter().any(|engine| engine.takes(problem)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn tiny_problems_are_solved_in_the_fewest_steps(problem in one_message(), seed in 0u64..100) {
        if let Some(fewest) = brute_force::fewest_steps(&problem, 1_000_000) {
            for engine in ENGINES.iter().filter(|engine| engine.takes(&problem)) {
                prop_assert_eq!(steps_found(*engine, &problem, fewest, seed), Some(fewest));
            }
        }
    }

    #[test]
    fn a_first_schedule_is_always_found(problem in one_message(), seed in 0u64..100) {
        let context = Context::new(problem.clone());
        let mut budget = Budget::evaluations(u64::MAX);
        let mut rng = Rng::seeded(seed);
        let schedule = engine_for(&problem).construct(&context, &mut budget, &mut rng);
        judged(&problem, schedule.expect("it never fails"));
    }
}

/// Network, ports (0: all), steps: optimal, and reached by the first schedule with shortest and
/// with any paths.
#[test]
fn trees_and_rings_are_built_at_once() {
    for (network, ports, steps) in [
        ("tree:2,6", 0, 6),
        ("tree:2,9", 0, 9),
        ("tree:2,7", 1, 8),
        ("path:300", 0, 6),
        ("path:300", 1, 9),
        ("ring:729", 0, 6),
        ("ring:1000", 1, 10),
        ("star:30", 0, 1),
    ] {
        for routing in [Routing::Minimal, Routing::Any] {
            let ports = if ports == 0 { Ports::All } else { Ports::Limited(ports) };
            let problem = oab(network, 0, Model { routing, ports, ..Model::default() });
            let context = Context::new(problem.clone());
            let mut budget = Budget::evaluations(200_000);
            let engine = engine_for(&problem);
            let found = engine.construct(&context, &mut budget, &mut Rng::seeded(1)).unwrap();
            assert_eq!(judged(&problem, found), steps, "{network} {ports:?} {routing:?}");
        }
    }
}
