//! One hop of a message under store-and-forward, and schedules built from such hops.

use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};

/// No channel (between processors of one router), or a port without a row.
pub(super) const NONE: u32 = u32::MAX;

/// One hop of a message in its step, with the resources it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Leg {
    /// The step.
    pub step: u32,
    /// The sending processor.
    pub from: u32,
    /// The receiving processor.
    pub to: u32,
    /// The channel, or [`NONE`].
    pub channel: u32,
    /// The row of the send port, or [`NONE`].
    pub send_row: u32,
    /// The row of the receive port, or [`NONE`].
    pub receive_row: u32,
}

/// A message and its legs.
pub(super) type KeptMessage = (u32, Vec<Leg>);

/// Builds a schedule from legs, each given with its message.
pub(super) fn to_schedule(mut legs: Vec<(u32, Leg)>) -> Schedule {
    legs.sort_unstable_by_key(|&(message, leg)| (leg.step, message));
    let steps = legs.last().map_or(0, |(_, leg)| leg.step + 1);
    let mut schedule = Schedule::new();
    let mut next = legs.iter().peekable();
    for step in 0..steps {
        schedule.start_step();
        while let Some(&(message, leg)) = next.next_if(|(_, leg)| leg.step == step) {
            let channel = [ChannelId(leg.channel)];
            let path = if leg.channel == NONE { &[][..] } else { &channel };
            let (from, to) = (ProcessorId(leg.from), ProcessorId(leg.to));
            schedule.push(Transfer { message: MessageId(message), from, to, path });
        }
    }
    schedule
}
