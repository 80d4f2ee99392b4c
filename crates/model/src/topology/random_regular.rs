//! Random regular network: `n` routers of `r` links each, no two between the same routers, drawn
//! from a seed and connected. A circulant network is stirred by exchanging the ends of two links at
//! a time, which keeps all degrees; five times as many exchanges are tried as there are links.
//!
//! In a dense network nearly every exchange fails because one of the two new links is there already,
//! so that question has to be answered fast: a table of bits answers it where routers are few.

use super::parameters::{Parameters, Size};
use crate::chance::Chance;
use crate::network::{Network, NetworkError};
use crate::parts::Parts;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

type Link = (u32, u32);

pub fn build(parameters: &Parameters<'_>) -> Result<Network, NetworkError> {
    let [n, degree, seed] = parameters.numbers()?;
    parameters.at_least("n", n, 2)?;
    parameters.within("r", degree, 1, n - 1)?;
    if n % 2 == 1 && degree % 2 == 1 {
        let problem =
            format!("{n} routers cannot have {degree} links each, one of the two must be even");
        return Err(parameters.wrong(problem));
    }
    if degree == 1 && n > 2 {
        return Err(parameters.wrong(format!("{n} routers of 1 link each are not connected")));
    }
    let link_count = u128::from(n) * u128::from(degree) / 2;
    let mut builder = parameters.start(Size::direct(n.into(), 2 * link_count))?;
    for (a, b) in draw(n as u32, degree as u32, seed) {
        builder.link(a, b);
    }
    builder.processor_on_each_router();
    builder.build()
}

/// The links of a connected random network, sorted.
fn draw(n: u32, degree: u32, seed: u64) -> Vec<Link> {
    let mut chance = Chance::seeded(seed);
    let mut links = circulant(n, degree);
    let mut known = Known::new(n, &links);
    let count = links.len() as u32;
    for _ in 0..5 * u64::from(count) {
        let one = chance.below(count) as usize;
        let other = chance.below(count) as usize;
        let (a, b) = links[one];
        let (c, d) = match chance.below(2) {
            0 => links[other],
            _ => (links[other].1, links[other].0),
        };
        let new = [sorted(a, c), sorted(b, d)];
        if a == c || b == d || new.iter().any(|&link| known.contains(link)) {
            continue;
        }
        known.remove(links[one]);
        known.remove(links[other]);
        new.iter().for_each(|&link| known.insert(link));
        [links[one], links[other]] = new;
    }
    connect(n, &mut links);
    links.sort_unstable();
    links
}

/// Routers up to which links are always kept in a table of bits: 8 MiB.
const FEW: u32 = 8192;

/// Beyond, routers for each link of a router up to which the table is smaller than a set.
const SPREAD: u64 = 16;

/// The links that there are.
enum Known {
    /// A bit for every pair of routers.
    Table(u32, FixedBitSet),
    /// Every link, for many routers of few links each.
    Set(FxHashSet<Link>),
}

impl Known {
    fn new(n: u32, links: &[Link]) -> Self {
        let is_dense = u64::from(n) * u64::from(n) <= 2 * SPREAD * links.len() as u64;
        let mut known = match n <= FEW || is_dense {
            true => Self::Table(n, FixedBitSet::with_capacity(n as usize * n as usize)),
            false => Self::Set(FxHashSet::default()),
        };
        links.iter().for_each(|&link| known.insert(link));
        known
    }

    fn contains(&self, link: Link) -> bool {
        match self {
            Self::Table(n, table) => table.contains(place(*n, link)),
            Self::Set(set) => set.contains(&link),
        }
    }

    fn insert(&mut self, link: Link) {
        match self {
            Self::Table(n, table) => table.insert(place(*n, link)),
            Self::Set(set) => _ = set.insert(link),
        }
    }

    fn remove(&mut self, link: Link) {
        match self {
            Self::Table(n, table) => table.set(place(*n, link), false),
            Self::Set(set) => _ = set.remove(&link),
        }
    }
}

fn place(n: u32, (a, b): Link) -> usize {
    a as usize * n as usize + b as usize
}

/// Router `i` linked to the `degree` routers next to it on a ring, and the opposite one if odd.
fn circulant(n: u32, degree: u32) -> Vec<Link> {
    let near = (1..=degree / 2).flat_map(|step| (0..n).map(move |i| sorted(i, (i + step) % n)));
    let across = (0..if degree % 2 == 1 { n / 2 } else { 0 }).map(|i| (i, i + n / 2));
    near.chain(across).collect()
}

/// Joins all parts: a link on a circle in one part and any link of another exchange their ends.
/// Every part has a circle, for every router in it has two links.
fn connect(n: u32, links: &mut [Link]) {
    loop {
        let mut parts = Parts::new(n);
        let mut closing = Vec::new();
        for (at, &(a, b)) in links.iter().enumerate() {
            // A link between routers that are joined already closes a circle.
            if !parts.join(a, b) {
                closing.push(at);
            }
        }
        let home = parts.find(0);
        let foreign = links.iter().position(|link| parts.find(link.0) != home);
        let on_circle = closing.into_iter().find(|&at| parts.find(links[at].0) == home);
        let (Some(one), Some(other)) = (on_circle, foreign) else { return };
        let ((a, b), (c, d)) = (links[one], links[other]);
        links[one] = sorted(a, c);
        links[other] = sorted(b, d);
    }
}

fn sorted(a: u32, b: u32) -> Link {
    (a.min(b), a.max(b))
}
