//! UMDA and MBOA solve small problems of every kind with valid schedules, the same on any number of
//! threads. Decision trees find the dependencies between variables.
#![allow(clippy::unwrap_used, reason = "a test may unwrap in its helpers too")]

use pavane_evolution::decision_trees::{DecisionTrees, Growth};
use pavane_evolution::{Mboa, Umda};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Switching};
use pavane_networks::topology;
use pavane_search::parameters::Preset;
use pavane_search::success::{Success, Trial, measure};
use pavane_search::{Engine, Rng};
use std::sync::Arc;

/// Network, collective, ports, switching, and the optimal number of steps.
const SMALL: &[(&str, &str, Ports, Switching, u32)] = &[
    ("hypercube:3", "oab", Ports::All, Switching::Wormhole, 2),
    ("hypercube:3", "oas", Ports::All, Switching::Wormhole, 3),
    ("hypercube:4", "oas", Ports::All, Switching::Wormhole, 4),
    ("kautz:3,2", "oab", Ports::All, Switching::Wormhole, 2),
    ("ring:5", "aas", Ports::All, Switching::Wormhole, 3),
    ("ring:4", "aab", Ports::Limited(1), Switching::StoreAndForward, 3),
    ("path:3@2", "oas", Ports::Limited(1), Switching::Wormhole, 5),
    ("fat-tree:2", "oas", Ports::All, Switching::Wormhole, 1),
];

fn trial(engine: &'static dyn Engine, preset: Preset, steps: u32) -> Trial {
    Trial {
        engine,
        preset,
        settings: Vec::new(),
        steps,
        runs: 3,
        seed: 1,
        evaluations: Some(20_000),
        time: None,
        stop: Arc::default(),
        done: Arc::default(),
    }
}

fn try_it(case: usize, engine: &'static dyn Engine, preset: Preset) -> Success {
    let (network, name, ports, switching, steps) = SMALL[case];
    let network = topology::build(network).unwrap();
    let collective = collective::build(name, &network, &Groups::default()).unwrap().remove(0);
    let model = Model { switching, routing: Routing::Minimal, duplex: Duplex::Full, ports };
    let problem = Problem::new(network, collective, model).unwrap();
    measure(&problem, &trial(engine, preset, steps)).unwrap()
}

#[test]
fn small_problems_are_solved_by_both_presets() {
    for (case, line) in SMALL.iter().enumerate() {
        for engine in [&Umda as &'static dyn Engine, &Mboa] {
            for preset in [Preset::Paper, Preset::Tuned] {
                let success = try_it(case, engine, preset);
                let name = engine.name();
                assert_eq!(success.hits(), 3, "{name} {preset:?}: {line:?} {success:?}");
            }
        }
    }
}

#[test]
fn threads_do_not_matter() {
    for engine in [&Umda as &'static dyn Engine, &Mboa] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| try_it(2, engine, Preset::Paper))
        };
        assert_eq!(on(1), on(3));
    }
}

/// Seven random binary variables and one that the first two determine.
fn samples(rng: &mut Rng) -> Vec<Vec<u32>> {
    let sample = |rng: &mut Rng| {
        let mut sample: Vec<u32> = (0..7).map(|_| rng.below(2) as u32).collect();
        sample.push(2 * sample[0] + sample[1]);
        sample
    };
    (0..200).map(|_| sample(rng)).collect()
}

#[test]
fn trees_find_a_planted_dependency_and_no_other() {
    let rng = &mut Rng::seeded(7);
    let data = samples(rng);
    let growth = Growth { leaves: 8, penalty: 1.0, candidates: 0 };
    for _ in 0..10 {
        let trees = DecisionTrees::learn(&data, &growth, rng);
        let mut values = vec![0; 8];
        for _ in 0..100 {
            trees.draw(&data, rng, &mut values);
            assert_eq!(values[7], 2 * values[0] + values[1], "what belongs together is torn apart");
        }
        for free in 2..7 {
            assert!(trees.asked_by(free).is_empty(), "{free} depends on nothing");
        }
    }
}

#[test]
fn with_one_leaf_nothing_is_learned_together() {
    let rng = &mut Rng::seeded(7);
    let data = samples(rng);
    let growth = Growth { leaves: 1, penalty: 1.0, candidates: 0 };
    let trees = DecisionTrees::learn(&data, &growth, rng);
    let mut values = vec![0; 8];
    let mut torn = 0;
    for _ in 0..200 {
        trees.draw(&data, rng, &mut values);
        torn += u32::from(values[7] != 2 * values[0] + values[1]);
    }
    assert!(torn > 100, "one leaf cannot know that much: {torn}");
}
