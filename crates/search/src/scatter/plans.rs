//! The search of one attempt with guided ejection: its settings, detour and evaluations.

use super::guided_search::Settings;
use super::layout::Layout;
use crate::attempt::Context;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::Problem;

/// Longest detour that is searched when the routing allows any path.
pub(super) const LONGEST_DETOUR: u32 = 4;

/// The longest detours of searches, equally likely. Short ones are nearly as good as long ones, and
/// much faster to search.
const DETOURS: &[u32] = &[0, 1, 1, 1, 1, 2, 2, 2, 2, LONGEST_DETOUR];

/// Ends cold, with weights that hardly grow. Solves instances without any slack, such as
/// hypercubes.
pub(super) const TIGHT: Settings = Settings {
    price_share: 0.48,
    increment: 0.0135,
    decay: 0.5,
    tenure: 0.07,
    hot: 1.94,
    cold: 0.243,
    blur: 0.78,
};

/// Stays hot, with weights that grow. Better where messages and channels differ.
pub(super) const UNEVEN: Settings = Settings {
    price_share: 3.0,
    increment: 0.2,
    decay: 0.45,
    tenure: 0.03,
    hot: 2.5,
    cold: 0.5,
    blur: 0.4,
};

/// Starts hot and ends cold, with weights that grow slowly and persist. Better where messages and
/// channels differ and the budget is large.
const PATIENT: Settings = Settings {
    price_share: 3.5,
    increment: 0.03,
    decay: 0.05,
    tenure: 0.02,
    hot: 2.6,
    cold: 0.25,
    blur: 1.0,
};

/// Weights grow quickly. Better where the budget is too small for cooling.
const QUICK: Settings = Settings {
    price_share: 3.0,
    increment: 1.0,
    decay: 0.1,
    tenure: 0.014,
    hot: 4.0,
    cold: 0.6,
    blur: 0.03,
};

/// Sweeps (tries per message) below which the budget is too small for cooling.
const FEW_SWEEPS: u64 = 8;

/// Sweeps from which the budget is large enough for slow cooling.
const MANY_SWEEPS: u64 = 40;

/// Probability that a search from an incomplete schedule starts as hot as one from an empty schedule.
const HOT_SHARE: f64 = 0.25;

/// Average tries per message in a first search.
const SWEEPS: u64 = 24;

/// Evaluation limit of a first search, unless two sweeps need more.
const MOST_AT_FIRST: u64 = 150_000_000;

/// Steps that are priced for a message under wormhole switching; where there are more, they begin at a
/// random one.
const PRICED_STEPS: u32 = 192;

/// Steps that are priced for a message in a schedule of so many.
pub(super) fn priced_steps(steps: u32) -> u32 {
    steps.min(PRICED_STEPS)
}

/// Evaluations granted to a first search.
pub(super) fn first_quota(problem: &Problem, steps: u32) -> u64 {
    quota_of(sweep(problem, steps))
}

/// The same for a problem in which a sweep over all messages takes so many evaluations.
pub(super) fn quota_of(sweep: u64) -> u64 {
    (SWEEPS * sweep).min(MOST_AT_FIRST.max(2 * sweep))
}

/// Evaluations needed to try every message once.
pub(super) fn sweep(problem: &Problem, steps: u32) -> u64 {
    problem.messages().len() as u64 * u64::from(steps)
}

/// Plans a search: its settings and its longest detour.
pub(super) fn plan(
    layout: &Layout<'_>,
    steps: u32,
    budget: &Budget,
    rng: &mut Rng,
) -> (Settings, u32) {
    let most = layout.useful_detour(steps).min(LONGEST_DETOUR);
    let detour = if most == 0 { 0 } else { DETOURS[rng.below(DETOURS.len())].min(most) };
    let sweeps = budget.left() / sweep(layout.problem, priced_steps(steps)).max(1);
    let settings = match sweeps {
        0..FEW_SWEEPS => QUICK,
        _ if rng.chance(if layout.is_even() { 0.9 } else { 0.2 }) => TIGHT,
        FEW_SWEEPS..MANY_SWEEPS => UNEVEN,
        _ => PATIENT,
    };
    (settings, detour)
}

/// The settings of a search: from an incomplete schedule most searches start close to the final
/// temperature, so that messages keep their places.
pub(super) fn starting_settings(context: &Context, settings: Settings, rng: &mut Rng) -> Settings {
    match context.start() {
        Some(_) if !rng.chance(HOT_SHARE) => settings.gentle(),
        _ => settings,
    }
}

/// The messages of `order` without the placed ones.
pub(super) fn without(mut order: Vec<u32>, placed: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut is_placed = vec![false; order.len()];
    placed.for_each(|message| is_placed[message as usize] = true);
    order.retain(|&message| !is_placed[message as usize]);
    order
}

/// Iterations of a search that uses up the budget.
pub(super) fn iterations(budget: &Budget, steps: u32) -> u64 {
    budget.left() / u64::from(steps.max(1)) + 1
}
