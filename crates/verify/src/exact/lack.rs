//! What is still lacking must fit into the steps that are left. This follows from the rest of the
//! formula, but only by counting, which solvers are poor at; so it is said outright.

use super::cnf::Literal;
use super::encode::Encoder;
use super::journey::Journey;
use crate::certificates::independent_set::{behind_narrowest, most_per_step};
use pavane_model::MessageId;

/// After every step a set of processors lacks at most as much of what it wants as it can take in
/// within the steps left. The sets: each processor, and under store-and-forward all that stand
/// behind the narrowest place. And every message has enough holders for the rest to be informed.
pub(super) fn add(encoder: &mut Encoder<'_>) {
    let (problem, network) = (encoder.problem, encoder.network);
    for processor in network.living_processors() {
        let mut is_member = vec![false; network.processor_count()];
        is_member[processor.index()] = true;
        add_set(encoder, &is_member, problem.receive_ports(processor).into());
    }
    if encoder.is_stored() {
        let is_member = behind_narrowest(problem);
        add_set(encoder, &is_member, most_per_step(problem, &is_member));
    }
    for message in problem.messages().ids() {
        add_growth(encoder, message);
    }
}

/// Speaks of a set only if it needs all the steps there are: others would be told nothing new.
fn add_set(encoder: &mut Encoder<'_>, is_member: &[bool], most_per_step: u64) {
    let messages = encoder.problem.messages();
    let is_wanted = |journey: &&Journey| {
        is_member[journey.to.index()]
            && journey.tells_possession()
            && messages.destinations(journey.message).contains(&journey.to)
    };
    let wanted = encoder.journeys.iter().filter(is_wanted).count() as u64;
    if wanted.div_ceil(most_per_step.max(1)) < u64::from(encoder.steps) {
        return;
    }
    for step in 0..encoder.steps {
        let wanted = encoder.journeys.iter().filter(is_wanted);
        let lacks: Vec<Literal> = wanted.map(|journey| -journey.holds_after(step)).collect();
        let most = most_per_step.saturating_mul(u64::from(encoder.steps - step));
        encoder.cnf.at_most(usize::try_from(most).unwrap_or(usize::MAX), &lacks);
    }
}

/// In a step every holder of a message informs at most as many others as it has ports.
fn add_growth(encoder: &mut Encoder<'_>, message: MessageId) {
    let (problem, messages) = (encoder.problem, encoder.problem.messages());
    let ports = encoder.network.living_processors().map(|p| problem.send_ports(p));
    let factor = u64::from(ports.max().unwrap_or(0)) + 1;
    let mut least = messages.destinations(message).len() as u64 + 1;
    for step in (0..encoder.steps).rev() {
        least = least.div_ceil(factor);
        let journeys = encoder.journeys_of(message).iter();
        let lacks: Vec<Literal> = journeys
            .filter(|journey| journey.tells_possession())
            .map(|journey| -journey.holds_after(step))
            .collect();
        // The origin holds it always.
        if let Some(most) = (lacks.len() as u64 + 1).checked_sub(least) {
            encoder.cnf.at_most(most as usize, &lacks);
        }
    }
}
