//! Deadlines are kept: every bound and every engine polls the interrupt often and stops soon after
//! it is raised. Polls are counted, so nothing here depends on the clock. The tables of bounds and
//! engines supply the cases, so new entries are covered.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Schedule, Switching};
use pavane_networks::topology;
use pavane_search::bounds::{self, BOUNDS, Finding};
use pavane_search::budget::GRACE_POLLS;
use pavane_search::catalogue::{ENGINES, REPAIR_ENGINES};
use pavane_search::parameters::Preset;
use pavane_search::plain::Plain;
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{Attempt, Budget, Context, Engine, Interrupt, Rng};
use pavane_verify::{check_bound, verify};
use std::sync::Arc;
use std::time::Duration;

/// Polls allowed after the interrupt is raised: each of several threads may make one more.
const SLACK: u64 = 100;

const SMALL: &[&str] = &["path:100", "ring:100", "tree:2,6", "mesh:10x10"];
/// Networks for the engines that need several processors per router, switches without any, or an odd
/// ring.
const SPECIAL: &[&str] = &["torus:4x4@2", "fat-tree:4", "dragonfly:2,2,1", "ring:31"];
const LARGE: &[&str] = &["path:300", "ring:300", "tree:17,2", "mesh:15x20"];
const COLLECTIVES: &[&str] = &["all-to-all", "all-gather", "broadcast", "scatter"];

/// Wormhole or store-and-forward, each with one port and half duplex or all ports and full duplex.
fn models() -> Vec<Model> {
    let switchings = [Switching::Wormhole, Switching::StoreAndForward];
    let limits = [(Ports::Limited(1), Duplex::Half), (Ports::All, Duplex::Full)];
    let both = switchings.iter().flat_map(|s| limits.iter().map(move |l| (*s, *l)));
    both.map(|(switching, (ports, duplex))| Model { switching, ports, duplex, ..Model::default() })
        .collect()
}

fn problem(network: &str, name: &str, model: Model) -> Problem {
    let network = topology::build(network).unwrap();
    let collective = collective::build(name, &network, &Groups::default()).unwrap().remove(0);
    Problem::new(network, collective, model).unwrap()
}

fn problems(networks: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for network in networks {
        for name in COLLECTIVES {
            problems.extend(models().into_iter().map(|model| problem(network, name, model)));
        }
    }
    problems
}

/// Half of the problems: each switching once for every collective and network, the limits in turn.
fn every_other_problem(networks: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, network) in networks.iter().enumerate() {
        for (turn, name) in (at..).zip(COLLECTIVES) {
            for (turn, limits) in (turn..).zip(models().chunks(2)) {
                problems.push(problem(network, name, limits[turn % 2]));
            }
        }
    }
    problems
}

fn describe(problem: &Problem) -> String {
    let (network, collective) = (problem.network().name(), &problem.collective().name);
    format!("{collective} on {network}, {}", problem.model())
}

/// Tries a bound with an interrupt after `quiet` polls.
fn check_bound_at(problem: &Problem, reason: &str, argument: bounds::Argument, quiet: u64) {
    let what = || format!("{reason} of {} after {quiet} polls", describe(problem));
    let interrupt = Interrupt::after_polls(quiet);
    let finding = argument(problem, &interrupt);
    let polls = interrupt.polls();
    assert!(polls <= quiet + SLACK, "{}: {polls} polls", what());
    let is_interrupted = polls > quiet;
    match finding {
        // What was found before the interrupt is still a valid bound.
        Finding::Proved(bound) | Finding::Priced(bound, _) => {
            assert_eq!(check_bound(problem, &bound), Ok(bound.steps), "{}", what());
        }
        Finding::Skipped { why, .. } => {
            assert!(!is_interrupted || why.starts_with("out of time"), "{}: {why}", what());
        }
        Finding::NotApplicable => {}
    }
}

#[test]
fn every_bound_stops_soon_after_an_interrupt() {
    for problem in problems(SMALL) {
        for (reason, argument) in BOUNDS {
            for quiet in [0, 1, 50] {
                check_bound_at(&problem, reason, *argument, quiet);
            }
        }
    }
    for problem in problems(LARGE) {
        for (reason, argument) in BOUNDS {
            for quiet in [0, 20] {
                check_bound_at(&problem, reason, *argument, quiet);
            }
        }
    }
}

