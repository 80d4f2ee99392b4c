//! Evolutionary engines: known results are reached, the judge accepts every answer, most tiny
//! problems are solved optimally, and a seed gives the same result on any number of threads.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::common::{brute_force, tiny};
use pavane_evolution::{Annealing, ENGINES, Ga, Hgsa, catalogue};
use pavane_model::collective::{self, Groups};
use pavane_model::{Fault, Model, Ports, Problem, Routing, Schedule, Switching};
use pavane_networks::topology;
use pavane_search::parameters::{ParameterError, Preset};
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability};
use pavane_verify::verify;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// The checked schedule that an engine finds within the steps and evaluations, if any.
fn find(
    engine: &dyn Engine,
    preset: Preset,
    problem: &Problem,
    steps: u32,
    evaluations: u64,
    seed: u64,
) -> Option<Schedule> {
    let parameters = engine.describe().set(preset, &[]).unwrap();
    let context = Context::new(problem.forward()).with_parameters(parameters);
    let mut budget = Budget::evaluations(evaluations);
    let attempt = engine.attempt(&context, steps, &mut budget, &mut Rng::seeded(seed));
    assert!(budget.spent() <= evaluations, "{} spent too much", engine.name());
    let Attempt::Found(schedule) = attempt else { return None };
    assert!(schedule.step_count() <= steps);
    match verify(context.problem().clone(), schedule) {
        Ok(checked) => Some(checked.schedule().clone()),
        Err(violations) => panic!("{}: not valid: {violations:?}", engine.name()),
    }
}

fn build(network: &str, fault: &str, collective: &str, groups: &str, model: Model) -> Problem {
    let mut network = topology::build(network).unwrap();
    if !fault.is_empty() {
        let fault = Fault::parse(&network, fault).unwrap();
        network = network.without(&[fault]).unwrap();
    }
    let groups = match groups.split_once('>') {
        Some((senders, receivers)) => Groups {
            root: None,
            senders: Some(senders.to_owned()),
            receivers: Some(receivers.to_owned()),
        },
        None => {
            Groups { root: (!groups.is_empty()).then(|| groups.to_owned()), ..Groups::default() }
        }
    };
    let collective = collective::build(collective, &network, &groups).unwrap().remove(0);
    Problem::new(network, collective, model).unwrap()
}

const WH: Model = Model {
    switching: Switching::Wormhole,
    routing: Routing::Minimal,
    duplex: pavane_model::Duplex::Full,
    ports: Ports::All,
};
const SF: Model = Model { switching: Switching::StoreAndForward, ..WH };
const ONE_PORT: Model = Model { ports: Ports::Limited(1), ..WH };
const ANY: Model = Model { routing: Routing::Any, ..WH };

/// Engine, preset, network, fault, collective, groups, model, and the steps that it reaches.
type Line = (
    &'static dyn Engine,
    Preset,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Model,
    u32,
);

const KNOWN: &[Line] = &[
    (&Annealing, Preset::Tuned, "hypercube:3", "", "aas", "", WH, 4),
    (&Annealing, Preset::Tuned, "kautz:3,2", "", "aas", "", WH, 7),
    (&Annealing, Preset::Tuned, "hypercube:5", "", "oas", "", WH, 7),
    (&Annealing, Preset::Tuned, "mesh:4x4", "", "oas", "1", ANY, 5),
    (&Annealing, Preset::Tuned, "hypercube:5", "", "oab", "", WH, 2),
    (&Annealing, Preset::Tuned, "mesh:4x4", "", "oab", "0", WH, 3),
    (&Annealing, Preset::Tuned, "hypercube:4", "", "aab", "", SF, 4),
    (&Annealing, Preset::Tuned, "hypercube:4", "", "oab", "", SF, 4),
    (&Annealing, Preset::Tuned, "kautz:3,2", "", "aab", "", WH, 4),
    (&Annealing, Preset::Tuned, "kautz:3,2", "01>10", "aab", "", SF, 6),
    (&Annealing, Preset::Tuned, "kautz:3,2", "10>02", "oas", "01", WH, 5),
    (&Annealing, Preset::Tuned, "octagon:8@2", "", "mnb", "0,2,4,6>1,3,5,7", ONE_PORT, 4),
    (&Annealing, Preset::Tuned, "octagon:8@2", "", "mns", "0,2,4,6>1,3,5,7", ONE_PORT, 4),
    (&Annealing, Preset::Tuned, "coated-mesh:4x4", "", "oab", "", ONE_PORT, 4),
    (&Annealing, Preset::Tuned, "coated-mesh:4x4", "", "aab", "", ONE_PORT, 15),
    (&Annealing, Preset::Tuned, "octagon:8@2", "", "mnb", "0,2,4,6,8,10,12,14>all", ONE_PORT, 8),
    (&Annealing, Preset::Tuned, "mesh:4x4", "", "gather", "5", WH, 4),
    (&Hgsa, Preset::Tuned, "hypercube:3", "", "aab", "", SF, 3),
    (&Hgsa, Preset::Tuned, "hypercube:4", "", "oab", "", WH, 2),
    (&Hgsa, Preset::Tuned, "octagon:8", "", "oas", "", WH, 3),
    (&Hgsa, Preset::Paper, "hypercube:3", "", "aab", "", SF, 3),
    (&Hgsa, Preset::Paper, "hypercube:4", "", "oab", "", SF, 4),
    (&Ga, Preset::Tuned, "hypercube:3", "", "oab", "", WH, 2),
    (&Ga, Preset::Tuned, "kautz:3,2", "", "oas", "", WH, 4),
    (&Ga, Preset::Paper, "hypercube:3", "", "oas", "", WH, 3),
];

