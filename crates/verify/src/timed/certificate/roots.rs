//! Roots: every byte of an all-reduce is summed at some participant. The last contribution must reach
//! it, and the sum must then reach the farthest participant.

use super::latency::UNREACHED;
use super::{BoundCase, TimeBoundError};
use crate::cost::{Cost, Limits, Size, sorting};
use pavane_model::{Fraction, RouterId};

pub(super) fn derive(case: &BoundCase<'_>, limits: Limits) -> Result<Fraction, TimeBoundError> {
    let [_, view] = case.views else {
        return Err(TimeBoundError::Wrong("only an all-reduce has roots".to_owned()));
    };
    let problem = &view.phase.problem;
    if problem.messages().ids().all(|message| view.phase.size(message) == 0) {
        return Err(TimeBoundError::Wrong("there is nothing to sum".to_owned()));
    }
    let mut homes: Vec<RouterId> =
        problem.collective().receivers.iter().map(|&p| problem.home(p)).collect();
    homes.sort_unstable();
    homes.dedup();
    let size = Size::of(problem);
    let search = size.routers.saturating_add(sorting(size.channels));
    limits.check(Cost::of((2 * homes.len() as u64).saturating_mul(search)))?;
    let farthest = |least: &[u128]| homes.iter().map(|home| least[home.index()]).max();
    let mut best: Option<u128> = None;
    for &root in &homes {
        let arrived = farthest(&case.latencies.to(*view, root)).unwrap_or(0);
        let left = farthest(&case.latencies.from(*view, root, None)).unwrap_or(0);
        if arrived != UNREACHED && left != UNREACHED {
            best = Some(best.unwrap_or(UNREACHED).min(arrived + left));
        }
    }
    let ticks =
        best.ok_or(TimeBoundError::Wrong("no participant reaches all others".to_owned()))?;
    Fraction::new(ticks, case.latencies.ticks_per_ns).ok_or(TimeBoundError::Arithmetic)
}
