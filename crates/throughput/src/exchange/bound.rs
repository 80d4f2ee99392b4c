//! Lower bounds from prices, in exact arithmetic, and prices that are cheap to find.

use super::distances::Distances;
use super::setting::{Setting, sources};
use crate::graph::Ratio;
use crate::integer::gcd;

/// The largest integer price. Paths have fewer than 2^22 channels, so their costs fit in 64 bits.
pub(super) const LARGEST_PRICE: u64 = 1 << 41;

/// Prices with the limit that they prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub limit: Ratio,
    pub prices: Vec<u64>,
}

impl Bound {
    /// The bound of the given prices, which are at most [`LARGEST_PRICE`]. `None` if all are 0.
    pub fn new(setting: &Setting<'_>, mut prices: Vec<u64>) -> Option<Self> {
        let links = &setting.graph.links;
        for (price, link) in prices.iter_mut().zip(links) {
            if link.tail == link.head {
                *price = 0;
            }
        }
        let divisor = prices.iter().fold(0, |all, &price| gcd(all, price.into())) as u64;
        if divisor == 0 {
            return None;
        }
        prices.iter_mut().for_each(|price| *price /= divisor);
        let capacity: u128 = links
            .iter()
            .zip(&prices)
            .map(|(link, &price)| u128::from(link.bandwidth) * u128::from(price))
            .sum();
        let mut paid = 0u128;
        let mut distances = Distances::new(setting);
        for (from, commodities) in sources(&setting.commodities) {
            distances.search_integers(setting, &prices, from);
            for commodity in &setting.commodities[commodities] {
                let cost = distances.cost[commodity.to as usize];
                paid += u128::from(commodity.size) * u128::from(cost);
            }
        }
        Some(Self { limit: Ratio::new(paid, capacity), prices })
    }

    /// Keeps the better of two bounds.
    pub fn improve(&mut self, other: Option<Bound>) {
        if let Some(other) = other.filter(|other| other.limit > self.limit) {
            *self = other;
        }
    }

    /// The best bound of simple prices: equal ones, ones inversely proportional to bandwidth, and
    /// cuts around single routers.
    pub fn simple(setting: &Setting<'_>) -> Self {
        let links = &setting.graph.links;
        let useful = |link: &crate::graph::Link| u64::from(link.tail != link.head);
        let equal: Vec<u64> = links.iter().map(useful).collect();
        // A commodity needs a channel, and all its channels have positive prices.
        let mut best = Bound::new(setting, equal.clone())
            .unwrap_or_else(|| Bound { limit: Ratio::new_raw(0, 1), prices: equal });
        let largest = links.iter().map(|link| link.bandwidth).max().unwrap_or(1);
        if links.iter().any(|link| link.bandwidth != largest) {
            let inverse = links.iter().map(|link| largest as f64 / link.bandwidth as f64);
            best.improve(Bound::new(setting, integers(&inverse.collect::<Vec<_>>(), 1 << 20)));
        }
        best.improve(Bound::new(setting, router_cut(setting)));
        best.improve(box_cut(setting).and_then(|prices| Bound::new(setting, prices)));
        best
    }
}

/// The most bandwidths at which a network is taken apart.
const MOST_LEVELS: usize = 16;

/// Price 1 for the channels out of, or into, the busiest set of routers that are connected by channels
/// faster than some bandwidth: a box, a rack or a group of a network whose parts are connected by slower
/// channels. `None` if there is no such set.
fn box_cut(setting: &Setting<'_>) -> Option<Vec<u64>> {
    let links = &setting.graph.links;
    let mut levels: Vec<u64> = links.iter().map(|link| link.bandwidth).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut best: Option<(Ratio, Vec<u64>)> = None;
    for &level in levels.iter().take(MOST_LEVELS) {
        let part_of = parts(setting, level);
        let count = part_of.iter().max().map_or(0, |&last| last as usize + 1);
        if count < 2 {
            continue;
        }
        // For each part what leaves and what enters: sizes and bandwidths.
        let mut sizes = [vec![0u64; count], vec![0u64; count]];
        let mut bandwidths = sizes.clone();
        let ends = |from: u32, to: u32| [part_of[from as usize], part_of[to as usize]];
        for commodity in &setting.commodities {
            let [from, to] = ends(commodity.from, commodity.to);
            if from != to {
                sizes[0][from as usize] += commodity.size;
                sizes[1][to as usize] += commodity.size;
            }
        }
        for link in links {
            let [from, to] = ends(link.tail, link.head);
            if from != to {
                bandwidths[0][from as usize] += link.bandwidth;
                bandwidths[1][to as usize] += link.bandwidth;
            }
        }
        let ratio = |&(side, part): &(usize, usize)| {
            Ratio::new(sizes[side][part].into(), u128::from(bandwidths[side][part].max(1)))
        };
        let all = (0..2).flat_map(|side| (0..count).map(move |part| (side, part)));
        let Some(busiest) = all.max_by_key(ratio) else { continue };
        let limit = ratio(&busiest);
        if best.as_ref().is_none_or(|best| limit > best.0) {
            let is_cut = |link: &crate::graph::Link| {
                let pair = ends(link.tail, link.head);
                u64::from(pair[0] != pair[1] && pair[busiest.0] as usize == busiest.1)
            };
            best = Some((limit, links.iter().map(is_cut).collect()));
        }
    }
    best.map(|best| best.1)
}

