//! A network as its symmetries see it: between two routers a weight, which counts the channels that
//! belong to links and those that do not.

use crate::network::Network;

/// What one channel of a link adds to a weight; a channel of its own adds 1.
const LINKED: u64 = 1 << 32;

/// Routers and weights between them, by rows.
#[derive(Debug)]
pub struct Graph {
    leaving: Vec<Vec<(u32, u64)>>,
    entering: Vec<Vec<(u32, u64)>>,
}

impl Graph {
    /// The weights of a network.
    pub fn new(network: &Network) -> Self {
        let row = |ends: Vec<(u32, u64)>| {
            let mut row: Vec<(u32, u64)> = Vec::with_capacity(ends.len());
            for (end, weight) in ends {
                match row.last_mut() {
                    Some(last) if last.0 == end => last.1 += weight,
                    _ => row.push((end, weight)),
                }
            }
            row
        };
        let weight = |channel| if network.opposite(channel).is_some() { LINKED } else { 1 };
        let rows = |ends_of: &dyn Fn(crate::RouterId) -> Vec<(u32, u64)>| {
            let sorted = |router| {
                let mut ends = ends_of(router);
                ends.sort_unstable();
                row(ends)
            };
            network.routers().map(sorted).collect()
        };
        Self {
            leaving: rows(&|router| {
                let channels = network.out_channels(router).iter();
                channels.map(|&c| (network.channel(c).head.0, weight(c))).collect()
            }),
            entering: rows(&|router| {
                let channels = network.in_channels(router).iter();
                channels.map(|&c| (network.channel(c).tail.0, weight(c))).collect()
            }),
        }
    }

    /// What every automorphism keeps of every router: its mark and how many processors live there.
    /// Lost routers have a number of their own each.
    pub fn colours(&self, network: &Network, marks: &[u64]) -> Vec<(u64, u64)> {
        let colour = |router| match network.is_lost(router) {
            true => u64::MAX - u64::from(router.0),
            false => network.residents(router).len() as u64,
        };
        network.routers().map(|router| (colour(router), marks[router.index()])).collect()
    }

    /// How many routers and pairs with channels there are.
    pub fn size(&self) -> usize {
        self.leaving.len() + self.leaving.iter().map(Vec::len).sum::<usize>()
    }

    /// Where the channels of a router lead, and how many.
    pub fn leaving(&self, router: u32) -> &[(u32, u64)] {
        &self.leaving[router as usize]
    }

    /// Where the channels to a router come from, and how many.
    pub fn entering(&self, router: u32) -> &[(u32, u64)] {
        &self.entering[router as usize]
    }

    /// How many routers there are.
    pub fn router_count(&self) -> usize {
        self.leaving.len()
    }

    /// Whether renumbering the routers changes no weight.
    pub fn is_kept_by(&self, image: &[u32]) -> bool {
        let mut mapped: Vec<(u32, u64)> = Vec::new();
        self.leaving.iter().zip(image).all(|(row, &to)| {
            mapped.clear();
            mapped.extend(row.iter().map(|&(end, weight)| (image[end as usize], weight)));
            mapped.sort_unstable();
            mapped == self.leaving[to as usize]
        })
    }

    /// Whether two routers of one colour can change places while all others stay.
    pub fn is_kept_by_swap(&self, a: u32, b: u32) -> bool {
        let is_alike = |one: &[(u32, u64)], other: &[(u32, u64)]| {
            let weight_of = |row: &[(u32, u64)], end: u32| {
                row.binary_search_by_key(&end, |entry| entry.0).map(|at| row[at].1).ok()
            };
            one.len() == other.len()
                && weight_of(one, b) == weight_of(other, a)
                && one.iter().filter(|entry| entry.0 != b).eq(other.iter().filter(|e| e.0 != a))
        };
        is_alike(self.leaving(a), self.leaving(b)) && is_alike(self.entering(a), self.entering(b))
    }
}
