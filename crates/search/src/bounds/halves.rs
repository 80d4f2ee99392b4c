//! Cuts at a channel: the routers nearer to its tail than to its head. In a tree, a mesh or a
//! hypercube the best cuts are of this kind.

use super::hops::BreadthFirst;
use crate::budget::Interrupt;
use pavane_model::{ChannelId, Network};

/// Calls `visit` with this set for every link and every channel without an opposite. If that would
/// visit more than `looks` routers and channels, uses an evenly spaced subset. Stops at an
/// interrupt.
pub fn for_each(
    network: &Network,
    looks: u64,
    interrupt: &Interrupt,
    mut visit: impl FnMut(&[bool]),
) {
    let channels = (0..network.channel_count() as u32).map(ChannelId);
    let is_first = |&channel: &ChannelId| network.opposite(channel).is_none_or(|o| channel < o);
    let firsts: Vec<ChannelId> = channels.filter(is_first).collect();
    let cost = 3 * (network.router_count() + network.channel_count()) as u64;
    let stride = (firsts.len() as u64 * cost).div_ceil(looks).max(1);
    let (mut near, mut far) = (BreadthFirst::new(network), BreadthFirst::new(network));
    let mut is_inside = vec![false; network.router_count()];
    for &channel in firsts.iter().step_by(stride as usize) {
        if interrupt.is_raised() {
            return;
        }
        let channel = network.channel(channel);
        let (from_tail, from_head) = (near.from(channel.tail), far.from(channel.head));
        for router in 0..is_inside.len() {
            is_inside[router] = from_tail[router] < from_head[router];
        }
        visit(&is_inside);
    }
}
