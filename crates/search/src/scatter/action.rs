//! Action of a group of automorphisms on the messages and resources of a problem, with one base
//! message per orbit.

use super::layout::Layout;
use crate::budget::{Budget, Interrupt};
use crate::symmetry::{ChannelOrder, FreeGroup, MessageOrder};
use pavane_model::{ChannelId, MessageId, ProcessorId};

/// A group that maps the messages of a problem to each other, with no message fixed by any member
/// but the identity.
pub(super) struct Action<'a> {
    /// Rows of the grid that messages compete for.
    pub layout: &'a Layout<'a>,
    /// The group.
    pub group: FreeGroup,
    /// One base message per orbit.
    pub bases: Vec<u32>,
    channels: ChannelOrder<'a>,
    messages: MessageOrder<'a>,
    /// For each row after the channels: the processor that owns the port, its direction, and its
    /// rank among the processor's ports of that direction.
    ports: Vec<Port>,
}

#[derive(Clone, Copy)]
struct Port {
    processor: ProcessorId,
    is_send: bool,
    rank: u32,
}

impl<'a> Action<'a> {
    /// Action of the part of the group that preserves the messages. `None` if that is
    /// only the identity, if some orbit is smaller than the group, or on interrupt.
    pub fn new(layout: &'a Layout<'a>, group: FreeGroup, interrupt: &Interrupt) -> Option<Self> {
        let messages = MessageOrder::new(layout.problem);
        let group = messages.keepers(group, interrupt);
        if group.order() == 1 {
            return None;
        }
        let channels = ChannelOrder::new(layout.problem.network());
        let (bases, ports) = (Vec::new(), Vec::new());
        let mut action = Self { layout, group, bases, channels, messages, ports };
        action.number_ports();
        action.bases = action.find_bases(interrupt)?;
        Some(action)
    }

    fn number_ports(&mut self) {
        let blank = Port { processor: ProcessorId(0), is_send: true, rank: 0 };
        let channels = self.layout.problem.network().channel_count();
        self.ports = vec![blank; self.layout.rows - channels];
        for processor in self.layout.problem.network().living_processors() {
            let rows = [
                (true, self.layout.send_rows(processor)),
                (false, self.layout.receive_rows(processor)),
            ];
            for (is_send, rows) in rows {
                for (rank, row) in (0..).zip(rows) {
                    self.ports[row as usize - channels] = Port { processor, is_send, rank };
                }
            }
        }
    }

    /// One message of every orbit; `None` if an orbit is smaller than the group, or on interrupt.
    fn find_bases(&self, interrupt: &Interrupt) -> Option<Vec<u32>> {
        let mut pace = Budget::unlimited(interrupt);
        let mut is_seen = vec![false; self.layout.problem.messages().len()];
        let mut bases = Vec::new();
        for message in self.layout.problem.messages().ids() {
            if is_seen[message.index()] {
                continue;
            }
            bases.push(message.0);
            if !pace.spend(self.group.order() as u64) {
                return None;
            }
            for member in 0..self.group.order() as u32 {
                let image = self.message_image(member, message.0);
                if std::mem::replace(&mut is_seen[image as usize], true) {
                    return None;
                }
            }
        }
        Some(bases)
    }

    /// Image of a message under a member of the group.
    pub fn message_image(&self, member: u32, message: u32) -> u32 {
        let image = self.messages.image(&self.group, member, MessageId(message));
        image.expect("members of the group keep the messages").0
    }

    /// Image of a processor under a member of the group.
    pub fn processor_image(&self, member: u32, processor: ProcessorId) -> ProcessorId {
        self.messages.processor_image(&self.group, member, processor)
    }

    /// Image of a channel or port under a member of the group.
    pub fn image(&self, member: u32, resource: u32) -> u32 {
        let channels = self.layout.problem.network().channel_count() as u32;
        if resource < channels {
            return self.channels.image(&self.group, member, ChannelId(resource)).0;
        }
        let Port { processor, is_send, rank } = self.ports[(resource - channels) as usize];
        let to = self.processor_image(member, processor);
        let rows = if is_send { self.layout.send_rows(to) } else { self.layout.receive_rows(to) };
        rows.start + rank
    }
}