#[test]
fn every_bound_polls_the_interrupt() {
    let problems = problems(SMALL);
    // The receive bound ignores interrupts, so that there always is a bound.
    for (reason, argument) in BOUNDS.iter().filter(|(reason, _)| *reason != "receive") {
        let mut applies = 0;
        for problem in &problems {
            let interrupt = Interrupt::after_polls(0);
            let finding = argument(problem, &interrupt);
            if finding == Finding::NotApplicable && interrupt.polls() == 0 {
                continue;
            }
            applies += 1;
            assert!(interrupt.polls() > 0, "{reason} of {}: {finding:?}", describe(problem));
        }
        // `send-growth` needs several messages of one origin with several destinations.
        assert!(applies > 0 || *reason == "send-growth", "{reason} applies to none of them");
    }
}

#[test]
fn a_deadline_leaves_the_bounds_found_until_then() {
    // A broadcast has a growth bound, which comes before the receive bound.
    for (name, polls) in [("all-to-all", 0), ("broadcast", 0), ("broadcast", 2), ("all-gather", 5)]
    {
        let problem = problem("mesh:10x10", name, Model::default());
        let complete = bounds::all(&problem).unwrap();
        let mut found =
            bounds::all_until(&problem, &Interrupt::after_polls(polls), &|_| {}).unwrap();
        assert!(found.bounds.iter().any(|bound| bound.reason == "receive"));
        assert!(!found.is_complete());
        assert!(found.skipped.iter().all(|skipped| skipped.why.starts_with("out of time")));
        // A second call tries the remaining engines, with the same result.
        found.complete(&problem, &Interrupt::never()).unwrap();
        assert!(found.is_complete());
        assert_eq!(found, complete, "{name} after {polls} polls");
    }
}

/// All engines, and whether each starts from an incomplete schedule.
fn engines() -> Vec<(&'static dyn Engine, bool)> {
    let plain: &[&dyn Engine] = &[&Plain];
    let from_scratch = [ENGINES, pavane_evolution::ENGINES, plain].concat();
    let repairing = REPAIR_ENGINES.iter().map(|&engine| (engine, true));
    from_scratch.into_iter().map(|engine| (engine, false)).chain(repairing).collect()
}

/// A problem with what all its checks have in common.
struct Case {
    problem: Problem,
    /// The simple bound: the number of steps that engines are asked for.
    steps: u32,
    /// Where repairs start.
    start: Option<Arc<Schedule>>,
}

impl Case {
    fn new(problem: Problem) -> Self {
        let steps = bounds::simple(&problem, &Interrupt::never()).unwrap().best.steps;
        let start = start(&problem);
        Self { problem, steps, start }
    }
}

fn context(engine: &'static dyn Engine, has_start: bool, case: &Case) -> Context {
    let start = case.start.clone().filter(|_| has_start);
    let context = Context::new(case.problem.clone()).with_start(start);
    match engine.describe().set(Preset::Tuned, &[]) {
        Ok(parameters) => context.with_parameters(parameters),
        Err(_) => context,
    }
}

/// A schedule for repairs to begin with.
fn start(problem: &Problem) -> Option<Arc<Schedule>> {
    let mut budget = Budget::unlimited(&Interrupt::never());
    let context = Context::new(problem.clone());
    let schedule = Plain.construct(&context, &mut budget, &mut Rng::seeded(0));
    schedule.map(|schedule| Arc::new(with_gaps(&schedule)))
}

/// A schedule without every tenth of its transfers.
fn with_gaps(schedule: &Schedule) -> Schedule {
    let mut left = Schedule::new();
    for step in 0..schedule.step_count() {
        left.start_step();
        let numbers = schedule.transfer_numbers(step).filter(|number| number % 10 != 0);
        numbers.for_each(|number| left.push(schedule.transfer(number)));
    }
    left
}

