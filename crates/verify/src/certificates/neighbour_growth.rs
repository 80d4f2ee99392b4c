//! Neighbour growth: under store-and-forward a router that knows a message informs each of its
//! neighbours at most once, and never the one that informed it. It soon has no one left to inform,
//! so the number of informed routers grows more slowly than the ports allow.
//!
//! A router that was informed before step `s` informs at most `min(c * i, f)` others in `i` steps:
//! `c` is the most that any router can inform in one step (the send ports of its processors, at most
//! one per successor), and `f` its number of successors, less one if the router that informed it
//! must be among them. The origin's router counts all its successors. Since `min(c * i, f)` has
//! increasing differences in `i` and `f`, the sum over the informed routers is largest if those
//! informed first have the largest `f`. By induction over the steps, the curve computed below, in
//! which the k-th informed router has the k-th largest `f`, is an upper bound; the routers within as
//! many hops as steps are another.

use super::{Argument, Claim, Refusal, check_message, check_store_and_forward};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{Neighbours, UNREACHABLE, distances_from};
use pavane_model::{Certificate, MessageId, Problem, RouterId};
use std::collections::VecDeque;

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::NeighbourGrowth { message } = claim.certificate else { return None };
    Some(Box::new(NeighbourGrowth { message }))
}

struct NeighbourGrowth {
    message: MessageId,
}

impl Argument for NeighbourGrowth {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        let neighbours = 3 * size.neighbours() + 2 * sorting(size.channels);
        let curve = size.search() + 4 * size.channels + size.processors + sorting(size.routers);
        Cost::of(neighbours + size.deliveries + curve)
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_store_and_forward(problem)?;
        check_message(problem, self.message)?;
        let (network, messages) = (problem.network(), problem.messages());
        let origin = problem.home(messages.origin(self.message));
        let mut is_wanted = vec![false; network.router_count()];
        for &to in messages.destinations(self.message) {
            is_wanted[problem.home(to).index()] = true;
        }
        is_wanted[origin.index()] = false;
        let wanted = is_wanted.into_iter().filter(|&wanted| wanted).count() as u64;
        let successors = Informing::of(problem);
        let within = routers_within(problem, origin);
        let mut others: Vec<u64> = network
            .routers()
            .filter(|&router| router != origin && !network.is_lost(router))
            .map(|router| successors[router.index()].afterwards)
            .collect();
        others.sort_unstable();
        let fastest = successors.iter().map(|informing| informing.per_step).max().unwrap_or(0);
        if fastest == 0 {
            return Err("no processor can forward the message".into());
        }
        // The routers that still have successors to inform, and how many.
        let mut busy = VecDeque::from([successors[origin.index()].all]);
        // Others informed by now, and the most that the routers so far can have informed.
        let (mut informed, mut possible, mut steps) = (0u64, 0u64, 0);
        while informed < wanted {
            for _ in 0..busy.len() {
                let Some(left) = busy.pop_front() else { break };
                possible += left.min(fastest);
                if left > fastest {
                    busy.push_back(left - fastest);
                }
            }
            steps += 1;
            let near = within[steps.min(within.len() - 1)] - 1;
            let next = possible.min(near).max(informed);
            if next == informed && busy.is_empty() && steps >= within.len() {
                return Err("the message cannot reach all its destinations".into());
            }
            for _ in informed..next {
                busy.extend(others.pop().filter(|&left| left > 0));
            }
            informed = next;
        }
        Ok(steps as u64)
    }
}

/// How many routers one router can inform.
struct Informing {
    /// In one step.
    per_step: u64,
    /// In all, if it is the origin's.
    all: u64,
    /// In all, if another router informed it.
    afterwards: u64,
}

impl Informing {
    fn of(problem: &Problem) -> Vec<Self> {
        let network = problem.network();
        let (along, against) = (Neighbours::along(network), Neighbours::against(network));
        let distinct = |routers: &[RouterId]| {
            let mut routers = routers.to_vec();
            routers.sort_unstable();
            routers.dedup();
            routers
        };
        let of = |router| {
            let (next, before) = (distinct(along.of(router)), distinct(against.of(router)));
            let residents = network.residents(router).iter();
            let ports: u64 = residents.map(|&p| u64::from(problem.send_ports(p))).sum();
            let all = next.len() as u64;
            let is_informed_from_next =
                before.iter().all(|other| next.binary_search(other).is_ok());
            let afterwards = if is_informed_from_next { all.saturating_sub(1) } else { all };
            Self { per_step: ports.min(all), all, afterwards }
        };
        network.routers().map(of).collect()
    }
}

/// Number of routers within 0, 1, 2, … hops of a router, up to the furthest.
fn routers_within(problem: &Problem, source: RouterId) -> Vec<u64> {
    let mut within: Vec<u64> = vec![0];
    for hops in distances_from(problem.network(), source) {
        if hops != UNREACHABLE {
            within.resize(within.len().max(hops as usize + 1), 0);
            within[hops as usize] += 1;
        }
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}
