//! The all-reduce of two solved phases, which may overlap.

use super::FoundPhase;
use crate::args::solve::SolveArgs;
use crate::commands::search_request::time_left;
use crate::output::Failure;
use crate::progress::Ticker;
use crate::words;
use pavane_model::Problem;
use pavane_model::whole::WholeBound;
use pavane_search::all_reduce::{self, FoundWhole, WholeOptions};
use pavane_search::bounds;
use pavane_search::budget::{Clock, Interrupt};
use pavane_verify::CheckedWhole;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An all-reduce with its bound.
pub(super) struct SolvedWhole {
    pub checked: CheckedWhole,
    pub bound: WholeBound,
    pub evaluations: u64,
}

impl SolvedWhole {
    /// Number of steps above the bound.
    pub fn gap(&self) -> u32 {
        self.checked.steps() - self.bound.steps
    }

    /// The number of steps before the broadcast, if the phases overlap.
    pub fn start(&self) -> Option<u32> {
        self.checked.is_overlapping().then(|| self.checked.start())
    }

    /// One line: the steps, and whether there could be fewer.
    pub fn in_words(&self, name: &str) -> String {
        let status = match self.gap() {
            0 => "optimal".to_owned(),
            gap => format!("best found, at most {} from optimal", words::steps(gap)),
        };
        let order = match self.start() {
            Some(start) => format!("the broadcast starts after {}", words::steps(start)),
            None => "one phase after the other".to_owned(),
        };
        format!("{name}: {}, {order}: {status}", words::steps(self.checked.steps()))
    }
}

/// Bounds the all-reduce of two phases, and shortens it by letting them overlap. `None` for one phase.
pub(super) fn solve(
    args: &SolveArgs,
    phases: &[FoundPhase],
    clock: &Clock,
    stop: &Arc<AtomicBool>,
) -> Result<Option<SolvedWhole>, Failure> {
    let [reduce, broadcast] = phases else { return Ok(None) };
    let checked = [reduce.checked(), broadcast.checked()];
    let problems: [&Problem; 2] = checked.map(|phase| phase.problem());
    let proved = [reduce.bounds.best.steps, broadcast.bounds.best.steps];
    let left = time_left(args.time, clock, 1);
    let interrupt = Interrupt::never()
        .until(left.and_then(|left| Clock::start().after(left)))
        .unless(stop.clone());
    let bound = bounds::of_whole(problems, proved, &interrupt)?;
    let most = all_reduce::evaluations(checked, args.evaluations, args.time);
    // An engine that was asked for by name is the only one.
    let evaluations = if args.engine.is_some() { 0 } else { most };
    let threads = args.threads.unwrap_or_else(words::cores);
    let options = WholeOptions { seed: args.seed, threads, evaluations, interrupt };
    let ticker = Ticker::saying("overlapping the phases");
    let found = all_reduce::overlap(checked[0], checked[1], bound.steps, &options);
    drop(ticker);
    let FoundWhole { checked, evaluations } =
        found.map_err(|error| Failure::Bug(error.to_string()))?;
    Ok(Some(SolvedWhole { checked, bound, evaluations }))
}
