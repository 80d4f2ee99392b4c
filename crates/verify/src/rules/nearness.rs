//! Distances between routers. A table of all distances would not fit in memory for 65,536 routers,
//! and one search per router is slow, so 128 breadth-first searches run in parallel, one bit each.
//! After Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", 2014.

use crate::distance::Neighbours;
use pavane_model::{Network, RouterId};

/// One bit per search.
type Searches = u128;

/// Number of parallel searches.
pub(super) const WIDTH: usize = Searches::BITS as usize;

/// Searches from up to [`WIDTH`] sources that advance one hop at a time.
pub(super) struct Nearness {
    neighbours: Neighbours,
    /// The searches that have reached each router.
    reached: Vec<Searches>,
    /// The searches that reached it with the last hop.
    arrived: Vec<Searches>,
    /// The routers that some search reached with the last hop.
    rim: Vec<RouterId>,
    /// `arrived` and `rim` after the next hop; empty between hops.
    arriving: Vec<Searches>,
    next_rim: Vec<RouterId>,
}

impl Nearness {
    pub fn new(network: &Network) -> Self {
        let blank = vec![0; network.router_count()];
        Self {
            neighbours: Neighbours::along(network),
            reached: blank.clone(),
            arrived: blank.clone(),
            rim: Vec::new(),
            arriving: blank,
            next_rim: Vec::new(),
        }
    }

    /// Restarts: search i begins at `sources[i]`. The sources must be distinct.
    pub fn start(&mut self, sources: &[RouterId]) {
        debug_assert!(sources.len() <= WIDTH, "one bit for every source");
        self.reached.fill(0);
        self.arrived.fill(0);
        self.rim.clear();
        for (search, &source) in sources.iter().enumerate() {
            self.reached[source.index()] = 1 << search;
            self.arrived[source.index()] = 1 << search;
            self.rim.push(source);
        }
    }

    /// Advances all searches by one hop.
    pub fn grow(&mut self) {
        for &router in &self.rim {
            let bits = std::mem::take(&mut self.arrived[router.index()]);
            for &next in self.neighbours.of(router) {
                let new = bits & !self.reached[next.index()];
                if new == 0 {
                    continue;
                }
                if self.arriving[next.index()] == 0 {
                    self.next_rim.push(next);
                }
                self.arriving[next.index()] |= new;
            }
        }
        for &router in &self.next_rim {
            self.reached[router.index()] |= self.arriving[router.index()];
        }
        self.rim.clear();
        std::mem::swap(&mut self.rim, &mut self.next_rim);
        std::mem::swap(&mut self.arrived, &mut self.arriving);
    }

    /// Whether a search has reached a router.
    pub fn has_reached(&self, search: usize, router: RouterId) -> bool {
        self.reached[router.index()] >> search & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Nearness, WIDTH};
    use crate::distance::distances_from;
    use pavane_model::{NetworkBuilder, RouterId};

    #[test]
    fn all_searches_count_hops_like_a_single_one() {
        let routers = 100;
        let mut builder = NetworkBuilder::new("ring with one-way shortcuts", routers);
        for router in 0..routers {
            builder.link(router, (router + 1) % routers);
            if router % 3 == 0 {
                builder.channel(router, (router * 7 + 5) % routers);
            }
        }
        builder.processor_on_each_router();
        let network = builder.build().unwrap();
        let all: Vec<RouterId> = network.routers().collect();
        let mut nearness = Nearness::new(&network);
        for sources in all.chunks(WIDTH) {
            nearness.start(sources);
            for hops in 0..20 {
                for (search, &source) in sources.iter().enumerate() {
                    let distance = distances_from(&network, source);
                    for &target in &all {
                        let is_near = distance[target.index()] <= hops;
                        assert_eq!(nearness.has_reached(search, target), is_near);
                    }
                }
                nearness.grow();
            }
        }
    }
}
