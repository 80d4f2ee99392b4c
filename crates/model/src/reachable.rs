//! Checks that every message has a path from its origin to its destinations.

use crate::collective::Messages;
use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::network::Network;

/// The maximum number of routers and channels that all searches together may visit.
const MOST_LOOKS: u64 = 2_000_000_000;

/// Why some message is not known to be deliverable.
pub(crate) enum Obstacle {
    /// There is no path from an origin to a destination.
    NoWay(ProcessorId, ProcessorId),
    /// The check would need this many searches, which takes too long.
    TooManySearches(u64),
}

/// Checks that every destination can be reached from its origin, in a forward problem. The error
/// names the first unreachable destination of the first such message.
pub(crate) fn check(network: &Network, messages: &Messages) -> Result<(), Obstacle> {
    let home = |p: ProcessorId| network.home(p).expect("the processors of messages are alive");
    let start = home(messages.origin(MessageId(0)));
    let (there, back) = (network.distances_from(start), network.distances_to(start));
    let is_around =
        |p: ProcessorId| there[home(p).index()] != u32::MAX && back[home(p).index()] != u32::MAX;
    // All processors that reach `start` and are reached from it can reach each other.
    if network.living_processors().all(is_around) {
        return Ok(());
    }
    let is_settled = |message: MessageId| {
        let origin = messages.origin(message);
        let is_around = |to: ProcessorId| is_around(origin) && is_around(to);
        let mut destinations = messages.destinations(message).iter();
        destinations.all(|&to| home(to) == home(origin) || is_around(to))
    };
    let mut open: Vec<(RouterId, MessageId)> = messages
        .ids()
        .filter(|&message| !is_settled(message))
        .map(|message| (home(messages.origin(message)), message))
        .collect();
    // One search serves all messages that start at the same router.
    open.sort_unstable();
    let by_origin = || open.chunk_by(|one, other| one.0 == other.0);
    let searches = by_origin().count() as u64;
    let size = (network.router_count() + network.channel_count()) as u64;
    if searches.saturating_mul(size) > MOST_LOOKS {
        return Err(Obstacle::TooManySearches(searches));
    }
    let mut first: Option<(MessageId, ProcessorId)> = None;
    for group in by_origin() {
        let distance = network.distances_from(group[0].0);
        let is_lost = |&to: &&ProcessorId| distance[home(*to).index()] == u32::MAX;
        let lost = group.iter().find_map(|&(_, message)| {
            messages.destinations(message).iter().find(is_lost).map(|&to| (message, to))
        });
        first = [first, lost].into_iter().flatten().min();
    }
    match first {
        Some((message, to)) => Err(Obstacle::NoWay(messages.origin(message), to)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Collective, ListedMessage, Model, NetworkBuilder, Problem, ProcessorId};

    /// A one-way path on which every processor sends to the next one.
    fn relay(routers: u32) -> Result<Problem, String> {
        let mut builder = NetworkBuilder::new("one way", routers);
        (1..routers).for_each(|router| {
            builder.channel(router - 1, router);
        });
        builder.processor_on_each_router();
        let pair = |p| ListedMessage { from: ProcessorId(p), to: vec![ProcessorId(p + 1)] };
        let collective = Collective::listed("relay", (0..routers - 1).map(pair).collect());
        Problem::new(builder.build().unwrap(), collective, Model::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn too_many_searches_are_refused_before_the_first() {
        assert!(relay(100).is_ok());
        let error = relay(50_000).unwrap_err();
        assert!(error.contains("searching 49999 channels from each of 49999 origins"));
    }

    #[test]
    fn the_first_message_without_a_way_is_named() {
        let mut builder = NetworkBuilder::new("one way", 4);
        builder.channel(0, 1).channel(1, 2).link(2, 3).processor_on_each_router();
        let message = |from, to: &[u32]| ListedMessage {
            from: ProcessorId(from),
            to: to.iter().map(|&p| ProcessorId(p)).collect(),
        };
        let list = vec![message(3, &[2]), message(2, &[3, 1]), message(1, &[0])];
        let collective = Collective::listed("list", list);
        let error = Problem::new(builder.build().unwrap(), collective, Model::default());
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("processor 2 cannot reach processor 1"), "{error}");
    }
}
