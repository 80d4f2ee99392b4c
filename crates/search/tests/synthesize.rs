//! The driver meets the bound on small problems, and the same options give the same result.

use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Ports, Problem, Routing};
use pavane_networks::topology;
use pavane_search::bounds;
use pavane_search::synthesize::{Options, Outcome, synthesize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn problem(network: &str, name: &str, model: Model) -> Problem {
    let network = topology::build(network).expect("a family of ours");
    let collective = collective::build(name, &network, &Groups::default());
    let collective = collective.expect("a collective of ours").remove(0);
    Problem::new(network, collective, model).expect("all processors are reachable")
}

fn steps(outcome: &Outcome) -> u32 {
    outcome.solution.as_ref().expect("solved").checked.schedule().step_count()
}

#[test]
fn small_problems_meet_their_bound() {
    let any = Model { routing: Routing::Any, ..Model::default() };
    let known = [
        ("octagon:8", "aas", Model::default(), 4),
        ("petersen", "aas", Model::default(), 5),
        ("ring:8", "gather", Model::default(), 4),
        ("hypercube:5", "oab", any, 2),
        ("hypercube:4", "reduce", any, 2),
    ];
    for (network, name, model, expected) in known {
        let problem = problem(network, name, model);
        let options = Options { evaluations: Some(50_000_000), ..Options::default() };
        let outcome = synthesize(&problem, &options).unwrap();
        assert_eq!(outcome.bounds.best.steps, expected, "{network} {name}: bound");
        assert_eq!(steps(&outcome), expected, "{network} {name}: steps");
        assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let problem = problem("torus:4x4", "aas", Model::default());
    let run = |threads| {
        let options =
            Options { threads, evaluations: Some(2_000_000), seed: 7, ..Options::default() };
        let outcome = synthesize(&problem, &options).unwrap();
        (outcome.solution.unwrap().checked, outcome.evaluations)
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(16));
}

#[test]
fn another_seed_is_another_search() {
    let problem = problem("torus:3x5", "aas", Model::default());
    let run = |seed| {
        let options = Options { seed, evaluations: Some(1_000_000), ..Options::default() };
        synthesize(&problem, &options).unwrap().solution.unwrap().checked
    };
    assert_ne!(run(1), run(2));
}

#[test]
fn fewer_steps_than_the_bound_are_not_even_searched_for() {
    let problem = problem("ring:6", "aas", Model::default());
    let options = Options { steps: Some(4), ..Options::default() };
    let outcome = synthesize(&problem, &options).unwrap();
    assert!(outcome.solution.is_none());
    assert_eq!((outcome.bounds.best.steps, outcome.evaluations), (5, 0));
}

#[test]
fn an_unknown_engine_is_named() {
    let problem = problem("ring:8", "aas", Model::default());
    let options = Options { engine: Some("oracle".into()), ..Options::default() };
    let error = synthesize(&problem, &options).unwrap_err().to_string();
    assert!(error.starts_with("no engine is called \"oracle\"; there are "), "{error}");
}

#[test]
fn a_stop_keeps_the_best_so_far() {
    let ports = Ports::Limited(1);
    let problem = problem("ring:8", "aas", Model { ports, ..Model::default() });
    let options = Options {
        time: Some(Duration::from_millis(200)),
        stop: AtomicBool::new(false).into(),
        ..Options::default()
    };
    let outcome = synthesize(&problem, &options).unwrap();
    assert!(steps(&outcome) >= bounds::all(&problem).unwrap().best.steps);
}
