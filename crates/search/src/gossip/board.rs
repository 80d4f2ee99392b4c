//! The step under construction: the transfer that uses each channel, and the ports in use.

use crate::ports;
use pavane_model::{ChannelId, Duplex, Problem};
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// A transfer of the step under construction.
#[derive(Debug, Clone)]
pub(super) struct PlacedTransfer {
    /// The number of the message.
    pub message: usize,
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    path: Range<usize>,
    is_gone: bool,
    /// The previous transfer of the same sender.
    before: u32,
}

/// Channels and ports of one step.
#[derive(Debug)]
pub(super) struct StepBoard {
    /// Under half duplex, the other channel of the link.
    rival: Vec<Option<ChannelId>>,
    user: Vec<u32>,
    sends: Vec<u32>,
    receives: Vec<u32>,
    send_ports: Vec<u32>,
    receive_ports: Vec<u32>,
    last_sent: Vec<u32>,
    placed: Vec<PlacedTransfer>,
    paths: Vec<ChannelId>,
}

impl StepBoard {
    /// An empty step.
    pub(super) fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let is_half = problem.model().duplex == Duplex::Half;
        let channels = (0..network.channel_count() as u32).map(ChannelId);
        let processors = network.processor_count();
        Self {
            rival: channels.map(|c| network.opposite(c).filter(|_| is_half)).collect(),
            user: vec![NONE; network.channel_count()],
            sends: vec![0; processors],
            receives: vec![0; processors],
            send_ports: ports::by_processor(problem, Problem::send_ports),
            receive_ports: ports::by_processor(problem, Problem::receive_ports),
            last_sent: vec![NONE; processors],
            placed: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// Removes all transfers.
    pub(super) fn clear(&mut self) {
        for channel in self.paths.drain(..) {
            self.user[channel.index()] = NONE;
        }
        for placed in self.placed.drain(..) {
            self.sends[placed.from] = 0;
            self.receives[placed.to] = 0;
            self.last_sent[placed.from] = NONE;
        }
    }

    /// The transfer that blocks a channel.
    pub(super) fn blocker(&self, channel: ChannelId) -> Option<usize> {
        let user = match (self.user[channel.index()], self.rival[channel.index()]) {
            (NONE, Some(rival)) => self.user[rival.index()],
            (user, _) => user,
        };
        (user != NONE).then_some(user as usize)
    }

    /// Whether a processor has a free send port.
    pub(super) fn can_send(&self, processor: usize) -> bool {
        self.sends[processor] < self.send_ports[processor]
    }

    /// Whether a processor has a free receive port.
    pub(super) fn can_receive(&self, processor: usize) -> bool {
        self.receives[processor] < self.receive_ports[processor]
    }

    /// Number of send ports of a processor.
    pub(super) fn send_ports(&self, processor: usize) -> u32 {
        self.send_ports[processor]
    }

    /// Number of receive ports of a processor.
    pub(super) fn receive_ports(&self, processor: usize) -> u32 {
        self.receive_ports[processor]
    }

    /// Adds a transfer. Its channels and ports must be free.
    pub(super) fn place(&mut self, message: usize, from: usize, to: usize, path: &[ChannelId]) {
        let number = self.placed.len() as u32;
        let start = self.paths.len();
        for &channel in path {
            debug_assert!(self.blocker(channel).is_none(), "channel {channel} is in use");
            self.user[channel.index()] = number;
        }
        debug_assert!(self.can_send(from) && self.can_receive(to), "no free port");
        self.paths.extend_from_slice(path);
        self.sends[from] += 1;
        self.receives[to] += 1;
        let path = start..self.paths.len();
        let before = std::mem::replace(&mut self.last_sent[from], number);
        self.placed.push(PlacedTransfer { message, from, to, path, is_gone: false, before });
    }

    /// Removes a transfer.
    pub(super) fn remove(&mut self, number: usize) {
        let placed = &mut self.placed[number];
        debug_assert!(!placed.is_gone, "transfer {number} was removed before");
        placed.is_gone = true;
        self.sends[placed.from] -= 1;
        self.receives[placed.to] -= 1;
        for channel in &self.paths[placed.path.clone()] {
            self.user[channel.index()] = NONE;
        }
    }

    /// Restores a removed transfer.
    pub(super) fn put_back(&mut self, number: usize) {
        let placed = &mut self.placed[number];
        debug_assert!(placed.is_gone, "transfer {number} was not removed");
        placed.is_gone = false;
        self.sends[placed.from] += 1;
        self.receives[placed.to] += 1;
        for channel in &self.paths[placed.path.clone()] {
            self.user[channel.index()] = number as u32;
        }
    }

    /// The number of the next transfer.
    pub(super) fn next_number(&self) -> usize {
        self.placed.len()
    }

    /// A transfer by its number, removed or not.
    pub(super) fn placed(&self, number: usize) -> &PlacedTransfer {
        &self.placed[number]
    }

    /// The transfers that are not removed.
    pub(super) fn transfers(&self) -> impl Iterator<Item = &PlacedTransfer> {
        self.placed.iter().filter(|placed| !placed.is_gone)
    }

    /// The numbers of the transfers that a processor sends.
    pub(super) fn sent_by(&self, processor: usize) -> impl Iterator<Item = usize> {
        let mut next = self.last_sent[processor];
        std::iter::from_fn(move || {
            while next != NONE {
                let number = next as usize;
                next = self.placed[number].before;
                if !self.placed[number].is_gone {
                    return Some(number);
                }
            }
            None
        })
    }

    /// The channels of a transfer, in their order.
    pub(super) fn path(&self, placed: &PlacedTransfer) -> &[ChannelId] {
        &self.paths[placed.path.clone()]
    }
}
