//! A quick schedule after an interrupt: the first one that an engine constructs, or a plain one.

use super::outcome::{Outcome, Solution};
use crate::attempt::{Context, Engine};
use crate::bounds;
use crate::budget::{Budget, Clock, part_of_time};
use crate::catalogue::ENGINES;
use crate::plain::Plain;
use crate::rng::Rng;
use pavane_model::Problem;
use pavane_verify::verify_unless;
use std::time::Duration;

/// Returns the first schedule that passes the judge, with the simple bounds only; `None` if none is
/// found in time. If `engine` is given, only that engine is used.
pub fn at_once(problem: &Problem, engine: Option<&str>, time: Duration) -> Option<Outcome> {
    let deadline = Clock::start().after(time);
    let context = Context::new(problem.forward());
    // Equal prices, because good ones take time to compute.
    context.set_prices(Some(&vec![1.0; problem.network().channel_count()]));
    // Engines towards the end of the table construct a schedule without a search.
    let is_meant = |name: &str| engine.is_none_or(|engine| engine == name);
    let engines = ENGINES.iter().rev().copied();
    let engines = engines.filter(|engine| is_meant(engine.name()));
    let engines = engines.filter(|engine| engine.takes(context.problem()));
    let plain: Option<&dyn Engine> = if engine.is_none() { Some(&Plain) } else { None };
    // Half of the time is for engines, and the rest for a plain schedule.
    let half = part_of_time(deadline, 2);
    let tries = engines.map(|engine| (engine, half)).chain(plain.map(|plain| (plain, deadline)));
    for (engine, deadline) in tries {
        let mut budget = Budget::evaluations(u64::MAX).until(deadline);
        let schedule = engine.construct(&context, &mut budget, &mut Rng::seeded(0));
        let schedule = schedule
            .map(|schedule| if problem.is_backward() { schedule.reversed() } else { schedule });
        let late = budget.interrupt().with_grace();
        let judge = |found| verify_unless(problem.clone(), found, &|| late.is_raised())?.ok();
        if let Some(checked) = schedule.and_then(judge) {
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
