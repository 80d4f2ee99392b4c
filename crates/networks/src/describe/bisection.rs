//! The bisection width: the fewest channels from one half of the processors to the other, over all
//! halves. A maximum flow finds the best sides for the switches.

use pavane_model::{Network, RouterId};

/// The maximum number of routers with processors: 48620 ways to take half of them.
const MOST_HOMES: usize = 18;
/// The maximum work of all flows together: about a second.
const MOST_WORK: u64 = 500_000_000;

/// The bisection width. `None` if there are too many halves to try, or none.
pub fn width(network: &Network) -> Option<u64> {
    let homes: Vec<RouterId> =
        network.routers().filter(|&r| !network.residents(r).is_empty()).collect();
    if !(2..=MOST_HOMES).contains(&homes.len()) {
        return None;
    }
    let residents = |at: usize| network.residents(homes[at]).len();
    let processors: usize = (0..homes.len()).map(residents).sum();
    let halves: Vec<u32> = (0..1u32 << homes.len())
        .filter(|half| {
            let one: usize = (0..homes.len()).filter(|at| half >> at & 1 == 1).map(residents).sum();
            one.abs_diff(processors - one) <= 1
        })
        .collect();
    let ports: usize = homes.iter().map(|&home| network.out_channels(home).len()).sum();
    let size = network.channel_count() + network.router_count();
    if (halves.len() as u64).saturating_mul(size as u64).saturating_mul(ports as u64) > MOST_WORK {
        return None;
    }
    let mut narrowest = None;
    for half in halves {
        let mut side = vec![None; network.router_count()];
        for (at, home) in homes.iter().enumerate() {
            side[home.index()] = Some(half >> at & 1 == 1);
        }
        if let Some(width) = flow(network, &homes, &side, narrowest.unwrap_or(u64::MAX)) {
            narrowest = Some(width);
        }
    }
    narrowest
}

/// The number of channel-disjoint paths from the homes on side `true` to those on side `false`;
/// `None` if it is at least `limit`. Ford and Fulkerson's augmenting paths.
fn flow(network: &Network, homes: &[RouterId], side: &[Option<bool>], limit: u64) -> Option<u64> {
    let mut is_used = vec![false; network.channel_count()];
    let mut count = 0;
    while count < limit {
        // The channel by which the search first reached each router.
        let mut came_by = vec![None; network.router_count()];
        let is_source = |router: RouterId| side[router.index()] == Some(true);
        let mut queue: Vec<RouterId> = homes.iter().copied().filter(|&r| is_source(r)).collect();
        let mut at = 0;
        let end = loop {
            let Some(&router) = queue.get(at) else { return Some(count) };
            at += 1;
            if side[router.index()] == Some(false) {
                break router;
            }
            let free = network.out_channels(router).iter().filter(|c| !is_used[c.index()]);
            let used = network.in_channels(router).iter().filter(|c| is_used[c.index()]);
            let onwards = free.map(|&c| (c, network.channel(c).head));
            for (channel, next) in onwards.chain(used.map(|&c| (c, network.channel(c).tail))) {
                if !is_source(next) && came_by[next.index()].is_none() {
                    came_by[next.index()] = Some(channel);
                    queue.push(next);
                }
            }
        };
        let mut router = end;
        while let Some(channel) = came_by[router.index()] {
            let ends = network.channel(channel);
            is_used[channel.index()] ^= true;
            router = if ends.head == router { ends.tail } else { ends.head };
        }
        count += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::width;
    use crate::topology::build;

    #[test]
    fn known_bisections() {
        let table = [
            ("ring:8", Some(2)),
            ("ring:9", Some(2)),
            ("path:7", Some(1)),
            ("complete:6", Some(9)),
            ("complete:7", Some(12)),
            ("mesh:4x4", Some(4)),
            ("torus:4x4", Some(8)),
            ("hypercube:4", Some(8)),
            ("star:5", Some(2)),
            ("petersen", Some(5)),
            ("octagon:8@2", Some(4)),
            ("coated-mesh:4x4", Some(4)),
            ("fat-tree:4", Some(8)),
            ("butterfly:2", Some(4)),
            ("omega:3", Some(4)),
            ("dgx-a100", Some(48)),
            ("dgx-1v", Some(6)),
            ("ring:3@2", None),
            ("hypercube:5", None),
        ];
        for (spec, expected) in table {
            assert_eq!(width(&build(spec).expect(spec)), expected, "{spec}");
        }
    }
}
