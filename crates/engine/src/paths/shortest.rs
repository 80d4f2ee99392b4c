//! The shortest paths to one router, counted and numbered over their acyclic graph.

use super::DetourPaths;
use num_bigint::BigUint;
use pavane_model::{ChannelId, Network, RouterId};

/// The shortest paths from every router to one target. Those from one router are numbered in the
/// order of their channel numbers, the first channel counting most.
#[derive(Debug, Clone)]
pub struct ShortestPaths<'a>(DetourPaths<'a>);

impl<'a> ShortestPaths<'a> {
    /// Counts the shortest paths from every router to `target`.
    pub fn to(network: &'a Network, target: RouterId) -> Self {
        Self(DetourPaths::to(network, target, 0))
    }

    /// Hops from a router to the target; `u32::MAX` where there is no way.
    pub fn distance(&self, from: RouterId) -> u32 {
        self.0.distance(from)
    }

    /// How many shortest paths lead from a router to the target.
    pub fn count(&self, from: RouterId) -> &BigUint {
        self.0.count(from)
    }

    /// The shortest path of a number; `None` from [`ShortestPaths::count`] on.
    pub fn unrank(&self, from: RouterId, number: &BigUint) -> Option<Vec<ChannelId>> {
        self.0.unrank(from, number)
    }

    /// The number of a path among the shortest from where it starts to the target; `None` if it is
    /// not one of them.
    pub fn rank(&self, path: &[ChannelId]) -> Option<BigUint> {
        self.0.rank(path)
    }
}
