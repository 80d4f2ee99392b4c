//! Relay bound: under store-and-forward the processors of an articulation router receive and resend
//! every message that crosses from one part of the network to another, once for every part that is
//! connected only through this router. The last one sent must still spread there, behind bridges
//! into one part after another.

use super::branches::steps_behind_bridges;
use super::finding::Finding;
use super::queue::{Queue, Worst};
use super::words;
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, RouterId, Switching};
use std::cmp::Reverse;

/// Work limit in routers, channels, deliveries and queue entries visited.
const LOOKS: u64 = 50_000_000;

/// Finds the router that needs the most steps to pass messages on.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching == Switching::Wormhole {
        return Finding::NotApplicable;
    }
    let (network, messages) = (problem.network(), problem.messages());
    let size = network.router_count() as u64;
    if size * (size + network.channel_count() as u64) > LOOKS {
        let why = format!("{size} routers are too many to remove each in turn");
        return Finding::Skipped { reason: "relay", why };
    }
    let mut search = RelaySearch::new(problem);
    let Some(joints) = search.joints(interrupt) else {
        return Finding::out_of_time("relay", "some of the routers".to_owned());
    };
    let deliveries = messages.delivery_count() as u64;
    let mut left = LOOKS;
    for (done, &(_, router)) in joints.iter().enumerate() {
        if interrupt.is_raised() && search.best.is_none() {
            return Finding::out_of_time("relay", format!("{done} of {} routers", joints.len()));
        }
        if left < deliveries || interrupt.is_raised() {
            break;
        }
        left = left.saturating_sub(deliveries + search.attempt(router));
    }
    let Some((Worst { steps, before, count, after }, what, router)) = search.best else {
        return Finding::NotApplicable;
    };
    let explanation = format!(
        "router {} connects parts of the network and must {what} {} between them{}, so at \
         least {}",
        network.router_name(router),
        words::counted(count, "message"),
        words::queue_ends(",", before, after),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Relay { router }, explanation)
}

/// The best router so far, and memory that is reused for every router.
struct RelaySearch<'a> {
    problem: &'a Problem,
    best: Option<(Worst, &'static str, RouterId)>,
    /// By router: the number of messages that start there, and the number of deliveries that end
    /// there.
    given: Vec<u64>,
    wanted: Vec<u64>,
    sends: Queue,
    receives: Queue,
}

impl<'a> RelaySearch<'a> {
    fn new(problem: &'a Problem) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        let (mut given, mut wanted) =
            (vec![0; network.router_count()], vec![0; network.router_count()]);
        for message in messages.ids() {
            given[problem.home(messages.origin(message)).index()] += 1;
            for &to in messages.destinations(message) {
                wanted[problem.home(to).index()] += 1;
            }
        }
        let (sends, receives) = (Queue::default(), Queue::default());
        Self { problem, best: None, given, wanted, sends, receives }
    }

    /// The routers whose removal disconnects the network, in descending order of the messages they
    /// probably pass on, estimated as if every origin had a message for every destination. `None`
    /// after an interrupt.
    fn joints(&self, interrupt: &Interrupt) -> Option<Vec<(Reverse<u128>, RouterId)>> {
        let network = self.problem.network();
        let total: u64 = self.wanted.iter().sum();
        let mut joints = Vec::new();
        for router in network.routers().filter(|&router| !network.is_lost(router)) {
            if interrupt.is_raised() {
                return None;
            }
            let (part, count) = parts_without(self.problem, |other| other == router);
            if count < 2 {
                continue;
            }
            let (mut given, mut wanted) = (vec![0; count + 1], vec![0; count + 1]);
            for (router, &part) in part.iter().enumerate() {
                given[part] += self.given[router];
                wanted[part] += self.wanted[router];
            }
            let passed = |part: usize| u128::from(given[part]) * u128::from(total - wanted[part]);
            joints.push((Reverse((0..=count).map(passed).sum()), router));
        }
        joints.sort_unstable();
        Some(joints)
    }

