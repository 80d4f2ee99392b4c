//! Every engine against brute force, against the exact engine and against the bounds, on random tiny problems:
//! any collective, ports, routing, duplex and switching, slim, fat and indirect networks, whole or broken.
//! `PAVANE_CASES=10000 cargo test --release -p pavane-engine --test differential` tries more of them.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod common;
#[path = "common/faulty.rs"]
mod faulty;

use common::{brute_force, tiny};
use pavane_engine::exact::Exact;
use pavane_engine::fault::{Part, Parts, RepairError, Terms, repair};
use pavane_engine::parameters::{Parameters, Preset};
use pavane_engine::synthesize::{Options, synthesize};
use pavane_engine::{Attempt, Budget, Context, Engine, Rng, bounds, evolution};
use pavane_model::{Fault, Problem, Schedule};
use pavane_verify::exact::check_refutation;
use pavane_verify::{check_bound, verify};
use proptest::prelude::*;

/// Sets of transfers that brute force looks at before it gives a problem up.
const EFFORT: u64 = 50_000;

/// Evaluations that an engine gets for a try, and those of the papers, which are slow.
const TRY: u64 = 20_000;
const SLOW_TRY: u64 = 1_000;

/// Few cases by default, and as many as `PAVANE_CASES` says. Problems that brute force gives up count too.
fn config() -> ProptestConfig {
    let asked = std::env::var("PAVANE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(150);
    ProptestConfig { cases, max_global_rejects: 100_000 + 20 * cases, ..ProptestConfig::default() }
}

/// The steps of what an engine returned, which the judge must accept.
fn judged(engine: &str, problem: &Problem, schedule: Schedule) -> u32 {
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    match verify(problem.clone(), schedule) {
        Ok(checked) => checked.schedule().step_count(),
        Err(violations) => panic!("{engine}: not valid: {violations:?}"),
    }
}

/// What is known of a problem before an engine is asked: no schedule has fewer steps than `least`, and `optimum` of
/// them are enough if brute force has found out.
struct Known<'a> {
    problem: &'a Problem,
    least: u32,
    optimum: Option<u32>,
}

