//! Trees: a router sends only what it has, a switch that does not copy sends on every copy once, and
//! the router of every receiver is entered exactly once.

use super::report::PlanViolations;
use super::view::View;
use super::violation::{PlanRule, PlanViolation};
use pavane_model::{MessageId, ProcessorId, RouterId};

/// Checks the given trees, whose messages and channels exist. Takes time in proportion to their
/// channels and to the deliveries of their messages.
pub(super) fn check(view: View<'_>, routes: &[usize], report: &mut PlanViolations) {
    let routers = view.phase.problem.network().router_count();
    let mut walk = Walk {
        view,
        wanted: vec![false; routers],
        entered: vec![0; routers],
        left: vec![0; routers],
        touched: Vec::new(),
    };
    let sorted = view.by_message(routes);
    let message_of = |route: usize| view.phase.routes[route].message;
    for group in sorted.chunk_by(|&one, &other| message_of(one) == message_of(other)) {
        walk.check_message(message_of(group[0]), group, report);
    }
}

/// The state of a walk along a tree, per router.
struct Walk<'a> {
    view: View<'a>,
    /// Whether the current message is wanted there.
    wanted: Vec<bool>,
    entered: Vec<u64>,
    left: Vec<u64>,
    /// The routers at the ends of the channels so far, repeated.
    touched: Vec<RouterId>,
}

impl Walk<'_> {
    fn check_message(&mut self, message: MessageId, trees: &[usize], report: &mut PlanViolations) {
        let problem = &self.view.phase.problem;
        let root = self.view.root(message);
        let destinations = problem.messages().destinations(message);
        let mut count = 0;
        for &to in destinations {
            let home = problem.home(to);
            if home != root && !std::mem::replace(&mut self.wanted[home.index()], true) {
                count += 1;
            }
        }
        for &tree in trees {
            self.check_tree(tree, root, report);
            self.check_ends(tree, root, count, destinations, report);
            for router in self.touched.drain(..) {
                self.entered[router.index()] = 0;
                self.left[router.index()] = 0;
            }
        }
        for &to in destinations {
            self.wanted[problem.home(to).index()] = false;
        }
    }

    /// Follows the channels of a tree.
    fn check_tree(&mut self, tree: usize, root: RouterId, report: &mut PlanViolations) {
        let view = self.view;
        let is_backward = view.is_backward();
        for (entry, channel) in view.channels(tree) {
            let (from, to) = view.ends(channel);
            let (entered, left) = (self.entered[from.index()], self.left[from.index()]);
            if from != root && entered == 0 {
                report.add(PlanRule::Order, || PlanViolation::NotThere {
                    route: view.name(tree),
                    router: from,
                    channel,
                    entry,
                });
            } else if !view.is_copying(from) && left >= entered {
                report.add(PlanRule::Switches, || PlanViolation::Copies {
                    route: view.name(tree),
                    router: from,
                    channel,
                    entry,
                    is_backward,
                });
            }
            self.touched.extend([from, to]);
            self.left[from.index()] += 1;
            self.entered[to.index()] += 1;
            if to == root {
                report.add(PlanRule::Delivery, || PlanViolation::BackHome {
                    route: view.name(tree),
                    router: to,
                    channel,
                    is_backward,
                });
            } else if self.entered[to.index()] > 1 && view.is_copying(to) {
                report.add(PlanRule::Delivery, || PlanViolation::Twice {
                    route: view.name(tree),
                    router: to,
                    channel,
                    is_backward,
                });
            }
        }
    }

    /// Checks what every router has at the end. `count` routers want the message.
    fn check_ends(
        &mut self,
        tree: usize,
        root: RouterId,
        count: u64,
        destinations: &[ProcessorId],
        report: &mut PlanViolations,
    ) {
        let view = self.view;
        let is_backward = view.is_backward();
        self.touched.sort_unstable();
        self.touched.dedup();
        let mut reached = 0;
        for &router in self.touched.iter().filter(|&&router| router != root) {
            let (entered, left) = (self.entered[router.index()], self.left[router.index()]);
            if self.wanted[router.index()] && entered > 0 {
                reached += 1;
            } else if view.is_copying(router) && entered > 0 && left == 0 {
                report.add(PlanRule::Delivery, || PlanViolation::Useless {
                    route: view.name(tree),
                    router,
                    is_backward,
                });
            } else if !view.is_copying(router) && entered > left {
                // In a reduce the channels of the file run the other way.
                let (entered, left) = if is_backward { (left, entered) } else { (entered, left) };
                report.add(PlanRule::Switches, || PlanViolation::Unbalanced {
                    route: view.name(tree),
                    router,
                    entered,
                    left,
                });
            }
        }
        if reached == count {
            return;
        }
        let home = |processor: ProcessorId| view.phase.problem.home(processor);
        let is_missing =
            |to: &ProcessorId| home(*to) != root && self.entered[home(*to).index()] == 0;
        report.add(PlanRule::Delivery, || PlanViolation::Missing {
            route: view.name(tree),
            processor: destinations.iter().copied().find(is_missing).unwrap_or(destinations[0]),
            routers: count - reached,
            is_backward,
        });
    }
}