    /// Keeps a router if it is the best so far; returns the number of queue entries visited.
    fn attempt(&mut self, router: RouterId) -> u64 {
        let (problem, network) = (self.problem, self.problem.network());
        self.queue_up(router);
        let residents = network.residents(router).iter();
        let sent = residents.clone().map(|&p| u64::from(problem.send_ports(p))).sum();
        let received = residents.map(|&p| u64::from(problem.receive_ports(p))).sum();
        let found = [(self.sends.worst(sent), "send"), (self.receives.worst(received), "receive")];
        for (found, what) in found {
            let most = self.best.map_or(0, |(best, ..)| best.steps);
            // Of equal routers the one with the lowest number is kept.
            let is_first = self.best.is_none_or(|(.., best)| router < best);
            if found.steps > most || (found.steps == most && most > 0 && is_first) {
                self.best = Some((found, what, router));
            }
        }
        self.sends.size() + self.receives.size()
    }

    /// Fills the queues with the messages that the processors of a router must send and receive.
    fn queue_up(&mut self, router: RouterId) {
        let (problem, messages) = (self.problem, self.problem.messages());
        let (part, count) = parts_without(problem, |other| other == router);
        let network = problem.network();
        let (towards, away) = (network.distances_to(router), network.distances_from(router));
        self.sends.clear();
        self.receives.clear();
        let (sizes, spreads) = spreads(problem, router, (&part, count), &away);
        // The parts that a message goes to; by part, the hops to its furthest destination there,
        // its number of routers with destinations, and the last message that was counted there; by
        // router, the last message with a destination there.
        let mut reached: Vec<usize> = Vec::new();
        let mut furthest: Vec<u32> = vec![0; count + 1];
        let mut wanted = vec![0; count + 1];
        let mut last = vec![None; count + 1];
        let mut last_at = vec![None; part.len()];
        for message in messages.ids() {
            let origin = problem.home(messages.origin(message));
            let own = part[origin.index()];
            for &to in messages.destinations(message) {
                let home = problem.home(to);
                let to = part[home.index()];
                if to == own {
                    continue;
                }
                if last[to].replace(message) != Some(message) {
                    reached.push(to);
                    (furthest[to], wanted[to]) = (0, 0);
                }
                wanted[to] += u32::from(last_at[home.index()].replace(message) != Some(message));
                furthest[to] = furthest[to].max(away[home.index()]);
            }
            let before = towards[origin.index()];
            if let Some(after) =
                reached.iter().map(|&part| furthest[part]).max().filter(|_| own > 0)
            {
                self.receives.push(before - 1, after);
            }
            for &part in reached.iter().filter(|&&part| part > 0) {
                let spread = if wanted[part] == sizes[part] { spreads[part] } else { 0 };
                self.sends.push(before, spread.max(furthest[part] - 1));
            }
            reached.clear();
        }
    }
}

/// By part that the removal of a router leaves: its number of routers, and the steps that a message
/// for all of them needs after it was first sent into the part. A router there holds the message no
/// earlier than its hops allow, and then sends it into the parts behind its bridges.
fn spreads(
    problem: &Problem,
    removed: RouterId,
    (part, count): (&[usize], usize),
    away: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let (mut sizes, mut spreads) = (vec![0; count + 1], vec![0; count + 1]);
    let behind = steps_behind_bridges(problem, removed);
    for (router, &part) in part.iter().enumerate().filter(|(_, part)| **part > 0) {
        sizes[part] += 1;
        if behind[router] > 0 && away[router] != u32::MAX {
            spreads[part] = (away[router] - 1 + behind[router] as u32).max(spreads[part]);
        }
    }
    (sizes, spreads)
}

/// For every router its component after some routers are removed, counted from 1 (0 for these), and
/// the number of components.
pub(super) fn parts_without(
    problem: &Problem,
    is_removed: impl Fn(RouterId) -> bool,
) -> (Vec<usize>, usize) {
    let network = problem.network();
    let mut part = vec![0; network.router_count()];
    let mut count = 0;
    let mut open = Vec::new();
    let others = |start: &RouterId| !is_removed(*start) && !network.is_lost(*start);
    for start in network.routers().filter(others) {
        if part[start.index()] > 0 {
            continue;
        }
        count += 1;
        part[start.index()] = count;
        open.push(start);
        while let Some(at) = open.pop() {
            for &next in network.successors(at).iter().chain(network.predecessors(at)) {
                if !is_removed(next) && part[next.index()] == 0 {
                    part[next.index()] = count;
                    open.push(next);
                }
            }
        }
    }
    (part, count)
}
