//! A schedule at once, for somebody who does not wait: the first that an engine builds.

use super::{Outcome, Solution};
use crate::attempt::Context;
use crate::bounds;
use crate::budget::{Budget, Clock};
use crate::rng::Rng;
use pavane_model::Problem;
use pavane_verify::verify;
use std::time::Duration;

/// Any schedule, judged, with the simple bounds only, by the engine of that name if there is one; `None`
/// if there is no time for it.
pub fn at_once(problem: &Problem, engine: Option<&str>, time: Duration) -> Option<Outcome> {
    let deadline = Clock::start().after(time);
    let mut context = Context::new(problem.forward());
    // Good prices take time.
    context.set_prices(Some(&vec![1.0; problem.network().channel_count()]));
    let mut budget = Budget::evaluations(u64::MAX).until(deadline);
    // The last ones look for the least before they begin.
    let is_meant = |name: &str| engine.is_none_or(|engine| engine == name);
    let engines = crate::ENGINES.iter().rev().filter(|engine| is_meant(engine.name()));
    for engine in engines.filter(|engine| engine.takes(context.problem())) {
        if budget.is_stopped() {
            return None;
        }
        let schedule = engine.construct(&context, &mut budget, &mut Rng::seeded(0));
        let schedule = schedule.map(|schedule| match problem.is_backward() {
            true => schedule.reversed(),
            false => schedule,
        });
        if let Some(checked) = schedule.and_then(|found| verify(problem.clone(), found).ok()) {
            return Some(Outcome {
                solution: Some(Solution { checked, engine: engine.name() }),
                bounds: bounds::simple(problem, budget.interrupt()).ok()?,
                proof: None,
                evaluations: budget.spent(),
                refusals: Vec::new(),
            });
        }
    }
    None
}
