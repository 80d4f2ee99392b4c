//! Separator bound: under wormhole switching and half duplex, a router passes at most one message
//! per step for every two of its links. A set of routers that separates parts of the network must
//! pass all messages between them.

use super::finding::Finding;
use super::relay::parts_without;
use super::words;
use crate::budget::Interrupt;
use pavane_model::{Certificate, Duplex, Network, Problem, RouterId, Switching};
use std::cmp::Reverse;

/// Work limit in routers, channels and messages visited.
const LOOKS: u64 = 50_000_000;

/// Finds the router, or the level of switches, that needs the most steps to pass messages.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let model = problem.model();
    // Under full duplex, cuts say as much.
    if model.switching != Switching::Wormhole || model.duplex == Duplex::Full {
        return Finding::NotApplicable;
    }
    let network = problem.network();
    let size = (network.router_count() + network.channel_count()) as u64;
    let mut looks = LOOKS;
    let mut best: Option<(u64, u64, u64, Vec<RouterId>)> = None;
    for set in candidates(network) {
        let cost = size + problem.messages().len() as u64;
        if looks < cost || interrupt.is_raised() {
            break;
        }
        looks -= cost;
        let most: u64 = set.iter().map(|&router| most_passed(network, router)).sum();
        let passing = passing(problem, &set);
        if most == 0 || passing == 0 {
            continue;
        }
        let steps = passing.div_ceil(most);
        if best.as_ref().is_none_or(|(least, ..)| steps > *least) {
            best = Some((steps, passing, most, set));
        }
    }
    let Some((steps, passing, most, routers)) = best else {
        return Finding::without_result("separator", "no set of routers", interrupt);
    };
    let explanation = format!(
        "{} must pass {} over half-duplex links, at most {most} per step, so at least {}",
        words::routers(network, &routers),
        words::counted(passing, "message"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Separator { routers }, explanation)
}

/// The sets of switches at equal distance from the processors, then every router, those with the
/// most links first.
fn candidates(network: &Network) -> Vec<Vec<RouterId>> {
    let mut level: Vec<u32> = network
        .routers()
        .map(|router| if network.residents(router).is_empty() { u32::MAX } else { 0 })
        .collect();
    let mut sets = Vec::new();
    let mut edge: Vec<RouterId> = network.routers().filter(|r| level[r.index()] == 0).collect();
    while !edge.is_empty() {
        let mut next = Vec::new();
        for &router in &edge {
            for &neighbour in network.successors(router) {
                if level[neighbour.index()] == u32::MAX {
                    level[neighbour.index()] = level[router.index()] + 1;
                    next.push(neighbour);
                }
            }
        }
        next.sort_unstable();
        if !next.is_empty() {
            sets.push(next.clone());
        }
        edge = next;
    }
    let mut routers: Vec<RouterId> = network.routers().collect();
    routers.sort_by_key(|&router| Reverse(network.out_channels(router).len()));
    sets.extend(routers.into_iter().map(|router| vec![router]));
    sets
}

/// The messages for one destination whose ends the set separates.
fn passing(problem: &Problem, set: &[RouterId]) -> u64 {
    let (part, count) = parts_without(problem, |router| set.binary_search(&router).is_ok());
    if count < 2 {
        return 0;
    }
    let messages = problem.messages();
    let is_passing = |message: &pavane_model::MessageId| {
        let &[to] = messages.destinations(*message) else { return false };
        let [from, to] = [messages.origin(*message), to].map(|p| part[problem.home(p).index()]);
        from > 0 && to > 0 && from != to
    };
    messages.ids().filter(is_passing).count() as u64
}

/// The most messages that can enter and leave a router in one step under half duplex.
fn most_passed(network: &Network, router: RouterId) -> u64 {
    let channels = network.out_channels(router);
    let links = channels.iter().filter(|&&channel| network.opposite(channel).is_some()).count();
    let (out, into) = (channels.len() - links, network.in_channels(router).len() - links);
    (links + out).min(links + into).min((links + out + into) / 2) as u64
}
