//! Cuts from maximum flows: minimum cuts between routers, and for single routers the cut that takes
//! the most steps for the messages out of the router or into it.

use super::routing::EvenRouting;
use super::search::CutSearch;
use crate::flow::Flow;
use pavane_model::{Duplex, Network, RouterId};

/// Estimated work of a flow, as a multiple of the size of the network.
const ROUNDS: u64 = 20;

/// Largest product of routers and network size (routers plus channels) for which minimum cuts are
/// tried: about two thousand routers.
const MOST_LOOKS: usize = 25_000_000;

/// Tries n - 1 minimum cuts. In an undirected network they include a minimum cut for every pair of
/// routers; in a directed network each pair is cut in both directions. After Gusfield, SIAM J.
/// Comput. 19, 1990.
pub fn try_least_cuts(search: &mut CutSearch<'_>) {
    let network = search.problem.network();
    let routers = search.routers;
    let size = network.router_count() + network.channel_count();
    if routers.len() * size > MOST_LOOKS {
        return;
    }
    let channels = network.channels().iter();
    let arcs: Vec<_> = channels.map(|c| (c.tail.0, c.head.0, 1)).collect();
    let mut flow = Flow::new(network.router_count(), &arcs);
    let mut parent = vec![routers[0]; network.router_count()];
    for (index, &router) in routers.iter().enumerate().skip(1) {
        if search.is_done() {
            return;
        }
        let other = parent[router.index()];
        if network.is_directed() {
            flow.clear();
            flow.push(other.index(), router.index(), u64::MAX);
            search.try_set(&flow.side_of(other.index()));
        }
        flow.clear();
        flow.push(router.index(), other.index(), u64::MAX);
        let side = flow.side_of(router.index());
        search.try_set(&side);
        for later in &routers[index + 1..] {
            if side[later.index()] && parent[later.index()] == other {
                parent[later.index()] = router;
            }
        }
    }
}

/// For every router, tries the set around it that its outgoing messages take the most steps to
/// leave, and the set that its incoming messages take the most steps to enter.
pub fn try_single_routers(search: &mut CutSearch<'_>) {
    let settled = search.is_settled_out_of_one();
    for is_out in [true, false].into_iter().filter(|&is_out| settled != Some(!is_out)) {
        let ends = search.ends(is_out);
        let stride = search.stride(ends.len(), ROUNDS * search.cost());
        let mut routing = EvenRouting::new(search.problem.network(), is_out);
        for &router in ends.iter().step_by(stride) {
            if search.is_done() {
                return;
            }
            let asked = if is_out {
                search.demand.given_by(router.index())
            } else {
                search.demand.wanted_at(router.index())
            };
            if let Some(asked) = asked {
                let star = Star { router, asked, is_out };
                let least = if settled.is_some() { search.best_steps() } else { 0 };
                try_around(search, &mut routing, &star, least);
            }
        }
        if stride == 1 && settled.is_some() {
            search.settle();
        }
    }
}

/// Messages between one router and every other router, out of it or into it.
struct Star {
    router: RouterId,
    asked: Vec<u64>,
    is_out: bool,
}

/// Routes the demand with `steps` uses of every channel, starting at `least` or more. While the
/// demand does not fit, the saturated cut needs more steps, and the next attempt uses that number.
fn try_around(search: &mut CutSearch<'_>, routing: &mut EvenRouting<'_>, star: &Star, least: u64) {
    let Star { router, asked, is_out } = star;
    let network = search.problem.network();
    let alone: Vec<bool> = (0..asked.len()).map(|at| at == router.index()).collect();
    search.try_set(&alone);
    routing.clear();
    routing.add(*router, asked);
    let enough = routing.steps(Duplex::Full);
    let own = if *is_out {
        network.out_channels(*router).len()
    } else {
        network.in_channels(*router).len()
    };
    let mut steps = asked.iter().sum::<u64>().div_ceil((own as u64).max(1)).max(least);
    while steps < enough {
        let Some(side) = full_cut(network, star, steps) else { return };
        search.try_set(&side);
        let beyond: u64 = (0..side.len()).filter(|&at| !side[at]).map(|at| asked[at]).sum();
        let crossing = network.channels().iter().filter(|c| {
            if *is_out {
                side[c.tail.index()] && !side[c.head.index()]
            } else {
                side[c.head.index()] && !side[c.tail.index()]
            }
        });
        steps = beyond.div_ceil((crossing.count() as u64).max(1)).max(steps + 1);
    }
}

/// The cut around the router that is saturated when the demand does not fit into `steps` uses of
/// every channel; `None` if it fits.
fn full_cut(network: &Network, star: &Star, steps: u64) -> Option<Vec<bool>> {
    let narrow = |amount: u64| u32::try_from(amount).unwrap_or(u32::MAX);
    let sink = network.router_count();
    let channels = network.channels().iter().map(|c| {
        if star.is_out {
            (c.tail.0, c.head.0, narrow(steps))
        } else {
            (c.head.0, c.tail.0, narrow(steps))
        }
    });
    let asked_at = star.asked.iter().enumerate().filter(|(_, asked)| **asked > 0);
    let demands = asked_at.map(|(at, &asked)| (at as u32, sink as u32, narrow(asked)));
    let arcs: Vec<_> = channels.chain(demands).collect();
    let mut flow = Flow::new(sink + 1, &arcs);
    if flow.push(star.router.index(), sink, u64::MAX) >= star.asked.iter().sum() {
        return None;
    }
    let mut side = flow.side_of(star.router.index());
    side.truncate(sink);
    Some(side)
}
