use super::super::synthesize;
use super::*;
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Ports};
use pavane_networks::topology;

fn problem(network: &str, collective: &str, model: Model) -> Problem {
    let network = topology::build(network).unwrap();
    let phases = collective::build(collective, &network, &Groups::default()).unwrap();
    Problem::new(network, phases[0].clone(), model).unwrap()
}

#[test]
fn neighbours_need_one_step_and_no_search() {
    for (network, collective) in [
        ("complete:60", "all-to-all"),
        ("complete:5@1", "all-to-all"),
        ("star:9", "scatter"),
        ("star:9", "gather"),
        ("ring:6", "shift:1"),
    ] {
        let problem = problem(network, collective, Model::default());
        let outcome = synthesize(&problem, &Options::default()).unwrap();
        let solution = outcome.solution.unwrap();
        let steps = solution.checked.schedule().step_count();
        assert_eq!((steps, outcome.bounds.best.steps), (1, 1), "{network} {collective}");
        assert_eq!((solution.engine, outcome.evaluations), ("plain", 0), "{network}");
    }
}

#[test]
fn other_problems_are_left_to_the_engines() {
    let one_port = Model { ports: Ports::Limited(1), ..Model::default() };
    let half = Model { duplex: Duplex::Half, ..Model::default() };
    for (network, collective, model) in [
        ("complete:5", "all-to-all", one_port),
        ("complete:5", "all-to-all", half),
        ("complete:4@2", "all-to-all", Model::default()),
        ("ring:5", "all-to-all", Model::default()),
        ("complete:5", "all-gather", Model::default()),
    ] {
        let problem = problem(network, collective, model);
        let found = in_one_step(&problem, &Options::default()).unwrap();
        assert!(found.is_none(), "{network} {collective}");
    }
    let named = Options { engine: Some("orbits".to_owned()), ..Options::default() };
    let problem = problem("complete:5", "all-to-all", Model::default());
    assert!(in_one_step(&problem, &named).unwrap().is_none());
}