/// Lets an engine construct a schedule and attempt one, each with an interrupt after `quiet` polls.
fn check_engine_at((engine, has_start): (&'static dyn Engine, bool), case: &Case, quiet: u64) {
    let problem = &case.problem;
    let what = || format!("{} of {} after {quiet} polls", engine.name(), describe(problem));
    let most = quiet + GRACE_POLLS + SLACK;
    let context = context(engine, has_start, case);
    let interrupt = Interrupt::after_polls(quiet);
    engine.fit(&context, &interrupt);
    assert!(interrupt.polls() <= quiet + SLACK, "{}: {} polls", what(), interrupt.polls());

    let interrupt = Interrupt::after_polls(quiet);
    let mut budget = Budget::unlimited(&interrupt);
    let built = engine.construct(&context, &mut budget, &mut Rng::seeded(1));
    assert!(interrupt.polls() <= most, "{}: {} polls to build", what(), interrupt.polls());
    if let Some(schedule) = built {
        assert!(quiet > 0, "{}: built without a look at the interrupt", what());
        assert!(verify(problem.clone(), schedule).is_ok(), "{}", what());
    }

    let interrupt = Interrupt::after_polls(quiet);
    let mut budget = Budget::unlimited(&interrupt);
    let attempt = engine.attempt(&context, case.steps, &mut budget, &mut Rng::seeded(1));
    assert!(interrupt.polls() <= most, "{}: {} polls to try", what(), interrupt.polls());
    if let Attempt::Found(schedule) | Attempt::Longer(schedule) = attempt {
        assert!(quiet > 0, "{}: found without a look at the interrupt", what());
        assert!(verify(problem.clone(), schedule).is_ok(), "{}", what());
    }
}

/// Engines that need a special network or detours.
const SPECIAL_ENGINES: &[&str] =
    &["balanced-groups", "copies", "polygons", "quadrants", "rectangles", "rounds", "shortest"];

/// Lets every engine try all problems that it takes. Returns the engines that took none.
fn check_engines(problems: Vec<Problem>, quiets: &[u64]) -> Vec<&'static str> {
    let mut unused: Vec<&str> = engines().iter().map(|(engine, _)| engine.name()).collect();
    for case in problems.into_iter().map(Case::new) {
        for engine in engines().into_iter().filter(|(engine, _)| engine.takes(&case.problem)) {
            unused.retain(|name| *name != engine.0.name());
            quiets.iter().for_each(|&quiet| check_engine_at(engine, &case, quiet));
        }
    }
    unused
}

#[test]
fn every_engine_stops_soon_after_an_interrupt() {
    let mut problems = problems(SMALL);
    for network in SPECIAL {
        problems.extend(COLLECTIVES.iter().map(|name| problem(network, name, Model::default())));
    }
    let detours = Model { routing: Routing::Any, ..Model::default() };
    problems.push(problem("torus:5x5", "all-to-all", detours));
    assert_eq!(check_engines(problems, &[40]), [""; 0]);
}

#[test]
fn every_engine_stops_soon_on_large_networks() {
    let unused = check_engines(every_other_problem(LARGE), &[0]);
    // These need a special network or detours; the test above has small ones.
    assert!(unused.iter().all(|name| SPECIAL_ENGINES.contains(name)), "{unused:?}");
}

/// Bounds that are computed also without time.
const SIMPLE: &[&str] = &["receive", "send", "growth", "distance", "eccentricity"];

#[test]
fn without_time_there_still_is_a_schedule() {
    for network in ["path:20", "dragonfly:2,4,2", "mesh:5x5"] {
        for name in COLLECTIVES {
            let problem = problem(network, name, Model::default());
            let options = Options { time: Some(Duration::ZERO), ..Options::default() };
            let outcome = synthesize(&problem, &options).unwrap();
            let solution = outcome.solution.expect("a plain schedule takes next to no time");
            assert_eq!(solution.engine, "plain", "{name} on {network}");
            let reason = &outcome.bounds.best.reason;
            assert!(SIMPLE.contains(&reason.as_str()), "{reason}");
            assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
        }
    }
}

#[test]
fn a_selected_engine_has_no_fallback() {
    let problem = problem("mesh:5x5", "all-to-all", Model::default());
    let engine = Some("ejection".to_owned());
    let options = Options { time: Some(Duration::ZERO), engine, ..Options::default() };
    assert!(synthesize(&problem, &options).unwrap().solution.is_none());
}
