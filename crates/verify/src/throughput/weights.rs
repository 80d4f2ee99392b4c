//! Weights: every tree and path has one, and those of a message add up to scale times its size.

use super::report::PlanViolations;
use super::view::View;
use super::violation::{PlanRule, PlanViolation};

/// Checks the weights of the given routes, all of whose messages exist.
pub(super) fn check(view: View<'_>, scale: u64, routes: &[usize], report: &mut PlanViolations) {
    let (phase, problem) = (view.phase, &view.phase.problem);
    let mut sums = vec![0u128; problem.messages().len()];
    for &route in routes {
        let weight = phase.routes[route].weight;
        sums[phase.routes[route].message.index()] += u128::from(weight);
        if weight == 0 {
            report.add(PlanRule::Weights, || PlanViolation::NoWeight { route: view.name(route) });
        }
    }
    for message in problem.messages().ids() {
        let sum = sums[message.index()];
        let expected = u128::from(scale) * u128::from(phase.size(message));
        if sum == expected || sum == 0 && is_local(view, message) {
            continue;
        }
        report.add(PlanRule::Weights, || PlanViolation::Sum {
            phase: view.number,
            label: problem.label(message),
            sum,
            expected,
        });
    }
}

/// Whether all processors of a message live on one router, so that it needs no channel.
fn is_local(view: View<'_>, message: pavane_model::MessageId) -> bool {
    let problem = &view.phase.problem;
    let root = view.root(message);
    problem.messages().destinations(message).iter().all(|&to| problem.home(to) == root)
}
