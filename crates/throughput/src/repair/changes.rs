//! The differences between two plans: which routes stay, and with how much weight.

use super::trimmed::Trimmed;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::{ChannelId, MessageId};
use std::collections::BTreeMap;

/// How the routes (trees or paths) of one plan differ from those of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RouteChanges {
    /// Routes before.
    pub before: usize,
    /// Routes before that are still valid: the faults remove at most branches to lost processors.
    pub valid: usize,
    /// Valid routes that are kept, perhaps with another weight.
    pub kept: usize,
    /// Routes before whose message takes other routes now.
    pub rerouted: usize,
    /// Routes of messages that no longer exist.
    pub dropped: usize,
    /// Routes that did not exist before.
    pub new: usize,
    /// The total weight of the valid routes, in a common unit.
    pub valid_weight: u128,
    /// How much of it is kept, in the same unit.
    pub kept_weight: u128,
}

impl RouteChanges {
    /// The share of the valid weight that is kept; 1 if there is none.
    pub fn kept_share(&self) -> f64 {
        if self.kept_weight == self.valid_weight {
            1.0
        } else {
            self.kept_weight as f64 / self.valid_weight as f64
        }
    }
}

/// The routes of a plan: their phase, message and channels in ascending order.
type Key = (usize, MessageId, Vec<ChannelId>);

/// The weights of the routes of a plan after faults.
pub(super) struct RouteWeights {
    scale: u64,
    /// By route, the weight that no old route has taken, in units of 1/(both scales), and the number of
    /// entries in the plan.
    left: BTreeMap<Key, Left>,
}

struct Left {
    weight: u64,
    /// What remains of the weight; `None` before the first old route.
    rest: Option<u128>,
    entries: usize,
}

impl RouteWeights {
    pub fn new(plan: &ThroughputPlan) -> Self {
        let mut left: BTreeMap<Key, Left> = BTreeMap::new();
        for (number, phase) in plan.phases.iter().enumerate() {
            for route in &phase.routes {
                let key = key(number, route.message, &route.channels);
                let entry = left.entry(key).or_insert(Left { weight: 0, rest: None, entries: 0 });
                entry.weight = entry.weight.saturating_add(route.weight);
                entry.entries += 1;
            }
        }
        Self { scale: plan.scale, left }
    }

    /// The weight of a valid route, and how much of it is kept.
    pub fn take(&mut self, phase: usize, route: &Trimmed, scale: u64) -> Option<(u128, u128)> {
        let was = u128::from(route.weight).checked_mul(self.scale.into())?;
        let key = key(phase, route.message, &route.channels);
        let Some(left) = self.left.get_mut(&key) else { return Some((was, 0)) };
        let all = u128::from(left.weight).checked_mul(scale.into())?;
        let rest = left.rest.get_or_insert(all);
        let kept = was.min(*rest);
        *rest -= kept;
        Some((was, kept))
    }

    /// The number of entries that no old route has taken.
    pub fn untouched(&self) -> usize {
        let new = self.left.values().filter(|left| left.rest.is_none());
        new.map(|left| left.entries).sum()
    }
}

fn key(phase: usize, message: MessageId, channels: &[ChannelId]) -> Key {
    let mut channels = channels.to_vec();
    channels.sort_unstable();
    (phase, message, channels)
}
