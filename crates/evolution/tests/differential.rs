//! Compares every engine with brute force, the exact engine and the bounds on random tiny problems
//! (any collective, ports, routing, duplex and switching; slim, fat and indirect networks, whole or
//! broken) and on problems of every named collective between all processors. `PAVANE_CASES=10000
//! cargo test --release -p pavane-evolution --test differential` tries more cases, and `--
//! --nocapture` prints how often each engine was used.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]
#![allow(clippy::print_stdout, reason = "prints how often each engine was used")]

use crate::common::{brute_force, tiny};
use crate::{faulty, named};
use pavane_model::collective::{self, Groups};
use pavane_model::{Fault, Model, Ports, Problem, Schedule, Switching};
use pavane_networks::topology;
use pavane_search::catalogue::{ENGINES, REPAIR_ENGINES};
use pavane_search::exact::Exact;
use pavane_search::fault::{Part, Parts, RepairError, Terms, repair};
use pavane_search::parameters::Preset;
use pavane_search::plain::Plain;
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{Attempt, Budget, Context, Engine, Fit, Interrupt, Rng, bounds};
use pavane_verify::exact::check_refutation;
use pavane_verify::{check_bound, verify};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sets of transfers after which brute force gives up.
const EFFORT: u64 = 50_000;

/// Evaluations after which the exact engine gives up.
const EXACT_EFFORT: u64 = 200_000_000;

/// Engines whose problems are too large for this test: a dragonfly has 12 processors, a torus
/// with odd sides 9, and trails are for tens of thousands of messages. The tests of the engines for
/// personalised messages have such problems.
const TOO_LARGE: &[&str] = &["balanced-groups", "quadrants", "trails"];

/// Evaluations of an attempt, and of an attempt by the evolutionary engines, which are slow.
const TRY: u64 = 20_000;
const SLOW_TRY: u64 = 1_000;

/// Every repair engine is asked about at least one of this many problems.
const REPAIR_ASKED: u32 = 5;

/// Runs a check on 60 cases, or as many as `PAVANE_CASES` says.
fn for_all<S: Strategy>(drawn: S, check: impl Fn(S::Value) -> TestCaseResult) {
    let asked = std::env::var("PAVANE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(60);
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        max_global_rejects: 100_000 + 20 * cases,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    });
    if let Err(error) = runner.run(&drawn, check) {
        panic!("{error}\n{runner}");
    }
}

/// The number of steps of an engine's schedule, which the judge must accept.
fn judged(engine: &str, problem: &Problem, schedule: Schedule) -> u32 {
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    match verify(problem.clone(), schedule) {
        Ok(checked) => checked.schedule().step_count(),
        Err(violations) => panic!("{engine}: not valid: {violations:?}"),
    }
}

/// The fewest steps by the exact engine, with its schedules and proofs checked; `None` if it gives
/// up.
fn decided(problem: &Problem, bound: u32) -> Option<u32> {
    let context = Context::new(problem.forward());
    let mut steps = bound;
    loop {
        let mut budget = Budget::evaluations(EXACT_EFFORT);
        match Exact.attempt(&context, steps, &mut budget, &mut Rng::seeded(1)) {
            Attempt::Found(schedule) => {
                assert_eq!(judged("exact", problem, schedule), steps);
                return Some(steps);
            }
            Attempt::Impossible(proof) => {
                check_refutation(problem, proof.steps, &mut &proof.lrat[..]).unwrap();
                steps = proof.steps + 1;
            }
            Attempt::Longer(_) => panic!("exact: not what was asked for"),
            Attempt::OutOfBudget => return None,
        }
    }
}

/// The fewest steps by brute force, or else by the exact engine.
fn fewest_steps(problem: &Problem) -> Option<u32> {
    let bound = bounds::all(problem).unwrap().best.steps;
    brute_force::fewest_steps(problem, EFFORT).or_else(|| decided(problem, bound))
}

/// The number of problems, and how many of them each method solved.
#[derive(Debug, Default)]
struct Decisions {
    problems: u32,
    brute_force: u32,
    exact: u32,
}

