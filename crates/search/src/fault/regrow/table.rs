//! The use of channels and ports in every step.

use crate::ports;
use pavane_model::{ChannelId, Duplex, Problem};

/// Marks a reception that is not placed, or a processor that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// The use of channels and ports in every step.
pub(super) struct UseTable {
    pub processors: usize,
    row_of_channel: Vec<u32>,
    /// By step and channel row, the reception that uses it.
    pub occupant: Vec<u32>,
    /// By step and processor, the receptions that it sends, and that it receives.
    pub sent: Vec<Vec<u32>>,
    pub received: Vec<Vec<u32>>,
    pub send_ports: Vec<u32>,
    pub receive_ports: Vec<u32>,
}

impl UseTable {
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let is_half = problem.model().duplex == Duplex::Half;
        let row = |channel: u32| match network.opposite(ChannelId(channel)) {
            Some(other) if is_half => channel.min(other.0),
            _ => channel,
        };
        let processors = network.processor_count();
        Self {
            processors,
            row_of_channel: (0..network.channel_count() as u32).map(row).collect(),
            occupant: Vec::new(),
            sent: Vec::new(),
            received: Vec::new(),
            send_ports: ports::by_processor(problem, Problem::send_ports),
            receive_ports: ports::by_processor(problem, Problem::receive_ports),
        }
    }

    pub fn steps(&self) -> u32 {
        (self.sent.len() / self.processors) as u32
    }

    pub fn grow(&mut self, steps: u32) {
        let steps = steps as usize;
        self.occupant.resize(steps * self.row_of_channel.len(), NONE);
        self.sent.resize(steps * self.processors, Vec::new());
        self.received.resize(steps * self.processors, Vec::new());
    }

    pub fn channel(&self, step: u32, channel: ChannelId) -> usize {
        let row = self.row_of_channel[channel.index()] as usize;
        step as usize * self.row_of_channel.len() + row
    }

    pub fn occupant(&self, step: u32, channel: ChannelId) -> u32 {
        self.occupant[self.channel(step, channel)]
    }

    pub fn sent(&self, step: u32, processor: u32) -> &[u32] {
        &self.sent[step as usize * self.processors + processor as usize]
    }

    pub fn received(&self, step: u32, processor: u32) -> &[u32] {
        &self.received[step as usize * self.processors + processor as usize]
    }
}
