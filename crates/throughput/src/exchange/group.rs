//! A group of automorphisms that moves every sender and receiver: only the identity fixes one. Each
//! commodity then has as many images as the group has elements, so that a plan for one commodity of
//! each orbit becomes a plan for all by taking images, without splitting weights any further.
//!
//! The search is greedy: it multiplies the given generators at random, with a fixed seed, takes
//! powers, and adds each element that keeps the group free of fixed ends.

use super::setting::Setting;

/// Products of generators to try.
const PRODUCTS: usize = 120;
/// Powers of each product to try.
const POWERS: usize = 12;
/// Orders in which to add the candidates.
const ROUNDS: usize = 3;
/// The most numbers in all permutations of a group.
const LARGEST: usize = 1 << 26;

/// An automorphism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// The image of each router.
    pub routers: Vec<u32>,
    /// The image of each channel. Parallel channels of equal bandwidth keep their order.
    pub channels: Vec<u32>,
}

/// A group of automorphisms. The first element is the identity.
pub(super) struct Group {
    pub elements: Vec<Element>,
}

/// Pseudo-random numbers (splitmix64).
pub(super) struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below another one.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

impl Group {
    /// The largest group that the search finds; only the identity if there are no generators.
    pub fn new(setting: &Setting<'_>, generators: &[Vec<u32>], stop: &dyn Fn() -> bool) -> Self {
        let channels = Channels::new(setting);
        let ends = ends(setting);
        let is_even = has_all_pairs(setting, &ends);
        let is_automorphism = |generator: &&Vec<u32>| {
            !stop()
                && channels.map(generator).is_some()
                && if is_even {
                    keeps(&ends, generator)
                } else {
                    keeps_commodities(setting, generator)
                }
        };
        let generators: Vec<&Vec<u32>> = generators.iter().filter(is_automorphism).collect();
        let candidates = candidates(&generators, &ends);
        let most = LARGEST / (setting.graph.routers as usize + setting.graph.links.len()).max(1);
        let mut best = vec![identity(setting.graph.routers)];
        for round in 0..ROUNDS {
            let mut elements = vec![identity(setting.graph.routers)];
            for at in 0..candidates.len() {
                let candidate = &candidates[(at * (2 * round + 1) + round) % candidates.len()];
                if elements.len() == ends.len() || stop() {
                    break;
                }
                if let Some(larger) = joined(&elements, candidate, &ends, most) {
                    elements = larger;
                }
            }
            if elements.len() > best.len() {
                best = elements;
            }
        }
        let element = |routers: Vec<u32>| {
            let channels = channels.map(&routers)?;
            Some(Element { routers, channels })
        };
        Self { elements: best.into_iter().filter_map(element).collect() }
    }
}

fn identity(routers: u32) -> Vec<u32> {
    (0..routers).collect()
}

/// First one permutation, then the other.
fn product(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().map(|&image| second[image as usize]).collect()
}

/// The routers that send or receive, ascending.
fn ends(setting: &Setting<'_>) -> Vec<u32> {
    let all = setting.commodities.iter().flat_map(|commodity| [commodity.from, commodity.to]);
    let mut ends: Vec<u32> = all.collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The channels between any two routers, to map them.
struct Channels<'a> {
    setting: &'a Setting<'a>,
    /// Channels sorted by tail, head, bandwidth and number.
    sorted: Vec<u32>,
}

impl<'a> Channels<'a> {
    fn new(setting: &'a Setting<'a>) -> Self {
        let links = &setting.graph.links;
        let mut sorted: Vec<u32> = (0..links.len() as u32).collect();
        sorted.sort_by_key(|&channel| {
            let link = links[channel as usize];
            (link.tail, link.head, link.bandwidth)
        });
        Self { setting, sorted }
    }

    /// The image of every channel under a permutation of the routers. `None` if it is not a
    /// permutation that preserves bandwidths.
    fn map(&self, routers: &[u32]) -> Option<Vec<u32>> {
        let count = self.setting.graph.routers as usize;
        let mut is_image = vec![false; count];
        for &image in routers {
            *is_image.get_mut(image as usize)? = true;
        }
        if routers.len() != count || is_image.contains(&false) {
            return None;
        }
        let links = &self.setting.graph.links;
        let image = |channel: u32| {
            let link = links[channel as usize];
            (routers[link.tail as usize], routers[link.head as usize], link.bandwidth)
        };
        let mut moved = self.sorted.clone();
        moved.sort_by_key(|&channel| image(channel));
        let mut channels = vec![0; links.len()];
        for (&from, &to) in moved.iter().zip(&self.sorted) {
            let link = links[to as usize];
            if image(from) != (link.tail, link.head, link.bandwidth) {
                return None;
            }
            channels[from as usize] = to;
        }
        Some(channels)
    }
}

