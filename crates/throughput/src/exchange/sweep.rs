//! Cuts from prices. Where a single cut is the bottleneck, prices settle slowly on its channels, but the
//! routers close to some source, or the others, are the cut already (Leighton and Rao, 1999).

use super::setting::Setting;

/// The most sources from which to sweep.
const MOST_SWEEPS: usize = 32;

/// The best limit of the cuts that separate the first routers of an order from the others, and prices
/// that prove it. `orders` has routers by their distance, for each source.
pub(super) fn best_cut(setting: &Setting<'_>, orders: &[Vec<u32>]) -> Option<(f64, Vec<f64>)> {
    let step = orders.len().div_ceil(MOST_SWEEPS).max(1);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for order in orders.iter().step_by(step) {
        let sweep = Sweep::new(setting, order);
        let (limit, cut) = sweep.best();
        if best.as_ref().is_none_or(|best| limit > best.0) {
            best = Some((limit, sweep.prices(cut)));
        }
    }
    best
}

/// The position of each router in an order.
struct Sweep<'a> {
    setting: &'a Setting<'a>,
    rank: Vec<u32>,
}

/// A cut: what leaves, or enters, the first `count` routers.
#[derive(Clone, Copy)]
struct SweptCut {
    count: usize,
    is_leaving: bool,
}

impl<'a> Sweep<'a> {
    fn new(setting: &'a Setting<'a>, order: &[u32]) -> Self {
        let mut rank = vec![order.len() as u32; setting.graph.routers as usize];
        for (position, &router) in (0..).zip(order) {
            rank[router as usize] = position;
        }
        Self { setting, rank }
    }

    /// The best cut and its limit.
    fn best(&self) -> (f64, SweptCut) {
        let links = self.setting.graph.links.iter();
        let capacities = self.sums(links.map(|it| (it.tail, it.head, it.bandwidth)));
        let commodities = self.setting.commodities.iter();
        let sizes = self.sums(commodities.map(|it| (it.from, it.to, it.size)));
        let mut best = (0.0, SweptCut { count: 1, is_leaving: true });
        for side in 0..2 {
            for (count, (size, capacity)) in sizes[side].iter().zip(&capacities[side]).enumerate() {
                let limit = if *capacity > 0 { *size as f64 / *capacity as f64 } else { 0.0 };
                if limit > best.0 {
                    best = (limit, SweptCut { count, is_leaving: side == 0 });
                }
            }
        }
        best
    }

    /// For every number of routers, the sums of what leaves and what enters the first ones.
    fn sums(&self, all: impl Iterator<Item = (u32, u32, u64)>) -> [Vec<i64>; 2] {
        let mut sums = [0, 1].map(|_| vec![0i64; self.rank.len() + 2]);
        for (from, to, amount) in all {
            let [from, to] = [from, to].map(|router| self.rank[router as usize] as usize);
            let side = usize::from(from > to);
            sums[side][from.min(to) + 1] += amount as i64;
            sums[side][from.max(to) + 1] -= amount as i64;
        }
        for sums in &mut sums {
            (1..sums.len()).for_each(|at| sums[at] += sums[at - 1]);
        }
        sums
    }

    /// Price 1 for the channels of a cut.
    fn prices(&self, cut: SweptCut) -> Vec<f64> {
        let is_first = |router: u32| (self.rank[router as usize] as usize) < cut.count;
        let links = self.setting.graph.links.iter();
        let crosses = links.map(|link| {
            let (tail, head) = (is_first(link.tail), is_first(link.head));
            tail != head && tail == cut.is_leaving
        });
        crosses.map(|crosses| f64::from(u8::from(crosses))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Demand;
    use super::super::setting::Setting;
    use super::best_cut;
    use crate::graph::{Graph, Link};

    #[test]
    fn the_slow_direction_in_the_middle_of_a_path_is_the_best_cut() {
        let channel = |tail, head, bandwidth| Link { tail, head, bandwidth };
        let middle = [channel(1, 2, 2), channel(2, 1, 1)];
        let ends = [channel(0, 1, 3), channel(1, 0, 3), channel(2, 3, 3), channel(3, 2, 3)];
        let graph = Graph { routers: 4, links: [&middle[..], &ends[..]].concat() };
        let all = (0..4).flat_map(|from| (0..4).map(move |to| Demand { from, to, size: 1 }));
        let demands: Vec<Demand> = all.collect();
        let setting = Setting::new(&graph, &demands).unwrap();
        let (limit, prices) = best_cut(&setting, &[vec![0, 1, 2, 3]]).unwrap();
        assert_eq!((limit, prices), (4.0, vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0]));
    }
}
