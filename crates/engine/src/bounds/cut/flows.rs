//! Cuts from maximum flows: minimum cuts between routers, and for one router the cut that holds up
//! what it has for others, or wants from them, the longest.

use super::routing::EvenRouting;
use super::search::Search;
use crate::flow::Flow;
use pavane_model::{Duplex, Network, RouterId};

/// Looks that a flow takes, as a multiple of the size of the network.
const ROUNDS: u64 = 20;

/// Routers times routers and channels up to which minimum cuts are tried: some two thousand
/// routers.
const MOST_LOOKS: usize = 25_000_000;

/// For links only, a minimum cut for every pair of routers, n - 1 in all; with directed channels
/// as many in each direction. After Gusfield, SIAM J. Comput. 19, 1990.
pub fn try_least_cuts(search: &mut Search<'_>) {
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

/// For every router, the set around it that takes the most steps to leave with what it has for
/// the others, and the one that takes the most steps to enter with what it wants of them.
pub fn try_single_routers(search: &mut Search<'_>) {
    let settled = search.is_settled_out_of_one();
    for is_out in [true, false].into_iter().filter(|&is_out| settled != Some(!is_out)) {
        let ends = search.ends(is_out);
        let stride = search.stride(ends.len(), ROUNDS * search.cost());
        let mut routing = EvenRouting::new(search.problem.network(), is_out);
        for &router in ends.iter().step_by(stride) {
            if search.is_done() {
                return;
            }
            let asked = match is_out {
                true => search.demand.given_by(router.index()),
                false => search.demand.wanted_at(router.index()),
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

/// What is asked for between one router and each other one, out of it or into it.
struct Star {
    router: RouterId,
    asked: Vec<u64>,
    is_out: bool,
}

/// Sends what is asked for with so many steps' worth of every channel, `least` or more. As long as
/// that does not fit, the cut that it fills takes more steps.
fn try_around(search: &mut Search<'_>, routing: &mut EvenRouting<'_>, star: &Star, least: u64) {
    let Star { router, asked, is_out } = star;
    let network = search.problem.network();
    let alone: Vec<bool> = (0..asked.len()).map(|at| at == router.index()).collect();
    search.try_set(&alone);
    routing.clear();
    routing.add(*router, asked);
    let enough = routing.steps(Duplex::Full);
    let own = match is_out {
        true => network.out_channels(*router).len(),
        false => network.in_channels(*router).len(),
    };
    let mut steps = asked.iter().sum::<u64>().div_ceil((own as u64).max(1)).max(least);
    while steps < enough {
        let Some(side) = full_cut(network, star, steps) else { return };
        search.try_set(&side);
        let beyond: u64 = (0..side.len()).filter(|&at| !side[at]).map(|at| asked[at]).sum();
        let crossing = network.channels().iter().filter(|c| match is_out {
            true => side[c.tail.index()] && !side[c.head.index()],
            false => side[c.head.index()] && !side[c.tail.index()],
        });
        steps = beyond.div_ceil((crossing.count() as u64).max(1)).max(steps + 1);
    }
}

/// The cut around a router that so many steps' worth of every channel cannot cross with all that
/// is asked for beyond it; `None` if everything fits.
fn full_cut(network: &Network, star: &Star, steps: u64) -> Option<Vec<bool>> {
    let narrow = |amount: u64| u32::try_from(amount).unwrap_or(u32::MAX);
    let sink = network.router_count();
    let channels = network.channels().iter().map(|c| match star.is_out {
        true => (c.tail.0, c.head.0, narrow(steps)),
        false => (c.head.0, c.tail.0, narrow(steps)),
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