/// The number of the part of each router. Routers of one part are connected by channels, in any
/// direction, that are faster than `level`.
fn parts(setting: &Setting<'_>, level: u64) -> Vec<u32> {
    let routers = setting.graph.routers;
    let mut neighbours = vec![Vec::new(); routers as usize];
    for link in setting.graph.links.iter().filter(|link| link.bandwidth > level) {
        neighbours[link.tail as usize].push(link.head);
        neighbours[link.head as usize].push(link.tail);
    }
    let mut part_of = vec![u32::MAX; routers as usize];
    let mut count = 0;
    for start in 0..routers {
        if part_of[start as usize] != u32::MAX {
            continue;
        }
        let mut open = vec![start];
        part_of[start as usize] = count;
        while let Some(router) = open.pop() {
            for &next in &neighbours[router as usize] {
                if part_of[next as usize] == u32::MAX {
                    part_of[next as usize] = count;
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    part_of
}

/// Price 1 for the channels around the router whose channels are busiest, 0 for others.
fn router_cut(setting: &Setting<'_>) -> Vec<u64> {
    let routers = setting.graph.routers as usize;
    // For each router what leaves and what enters: sizes and bandwidths.
    let mut sizes = [vec![0u64; routers], vec![0u64; routers]];
    let mut bandwidths = sizes.clone();
    for commodity in &setting.commodities {
        sizes[0][commodity.from as usize] += commodity.size;
        sizes[1][commodity.to as usize] += commodity.size;
    }
    for link in setting.graph.links.iter().filter(|link| link.tail != link.head) {
        bandwidths[0][link.tail as usize] += link.bandwidth;
        bandwidths[1][link.head as usize] += link.bandwidth;
    }
    let ratio = |&(side, router): &(usize, usize)| {
        Ratio::new(sizes[side][router].into(), u128::from(bandwidths[side][router].max(1)))
    };
    let all = (0..2).flat_map(|side| (0..routers).map(move |router| (side, router)));
    let busiest = all.max_by_key(ratio).unwrap_or((0, 0));
    let is_cut = |link: &crate::graph::Link| {
        let end = if busiest.0 == 0 { link.tail } else { link.head };
        u64::from(end as usize == busiest.1 && link.tail != link.head)
    };
    setting.graph.links.iter().map(is_cut).collect()
}

/// Prices as integers of which the largest is `largest`.
pub(super) fn integers(prices: &[f64], largest: u64) -> Vec<u64> {
    let most = prices.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return vec![0; prices.len()];
    }
    prices.iter().map(|price| (price.max(0.0) / most * largest as f64).round() as u64).collect()
}

/// The best bound of floating-point prices, rounded to integers in several ways: as multiples of
/// fractions of the smallest substantial price, and finely.
pub(super) fn rounded(setting: &Setting<'_>, prices: &[f64], tries: u64) -> Option<Bound> {
    let most = prices.iter().copied().fold(0.0, f64::max);
    let least = prices.iter().copied().filter(|&price| price > most * 1e-6).fold(most, f64::min);
    let mut best: Option<Bound> = None;
    let coarse = (1..=tries).map(|factor| {
        let scaled = |price: &f64| (price.max(0.0) / least * factor as f64).round() as u64;
        prices.iter().map(scaled).collect()
    });
    for candidate in coarse.chain([integers(prices, 1 << 20), integers(prices, 1 << 32)]) {
        let bound = Bound::new(setting, candidate);
        match &mut best {
            Some(best) => best.improve(bound),
            None => best = bound,
        }
    }
    best
}
