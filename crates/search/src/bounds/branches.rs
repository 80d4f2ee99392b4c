//! Branches bound: under store-and-forward a router sends a message into the parts behind its
//! bridges one after another, as its ports allow, the slowest part first. On a tree with one
//! processor per router this is the exact optimum.

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use pavane_model::{Certificate, MessageId, Problem, RouterId, Switching};

/// Work limit in routers and channels visited.
const LOOKS: u64 = 50_000_000;

/// Finds the message with several destinations that needs the most steps behind bridges.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let (network, messages) = (problem.network(), problem.messages());
    let mut looks = LOOKS;
    let mut best: Option<(u64, MessageId, RouterId)> = None;
    for message in messages.ids().filter(|&message| !messages.is_personalised(message)) {
        let size = network.router_count() + network.channel_count();
        let cost = 4 * size as u64 + messages.destinations(message).len() as u64;
        if looks < cost || interrupt.is_raised() {
            break;
        }
        looks -= cost;
        let (steps, router) = BridgeWalk::new(problem, message).steps();
        if best.is_none_or(|(most, ..)| steps > most) {
            best = Some((steps, message, router));
        }
    }
    let Some((steps, message, router)) = best.filter(|(steps, ..)| *steps > 0) else {
        return Finding::without_result("branches", "no message", interrupt);
    };
    let explanation = format!(
        "router {} sends the message of {} into the parts behind its bridges one after another, the slowest first, so at least {}",
        network.router_name(router),
        words::processor(network, messages.origin(message)),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Branches { message }, explanation)
}

/// A depth-first walk from the origin of a message that ignores the direction of channels.
struct BridgeWalk<'a> {
    problem: &'a Problem,
    /// The routers, each after its parent.
    order: Vec<RouterId>,
    parent: Vec<RouterId>,
    /// By router: its place in `order`, and the first place that it or a router below it is
    /// connected to by a hop that the walk did not take.
    place: Vec<u32>,
    lowest: Vec<u32>,
    is_needed: Vec<bool>,
    hops: Vec<u32>,
}

/// Place of a router that the walk did not reach.
const NOWHERE: u32 = u32::MAX;

/// By router: the steps that its processors need to send a message from `origin` to all routers
/// into the parts behind the router's bridges.
pub(super) fn steps_behind_bridges(problem: &Problem, origin: RouterId) -> Vec<u64> {
    let is_needed = vec![true; problem.network().router_count()];
    let mut steps = vec![0; is_needed.len()];
    BridgeWalk::from(problem, origin, is_needed).visit(|router, behind| {
        steps[router.index()] = behind;
    });
    steps
}

impl<'a> BridgeWalk<'a> {
    fn new(problem: &'a Problem, message: MessageId) -> Self {
        let origin = problem.home(problem.messages().origin(message));
        let mut is_needed = vec![false; problem.network().router_count()];
        for &to in problem.messages().destinations(message) {
            is_needed[problem.home(to).index()] = true;
        }
        Self::from(problem, origin, is_needed)
    }

    fn from(problem: &'a Problem, origin: RouterId, is_needed: Vec<bool>) -> Self {
        let (network, routers) = (problem.network(), is_needed.len());
        let mut walk = Self {
            problem,
            order: Vec::new(),
            parent: vec![origin; routers],
            place: vec![NOWHERE; routers],
            lowest: vec![NOWHERE; routers],
            is_needed,
            hops: network.distances_from(origin),
        };
        walk.go(origin);
        walk
    }

    fn go(&mut self, origin: RouterId) {
        let network = self.problem.network();
        let mut open = vec![(origin, 0)];
        self.arrive(origin);
        while let Some((router, next)) = open.last_mut() {
            let router = *router;
            let (out, into) = (network.successors(router), network.predecessors(router));
            let at = *next;
            *next += 1;
            let neighbour = if at < out.len() { out.get(at) } else { into.get(at - out.len()) };
            let Some(&neighbour) = neighbour else {
                open.pop();
                let low = self.lowest[router.index()];
                let above = &mut self.lowest[self.parent[router.index()].index()];
                *above = low.min(*above);
                continue;
            };
            if self.place[neighbour.index()] == NOWHERE {
                self.parent[neighbour.index()] = router;
                self.arrive(neighbour);
                open.push((neighbour, 0));
            } else if neighbour != self.parent[router.index()] {
                let low = &mut self.lowest[router.index()];
                *low = self.place[neighbour.index()].min(*low);
            }
        }
    }

    fn arrive(&mut self, router: RouterId) {
        let place = self.order.len() as u32;
        self.place[router.index()] = place;
        self.lowest[router.index()] = place;
        self.order.push(router);
    }

    /// The bound, and the router that attains it.
    fn steps(self) -> (u64, RouterId) {
        let mut best = (0, self.order[0]);
        let hops = self.hops.clone();
        self.visit(|router, steps| {
            let whole = u64::from(hops[router.index()]) + steps;
            best = if whole > best.0 { (whole, router) } else { best };
        });
        best
    }

    /// Calls `found` for every router with parts behind its bridges, with the steps that it needs
    /// to send the message into them.
    fn visit(mut self, mut found: impl FnMut(RouterId, u64)) {
        let mut behind: Vec<Vec<u64>> = vec![Vec::new(); self.place.len()];
        for &router in self.order.iter().rev() {
            let mut parts = std::mem::take(&mut behind[router.index()]);
            parts.sort_unstable();
            let residents = self.problem.network().residents(router).iter();
            let ports: u64 =
                residents.map(|&p| u64::from(self.problem.send_ports(p))).sum::<u64>().max(1);
            let slowest = parts.iter().rev().zip(0u64..);
            let steps = slowest.map(|(steps, sent)| sent / ports + 1 + steps).max().unwrap_or(0);
            if steps > 0 {
                found(router, steps);
            }
            let parent = self.parent[router.index()];
            if parent == router || !self.is_needed[router.index()] {
                continue;
            }
            self.is_needed[parent.index()] = true;
            if self.lowest[router.index()] == self.place[router.index()] {
                behind[parent.index()].push(steps);
            }
        }
    }
}
