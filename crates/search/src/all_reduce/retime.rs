//! The transfers of two phases in their order, each as early as the others allow: a root broadcasts its sum
//! when it is complete, where channels and ports are free. Never longer than one phase after the other,
//! under any rules.

use super::sums::Sums;
use pavane_model::{ChannelId, Duplex, MessageId, Problem, ProcessorId, Schedule};

/// Largest number of pairs of a message and a processor.
const MOST_PAIRS: usize = 1 << 20;

/// A transfer of a schedule in its new step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    /// Its number in the schedule of its phase.
    pub number: usize,
    pub step: u32,
}

/// The new steps of all transfers of both phases; `None` if there are too many.
pub(super) fn retimed(
    problem: &Problem,
    sums: &Sums,
    phases: [&Schedule; 2],
) -> Option<[Vec<Moved>; 2]> {
    let processors = problem.network().processor_count();
    if sums.count().checked_mul(processors)? > MOST_PAIRS {
        return None;
    }
    let most = phases.iter().map(|schedule| schedule.step_count()).sum::<u32>() as usize;
    let mut uses = Uses::new(problem, most);
    // By sum and processor: the first step in which the processor can send it.
    let mut ready = vec![0u32; sums.count() * processors];
    let mut moved = [Vec::new(), Vec::new()];
    for (phase, schedule) in phases.into_iter().enumerate() {
        if phase == 1 {
            // Only the roots have sums; what others have sent was a contribution.
            let complete: Vec<u32> = (0..sums.count())
                .map(|sum| ready[sum * processors + sums.root(sum).index()])
                .collect();
            ready.fill(0);
            for (sum, step) in complete.into_iter().enumerate() {
                ready[sum * processors + sums.root(sum).index()] = step;
            }
        }
        for number in 0..schedule.transfer_count() {
            let transfer = schedule.transfer(number);
            let sum = sums.of(phase, transfer.message);
            let first = ready[sum * processors + transfer.from.index()];
            let step = uses.take(transfer.from, transfer.to, transfer.path, first);
            let arrival = &mut ready[sum * processors + transfer.to.index()];
            *arrival = (*arrival).max(step + 1);
            moved[phase].push(Moved { number, step });
        }
    }
    Some(moved)
}

/// The steps in which channels, links and ports are in use.
struct Uses<'a> {
    problem: &'a Problem,
    words: usize,
    channels: Vec<u64>,
    ports: [Vec<u32>; 2],
    steps: usize,
}

impl<'a> Uses<'a> {
    fn new(problem: &'a Problem, steps: usize) -> Self {
        let network = problem.network();
        let words = steps.div_ceil(64);
        let ports = || vec![0; network.processor_count() * steps];
        let channels = vec![0; network.channel_count() * words];
        Self { problem, words, channels, ports: [ports(), ports()], steps }
    }

    /// Uses a path and a port at either end in the first step from `first` in which they are free.
    fn take(&mut self, from: ProcessorId, to: ProcessorId, path: &[ChannelId], first: u32) -> u32 {
        let limits = [self.problem.send_ports(from), self.problem.receive_ports(to)];
        let ends = [from, to].map(|processor| processor.index() * self.steps);
        let mut step = first as usize;
        while path.iter().any(|&channel| self.is_busy(channel, step))
            || (0..2).any(|side| self.ports[side][ends[side] + step] >= limits[side])
        {
            step += 1;
        }
        for &channel in path {
            for channel in self.with_link(channel).into_iter().flatten() {
                self.channels[channel.index() * self.words + step / 64] |= 1 << (step % 64);
            }
        }
        (0..2).for_each(|side| self.ports[side][ends[side] + step] += 1);
        step as u32
    }

    fn is_busy(&self, channel: ChannelId, step: usize) -> bool {
        self.channels[channel.index() * self.words + step / 64] >> (step % 64) & 1 == 1
    }

    /// The channel, and under half duplex the other one of its link.
    fn with_link(&self, channel: ChannelId) -> [Option<ChannelId>; 2] {
        let opposite = match self.problem.model().duplex {
            Duplex::Half => self.problem.network().opposite(channel),
            Duplex::Full => None,
        };
        [Some(channel), opposite]
    }
}

/// The schedule of a phase with its transfers in new steps, of which the first is `start`.
pub(super) fn moved(schedule: &Schedule, moved: &[Moved], start: u32) -> Schedule {
    let steps = moved.iter().map(|one| one.step + 1).max().unwrap_or(start) - start;
    let transfers: Vec<_> =
        moved.iter().map(|one| (one.step - start, schedule.transfer(one.number))).collect();
    Schedule::from_transfers(steps, &transfers)
}

/// Whether every transfer is one hop.
pub(super) fn is_by_hops(schedule: &Schedule) -> bool {
    (0..schedule.transfer_count()).all(|number| schedule.transfer(number).path.len() == 1)
}

/// The message of a transfer with its channel, if it is one hop.
pub(super) fn hop(schedule: &Schedule, number: usize) -> (MessageId, ChannelId) {
    let transfer = schedule.transfer(number);
    (transfer.message, transfer.path[0])
}
