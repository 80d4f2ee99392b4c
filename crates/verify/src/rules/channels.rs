//! V1: within a step, no channel is used by two transfers; under half duplex, no link.

use crate::case::{Case, Report};
use crate::violation::Violation;
use pavane_model::{ChannelId, Duplex};

const NONE: u32 = u32::MAX;

/// Reports every channel, or half-duplex link, that two transfers use in one step.
pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let schedule = case.schedule;
    let is_half_duplex = case.problem.model().duplex == Duplex::Half;
    let mut user = vec![NONE; case.network().channel_count()];
    for step in 0..schedule.step_count() {
        if case.must_stop(step as usize) {
            return;
        }
        for number in schedule.transfer_numbers(step) {
            for &channel in schedule.transfer(number).path {
                if !case.has_channel(channel) {
                    continue;
                }
                if is_half_duplex {
                    check_opposite(case, &user, channel, number, report);
                }
                let first = user[channel.index()];
                if first == NONE {
                    user[channel.index()] = number as u32;
                } else if first != number as u32 {
                    report.add(Violation::ChannelUsedTwice {
                        channel: case.channel_name(channel),
                        first: case.transfer_name(first as usize),
                        second: case.transfer_name(number),
                    });
                }
            }
        }
        for number in schedule.transfer_numbers(step) {
            for &channel in schedule.transfer(number).path {
                if case.has_channel(channel) {
                    user[channel.index()] = NONE;
                }
            }
        }
    }
}

/// Reports the use of a channel whose opposite is used by another transfer.
fn check_opposite(
    case: &Case<'_>,
    user: &[u32],
    channel: ChannelId,
    number: usize,
    report: &mut Report,
) {
    let Some(opposite) = case.network().opposite(channel) else { return };
    let first = user[opposite.index()];
    if first != NONE && first != number as u32 {
        report.add(Violation::LinkUsedBothWays {
            channel: case.channel_name(opposite),
            opposite: case.channel_name(channel),
            first: case.transfer_name(first as usize),
            second: case.transfer_name(number),
        });
    }
}
