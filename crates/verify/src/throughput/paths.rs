//! Paths: from the router of the sender to that of the receiver, without gaps and without visiting a
//! router twice.

use super::report::PlanViolations;
use super::view::View;
use super::violation::{PlanRule, PlanViolation};

/// Checks the given paths, whose messages and channels exist.
pub(super) fn check(view: View<'_>, routes: &[usize], report: &mut PlanViolations) {
    let problem = &view.phase.problem;
    let (network, messages) = (problem.network(), problem.messages());
    // The last path that visited each router, counted from 1.
    let mut visited = vec![0; network.router_count()];
    for (number, &route) in (1usize..).zip(routes) {
        let path = &view.phase.routes[route];
        let (origin, to) = (messages.origin(path.message), messages.destinations(path.message)[0]);
        let (from, to) = if view.is_backward() {
            (problem.home(to), problem.home(origin))
        } else {
            (problem.home(origin), problem.home(to))
        };
        let mut at = from;
        visited[at.index()] = number;
        for (entry, &channel) in path.channels.iter().enumerate() {
            let ends = network.channel(channel);
            if ends.tail != at {
                report.add(PlanRule::Paths, || PlanViolation::Gap {
                    route: view.name(route),
                    channel,
                    entry,
                    tail: ends.tail,
                    at,
                });
            }
            at = ends.head;
            if std::mem::replace(&mut visited[at.index()], number) == number {
                report.add(PlanRule::Paths, || PlanViolation::Loop {
                    route: view.name(route),
                    router: at,
                });
            }
        }
        if at != to {
            report.add(PlanRule::Paths, || PlanViolation::EndsElsewhere {
                route: view.name(route),
                at,
                home: to,
            });
        }
    }
}
