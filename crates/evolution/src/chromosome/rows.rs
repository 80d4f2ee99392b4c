//! The resources that the transfers of a step compete for, and how far they are overused: the
//! conflicts. A channel carries one transfer (half duplex: one per link); processors have ports.

use pavane_model::{ChannelId, Duplex, Problem, ProcessorId};

/// Row of a port that needs no counting, because the channels limit it already.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Row numbers for all limited resources of a step.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    channels: Vec<u32>,
    sends: Vec<u32>,
    receives: Vec<u32>,
    capacities: Vec<i32>,
}

impl Rows {
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let count = network.channel_count() as u32;
        let is_half = problem.model().duplex == Duplex::Half;
        let row = |channel: u32| match network.opposite(ChannelId(channel)) {
            Some(other) if is_half => channel.min(other.0),
            _ => channel,
        };
        let mut rows = Self {
            channels: (0..count).map(row).collect(),
            sends: Vec::new(),
            receives: Vec::new(),
            capacities: vec![1; count as usize],
        };
        for processor in (0..network.processor_count() as u32).map(ProcessorId) {
            let Some(home) = network.home(processor) else {
                rows.sends.push(NO_ROW);
                rows.receives.push(NO_ROW);
                continue;
            };
            // Transfers within a router use ports but no channels.
            let is_fat = network.residents(home).len() > 1;
            let send = problem.send_ports(processor);
            let receive = problem.receive_ports(processor);
            let is_watched = |ports: u32, channels: usize| is_fat || (ports as usize) < channels;
            let send = rows.port(send, is_watched(send, network.out_channels(home).len()));
            let receive = rows.port(receive, is_watched(receive, network.in_channels(home).len()));
            rows.sends.push(send);
            rows.receives.push(receive);
        }
        rows
    }

    fn port(&mut self, ports: u32, is_watched: bool) -> u32 {
        if !is_watched {
            return NO_ROW;
        }
        self.capacities.push(i32::try_from(ports).unwrap_or(i32::MAX));
        self.capacities.len() as u32 - 1
    }

    pub fn channel(&self, channel: ChannelId) -> u32 {
        self.channels[channel.index()]
    }

    /// Whether a processor's ports have to be counted.
    pub fn is_watched(&self, processor: ProcessorId) -> bool {
        self.send(processor) != NO_ROW || self.receive(processor) != NO_ROW
    }

    pub fn send(&self, processor: ProcessorId) -> u32 {
        self.sends[processor.index()]
    }

    pub fn receive(&self, processor: ProcessorId) -> u32 {
        self.receives[processor.index()]
    }
}

/// The use of every row in every step, and the conflicts: uses beyond its capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    rows: usize,
    /// By step and row: uses minus capacity.
    over: Vec<i32>,
    conflicts: i32,
}

impl Grid {
    pub fn new(rows: &Rows, steps: u32) -> Self {
        let over = rows.capacities.iter().map(|capacity| -capacity).collect::<Vec<_>>();
        Self { rows: over.len(), over: over.repeat(steps as usize), conflicts: 0 }
    }

    pub fn conflicts(&self) -> i32 {
        self.conflicts
    }

    fn slot(&self, step: u32, row: u32) -> usize {
        step as usize * self.rows + row as usize
    }

    pub fn add(&mut self, step: u32, row: u32) {
        if row != NO_ROW {
            let slot = self.slot(step, row);
            let over = &mut self.over[slot];
            self.conflicts += i32::from(*over >= 0);
            *over += 1;
        }
    }

    pub fn remove(&mut self, step: u32, row: u32) {
        if row != NO_ROW {
            let slot = self.slot(step, row);
            let over = &mut self.over[slot];
            *over -= 1;
            self.conflicts -= i32::from(*over >= 0);
        }
    }

    /// Conflicts that one more use would add.
    pub fn gain(&self, step: u32, row: u32) -> i32 {
        i32::from(row != NO_ROW && self.over[self.slot(step, row)] >= 0)
    }

    /// Conflicts that one use less would remove.
    pub fn relief(&self, step: u32, row: u32) -> i32 {
        i32::from(row != NO_ROW && self.over[self.slot(step, row)] > 0)
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.over.clone_from(&other.over);
        self.conflicts = other.conflicts;
    }
}
