//! A schedule: the path and step of every transfer, stored in flat arrays.

use crate::ids::{ChannelId, MessageId, ProcessorId};
use std::ops::Range;

/// One message sent from one processor to another along a path of channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer<'a> {
    /// The message.
    pub message: MessageId,
    /// The sending processor.
    pub from: ProcessorId,
    /// The receiving processor.
    pub to: ProcessorId,
    /// The channels of the path, in order; empty between processors on the same router.
    pub path: &'a [ChannelId],
}

/// A list of steps, each a set of simultaneous transfers.
///
/// ```
/// use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};
///
/// let mut schedule = Schedule::new();
/// schedule.start_step();
/// let path = [ChannelId(0), ChannelId(2)];
/// let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(2));
/// schedule.push(Transfer { message, from, to, path: &path });
/// assert_eq!((schedule.step_count(), schedule.channel_uses()), (1, 2));
/// assert_eq!(schedule.step(0).next().map(|transfer| transfer.to), Some(ProcessorId(2)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    step_ends: Vec<u32>,
    heads: Vec<Head>,
    path_ends: Vec<u32>,
    paths: Vec<ChannelId>,
    rounds: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    message: MessageId,
    from: ProcessorId,
    to: ProcessorId,
}

impl Schedule {
    /// A schedule without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a schedule of `steps` steps from transfers in any order, each with its step (from 0).
    /// Transfers of the same step keep their order.
    pub fn from_transfers(steps: u32, transfers: &[(u32, Transfer<'_>)]) -> Self {
        let mut order: Vec<u32> = (0..transfers.len() as u32).collect();
        order.sort_by_key(|&i| transfers[i as usize].0);
        let mut schedule = Self::new();
        let mut next = order.iter().map(|&i| &transfers[i as usize]).peekable();
        for step in 0..steps {
            schedule.start_step();
            while let Some((_, transfer)) = next.next_if(|(at, _)| *at == step) {
                schedule.push(*transfer);
            }
        }
        debug_assert!(next.peek().is_none(), "a transfer lies beyond the last step");
        schedule
    }

    /// Builds a schedule from its arrays without copying. `step_ends` counts transfers, `path_ends`
    /// counts channels.
    pub(crate) fn from_blocks(
        step_ends: Vec<u32>,
        heads: Vec<(MessageId, ProcessorId, ProcessorId)>,
        path_ends: Vec<u32>,
        paths: Vec<ChannelId>,
    ) -> Self {
        debug_assert_eq!(heads.len(), path_ends.len(), "every transfer has a path");
        // Both tuples and heads have the same size, so `collect` reuses the allocation.
        let heads = heads.into_iter().map(|(message, from, to)| Head { message, from, to });
        Self { step_ends, heads: heads.collect(), path_ends, paths, rounds: Vec::new() }
    }

    /// Starts the next step; transfers pushed afterwards belong to it.
    pub fn start_step(&mut self) {
        self.step_ends.push(self.heads.len() as u32);
    }

    /// Adds a transfer to the last step.
    pub fn push(&mut self, transfer: Transfer<'_>) {
        let Transfer { message, from, to, path } = transfer;
        self.heads.push(Head { message, from, to });
        self.paths.extend_from_slice(path);
        // The paths alone would take 16 GiB at this limit; a panic is better than wrong offsets.
        let end = u32::try_from(self.paths.len()).expect("fewer than 2^32 channel uses");
        self.path_ends.push(end);
        let last = self.step_ends.last_mut().expect("start_step comes before push");
        *last = u32::try_from(self.heads.len()).expect("fewer than 2^32 transfers");
    }

    /// Claims that the schedule is k-synchronous: its steps are rounds, of which `rounds[s]` form
    /// synchronous step s, and a processor sends on in a synchronous step only what it held at the start
    /// of that step. The judge checks the claim.
    pub fn with_rounds(self, rounds: Vec<u32>) -> Self {
        Self { rounds, ..self }
    }

    /// The rounds of each synchronous step; empty if the schedule is not claimed to be k-synchronous.
    pub fn rounds(&self) -> &[u32] {
        &self.rounds
    }

    /// The number of steps, which is the cost of the schedule.
    pub fn step_count(&self) -> u32 {
        self.step_ends.len() as u32
    }

    /// The number of transfers.
    pub fn transfer_count(&self) -> usize {
        self.heads.len()
    }

    /// The number of channel uses: the sum of all path lengths.
    pub fn channel_uses(&self) -> usize {
        self.paths.len()
    }

    /// The indices of the transfers of a step.
    pub fn transfer_numbers(&self, step: u32) -> Range<usize> {
        let start = match step {
            0 => 0,
            step => self.step_ends[step as usize - 1],
        };
        start as usize..self.step_ends[step as usize] as usize
    }

    /// A transfer by its index over all steps.
    pub fn transfer(&self, number: usize) -> Transfer<'_> {
        let start = match number {
            0 => 0,
            number => self.path_ends[number - 1],
        };
        let Head { message, from, to } = self.heads[number];
        let path = &self.paths[start as usize..self.path_ends[number] as usize];
        Transfer { message, from, to, path }
    }

    /// The transfers of a step.
    pub fn step(&self, step: u32) -> impl ExactSizeIterator<Item = Transfer<'_>> + Clone {
        self.transfer_numbers(step).map(|number| self.transfer(number))
    }

    /// The schedule run backwards in time, for the reversed network: the last step first, `from`
    /// and `to` swapped, every path reversed.
    pub fn reversed(&self) -> Self {
        let mut reversed = Self {
            step_ends: Vec::with_capacity(self.step_ends.len()),
            heads: Vec::with_capacity(self.heads.len()),
            path_ends: Vec::with_capacity(self.path_ends.len()),
            paths: Vec::with_capacity(self.paths.len()),
            rounds: self.rounds.iter().rev().copied().collect(),
        };
        let mut path = Vec::new();
        for step in (0..self.step_count()).rev() {
            reversed.start_step();
            for transfer in self.step(step) {
                path.clear();
                path.extend(transfer.path.iter().rev());
                let Transfer { message, from, to, .. } = transfer;
                reversed.push(Transfer { message, from: to, to: from, path: &path });
            }
        }
        reversed
    }
}