/// How often an engine was used, and how often it found any schedule.
#[derive(Debug, Default)]
struct Answers {
    asked: u32,
    answered: u32,
}

/// The name under which the answers of an engine that starts from an incomplete schedule are counted.
fn repairing(engine: &dyn Engine) -> String {
    format!("{} from an incomplete schedule", engine.name())
}

/// Totals over all cases.
#[derive(Default)]
struct Tally {
    tiny: Decisions,
    named: Decisions,
    engines: BTreeMap<String, Answers>,
    names: BTreeMap<String, u32>,
}

impl Tally {
    /// Checks that every engine was used and found schedules, and that most problems were solved.
    fn check(&self) {
        println!("tiny: {:?}\nnamed: {:?}\n{:?}", self.tiny, self.named, self.names);
        for (engine, Answers { asked, answered }) in &self.engines {
            println!("{engine}: asked {asked} times, answered {answered} times");
        }
        for (engine, Answers { asked, answered }) in &self.engines {
            if TOO_LARGE.contains(&engine.as_str()) {
                continue;
            }
            assert!(*asked > 0, "{engine} was never asked");
            assert!(*answered > 0, "{engine} never had a schedule");
        }
        let problems = self.tiny.problems + self.named.problems;
        for engine in REPAIR_ENGINES {
            let name = &repairing(*engine);
            let Answers { asked, answered } = &self.engines[name];
            assert!(*asked >= problems / REPAIR_ASKED, "{name} was asked only {asked} times");
            assert!(
                *answered >= asked / 10 * 9,
                "{name} answered only {answered} of {asked} times"
            );
        }
        let Self { tiny, named, .. } = self;
        assert_eq!(tiny.exact, tiny.problems, "the exact engine decides every tiny problem");
        assert!(tiny.brute_force >= tiny.problems / 4 * 3, "{tiny:?}");
        assert!(named.exact >= named.problems / 10 * 9, "{named:?}");
        assert!(named.brute_force >= named.problems / 4, "{named:?}");
    }
}

/// What is known about a problem before an engine is used: no schedule has fewer than `least`
/// steps, and `optimum` steps are enough, if known.
struct Known<'a> {
    problem: &'a Problem,
    least: u32,
    optimum: Option<u32>,
}

impl<'a> Known<'a> {
    /// Computes the optimum by brute force and the exact engine, which must agree. No bound may
    /// exceed it.
    fn new(problem: &'a Problem, decisions: &mut Decisions) -> Self {
        let found = bounds::all(problem).unwrap();
        let by_brute_force = brute_force::fewest_steps(problem, EFFORT);
        let by_exact = decided(problem, found.best.steps);
        if by_brute_force.is_some() && by_exact.is_some() {
            assert_eq!(by_brute_force, by_exact);
        }
        decisions.problems += 1;
        decisions.brute_force += u32::from(by_brute_force.is_some());
        decisions.exact += u32::from(by_exact.is_some());
        let optimum = by_brute_force.or(by_exact);
        for bound in &found.bounds {
            assert_eq!(check_bound(problem, bound), Ok(bound.steps));
            assert!(optimum.is_none_or(|optimum| bound.steps <= optimum), "{bound:?}");
        }
        // If the optimum is unknown, no schedule may be below the bound.
        Self { problem, least: optimum.unwrap_or(found.best.steps), optimum }
    }

    /// Checks a schedule against what is known; returns its steps.
    fn judged(&self, engine: &dyn Engine, schedule: Schedule) -> u32 {
        let (name, least) = (engine.name(), self.least);
        let found = judged(name, self.problem, schedule);
        assert!(found >= least, "{name}: {found} steps beat {least}");
        found
    }