#[test]
fn known_results_are_reached() {
    for &(engine, preset, network, fault, collective, groups, model, steps) in KNOWN {
        let problem = build(network, fault, collective, groups, model);
        let found = (0..3).find_map(|seed| find(engine, preset, &problem, steps, 1_500_000, seed));
        let found = found.map(|schedule| schedule.step_count());
        assert_eq!(found, Some(steps), "{} {preset:?}: {network} {collective}", engine.name());
    }
}

#[test]
fn tiny_problems_are_solved_in_the_fewest_steps_most_of_the_time() {
    let runner = &mut TestRunner::deterministic();
    let (mut reached, mut tried) = (0, 0);
    while tried < 100 {
        let problem = tiny::problem().new_tree(runner).unwrap().current();
        let Some(optimum) = brute_force::fewest_steps(&problem, 20_000) else { continue };
        if optimum == 0 || !Annealing.takes(&problem.forward()) {
            continue;
        }
        tried += 1;
        let found = find(&Annealing, Preset::Tuned, &problem, optimum, 20_000, 1);
        reached += usize::from(found.is_some());
        for (engine, preset) in [(&Hgsa as &dyn Engine, Preset::Paper), (&Ga, Preset::Tuned)] {
            find(engine, preset, &problem, optimum + 1, 2_000, 1);
        }
    }
    assert!(reached >= 90, "{reached} of {tried}");
}

#[test]
fn a_seed_means_the_same_on_any_number_of_threads() {
    let problem = build("hypercube:3", "", "aab", "", SF);
    for &engine in ENGINES {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| find(engine, Preset::Tuned, &problem, 3, 1_000_000, 7))
        };
        let one = on(1);
        assert!(one.is_some(), "{}", engine.name());
        assert_eq!(one, on(3), "{}", engine.name());
    }
}

#[test]
fn no_search_exceeds_its_evaluations() {
    let problems = [("hypercube:3", "oas", WH), ("ring:6", "oab", ANY), ("mesh:2x3", "aab", SF)];
    for (network, collective, model) in problems {
        let problem = build(network, "", collective, "", model);
        for (&engine, preset) in
            ENGINES.iter().flat_map(|engine| [(engine, Preset::Paper), (engine, Preset::Tuned)])
        {
            for evaluations in [1, 2, 7, 39, 61, 250, 1_001] {
                let options = Options {
                    catalogue: catalogue(),
                    engine: Some(engine.name().to_owned()),
                    preset: Some(preset),
                    evaluations: Some(evaluations),
                    ..Options::default()
                };
                let spent = synthesize(&problem, &options).unwrap().evaluations;
                let words = format!("{} {preset:?} {network} {collective}", engine.name());
                assert!((1..=evaluations).contains(&spent), "{words}: {spent} of {evaluations}");
            }
        }
    }
}

#[test]
fn parameters_are_checked() {
    let set = |text: &str| Hgsa.describe().set(Preset::Tuned, &[text.to_owned()]);
    assert!(set("islands=3").is_ok());
    for wrong in ["islands", "=3"] {
        assert!(matches!(set(wrong), Err(ParameterError::NoValue { .. })), "{wrong}");
    }
    for wrong in ["hot=0.01", "cold=3"] {
        assert!(matches!(set(wrong), Err(ParameterError::Colder { .. })), "{wrong}");
    }
    assert!(matches!(set("iland=3"), Err(ParameterError::Unknown { .. })));
    for wrong in ["islands=0", "islands=2.5", "mutation=2", "mutation=NaN", "repair=later"] {
        assert!(matches!(set(wrong), Err(ParameterError::OutOfRange { .. })), "{wrong}");
    }
}

#[test]
fn every_engine_says_what_it_is_for_and_its_presets_are_in_range() {
    for engine in catalogue().usual.iter().chain(ENGINES) {
        assert!(!engine.describe().purpose.is_empty(), "{}", engine.name());
        for parameter in engine.describe().parameters {
            for value in [parameter.paper, parameter.tuned] {
                let text = format!("{}={}", parameter.name, parameter.range.show(value));
                let checked = engine.describe().set(Preset::Tuned, std::slice::from_ref(&text));
                assert!(checked.is_ok(), "{} {text}", engine.name());
            }
        }
    }
}
