//! Schedules that differ only in the order of their steps: one of them is enough.

use super::cnf::{Literal, TRUE};
use super::encode::Encoder;
use pavane_model::{Ports, Switching};

/// Where every message goes straight, steps may be exchanged at will. Messages that exclude each
/// other pair by pair lie in different steps, so some exchange brings the first of them into the
/// first step, the second into the second and so on: if there is a schedule, there is one like
/// that. The largest such set that shares a channel or a port is taken, the first of equals.
pub(super) fn add(encoder: &mut Encoder<'_>) {
    let (problem, messages) = (encoder.problem, encoder.problem.messages());
    let is_straight = problem.model().switching == Switching::Wormhole
        && messages.ids().all(|message| messages.is_private(message));
    if !is_straight {
        return;
    }
    // Journey number i is that of message number i: there are no others.
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); encoder.network.channel_count()];
    for (index, journey) in encoder.journeys.iter().enumerate() {
        for (channel, _) in journey.channels.iter().filter(|(_, taken)| *taken == TRUE) {
            groups[channel.index()].push(index);
        }
    }
    if problem.model().ports == Ports::Limited(1) {
        let processors = encoder.network.processor_count();
        let mut sends = vec![Vec::new(); processors];
        let mut receives = vec![Vec::new(); processors];
        for (index, journey) in encoder.journeys.iter().enumerate() {
            sends[messages.origin(journey.message).index()].push(index);
            receives[journey.to.index()].push(index);
        }
        groups.append(&mut sends);
        groups.append(&mut receives);
    }
    // `max_by_key` would take the last of equals.
    let largest = groups.iter().rev().max_by_key(|group| group.len());
    for (step, &index) in largest.into_iter().flatten().enumerate() {
        if let Some(&happens) = encoder.journeys[index].happens.get(step) {
            let fixed: [Literal; 1] = [happens];
            encoder.cnf.clause(&fixed);
        }
    }
}
