//! The shortest paths to one router, counted and numbered.

use super::detour::DetourPaths;
use num_bigint::BigUint;
use pavane_model::{ChannelId, Network, RouterId};

/// The shortest paths from every router to one target. The paths from one router are numbered in
/// lexicographic order of their channel numbers.
#[derive(Debug, Clone)]
pub struct ShortestPaths<'a>(DetourPaths<'a>);

impl<'a> ShortestPaths<'a> {
    /// Counts the shortest paths from every router to `target`.
    pub fn to(network: &'a Network, target: RouterId) -> Self {
        Self(DetourPaths::to(network, target, 0))
    }

    /// Distance from a router to the target, in channels; `u32::MAX` if the target is unreachable.
    pub fn distance(&self, from: RouterId) -> u32 {
        self.0.distance(from)
    }

    /// The number of shortest paths from a router to the target.
    pub fn count(&self, from: RouterId) -> &BigUint {
        self.0.count(from)
    }

    /// The shortest path with the given number; `None` if `number` is at least
    /// [`ShortestPaths::count`].
    pub fn unrank(&self, from: RouterId, number: &BigUint) -> Option<Vec<ChannelId>> {
        self.0.unrank(from, number)
    }

    /// The number of a path among the shortest paths from its start to the target; `None` if it is
    /// not one of them.
    pub fn rank(&self, path: &[ChannelId]) -> Option<BigUint> {
        self.0.rank(path)
    }
}
