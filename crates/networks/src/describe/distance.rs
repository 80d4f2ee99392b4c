//! Hops between the homes of processors, by a breadth-first search from each of them.

use pavane_model::{Network, ProcessorId, RouterId};
use serde::Serialize;

/// The maximum number of routers and channels that all searches together may visit: about a second.
const MOST_WORK: u64 = 1_000_000_000;

/// The distances between the processors of a network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Distances {
    /// Every processor can reach every other.
    Known {
        /// The most hops between the homes of two processors.
        diameter: u32,
        /// The average number of hops between the homes of two different processors, over all
        /// ordered pairs. Processors of one router are 0 hops apart.
        average: f64,
    },
    /// There is no path from one processor to another.
    Unreachable {
        /// The sender of the pair.
        from: ProcessorId,
        /// The receiver of the pair.
        to: ProcessorId,
    },
    /// The network is so large that the search would take too long.
    Skipped,
}

impl Distances {
    /// The most hops between the homes of two processors, if known.
    pub fn diameter(&self) -> Option<u32> {
        match *self {
            Self::Known { diameter, .. } => Some(diameter),
            _ => None,
        }
    }

    /// The average number of hops between two different processors, if known.
    pub fn average(&self) -> Option<f64> {
        match *self {
            Self::Known { average, .. } => Some(average),
            _ => None,
        }
    }
}

/// Measures the distances between all homes.
pub fn measure(network: &Network) -> Distances {
    let residents = |router: RouterId| network.residents(router).len() as u128;
    let homes: Vec<RouterId> = network.routers().filter(|&r| residents(r) > 0).collect();
    let work = (network.channel_count() + network.router_count()) as u64 * homes.len() as u64;
    if work > MOST_WORK {
        return Distances::Skipped;
    }
    let mut search = BreadthFirstSearch::new(network);
    let (mut diameter, mut total, mut processors) = (0, 0u128, 0u128);
    for &from in &homes {
        search.run(from.0);
        processors += residents(from);
        for &to in &homes {
            let hops = search.hops[to.index()];
            if hops == u32::MAX {
                let [from, to] = [from, to].map(|home| network.residents(home)[0]);
                return Distances::Unreachable { from, to };
            }
            diameter = diameter.max(hops);
            total += u128::from(hops) * residents(from) * residents(to);
        }
    }
    let pairs = (processors * processors.saturating_sub(1)).max(1);
    Distances::Known { diameter, average: total as f64 / pairs as f64 }
}

/// A breadth-first search that reuses its memory between starts.
struct BreadthFirstSearch {
    ends: Vec<u32>,
    heads: Vec<u32>,
    hops: Vec<u32>,
    queue: Vec<u32>,
}

impl BreadthFirstSearch {
    fn new(network: &Network) -> Self {
        let (mut ends, mut heads) = (vec![0], Vec::with_capacity(network.channel_count()));
        for router in network.routers() {
            heads.extend(network.out_channels(router).iter().map(|&c| network.channel(c).head.0));
            ends.push(heads.len() as u32);
        }
        let routers = network.router_count();
        Self { ends, heads, hops: vec![0; routers], queue: Vec::with_capacity(routers) }
    }

    fn run(&mut self, start: u32) {
        self.hops.fill(u32::MAX);
        self.hops[start as usize] = 0;
        self.queue.clear();
        self.queue.push(start);
        let mut at = 0;
        while let Some(&router) = self.queue.get(at) {
            at += 1;
            let hops = self.hops[router as usize] + 1;
            let row = self.ends[router as usize] as usize..self.ends[router as usize + 1] as usize;
            for &head in &self.heads[row] {
                if self.hops[head as usize] == u32::MAX {
                    self.hops[head as usize] = hops;
                    self.queue.push(head);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;
    use pavane_model::NetworkBuilder;

    #[test]
    fn known_distances() {
        let table = [
            ("hypercube:4", 4, 32.0 / 15.0),
            ("ring:5", 2, 1.5),
            ("complete:7", 1, 1.0),
            ("petersen", 2, 15.0 / 9.0),
            ("octagon:8@2", 2, 8.0 * 2.0 * 22.0 / (16.0 * 15.0)),
            ("fat-tree:4", 6, (2.0 + 2.0 * 4.0 + 12.0 * 6.0) / 15.0),
            ("dgx-h100", 2, 2.0),
            ("omega:3", 4, 4.0),
            ("kautz:3,2", 2, (3.0 + 8.0 * 2.0) / 11.0),
        ];
        for (spec, diameter, average) in table {
            let distances = measure(&build(spec).expect(spec));
            assert_eq!(distances.diameter(), Some(diameter), "{spec}");
            let found = distances.average().expect(spec);
            assert!((found - average).abs() < 1e-9, "{spec}: {found}, not {average}");
        }
    }

    #[test]
    fn missing_return_paths_are_reported() {
        let mut builder = NetworkBuilder::new("one way", 2);
        builder.channel(0, 1).processor_on_each_router();
        let [from, to] = [1, 0].map(ProcessorId);
        let network = builder.build().expect("two routers");
        assert_eq!(measure(&network), Distances::Unreachable { from, to });
    }

    #[test]
    fn large_networks_are_skipped() {
        assert_eq!(measure(&build("hypercube:16").expect("65536")), Distances::Skipped);
    }
}
