//! Paths that visit no router twice.

use pavane_model::{ChannelId, Network};

/// Whether a chain of channels visits no router twice, as required of the path of a transfer.
pub fn is_simple(network: &Network, path: &[ChannelId]) -> bool {
    let start = path.first().map(|&first| network.channel(first).tail);
    let heads = path.iter().map(|&channel| network.channel(channel).head);
    let mut routers: Vec<_> = start.into_iter().chain(heads).collect();
    let visits = routers.len();
    routers.sort_unstable();
    routers.dedup();
    routers.len() == visits
}
