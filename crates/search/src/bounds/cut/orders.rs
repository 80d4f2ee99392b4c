//! Orders of the routers whose prefixes make good cuts: by a key such as distance, and along an
//! approximate Fiedler vector. After Fiedler, Czechoslovak Math. Journal 23, 1973.

use pavane_model::{Network, RouterId};

/// Routers sorted by a key in ascending order, ties by number.
pub fn by_key<K: Ord>(routers: &[RouterId], key: impl Fn(RouterId) -> K) -> Vec<RouterId> {
    let mut order = routers.to_vec();
    order.sort_by_key(|&router| key(router));
    order
}

/// Routers along an approximate Fiedler vector. Each round averages the heights of neighbours. The
/// mode that decays slowest remains; it separates the most weakly connected parts of the network.
pub fn by_slowest_wave(
    network: &Network,
    routers: &[RouterId],
    rounds: u64,
    mut height: Vec<f64>,
) -> Vec<RouterId> {
    let degree = |router: RouterId| {
        (network.out_channels(router).len() + network.in_channels(router).len()) as f64
    };
    let most = routers.iter().map(|&router| degree(router)).fold(1.0, f64::max);
    let mut next = height.clone();
    for _ in 0..rounds {
        for &router in routers {
            let heads = network.out_channels(router).iter().map(|&c| network.channel(c).head);
            let tails = network.in_channels(router).iter().map(|&c| network.channel(c).tail);
            let around: f64 = heads.chain(tails).map(|other| height[other.index()]).sum();
            let own = height[router.index()] * (2.0 * most - degree(router));
            next[router.index()] = (own + around) / (2.0 * most);
        }
        std::mem::swap(&mut height, &mut next);
        level(&mut height, routers);
    }
    let mut order = routers.to_vec();
    order.sort_by(|a, b| height[a.index()].total_cmp(&height[b.index()]).then(a.cmp(b)));
    order
}

/// Subtracts the mean and scales the largest absolute height to 1.
fn level(height: &mut [f64], routers: &[RouterId]) {
    let sum: f64 = routers.iter().map(|router| height[router.index()]).sum();
    let mean = sum / routers.len() as f64;
    let largest = routers.iter().map(|r| (height[r.index()] - mean).abs()).fold(1e-300, f64::max);
    for router in routers {
        let height = &mut height[router.index()];
        *height = (*height - mean) / largest;
    }
}