impl Known<'_> {
    /// Holds an answer about `steps` steps against what is known.
    fn check(&self, engine: &dyn Engine, steps: u32, attempt: Attempt) {
        let name = engine.name();
        match attempt {
            Attempt::Found(schedule) => {
                let found = judged(name, self.problem, schedule);
                assert!(found <= steps, "{name}: {found} steps instead of {steps}");
                assert!(found >= self.least, "{name}: {found} steps beat {}", self.least);
            }
            Attempt::Longer(schedule) => {
                let found = judged(name, self.problem, schedule);
                assert!(found > steps && found >= self.least, "{name}: {found} for {steps}");
            }
            Attempt::Impossible(proof) => {
                assert!(engine.is_exact(), "{name} proves nothing");
                assert!(proof.steps >= steps, "{name}: a proof about {} steps", proof.steps);
                check_refutation(self.problem, proof.steps, &mut &proof.lrat[..]).unwrap();
                assert!(self.optimum.is_none_or(|optimum| proof.steps < optimum), "{name}");
            }
            Attempt::OutOfBudget => {}
        }
    }

    /// Asks an engine for one step too few, for just enough and for one more than needed.
    fn ask(&self, engine: &dyn Engine, preset: Preset, evaluations: u64, seed: u64) {
        let parameters = Parameters::new(engine, preset, &[]).unwrap();
        let context = Context::new(self.problem.forward()).with_parameters(parameters);
        if !engine.takes(context.problem()) || !engine.helps(&context) {
            return;
        }
        let rng = &mut Rng::seeded(seed);
        let mut budget = Budget::evaluations(evaluations);
        if let Some(schedule) = engine.construct(&context, &mut budget, rng) {
            let found = judged(engine.name(), self.problem, schedule);
            assert!(found >= self.least, "{}: {found} steps beat {}", engine.name(), self.least);
        }
        let enough = self.optimum.unwrap_or(self.least);
        for steps in enough.saturating_sub(1)..=enough + 1 {
            let mut budget = Budget::evaluations(evaluations);
            let attempt = engine.attempt(&context, steps, &mut budget, rng);
            self.check(engine, steps, attempt);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_engine_beats_the_optimum_and_the_judge_accepts_all(
        problem in faulty::problem(),
        seed in 0u64..1000,
    ) {
        let optimum = brute_force::fewest_steps(&problem, EFFORT);
        let found = bounds::all(&problem).unwrap();
        for bound in &found.bounds {
            prop_assert_eq!(check_bound(&problem, bound), Ok(bound.steps));
            prop_assert!(optimum.is_none_or(|optimum| bound.steps <= optimum), "{bound:?}");
        }
        // Where nobody knows the optimum, no schedule may be below the bound.
        let known = Known { problem: &problem, least: optimum.unwrap_or(found.best.steps), optimum };
        for &engine in pavane_engine::ENGINES {
            known.ask(engine, Preset::Tuned, TRY, seed);
        }
        for &engine in evolution::ENGINES {
            known.ask(engine, Preset::Paper, SLOW_TRY, seed);
            known.ask(engine, Preset::Tuned, SLOW_TRY, seed);
        }
    }

    /// The exact engine decides every tiny problem, as brute force does; where that gives up, one decision
    /// fits the other: what is refuted is not found with one step more than it.
    #[test]
    fn the_exact_engine_finds_the_optimum(problem in faulty::problem()) {
        let context = Context::new(problem.forward());
        let mut steps = bounds::all(&problem).unwrap().best.steps;
        let optimum = loop {
            let mut budget = Budget::evaluations(2_000_000_000);
            match Exact.attempt(&context, steps, &mut budget, &mut Rng::seeded(1)) {
                Attempt::Found(schedule) => break judged("exact", &problem, schedule),
                Attempt::Impossible(proof) => {
                    check_refutation(&problem, proof.steps, &mut &proof.lrat[..]).unwrap();
                    steps = proof.steps + 1;
                }
                other => panic!("nothing was decided: {other:?}"),
            }
        };
        prop_assert_eq!(optimum, steps);
        if let Some(known) = brute_force::fewest_steps(&problem, EFFORT) {
            prop_assert_eq!(optimum, known);
        }
    }

    /// The driver as a user calls it: nothing refused, nothing below the optimum, and "optimal" only of that.
    #[test]
    fn the_driver_is_right(problem in faulty::problem(), seed in 0u64..1000, prove in any::<bool>()) {
        let options = Options { seed, prove, evaluations: Some(TRY), ..Options::default() };
        let outcome = synthesize(&problem, &options).unwrap();
        prop_assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
        let bound = outcome.bounds.best.steps;
        let steps = outcome.solution.map(|solution| solution.checked.schedule().step_count());
        prop_assert!(steps.is_none_or(|steps| bound <= steps), "{bound} > {steps:?}");
        if let Some(proof) = outcome.proof {
            check_refutation(&problem, proof.steps, &mut &proof.lrat[..]).unwrap();
            prop_assert!(proof.steps < bound);
        }
        if let Some(optimum) = brute_force::fewest_steps(&problem, EFFORT) {
            prop_assert!(bound <= optimum && steps.is_none_or(|steps| steps >= optimum));
            prop_assert!(steps != Some(bound) || bound == optimum);
        }
    }

    /// A repaired schedule is one of the network that is left, and no shorter than can be.
    #[test]
    fn repairs_do_not_beat_the_optimum(
        problem in tiny::problem(),
        fault in (0usize..100, 0usize..3),
        seed in 0u64..1000,
    ) {
        let parts = Parts::new(problem.network(), &[[Part::Links, Part::Channels, Part::Routers][fault.1]]);
        let faults: Vec<Fault> = parts.faults().iter().cycle().skip(fault.0).take(1).copied().collect();
        let options = Options { seed, evaluations: Some(TRY), ..Options::default() };
        let Some(before) = synthesize(&problem, &options).unwrap().solution else { return Ok(()) };
        match repair(&before.checked, &faults, Terms::default(), &options) {
            Ok(repaired) => {
                let broken = repaired.checked.problem();
                let steps = repaired.checked.schedule().step_count();
                prop_assert!(repaired.bound.steps <= steps);
                prop_assert!(verify(broken.clone(), repaired.checked.schedule().clone()).is_ok());
                if let Some(optimum) = brute_force::fewest_steps(broken, EFFORT) {
                    prop_assert!(repaired.bound.steps <= optimum && optimum <= steps);
                }
            }
            Err(RepairError::Fault(_) | RepairError::Aftermath(_) | RepairError::NobodyLeft { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
