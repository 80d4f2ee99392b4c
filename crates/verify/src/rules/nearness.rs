//! Which routers are within so many hops, by breadth-first search that stops there: on a network
//! of 65,536 routers a table of all distances would not fit.

use pavane_model::{Network, RouterId};

const FAR: u32 = u32::MAX;

/// The routers near one router.
pub(super) struct Nearness<'a> {
    network: &'a Network,
    hops: Vec<u32>,
    /// The routers found, nearest first.
    found: Vec<RouterId>,
}

impl<'a> Nearness<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, hops: vec![FAR; network.router_count()], found: Vec::new() }
    }

    /// Finds the routers at most `radius` hops from `source`, and forgets those found before.
    pub fn explore(&mut self, source: RouterId, radius: u32) {
        for router in self.found.drain(..) {
            self.hops[router.index()] = FAR;
        }
        self.hops[source.index()] = 0;
        self.found.push(source);
        let mut at = 0;
        while at < self.found.len() {
            let router = self.found[at];
            let hops = self.hops[router.index()] + 1;
            at += 1;
            if hops > radius {
                return;
            }
            for &channel in self.network.out_channels(router) {
                let next = self.network.channel(channel).head;
                if self.hops[next.index()] == FAR {
                    self.hops[next.index()] = hops;
                    self.found.push(next);
                }
            }
        }
    }

    /// How many hops away a router is, unless it was not found.
    pub fn hops_to(&self, router: RouterId) -> Option<u32> {
        let hops = self.hops[router.index()];
        (hops != FAR).then_some(hops)
    }
}
