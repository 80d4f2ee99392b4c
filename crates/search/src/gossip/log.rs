//! Records the transfers of a run and converts them to a schedule, without transfers to processors
//! that neither want the message nor pass it on.

use super::bits::BitRows;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, Schedule, Transfer};

/// The transfers of a run in the order of their steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    step_ends: Vec<usize>,
    entries: Vec<LogEntry>,
    paths: Vec<ChannelId>,
}

/// One transfer. Its path starts at `path_start` and ends where the path of the next one starts.
#[derive(Debug, Clone, Copy)]
struct LogEntry {
    message: u32,
    from: u32,
    to: u32,
    path_start: u32,
}

impl Log {
    /// Removes all transfers, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.step_ends.clear();
        self.entries.clear();
        self.paths.clear();
    }

    /// Copies the first `steps` steps of another log.
    pub(super) fn copy(&mut self, other: &Self, steps: usize) {
        self.clear();
        self.step_ends.extend_from_slice(&other.step_ends[..steps]);
        let entries = self.step_ends.last().map_or(0, |&end| end);
        self.entries.extend_from_slice(&other.entries[..entries]);
        let channels =
            other.entries.get(entries).map_or(other.paths.len(), |e| e.path_start as usize);
        self.paths.extend_from_slice(&other.paths[..channels]);
    }

    /// Starts the next step.
    pub(super) fn start_step(&mut self) {
        self.step_ends.push(self.entries.len());
    }

    /// Adds a transfer to the last step.
    pub(super) fn push(&mut self, message: usize, from: usize, to: usize, path: &[ChannelId]) {
        let path_start = self.paths.len() as u32;
        let (message, from, to) = (message as u32, from as u32, to as u32);
        self.entries.push(LogEntry { message, from, to, path_start });
        self.paths.extend_from_slice(path);
        *self.step_ends.last_mut().expect("start_step comes before push") = self.entries.len();
    }

    /// Number of steps started.
    pub(super) fn step_count(&self) -> usize {
        self.step_ends.len()
    }

    /// The transfers of a step.
    pub(super) fn step(&self, step: usize) -> impl Iterator<Item = Transfer<'_>> {
        let start = if step == 0 { 0 } else { self.step_ends[step - 1] };
        (start..self.step_ends[step]).map(|at| self.transfer(at))
    }

    fn transfer(&self, at: usize) -> Transfer<'_> {
        let entry = self.entries[at];
        let end = self.entries.get(at + 1).map_or(self.paths.len(), |e| e.path_start as usize);
        Transfer {
            message: MessageId(entry.message),
            from: ProcessorId(entry.from),
            to: ProcessorId(entry.to),
            path: &self.paths[entry.path_start as usize..end],
        }
    }

    /// The schedule, without useless transfers and without empty steps at its end.
    pub(super) fn schedule(&self, problem: &Problem) -> Schedule {
        let is_useful = self.useful(problem);
        let mut schedule = Schedule::new();
        let mut at = 0;
        let last = is_useful.iter().rposition(|&useful| useful).map_or(0, |last| last + 1);
        for &end in &self.step_ends {
            if at >= last {
                break;
            }
            schedule.start_step();
            for number in (at..end).filter(|&number| is_useful[number]) {
                schedule.push(self.transfer(number));
            }
            at = end;
        }
        schedule
    }

    /// Marks the useful transfers, backward in time: a transfer is useful if its receiver is a
    /// destination or sends the message on in a useful transfer.
    fn useful(&self, problem: &Problem) -> Vec<bool> {
        let messages = problem.messages();
        let mut needed = BitRows::new(problem.network().processor_count(), messages.len());
        for message in messages.ids() {
            for to in messages.destinations(message) {
                needed.set(to.index(), message.index());
            }
        }
        let mut is_useful = vec![false; self.entries.len()];
        for (at, entry) in self.entries.iter().enumerate().rev() {
            if needed.has(entry.to as usize, entry.message as usize) {
                is_useful[at] = true;
                needed.set(entry.from as usize, entry.message as usize);
            }
        }
        is_useful
    }
}
