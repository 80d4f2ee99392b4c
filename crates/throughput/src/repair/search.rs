//! Completes a tree: connects the routers that lack the message one after another, each by the
//! cheapest way from a router that has it.

use super::trimmed::{Side, Trimmed};
use pavane_model::{ChannelId, RouterId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cost of a channel without load. One that is just filled costs twice as much.
const HOP: u64 = 1 << 10;

/// How much of a tree a channel must be able to carry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Its whole weight.
    Whole,
    /// Any part of it.
    Any,
}

/// The channels that complete a tree, from the root outwards, and how much weight they can carry; `None`
/// if there are none. `spare` has the load that each channel can still take.
pub(super) fn complete(
    side: &Side<'_>,
    tree: &Trimmed,
    weight: u128,
    part: Part,
    spare: &[u128],
) -> Option<(Vec<ChannelId>, u128)> {
    let mut has_data = vec![false; side.is_copying.len()];
    has_data[side.root(tree.message).index()] = true;
    let mark = |channels: &[ChannelId], has_data: &mut Vec<bool>| {
        for &channel in channels {
            let to = side.ends(channel).1.index();
            has_data[to] |= side.is_copying[to];
        }
    };
    mark(&tree.channels, &mut has_data);
    let mut uses = vec![0u128; spare.len()];
    let mut missing = tree.missing.clone();
    let mut added = Vec::new();
    while !missing.is_empty() {
        let cost = |channel: ChannelId| {
            let (times, free) = (uses[channel.index()] + 1, spare[channel.index()]);
            let needed = match part {
                Part::Whole => weight.checked_mul(times)?,
                Part::Any => times,
            };
            if needed > free {
                return None;
            }
            let filled = weight.saturating_mul(times).saturating_mul(HOP.into()) / free;
            Some(HOP.saturating_add(filled.try_into().unwrap_or(u64::MAX)))
        };
        let path = nearest(side, &has_data, &missing, cost)?;
        for &channel in &path {
            uses[channel.index()] += 1;
        }
        mark(&path, &mut has_data);
        missing.retain(|router| !has_data[router.index()]);
        added.extend(path);
    }
    let carried = added.iter().map(|channel| spare[channel.index()] / uses[channel.index()]);
    let amount = carried.min().unwrap_or(weight).min(weight);
    Some((added, amount))
}

/// The cheapest path from a router with the data to one that lacks it.
fn nearest(
    side: &Side<'_>,
    has_data: &[bool],
    missing: &[RouterId],
    cost: impl Fn(ChannelId) -> Option<u64>,
) -> Option<Vec<ChannelId>> {
    let mut best = vec![u64::MAX; has_data.len()];
    let mut by: Vec<Option<ChannelId>> = vec![None; has_data.len()];
    let mut is_missing = vec![false; has_data.len()];
    missing.iter().for_each(|router| is_missing[router.index()] = true);
    let mut open = BinaryHeap::new();
    for (router, _) in has_data.iter().enumerate().filter(|&(_, &has_data)| has_data) {
        best[router] = 0;
        open.push(Reverse((0, router as u32)));
    }
    while let Some(Reverse((paid, router))) = open.pop() {
        let router = RouterId(router);
        if paid > best[router.index()] {
            continue;
        }
        if is_missing[router.index()] {
            let mut path = Vec::new();
            let mut at = router;
            while let Some(channel) = by[at.index()] {
                path.push(channel);
                at = side.ends(channel).0;
            }
            path.reverse();
            return Some(path);
        }
        for &channel in side.outgoing(router) {
            let Some(price) = cost(channel) else { continue };
            let (to, paid) = (side.ends(channel).1, paid.saturating_add(price));
            if paid < best[to.index()] {
                best[to.index()] = paid;
                by[to.index()] = Some(channel);
                open.push(Reverse((paid, to.0)));
            }
        }
    }
    None
}
