//! Branches: under store-and-forward a message enters the part behind a bridge of the network only
//! from the router before it. That router sends it into one such part after the other, as its ports
//! allow, and every part needs further steps.

use super::{Argument, Claim, Refusal, check_message, check_store_and_forward};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{Neighbours, distances_from};
use pavane_model::{Certificate, MessageId, Problem, RouterId};
use std::cmp::Reverse;

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Branches { message } = claim.certificate else { return None };
    Some(Box::new(Branches { message }))
}

struct Branches {
    message: MessageId,
}

impl Argument for Branches {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(bridges_cost(size).saturating_add(size.deliveries))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_store_and_forward(problem)?;
        check_message(problem, self.message)?;
        let (network, messages) = (problem.network(), problem.messages());
        let origin = problem.home(messages.origin(self.message));
        let mut is_needed = vec![false; network.router_count()];
        for &to in messages.destinations(self.message) {
            is_needed[problem.home(to).index()] = true;
        }
        let hops = distances_from(network, origin);
        let behind = steps_behind_bridges(problem, origin, is_needed);
        let sending = behind.iter().zip(hops).filter(|(steps, _)| **steps > 0);
        Ok(sending.map(|(steps, hops)| u64::from(hops) + steps).max().unwrap_or(0))
    }
}

/// Operations of [`steps_behind_bridges`].
pub(super) fn bridges_cost(size: &Size) -> u64 {
    let linear = 3 * size.neighbours() + 6 * size.search();
    linear.saturating_add(sorting(size.routers))
}

/// By router: the steps that its processors need to send a message from `origin` into the parts
/// behind the router's bridges, if the message must reach all routers marked as needed. 0 if it has
/// no such part.
pub(super) fn steps_behind_bridges(
    problem: &Problem,
    origin: RouterId,
    mut is_needed: Vec<bool>,
) -> Vec<u64> {
    let routers = problem.network().router_count();
    let search = DepthFirst::from(problem, origin);
    let is_on_cycle = search.on_cycle(problem);
    let mut behind: Vec<Vec<u64>> = vec![Vec::new(); routers];
    let mut all = vec![0; routers];
    for &router in search.order.iter().rev() {
        let steps = steps_into(problem, router, &mut behind[router.index()]);
        all[router.index()] = steps;
        let Some(parent) = search.parent[router.index()] else { continue };
        if is_needed[router.index()] {
            is_needed[parent.index()] = true;
            if !is_on_cycle[router.index()] {
                behind[parent.index()].push(steps);
            }
        }
    }
    all
}

/// The steps that a router's processors need to send a message into all parts behind its bridges,
/// each of which needs the given number of further steps: the slowest part first.
fn steps_into(problem: &Problem, router: RouterId, parts: &mut [u64]) -> u64 {
    parts.sort_unstable_by_key(|&steps| Reverse(steps));
    let residents = problem.network().residents(router).iter();
    let ports: u64 = residents.map(|&p| u64::from(problem.send_ports(p))).sum();
    let ends = (0..).zip(parts).map(|(before, steps): (u64, _)| before / ports.max(1) + 1 + *steps);
    ends.max().unwrap_or(0)
}

/// The routers in the order of a depth-first search that ignores the direction of channels.
struct DepthFirst {
    along: Neighbours,
    against: Neighbours,
    order: Vec<RouterId>,
    parent: Vec<Option<RouterId>>,
}

impl DepthFirst {
    fn from(problem: &Problem, origin: RouterId) -> Self {
        let network = problem.network();
        let (along, against) = (Neighbours::along(network), Neighbours::against(network));
        let mut parent = vec![None; network.router_count()];
        let mut is_seen = vec![false; network.router_count()];
        let mut next = vec![0; network.router_count()];
        let mut order = vec![origin];
        is_seen[origin.index()] = true;
        let mut at = Some(origin);
        while let Some(router) = at {
            let (out, into) = (along.of(router), against.of(router));
            let place = next[router.index()];
            next[router.index()] += 1;
            let Some(&neighbour) = out.get(place).or_else(|| into.get(place - out.len())) else {
                at = parent[router.index()];
                continue;
            };
            if !is_seen[neighbour.index()] {
                is_seen[neighbour.index()] = true;
                parent[neighbour.index()] = Some(router);
                order.push(neighbour);
                at = Some(neighbour);
            }
        }
        Self { along, against, order, parent }
    }

    /// By router: whether the hop from its parent lies on a cycle, so that it is no bridge. Every
    /// hop that the search did not take closes a cycle with the hops between its two ends
    /// (Schmidt 2013).
    fn on_cycle(&self, problem: &Problem) -> Vec<bool> {
        let routers = problem.network().router_count();
        let mut number = vec![usize::MAX; routers];
        for (at, router) in self.order.iter().enumerate() {
            number[router.index()] = at;
        }
        let (mut is_done, mut is_on_cycle) = (vec![false; routers], vec![false; routers]);
        for &router in &self.order {
            is_done[router.index()] = true;
            for &other in self.along.of(router).iter().chain(self.against.of(router)) {
                let is_below = number[other.index()] > number[router.index()];
                if !is_below || self.parent[other.index()] == Some(router) {
                    continue;
                }
                let mut at = other;
                while !is_done[at.index()] {
                    is_done[at.index()] = true;
                    is_on_cycle[at.index()] = true;
                    let Some(above) = self.parent[at.index()] else { break };
                    at = above;
                }
            }
        }
        is_on_cycle
    }
}