    /// Checks an answer for `steps` steps against what is known; returns whether it contains a
    /// schedule.
    fn check(&self, engine: &dyn Engine, steps: u32, attempt: Attempt) -> bool {
        let name = engine.name();
        match attempt {
            Attempt::Found(schedule) => {
                let found = self.judged(engine, schedule);
                assert!(found <= steps, "{name}: {found} steps instead of {steps}");
                true
            }
            Attempt::Longer(schedule) => {
                let found = self.judged(engine, schedule);
                assert!(found > steps, "{name}: {found} for {steps}");
                true
            }
            Attempt::Impossible(proof) => {
                assert!(engine.describe().is_exact, "{name} proves nothing");
                assert!(proof.steps >= steps, "{name}: a proof about {} steps", proof.steps);
                check_refutation(self.problem, proof.steps, &mut &proof.lrat[..]).unwrap();
                assert!(self.optimum.is_none_or(|optimum| proof.steps < optimum), "{name}");
                false
            }
            Attempt::OutOfBudget => false,
        }
    }

    /// An incomplete schedule, from which repair engines start: some transfers of a valid schedule,
    /// in the same steps.
    fn start(&self, seed: u64) -> Schedule {
        let rng = &mut Rng::seeded(seed);
        let mut budget = Budget::unlimited(&Interrupt::never());
        let context = Context::new(self.problem.forward());
        let complete = Plain.construct(&context, &mut budget, rng).unwrap();
        let lost_share = [0.1, 0.5, 1.0][rng.below(3)];
        let mut start = Schedule::new();
        for step in 0..complete.step_count() {
            start.start_step();
            let kept = complete.step(step).filter(|_| !rng.chance(lost_share));
            kept.for_each(|transfer| start.push(transfer));
        }
        start
    }

    /// Asks an engine for one step less than the optimum, for the optimum, and for one step more.
    /// With `has_start`, the engine starts from an incomplete schedule.
    fn ask(
        &self,
        (engine, has_start): (&dyn Engine, bool),
        preset: Preset,
        evaluations: u64,
        seed: u64,
        answers: &mut Answers,
    ) {
        let parameters = engine.describe().set(preset, &[]).unwrap();
        let mut context = Context::new(self.problem.forward()).with_parameters(parameters);
        if has_start {
            context = context.with_start(Some(Arc::new(self.start(seed))));
        }
        let is_useless = || engine.fit(&context, &Interrupt::never()) == Fit::Useless;
        if !engine.takes(context.problem()) || is_useless() {
            return;
        }
        let rng = &mut Rng::seeded(seed);
        let mut budget = Budget::evaluations(evaluations);
        let built = engine.construct(&context, &mut budget, rng);
        let mut has_answer = built.is_some();
        if let Some(schedule) = built {
            self.judged(engine, schedule);
        }
        let enough = self.optimum.unwrap_or(self.least);
        for steps in enough.saturating_sub(1)..=enough + 1 {
            let mut budget = Budget::evaluations(evaluations);
            let attempt = engine.attempt(&context, steps, &mut budget, rng);
            has_answer |= self.check(engine, steps, attempt);
        }
        answers.asked += 1;
        answers.answered += u32::from(has_answer);
    }

    /// Asks all engines.
    fn ask_all(&self, seed: u64, engines: &mut BTreeMap<String, Answers>) {
        for &engine in ENGINES {
            let answers = engines.entry(engine.name().to_owned()).or_default();
            self.ask((engine, false), Preset::Tuned, TRY, seed, answers);
        }
        for &engine in REPAIR_ENGINES {
            let answers = engines.entry(repairing(engine)).or_default();
            self.ask((engine, true), Preset::Tuned, TRY, seed, answers);
        }
        for &engine in pavane_evolution::ENGINES {
            for &(preset_name, preset) in Preset::ALL {
                let answers =
                    engines.entry(format!("{} {preset_name}", engine.name())).or_default();
                self.ask((engine, false), preset, SLOW_TRY, seed, answers);
            }
        }
    }
}