/// Whether there is a commodity from every end to every other one, all of one size.
fn has_all_pairs(setting: &Setting<'_>, ends: &[u32]) -> bool {
    let commodities = &setting.commodities;
    commodities.len() == ends.len() * ends.len().saturating_sub(1)
        && commodities.windows(2).all(|pair| pair[0].size == pair[1].size)
}

/// Whether a permutation of the routers maps ends, ascending, to ends.
fn keeps(ends: &[u32], routers: &[u32]) -> bool {
    ends.iter().all(|&end| ends.binary_search(&routers[end as usize]).is_ok())
}

/// Whether a permutation of the routers maps commodities to commodities of the same size. If the
/// generators do, so do all their products.
fn keeps_commodities(setting: &Setting<'_>, routers: &[u32]) -> bool {
    setting.commodities.iter().all(|commodity| {
        let [from, to] = [commodity.from, commodity.to].map(|router| routers[router as usize]);
        let found = setting.find(from, to);
        found.is_some_and(|found| setting.commodities[found].size == commodity.size)
    })
}

/// Powers of products of the generators that move all ends in cycles of one length.
fn candidates(generators: &[&Vec<u32>], ends: &[u32]) -> Vec<Vec<u32>> {
    let Some(first) = generators.first() else { return Vec::new() };
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut offer = |element: &Vec<u32>| {
        let mut power = element.clone();
        for _ in 0..POWERS {
            if is_even(&power, ends) && !found.contains(&power) {
                found.push(power.clone());
            }
            power = product(&power, element);
        }
    };
    let mut random = Random(1);
    generators.iter().for_each(|generator| offer(generator));
    // Product replacement: the pool stays a generating set.
    let mut pool: Vec<Vec<u32>> = generators.iter().map(|&generator| generator.clone()).collect();
    while pool.len() < 6 {
        pool.push((*first).clone());
    }
    for _ in 0..PRODUCTS {
        let (one, other) = (random.below(pool.len()), random.below(pool.len()));
        if one != other {
            pool[one] = product(&pool[one], &pool[other]);
            offer(&pool[one]);
        }
    }
    found
}

/// Whether a permutation has cycles of only one length, more than 1, on the ends.
fn is_even(element: &[u32], ends: &[u32]) -> bool {
    let mut seen = vec![false; element.len()];
    let mut common = 0;
    for &end in ends {
        let (mut length, mut at) = (0, end);
        while !std::mem::replace(&mut seen[at as usize], true) {
            at = element[at as usize];
            length += 1;
        }
        if length == 1 || length > 1 && common > 1 && length != common {
            return false;
        }
        common = common.max(length);
    }
    common > 1
}

/// The group of some elements and another one. `None` if it is not larger, has more than `most`
/// elements, or if an element other than the identity fixes an end.
fn joined(
    elements: &[Vec<u32>],
    other: &Vec<u32>,
    ends: &[u32],
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    let base = ends[0] as usize;
    // The element that takes the base to each router; there is at most one.
    let mut taking = vec![usize::MAX; other.len()];
    let mut group = vec![elements[0].clone()];
    taking[base] = 0;
    let mut generators: Vec<&Vec<u32>> = elements[1..].iter().take(12).collect();
    generators.push(other);
    if elements.iter().any(|element| element == other) {
        return None;
    }
    let mut at = 0;
    while at < group.len() {
        for generator in &generators {
            let next = product(&group[at], generator);
            let known = &mut taking[next[base] as usize];
            if *known != usize::MAX {
                if group[*known] != next {
                    return None;
                }
                continue;
            }
            if ends.iter().any(|&end| next[end as usize] == end) || group.len() >= most {
                return None;
            }
            *known = group.len();
            group.push(next);
        }
        at += 1;
    }
    (group.len() > elements.len()).then_some(group)
}
