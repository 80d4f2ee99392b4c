//! Networks with one processor on every router, for methods that first decide what happens between
//! routers and then which of their processors take part.

use pavane_model::{ChannelId, Network, NetworkBuilder};

/// The network with one processor on every router that has any. Channels keep their numbers. `None`
/// if no router has a processor.
pub(crate) fn slim(network: &Network) -> Option<Network> {
    let mut builder = NetworkBuilder::new(network.name(), network.router_count() as u32);
    for channel in network.channels() {
        builder.channel(channel.tail.0, channel.head.0);
    }
    for number in 0..network.channel_count() as u32 {
        let channel = ChannelId(number);
        if let Some(other) = network.opposite(channel) {
            builder.join(channel, other);
        }
    }
    for router in network.routers().filter(|&router| !network.residents(router).is_empty()) {
        builder.processor(Some(router.0));
    }
    builder.build().ok()
}

/// The number of processors per router, if all routers that have any have the same number.
pub(crate) fn residents_per_router(network: &Network) -> Option<usize> {
    let mut counts = network.routers().map(|r| network.residents(r).len()).filter(|&n| n > 0);
    let first = counts.next()?;
    counts.all(|count| count == first).then_some(first)
}
