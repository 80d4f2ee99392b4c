//! Random regular network: connected, `n` routers with `r` links each, without parallel links,
//! determined by a seed. Starts from a circulant network and tries to swap the ends of two random
//! links, five times per link. Swaps preserve all degrees.
//!
//! In a dense network nearly every swap fails because one of the new links already exists, so this
//! lookup must be fast: a bit table is used where it fits in memory.

use super::error::TopologyError;
use super::parameters::{Parameters, Size};
use crate::parts::Parts;
use fixedbitset::FixedBitSet;
use pavane_model::Network;
use pavane_model::split_mix::SplitMix;
use rustc_hash::FxHashSet;

type Link = (u32, u32);

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
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
    Ok(builder.build()?)
}

/// Draws the links of a connected random network, sorted.
fn draw(n: u32, degree: u32, seed: u64) -> Vec<Link> {
    let mut random = SplitMix::seeded(seed);
    let mut links = circulant(n, degree);
    let mut known = Known::new(n, &links);
    let count = links.len() as u32;
    for _ in 0..5 * u64::from(count) {
        let one = random.below(count) as usize;
        let other = random.below(count) as usize;
        let (a, b) = links[one];
        let (c, d) = match random.below(2) {
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

/// Number of routers up to which the bit table is always used: 8 MiB.
const FEW: u32 = 8192;

/// For more routers, the bit table is used if there are at most this many routers per link of a
/// router; then it is smaller than a hash set.
const SPREAD: u64 = 16;

/// The existing links.
enum Known {
    /// A bit for every pair of routers.
    Table(u32, FixedBitSet),
    /// A hash set, for many routers with few links each.
    Set(FxHashSet<Link>),
}

impl Known {
    fn new(n: u32, links: &[Link]) -> Self {
        let is_dense = u64::from(n) * u64::from(n) <= 2 * SPREAD * links.len() as u64;
        let mut known = if n <= FEW || is_dense {
            Self::Table(n, FixedBitSet::with_capacity(n as usize * n as usize))
        } else {
            Self::Set(FxHashSet::default())
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

/// Links every router to its `degree` nearest routers on a ring; if the degree is odd, one of them
/// is the opposite router.
fn circulant(n: u32, degree: u32) -> Vec<Link> {
    let near = (1..=degree / 2).flat_map(|step| (0..n).map(move |i| sorted(i, (i + step) % n)));
    let across = (0..if degree % 2 == 1 { n / 2 } else { 0 }).map(|i| (i, i + n / 2));
    near.chain(across).collect()
}

/// Connects all components by swapping the ends of a link on a cycle in one component with those of
/// a link in another. Every component has a cycle, because all its routers have at least two links.
fn connect(n: u32, links: &mut [Link]) {
    loop {
        let mut parts = Parts::new(n);
        let mut closing = Vec::new();
        for (at, &(a, b)) in links.iter().enumerate() {
            // A link within a component closes a cycle.
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
