//! Cuts from maximum flows: minimum cuts between routers, and for one router the cut that holds up
//! what it has for others, or wants from them, the longest.

use super::search::Search;
use crate::flow::Flow;
use pavane_model::RouterId;

/// Looks that a flow takes, as a multiple of the size of the network.
const ROUNDS: u64 = 20;

/// Routers up to which all minimum cuts are tried.
const MOST_ROUTERS: usize = 600;

/// For links only, a minimum cut for every pair of routers, n - 1 in all; with directed channels
/// those that part the first router from each other one. After Gusfield, SIAM J. Comput. 19, 1990.
pub fn try_least_cuts(search: &mut Search<'_>) {
    let network = search.problem.network();
    let routers = search.routers;
    if routers.len() > MOST_ROUTERS {
        return;
    }
    let channels = network.channels().iter();
    let arcs: Vec<_> = channels.map(|c| (c.tail.0, c.head.0, 1)).collect();
    let mut flow = Flow::new(network.router_count(), &arcs);
    let mut parent = vec![routers[0]; network.router_count()];
    for (index, &router) in routers.iter().enumerate().skip(1) {
        let other = parent[router.index()];
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
    let routers = search.routers;
    let stride = search.stride(2 * routers.len(), ROUNDS * search.cost());
    for &router in routers.iter().step_by(stride) {
        let given = search.demand.given_by(router.index());
        try_around(search, router, &given, true);
        let wanted = search.demand.wanted_at(router.index());
        try_around(search, router, &wanted, false);
    }
}

/// Sends what is asked for at each router out of `router`, or into it, with so many steps' worth
/// of every channel. As long as that does not fit, the cut that it fills takes more steps.
fn try_around(search: &mut Search<'_>, router: RouterId, asked: &[u64], is_out: bool) {
    let network = search.problem.network();
    let total: u64 = asked.iter().sum();
    let own = match is_out {
        true => network.out_channels(router).len(),
        false => network.in_channels(router).len(),
    };
    if total == 0 || own == 0 {
        return;
    }
    let sink = network.router_count();
    let mut steps = total.div_ceil(own as u64);
    loop {
        let capacity = u32::try_from(steps).unwrap_or(u32::MAX);
        let ends = network.channels().iter().map(|c| match is_out {
            true => (c.tail.0, c.head.0, capacity),
            false => (c.head.0, c.tail.0, capacity),
        });
        let asked_at = asked.iter().enumerate().filter(|(_, asked)| **asked > 0);
        let demands = asked_at
            .map(|(at, &asked)| (at as u32, sink as u32, u32::try_from(asked).unwrap_or(u32::MAX)));
        let arcs: Vec<_> = ends.chain(demands).collect();
        let mut flow = Flow::new(sink + 1, &arcs);
        if flow.push(router.index(), sink, u64::MAX) >= total {
            return;
        }
        let side = flow.side_of(router.index());
        search.try_set(&side[..sink]);
        let beyond: u64 = (0..sink).filter(|&at| !side[at]).map(|at| asked[at]).sum();
        let crossing = network.channels().iter().filter(|c| match is_out {
            true => side[c.tail.index()] && !side[c.head.index()],
            false => side[c.head.index()] && !side[c.tail.index()],
        });
        let needed = beyond.div_ceil((crossing.count() as u64).max(1));
        if needed <= steps {
            return;
        }
        steps = needed;
    }
}
