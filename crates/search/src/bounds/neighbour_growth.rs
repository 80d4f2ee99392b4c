//! Neighbour-growth bound: under store-and-forward a router informs each of its neighbours at most
//! once, and never the one that informed it. After as many steps as it has other neighbours (with
//! one port) it informs no one, so a message grows more slowly than the ports allow: on a network of
//! degree 4 with one port, 1, 2, 4, 8, 16, 30, 56, 104, 192, 354, … routers.

use super::finding::Finding;
use super::{growth, hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, MessageId, Problem, RouterId, Switching};
use std::collections::BTreeMap;

/// Finds the message with several destinations that needs the most steps, if that is more than its
/// growth alone needs.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let (network, messages) = (problem.network(), problem.messages());
    if problem.model().switching != Switching::StoreAndForward
        || messages.delivery_count() == messages.len()
    {
        return Finding::NotApplicable;
    }
    let informing = Informing::new(problem);
    let mut best: Option<(u64, MessageId, u64)> = None;
    let mut counted_by = vec![None; network.router_count()];
    let searched = hops::from_origins(problem, interrupt, |origin, group, distance| {
        let mut most: Option<(u64, MessageId)> = None;
        for &message in group.iter().filter(|&&message| !messages.is_personalised(message)) {
            let mut homes = 0;
            for &to in messages.destinations(message) {
                let home = problem.home(to);
                let is_new = counted_by[home.index()].replace(message) != Some(message);
                homes += u64::from(is_new && home != origin);
            }
            if most.is_none_or(|(most, _)| homes > most) {
                most = Some((homes, message));
            }
        }
        let Some((homes, message)) = most else { return };
        let steps = informing.steps(origin, homes, distance);
        if best.is_none_or(|(most, ..)| steps > most) {
            best = Some((steps, message, homes));
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: "neighbour-growth", why };
    }
    let Some((steps, message, homes)) = best else { return Finding::NotApplicable };
    if steps <= growth::steps_of(problem, message) {
        return Finding::NotApplicable;
    }
    let explanation = format!(
        "the message of {} must reach {}, and a router informs each neighbour once and never the \
         one that informed it, so at least {}",
        words::processor(network, messages.origin(message)),
        words::counted(homes, "other router"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::NeighbourGrowth { message }, explanation)
}

/// How many routers each router can inform.
struct Informing {
    /// By router: its successors.
    successors: Vec<u64>,
    /// By router: its successors without one that informed it.
    afterwards: Vec<u64>,
    /// The routers by number of successors that they can inform afterwards.
    counts: BTreeMap<u64, u64>,
    /// The most that a router can inform in one step.
    per_step: u64,
}

impl Informing {
    fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let (mut successors, mut afterwards) = (Vec::new(), Vec::new());
        let (mut counts, mut per_step) = (BTreeMap::new(), 1);
        for router in network.routers() {
            let mut next = network.successors(router).to_vec();
            next.sort_unstable();
            next.dedup();
            let all = next.len() as u64;
            let is_next = |other: &RouterId| next.binary_search(other).is_ok();
            let is_back = network.predecessors(router).iter().all(is_next);
            let left = all.saturating_sub(u64::from(is_back));
            let residents = network.residents(router).iter();
            let ports: u64 = residents.map(|&p| u64::from(problem.send_ports(p))).sum();
            per_step = ports.min(all).max(per_step);
            successors.push(all);
            afterwards.push(left);
            if !network.is_lost(router) {
                *counts.entry(left).or_insert(0) += 1;
            }
        }
        Self { successors, afterwards, counts, per_step }
    }

    /// Steps until a message from `origin` can have reached `wanted` other routers. The routers
    /// informed first have the most successors.
    fn steps(&self, origin: RouterId, wanted: u64, distance: &[u32]) -> u64 {
        let mut others = self.counts.clone();
        if let Some(count) = others.get_mut(&self.afterwards[origin.index()]) {
            *count -= 1;
        }
        let mut others = others.into_iter().rev().filter(|(_, count)| *count > 0).peekable();
        // By number of successors left: how many informed routers have it.
        let mut busy = BTreeMap::from([(self.successors[origin.index()], 1u64)]);
        let within = within(distance);
        let (mut informed, mut possible, mut steps) = (0, 0, 0);
        while informed < wanted {
            let now = std::mem::take(&mut busy);
            for (left, count) in now {
                possible += left.min(self.per_step) * count;
                if left > self.per_step {
                    *busy.entry(left - self.per_step).or_insert(0) += count;
                }
            }
            steps += 1;
            let next = possible.min(within[within.len().min(steps + 1) - 1]).max(informed);
            if next == informed && busy.is_empty() && steps > within.len() {
                break;
            }
            let mut new = next - informed;
            while let Some((left, count)) = others.peek_mut().filter(|_| new > 0) {
                let taken = new.min(*count);
                new -= taken;
                *count -= taken;
                *busy.entry(*left).or_insert(0) += taken;
                if *count == 0 {
                    others.next();
                }
            }
            informed = next;
        }
        steps as u64
    }
}

/// Number of other routers within 0, 1, 2, … hops.
fn within(distance: &[u32]) -> Vec<u64> {
    let mut within = vec![0];
    for &hops in distance.iter().filter(|hops| **hops != u32::MAX && **hops > 0) {
        within.resize(within.len().max(hops as usize + 1), 0);
        within[hops as usize] += 1;
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}
