//! Networks with switches, level by level: routers with processors are at the bottom, and a switch
//! at distance h from them is drawn h levels up. Wide networks are arranged in rings, with the
//! top level in the centre.

use super::{Place, polar};
use pavane_model::{Network, RouterId};
use std::f64::consts::TAU;

/// Maximum number of routers of a level in a row; wider networks are arranged in rings.
const WIDEST: usize = 80;

/// Passes that sort the routers of each level by the positions of their neighbours.
const SWEEPS: usize = 4;

/// The places, if there are switches and no channel stays within a level.
pub(super) fn places(network: &Network) -> Option<Vec<Place>> {
    network.first_switch()?;
    let levels = levels(network)?;
    let height = levels.iter().max()? + 1;
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); height];
    for (router, &level) in levels.iter().enumerate() {
        rows[level].push(router);
    }
    let mut share = vec![0.0; levels.len()];
    for sweep in 0..SWEEPS {
        for row in &mut rows {
            if sweep > 0 {
                row.sort_by(|&a, &b| {
                    preferred_place(network, &share, a)
                        .total_cmp(&preferred_place(network, &share, b))
                });
            }
            for (at, &router) in row.iter().enumerate() {
                share[router] = (at as f64 + 0.5) / row.len() as f64;
            }
        }
    }
    let widest = rows.iter().map(Vec::len).max()?;
    // Many links of one router need height to be told apart.
    let most_links =
        network.routers().map(|router| network.out_channels(router).len()).max()? as f64;
    let place = |router: usize| {
        let level = levels[router] as f64;
        if widest <= WIDEST {
            (
                share[router] * widest as f64,
                -level * (widest as f64 / 4.0).max(0.7 * most_links.sqrt()).max(2.2),
            )
        } else {
            let top = (rows[height - 1].len() as f64 / TAU).max(0.6);
            let bottom = (widest as f64 / TAU).max(top + 1.8 * (height - 1) as f64);
            polar(bottom + (top - bottom) * level / (height - 1).max(1) as f64, share[router])
        }
    };
    Some((0..levels.len()).map(place).collect())
}

/// Hops from the nearest router with a processor, if no channel stays within a level.
fn levels(network: &Network) -> Option<Vec<usize>> {
    let mut levels = vec![usize::MAX; network.router_count()];
    let mut queue: Vec<RouterId> = Vec::new();
    for router in network.routers() {
        if !network.residents(router).is_empty() || network.is_lost(router) {
            levels[router.index()] = 0;
            queue.push(router);
        }
    }
    let mut at = 0;
    while at < queue.len() {
        let router = queue[at];
        at += 1;
        let there = network.out_channels(router).iter().map(|&c| network.channel(c).head);
        let back = network.in_channels(router).iter().map(|&c| network.channel(c).tail);
        for next in there.chain(back) {
            if levels[next.index()] == usize::MAX {
                levels[next.index()] = levels[router.index()] + 1;
                queue.push(next);
            }
        }
    }
    let is_apart = network.channels().iter().all(|channel| {
        let ends = [channel.tail, channel.head].map(|router| levels[router.index()]);
        ends[0] != ends[1]
    });
    (is_apart && !levels.contains(&usize::MAX)).then_some(levels)
}

/// The average position of a router's neighbours.
fn preferred_place(network: &Network, share: &[f64], router: usize) -> f64 {
    let id = RouterId(router as u32);
    let there = network.out_channels(id).iter().map(|&c| network.channel(c).head);
    let back = network.in_channels(id).iter().map(|&c| network.channel(c).tail);
    let (mut sum, mut count) = (0.0, 0.0);
    for next in there.chain(back) {
        sum += share[next.index()];
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { share[router] }
}
