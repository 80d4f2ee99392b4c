//! Groups that turn no link around. Under half duplex, a member that maps a channel to the opposite
//! one would send over both in the same step.

use crate::budget::Budget;
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup, Subgroup};
use pavane_model::{ChannelId, Network};

/// Subgroups that are grown, and random members that each may get.
const TRIES: usize = 4;
const MEMBERS: usize = 24;

/// The group, or a large subgroup of it that turns no link around. `None` on interrupt.
pub(super) fn oriented(
    network: &Network,
    group: &FreeGroup,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<FreeGroup> {
    let order = ChannelOrder::new(network);
    let mut turns = Vec::with_capacity(group.order());
    let mut pace = Budget::unlimited(budget.interrupt());
    for member in 0..group.order() as u32 {
        if !pace.spend(1 + network.channel_count() as u64) {
            return None;
        }
        let is_turned = |channel: ChannelId| {
            network.opposite(channel) == Some(order.image(group, member, channel))
        };
        turns.push((0..network.channel_count() as u32).map(ChannelId).any(is_turned));
    }
    if !turns.contains(&true) {
        return Some(group.clone());
    }
    let mut best = Subgroup::trivial();
    for _ in 0..TRIES {
        let mut grown = Subgroup::trivial();
        for _ in 0..MEMBERS {
            let member = rng.below(group.order()) as u32;
            if grown.has(member) || turns[member as usize] {
                continue;
            }
            let larger = grown.with(group, member);
            if !pace.spend(larger.order() as u64) {
                return None;
            }
            if !larger.members().iter().any(|&member| turns[member as usize]) {
                grown = larger;
            }
        }
        if grown.order() > best.order() {
            best = grown;
        }
    }
    Some(group.restricted_to(best.members()))
}
