//! The steps in which both phases of an all-reduce run, and the step from which each sum may be sent.

use super::least::{Sum, sums};
use crate::case::Report;
use crate::verify::CheckedSchedule;
use crate::violation::{ChannelName, TransferName, Violation};
use pavane_model::{ChannelId, Duplex, Problem};

const NONE: u32 = u32::MAX;

/// The violations of an all-reduce whose phases are valid on their own.
pub(super) fn violations(
    reduce: &CheckedSchedule,
    broadcast: &CheckedSchedule,
    start: u32,
) -> Vec<Violation> {
    let overlap = Overlap { reduce, broadcast, start };
    let mut report = Report::default();
    let end = reduce.schedule().step_count().min(start + broadcast.schedule().step_count());
    for step in start..end {
        overlap.check_channels(step, &mut report);
        overlap.check_ports(step, &mut report);
    }
    overlap.check_sums(&mut report);
    report.into_violations()
}

struct Overlap<'a> {
    reduce: &'a CheckedSchedule,
    broadcast: &'a CheckedSchedule,
    start: u32,
}

impl Overlap<'_> {
    fn problem(&self) -> &Problem {
        self.broadcast.problem()
    }

    /// The name of a transfer, with the step of the all-reduce.
    fn name(&self, phase: &CheckedSchedule, number: usize, step: u32) -> TransferName {
        let schedule = phase.schedule();
        let transfer = schedule.transfer(number);
        let own = if std::ptr::eq(phase, self.broadcast) { step - self.start } else { step };
        TransferName {
            step,
            index: number - schedule.transfer_numbers(own).start,
            message: transfer.message,
            label: Some(phase.problem().label(transfer.message)),
            from: transfer.from,
            to: transfer.to,
        }
    }

    fn channel_name(&self, channel: ChannelId) -> ChannelName {
        let ends = self.problem().network().channel(channel);
        ChannelName { channel, tail: ends.tail, head: ends.head }
    }

    /// V1 in a step with both phases.
    fn check_channels(&self, step: u32, report: &mut Report) {
        let network = self.problem().network();
        let is_half_duplex = self.problem().model().duplex == Duplex::Half;
        let mut user = vec![NONE; network.channel_count()];
        let schedule = self.reduce.schedule();
        for number in schedule.transfer_numbers(step) {
            for channel in schedule.transfer(number).path {
                user[channel.index()] = number as u32;
            }
        }
        let schedule = self.broadcast.schedule();
        for number in schedule.transfer_numbers(step - self.start) {
            for &channel in schedule.transfer(number).path {
                let names = |first: u32| {
                    let first = self.name(self.reduce, first as usize, step);
                    (first, self.name(self.broadcast, number, step))
                };
                if user[channel.index()] != NONE {
                    let (first, second) = names(user[channel.index()]);
                    let channel = self.channel_name(channel);
                    report.add(Violation::ChannelUsedTwice { channel, first, second });
                }
                let opposite = network.opposite(channel).filter(|_| is_half_duplex);
                if let Some(opposite) = opposite.filter(|other| user[other.index()] != NONE) {
                    let (first, second) = names(user[opposite.index()]);
                    report.add(Violation::LinkUsedBothWays {
                        channel: self.channel_name(opposite),
                        opposite: self.channel_name(channel),
                        first,
                        second,
                    });
                }
            }
        }
    }

    /// V2 in a step with both phases.
    fn check_ports(&self, step: u32, report: &mut Report) {
        let processors = self.problem().network().processor_count();
        let mut counts = [vec![0u32; processors], vec![0u32; processors]];
        let phases = [(self.reduce, step), (self.broadcast, step - self.start)];
        for (phase, step) in phases {
            for transfer in phase.schedule().step(step) {
                counts[0][transfer.from.index()] += 1;
                counts[1][transfer.to.index()] += 1;
            }
        }
        for processor in self.problem().network().living_processors() {
            let ports =
                [self.problem().send_ports(processor), self.problem().receive_ports(processor)];
            for (side, is_sending) in [(0, true), (1, false)] {
                let (transfers, ports) = (counts[side][processor.index()], ports[side]);
                if transfers > ports {
                    let violation =
                        Violation::TooFewPorts { step, processor, is_sending, transfers, ports };
                    report.add(violation);
                }
            }
        }
    }

    /// V3 for the roots: a root sends a sum only after the last contribution to it has arrived.
    fn check_sums(&self, report: &mut Report) {
        let sum_of_reduce = sums(self.reduce.problem());
        let sum_of_broadcast = sums(self.broadcast.problem());
        let mut sorted = sum_of_broadcast.clone();
        sorted.sort_unstable();
        let index = |sum: Sum| sorted.binary_search(&sum).ok();
        let mut last_in = vec![None; sorted.len()];
        let schedule = self.reduce.schedule();
        for step in 0..schedule.step_count() {
            for (number, transfer) in schedule.transfer_numbers(step).zip(schedule.step(step)) {
                let sum = sum_of_reduce[transfer.message.index()];
                let index = (transfer.to == sum.0).then(|| index(sum)).flatten();
                if let Some(index) = index {
                    last_in[index] = Some((step, number));
                }
            }
        }
        let schedule = self.broadcast.schedule();
        for step in 0..schedule.step_count() {
            for (number, transfer) in schedule.transfer_numbers(step).zip(schedule.step(step)) {
                let sum = sum_of_broadcast[transfer.message.index()];
                let last = (transfer.from == sum.0).then(|| index(sum)).flatten();
                let Some((arrival, last)) = last.and_then(|index| last_in[index]) else { continue };
                let step = self.start + step;
                if arrival >= step {
                    let at = self.name(self.broadcast, number, step);
                    let last = self.name(self.reduce, last, arrival);
                    report.add(Violation::SumNotComplete { at, last });
                }
            }
        }
    }
}
