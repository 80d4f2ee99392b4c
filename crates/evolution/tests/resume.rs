//! A search with a limit on evaluations that is interrupted after any task and resumed from its
//! checkpoint returns the same schedule as without the interruption.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_evolution::catalogue;
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Problem, Schedule, Switching, strict_json};
use pavane_networks::topology;
use pavane_search::synthesize::{Options, PlanPosition, Standing, Watcher, synthesize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A search: network, collective, switching, engine, requested steps, evaluations.
type Line = (&'static str, &'static str, Switching, Option<&'static str>, Option<u32>, u64);

const WORMHOLE: Switching = Switching::Wormhole;
const STORE_AND_FORWARD: Switching = Switching::StoreAndForward;

/// Searches of several constructions and rounds, some of which prove steps impossible or end in the
/// middle of a round.
const SEARCHES: &[Line] = &[
    ("random-regular:24,3,1", "aas", WORMHOLE, Some("ejection"), None, 400_000),
    ("hypercube:4", "aas", WORMHOLE, Some("annealing"), None, 200_000),
    ("torus:3x5", "aas", WORMHOLE, None, None, 300_000),
    ("mesh:3x3", "aab", WORMHOLE, None, None, 60_000),
    ("tree:2,3", "aab", STORE_AND_FORWARD, None, None, 40_000),
    ("mesh:3x3", "all-reduce", STORE_AND_FORWARD, None, None, 40_000),
    ("mesh:3x3", "aab", WORMHOLE, Some("umda"), None, 20_000),
    ("path:4", "aas", WORMHOLE, None, Some(3), 20_000),
];

fn problem(network: &str, name: &str, switching: Switching) -> Problem {
    let network = topology::build(network).unwrap();
    let collective = collective::build(name, &network, &Groups::default()).unwrap().remove(0);
    Problem::new(network, collective, Model { switching, ..Model::default() }).unwrap()
}

/// The parts of an outcome that an interruption must not change.
#[derive(Debug, PartialEq, Eq)]
struct Result {
    evaluations: u64,
    schedule: Option<Schedule>,
    bound: u32,
    refuted: Option<u32>,
}

/// The result of a search, and its state after every task. With `interrupt_after`, the search is
/// interrupted after so many tasks.
fn search(
    problem: &Problem,
    options: &Options,
    interrupt_after: Option<usize>,
) -> (Result, Vec<Standing>) {
    let states = Arc::new(Mutex::new(Vec::new()));
    let stop = Arc::new(AtomicBool::new(false));
    let (noted, raised) = (states.clone(), stop.clone());
    let watcher = Watcher(Arc::new(move |standing: &Standing| {
        let mut noted = noted.lock().unwrap();
        noted.push(standing.clone());
        raised.store(Some(noted.len()) == interrupt_after, Ordering::Relaxed);
    }));
    let options = Options { stop, watcher: Some(watcher), ..options.clone() };
    let outcome = synthesize(problem, &options).unwrap();
    assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
    let result = Result {
        evaluations: outcome.evaluations,
        schedule: outcome.solution.map(|solution| solution.checked.schedule().clone()),
        bound: outcome.bounds.best.steps,
        refuted: outcome.proof.map(|proof| proof.steps),
    };
    let states = std::mem::take(&mut *states.lock().unwrap());
    (result, states)
}

/// The options that resume a state, whose position was written and read.
fn resume(options: &Options, state: &Standing) -> Options {
    let text = serde_json::to_string(&state.position).unwrap();
    let position: PlanPosition = strict_json::from_str(&text).unwrap();
    assert_eq!(position, state.position);
    let state = Standing { position, ..state.clone() };
    Options { resumed: Some(Arc::new(state)), ..options.clone() }
}

#[test]
fn a_search_resumed_after_any_task_ends_as_without_interruption() {
    for &(network, name, switching, engine, steps, evaluations) in SEARCHES {
        let problem = problem(network, name, switching);
        let options = Options {
            catalogue: catalogue(),
            engine: engine.map(str::to_owned),
            evaluations: Some(evaluations),
            prove: steps.is_some(),
            steps,
            ..Options::default()
        };
        let (whole, states) = search(&problem, &options, None);
        for (task, state) in states.iter().enumerate() {
            let (resumed, later) = search(&problem, &resume(&options, state), None);
            assert_eq!(resumed, whole, "{network} {name} after task {task}");
            assert_eq!(later.len(), states.len() - task - 1, "{network} {name} after task {task}");
        }
    }
}

#[test]
fn a_search_interrupted_during_every_task_ends_as_without_interruption() {
    for &(network, name, switching, engine, steps, evaluations) in &SEARCHES[2..4] {
        let problem = problem(network, name, switching);
        let options = Options {
            catalogue: catalogue(),
            engine: engine.map(str::to_owned),
            evaluations: Some(evaluations),
            threads: 2,
            steps,
            ..Options::default()
        };
        let (whole, _) = search(&problem, &options, None);
        let mut state = None;
        let last = loop {
            let options = state.as_ref().map_or(options.clone(), |state| resume(&options, state));
            let (result, states) = search(&problem, &options, Some(1));
            match states.into_iter().next() {
                Some(next) => state = Some(next),
                None => break result,
            }
        };
        assert_eq!(last, whole, "{network} {name}");
    }
}
