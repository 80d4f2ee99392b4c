//! Which router connects which input to which output in which slot.

use pavane_model::tdm::{TdmSchedule, Word};
use pavane_model::{ChannelId, ProcessorId, RouterId};

/// An input or output of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RouterPort {
    /// A channel that enters or leaves.
    Channel(ChannelId),
    /// A processor of the router.
    Local(ProcessorId),
}

/// One phit in one router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Connection {
    /// The router.
    pub router: RouterId,
    /// The slot in which the phit is on the input. It is on the output `depth` slots later.
    pub slot: u32,
    /// The input.
    pub input: RouterPort,
    /// The output.
    pub output: RouterPort,
}

/// The connections of all phits of a word.
pub(super) fn connections<'a>(
    schedule: &'a TdmSchedule,
    word: &'a Word,
) -> impl Iterator<Item = Connection> + 'a {
    let network = schedule.problem.network();
    let hops = word.path.len();
    (0..=hops).flat_map(move |at| {
        let input = match at {
            0 => RouterPort::Local(word.from),
            _ => RouterPort::Channel(word.path[at - 1]),
        };
        let output = match word.path.get(at) {
            Some(&channel) => RouterPort::Channel(channel),
            None => RouterPort::Local(word.to),
        };
        let router = match input {
            RouterPort::Local(processor) => network.home(processor),
            RouterPort::Channel(channel) => Some(network.channel(channel).head),
        };
        let slots = schedule.slots(word, at);
        let connection =
            move |slot| router.map(|router| Connection { router, slot, input, output });
        slots.filter_map(connection)
    })
}
