//! The all-reduce of two solved phases, which may overlap.

use super::FoundPhase;
use crate::args::solve::SolveArgs;
use crate::commands::search_request::time_left;
use crate::output::Failure;
use crate::progress::Ticker;
use crate::words;
use pavane_model::Bound;
use pavane_model::whole::WholeBound;
use pavane_search::all_reduce::{self, SolvedWhole};
use pavane_search::budget::Clock;
use pavane_search::synthesize::Options;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Its bound, without the certificate.
pub(super) fn bound(whole: &SolvedWhole) -> Bound {
    let WholeBound { steps, explanation, certificate } = &whole.bound;
    let reason = certificate.kind.name().to_owned();
    Bound { steps: *steps, reason, explanation: explanation.clone(), certificate: None }
}

/// One line: the steps, and whether there could be fewer. `is_asked`: whether the user asked for so few.
pub(super) fn in_words(whole: &SolvedWhole, name: &str, is_asked: bool) -> String {
    let status = match whole.gap() {
        0 => "optimal".to_owned(),
        gap if is_asked => {
            format!("as few as --steps asks, at most {} from optimal", words::steps(gap))
        }
        gap => format!("best found, at most {} from optimal", words::steps(gap)),
    };
    let order = match whole.start() {
        Some(_) => "the phases overlap",
        None => "one phase after the other",
    };
    format!("{name}: {}, {order}: {status}", words::steps(whole.checked.steps()))
}

/// Bounds the all-reduce of two phases, and shortens it by letting them overlap. `None` for one phase.
pub(super) fn solve(
    args: &SolveArgs,
    phases: &[FoundPhase],
    clock: &Clock,
    stop: &Arc<AtomicBool>,
) -> Result<Option<SolvedWhole>, Failure> {
    let [reduce, broadcast] = phases else { return Ok(None) };
    let proved = [reduce.bounds.best.steps, broadcast.bounds.best.steps];
    let options = Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        evaluations: args.evaluations,
        engine: args.engine.clone(),
        steps: args.steps,
        time: time_left(args.time, clock, 1),
        stop: stop.clone(),
        ..Options::default()
    };
    let _ticker = Ticker::saying("overlapping the phases");
    let solved = all_reduce::solve([reduce.checked(), broadcast.checked()], proved, &options);
    solved.map(Some).map_err(|error| Failure::Bug(error.to_string()))
}