/// Brute force and the exact engine agree, no engine beats the optimum, and the judge accepts every
/// schedule and every proof.
#[test]
fn no_engine_beats_the_optimum_and_the_judge_accepts_all() {
    let tally = RefCell::new(Tally::default());
    for_all((faulty::problem(), 0u64..1000, named::problem()), |(tiny, seed, named)| {
        let Tally { tiny: of_tiny, named: of_named, engines, names } = &mut *tally.borrow_mut();
        *names.entry(named.collective().name.clone()).or_default() += 1;
        for (problem, decisions) in [(tiny, of_tiny), (named, of_named)] {
            Known::new(&problem, decisions).ask_all(seed, engines);
        }
        Ok(())
    });
    {
        let Tally { named, engines, .. } = &mut *tally.borrow_mut();
        Known::new(&one_port_broadcast(), named).ask_all(1, engines);
    }
    tally.borrow().check();
}

/// A broadcast for `call-orders`, of which few are drawn.
fn one_port_broadcast() -> Problem {
    let network = topology::build("mesh:3x3").unwrap();
    let collective =
        collective::build("broadcast", &network, &Groups::default()).unwrap().remove(0);
    let model = Model {
        switching: Switching::StoreAndForward,
        ports: Ports::Limited(1),
        ..Model::default()
    };
    Problem::new(network, collective, model).unwrap()
}

/// The driver refuses nothing, never beats the optimum, and never claims a bound above it.
#[test]
fn the_driver_is_right() {
    let drawn = (faulty::problem(), 0u64..1000, any::<bool>(), named::problem());
    for_all(drawn, |(tiny, seed, prove, named)| {
        for problem in [tiny, named] {
            let options = Options { seed, prove, evaluations: Some(TRY), ..Options::default() };
            let outcome = synthesize(&problem, &options).unwrap();
            prop_assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
            let bound = outcome.bounds.best.steps;
            let Some(solution) = outcome.solution else { panic!("nothing was found") };
            let steps = solution.checked.schedule().step_count();
            prop_assert!(bound <= steps, "{bound} > {steps}");
            if let Some(proof) = outcome.proof {
                check_refutation(&problem, proof.steps, &mut &proof.lrat[..]).unwrap();
                prop_assert!(proof.steps < bound);
            }
            if let Some(optimum) = fewest_steps(&problem) {
                prop_assert!(bound <= optimum && optimum <= steps);
            }
        }
        Ok(())
    });
}

/// A repaired schedule is valid on the remaining network and does not beat its optimum.
#[test]
fn repairs_do_not_beat_the_optimum() {
    let (tried, repaired) = (Cell::new(0), Cell::new(0));
    let drawn = (tiny::problem(), (0usize..100, 0usize..3), 0u64..1000, named::problem());
    for_all(drawn, |(tiny, (number, part), seed, named)| {
        for problem in [tiny, named] {
            tried.set(tried.get() + 1);
            let part = [Part::Links, Part::Channels, Part::Routers][part];
            let parts = Parts::new(problem.network(), &[part]);
            let faults: Vec<Fault> =
                parts.faults().iter().cycle().skip(number).take(1).copied().collect();
            let options = Options { seed, evaluations: Some(TRY), ..Options::default() };
            let before = synthesize(&problem, &options).unwrap().solution.unwrap();
            match repair(&before.checked, &faults, Terms::default(), &options) {
                Ok(found) => {
                    repaired.set(repaired.get() + 1);
                    let broken = found.checked.problem();
                    let steps = found.checked.schedule().step_count();
                    prop_assert!(found.bound.steps <= steps);
                    prop_assert!(verify(broken.clone(), found.checked.schedule().clone()).is_ok());
                    if let Some(optimum) = fewest_steps(broken) {
                        prop_assert!(found.bound.steps <= optimum && optimum <= steps);
                    }
                }
                Err(
                    RepairError::Fault(_)
                    | RepairError::Aftermath(_)
                    | RepairError::NoParticipants { .. },
                ) => {}
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
        Ok(())
    });
    let (tried, repaired) = (tried.get(), repaired.get());
    println!("{repaired} repairs of {tried}");
    assert!(repaired >= tried / 3, "{repaired} repairs of {tried}");
}
