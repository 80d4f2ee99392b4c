//! Symmetry breaking: of the schedules that differ only in the order of their steps, keeps one.

use super::cnf::{Literal, TRUE};
use super::encode::Encoder;
use pavane_model::{Ports, Switching};

/// If every message is sent in one transfer, steps can be permuted freely. Messages that pairwise
/// exclude each other are in different steps, so some permutation puts the first of them into the
/// first step, the second into the second, and so on: if there is a schedule, there is one of this
/// form. Uses the largest such set that shares a channel or a port; of equal sets, the first.
pub(super) fn add(encoder: &mut Encoder<'_>) {
    let (problem, messages) = (encoder.problem, encoder.problem.messages());
    let is_straight = problem.model().switching == Switching::Wormhole
        && messages.ids().all(|message| messages.is_personalised(message));
    if !is_straight {
        return;
    }
    // Journey i belongs to message i, because every message has exactly one.
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
    // Reversed, because `max_by_key` returns the last of equal elements.
    let largest = groups.iter().rev().max_by_key(|group| group.len());
    for (step, &index) in largest.into_iter().flatten().enumerate() {
        if let Some(&happens) = encoder.journeys[index].happens.get(step) {
            let fixed: [Literal; 1] = [happens];
            encoder.cnf.clause(&fixed);
        }
    }
}
