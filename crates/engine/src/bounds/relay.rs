//! Relay bound: hop by hop, what goes from one side of a router to another is received and sent on by its
//! processors, once for every part of the network that hangs on this router alone.

use super::cut_queue::{Worst, worst};
use super::{Finding, words};
use pavane_model::{Certificate, Problem, RouterId, Switching};

/// Routers, channels and deliveries that may be looked at.
const LOOKS: u64 = 50_000_000;

/// The router that has the most to pass on.
pub fn bound(problem: &Problem) -> Finding {
    if problem.model().switching == Switching::Wormhole {
        return Finding::NotApplicable;
    }
    let (network, messages) = (problem.network(), problem.messages());
    let deliveries: u64 = messages.ids().map(|m| messages.destinations(m).len() as u64).sum();
    let size = network.router_count() as u64;
    if size * (size + network.channel_count() as u64) > LOOKS {
        let why = format!("{size} routers are too many to take each out");
        return Finding::Skipped { reason: "relay", why };
    }
    let mut best: Option<(Worst, &str, RouterId)> = None;
    let mut left = LOOKS;
    for router in network.routers().filter(|&router| !network.is_lost(router)) {
        let (part, count) = parts(problem, router);
        if count < 2 || left < deliveries {
            continue;
        }
        left -= deliveries;
        let (sends, receives) = passed_on(problem, router, &part, count);
        let residents = network.residents(router).iter();
        let sent = residents.clone().map(|&p| u64::from(problem.send_ports(p))).sum();
        let received = residents.map(|&p| u64::from(problem.receive_ports(p))).sum();
        for (found, what) in
            [(worst(&sends, sent), "send"), (worst(&receives, received), "receive")]
        {
            if found.steps > best.map_or(0, |(best, ..)| best.steps) {
                best = Some((found, what, router));
            }
        }
    }
    let Some((Worst { steps, before, count, after }, what, router)) = best else {
        return Finding::NotApplicable;
    };
    let explanation = format!(
        "router {} joins parts of the network and must {what} {} on, none before step {before}, and the last has \
         {} more to go: {steps}",
        network.router_name(router),
        words::counted(count, "message"),
        words::counted(after, "step"),
    );
    Finding::proved(steps, Certificate::Relay { router }, explanation)
}

/// For every router the part that it is in without one of them, counted from 1, and how many parts there are.
fn parts(problem: &Problem, router: RouterId) -> (Vec<usize>, usize) {
    let network = problem.network();
    let mut part = vec![0; network.router_count()];
    let mut count = 0;
    let mut open = Vec::new();
    let others = |start: &RouterId| *start != router && !network.is_lost(*start);
    for start in network.routers().filter(others) {
        if part[start.index()] > 0 {
            continue;
        }
        count += 1;
        part[start.index()] = count;
        open.push(start);
        while let Some(at) = open.pop() {
            for &next in network.successors(at).iter().chain(network.predecessors(at)) {
                if next != router && part[next.index()] == 0 {
                    part[next.index()] = count;
                    open.push(next);
                }
            }
        }
    }
    (part, count)
}

/// A transfer that must be: steps before it, and after it.
type Passed = Vec<(u64, u64)>;

/// What the processors of a router must send, and receive.
fn passed_on(
    problem: &Problem,
    router: RouterId,
    part: &[usize],
    count: usize,
) -> (Passed, Passed) {
    let (network, messages) = (problem.network(), problem.messages());
    let (towards, away) = (network.distances_to(router), network.distances_from(router));
    let (mut sends, mut receives) = (Passed::new(), Passed::new());
    let mut furthest = vec![None; count + 1];
    for message in messages.ids() {
        let origin = problem.home(messages.origin(message));
        let own = part[origin.index()];
        furthest.fill(None);
        for &to in messages.destinations(message) {
            let home = problem.home(to);
            let hops = Some(u64::from(away[home.index()]));
            furthest[part[home.index()]] = furthest[part[home.index()]].max(hops);
        }
        let before = u64::from(towards[origin.index()]);
        let elsewhere = (0..=count).filter(|&other| other != own);
        if let Some(after) = elsewhere.filter_map(|other| furthest[other]).max().filter(|_| own > 0)
        {
            receives.push((before - 1, after));
        }
        let parts = (1..=count).filter(|&other| other != own);
        sends.extend(parts.filter_map(|other| furthest[other]).map(|hops| (before, hops - 1)));
    }
    (sends, receives)
}
