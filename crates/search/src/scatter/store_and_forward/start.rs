//! The messages of an incomplete schedule that keep their places: a message keeps its path and its
//! steps unless one of its hops is lost.

use super::super::layout::Layout;
use super::legs::{KeptMessage, Leg, NONE};
use pavane_model::{MessageId, Schedule};
use rustc_hash::FxHashSet;

/// The messages of a partial schedule whose hops are complete and below `steps`, with a port at
/// both ends of each hop where ports have rows; none without a schedule.
pub(super) fn kept(start: Option<&Schedule>, layout: &Layout<'_>, steps: u32) -> Vec<KeptMessage> {
    let Some(start) = start else { return Vec::new() };
    let mut legs: Vec<Vec<Leg>> = vec![Vec::new(); layout.problem.messages().len()];
    for step in 0..start.step_count().min(steps) {
        for transfer in start.step(step) {
            let channel = transfer.path.first().map_or(NONE, |channel| channel.0);
            let (from, to) = (transfer.from.0, transfer.to.0);
            let (send_row, receive_row) = (NONE, NONE);
            let leg = Leg { step, from, to, channel, send_row, receive_row };
            legs[transfer.message.index()].push(leg);
        }
    }
    let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
    let whole = (0..).zip(legs).filter(|(message, legs)| is_whole(*message, legs, layout));
    whole
        .filter_map(|(message, legs)| Some((message, with_ports(legs, layout, &mut taken)?)))
        .collect()
}

fn is_whole(message: u32, legs: &[Leg], layout: &Layout<'_>) -> bool {
    let (from, to) = layout.ends(MessageId(message));
    let ends = legs.first().zip(legs.last());
    ends.is_some_and(|(first, last)| first.from == from.0 && last.to == to.0)
        && legs.windows(2).all(|pair| pair[0].to == pair[1].from)
}

/// Assigns free ports to the legs; `None` if faults left too few.
fn with_ports(
    mut legs: Vec<Leg>,
    layout: &Layout<'_>,
    taken: &mut FxHashSet<(u32, u32)>,
) -> Option<Vec<Leg>> {
    for leg in &mut legs {
        let free = |rows: std::ops::Range<u32>| {
            if rows.is_empty() {
                Some(NONE)
            } else {
                rows.clone().find(|&row| !taken.contains(&(row, leg.step)))
            }
        };
        leg.send_row = free(layout.send_rows(pavane_model::ProcessorId(leg.from)))?;
        leg.receive_row = free(layout.receive_rows(pavane_model::ProcessorId(leg.to)))?;
    }
    for leg in &legs {
        taken.extend([(leg.send_row, leg.step), (leg.receive_row, leg.step)]);
    }
    Some(legs)
}
