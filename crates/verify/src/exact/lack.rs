//! Redundant constraints: the missing messages must fit into the remaining steps. They follow from
//! the rest of the formula, but only by counting, which SAT solvers do poorly, so they are added
//! explicitly.

use super::cnf::Literal;
use super::encode::Encoder;
use crate::certificates::independent_set::{behind_narrowest, most_per_step};
use crate::cost::{Meter, OverLimit};
use pavane_model::MessageId;

/// After every step, a set of processors lacks at most as many wanted messages as it can receive in
/// the remaining steps. The sets are each single processor and, under store-and-forward, all
/// processors behind the bottleneck of the network. In addition, every message has enough holders
/// to inform the remaining destinations in time.
pub(super) fn add(encoder: &mut Encoder<'_>, meter: &mut Meter) -> Result<(), OverLimit> {
    let (problem, network) = (encoder.problem, encoder.network);
    let mut journeys_to = vec![Vec::new(); network.processor_count()];
    for (number, journey) in encoder.journeys.iter().enumerate() {
        if journey.is_wanted && journey.tells_possession() {
            journeys_to[journey.to.index()].push(number);
        }
    }
    for processor in network.living_processors() {
        let wanted = &journeys_to[processor.index()];
        add_set(encoder, wanted, problem.receive_ports(processor).into());
    }
    if encoder.is_stored() {
        let is_member = behind_narrowest(problem, meter)?;
        let most = most_per_step(problem, &is_member, meter)?;
        let members = journeys_to.iter().zip(&is_member).filter(|(_, is_member)| **is_member);
        let mut wanted: Vec<usize> = members.flat_map(|(numbers, _)| numbers).copied().collect();
        wanted.sort_unstable();
        add_set(encoder, &wanted, most);
    }
    for message in problem.messages().ids() {
        add_growth(encoder, message);
    }
    Ok(())
}

/// Adds the constraints of a set, given the journeys of its wanted messages. Skips sets that do not
/// need all the steps, for which they would add nothing.
fn add_set(encoder: &mut Encoder<'_>, wanted: &[usize], most_per_step: u64) {
    let count = wanted.len() as u64;
    if count.div_ceil(most_per_step.max(1)) < u64::from(encoder.steps) {
        return;
    }
    for step in 0..encoder.steps {
        if encoder.cnf.is_full() {
            return;
        }
        let wanted = wanted.iter().map(|&number| &encoder.journeys[number]);
        let lacks: Vec<Literal> = wanted.map(|journey| -journey.holds_after(step)).collect();
        let most = most_per_step.saturating_mul(u64::from(encoder.steps - step));
        encoder.cnf.at_most(usize::try_from(most).unwrap_or(usize::MAX), &lacks);
    }
}

/// In a step, every holder of a message informs at most as many processors as it has send ports.
fn add_growth(encoder: &mut Encoder<'_>, message: MessageId) {
    let (problem, messages) = (encoder.problem, encoder.problem.messages());
    let ports = encoder.network.living_processors().map(|p| problem.send_ports(p));
    let factor = u64::from(ports.max().unwrap_or(0)) + 1;
    let mut least = messages.destinations(message).len() as u64 + 1;
    for step in (0..encoder.steps).rev() {
        if encoder.cnf.is_full() {
            return;
        }
        least = least.div_ceil(factor);
        let journeys = encoder.journeys_of(message).iter();
        let lacks: Vec<Literal> = journeys
            .filter(|journey| journey.tells_possession())
            .map(|journey| -journey.holds_after(step))
            .collect();
        // The origin always holds the message.
        if let Some(most) = (lacks.len() as u64 + 1).checked_sub(least) {
            encoder.cnf.at_most(most as usize, &lacks);
        }
    }
}
