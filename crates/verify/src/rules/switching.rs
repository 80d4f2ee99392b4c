//! V5: under store-and-forward a path has at most one channel; under wormhole it may have any
//! length.

use crate::case::{Case, Report};
use crate::violation::Violation;
use pavane_model::Switching;

/// Reports every path of several channels under store-and-forward.
pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    if case.problem.model().switching == Switching::Wormhole {
        return;
    }
    for number in 0..case.schedule.transfer_count() {
        let hops = case.schedule.transfer(number).path.len();
        if hops > 1 {
            report.add(Violation::NotOneHop { at: case.transfer_name(number), hops });
        }
    }
}
