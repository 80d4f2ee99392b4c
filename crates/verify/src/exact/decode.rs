//! Reads a schedule from a model of the formula and drops transfers that no destination needs.

use super::cnf::Literal;
use super::encode::{Encoding, journeys_of};
use super::journey::Journey;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, Schedule, Transfer};

/// A transfer in a model; steps count from 0.
struct DecodedTransfer {
    step: u32,
    message: MessageId,
    from: ProcessorId,
    to: ProcessorId,
    path: Vec<ChannelId>,
}

impl Encoding {
    /// The schedule that a model represents. `holds` returns the value of a literal in the model.
    /// `problem` must be the problem that was encoded.
    pub fn decode(&self, problem: &Problem, holds: impl Fn(Literal) -> bool) -> Schedule {
        let mut kept: Vec<DecodedTransfer> = Vec::new();
        for message in problem.messages().ids() {
            let mut brought: Vec<Option<DecodedTransfer>> = Vec::new();
            brought.resize_with(problem.network().processor_count(), || None);
            for journey in journeys_of(&self.journeys, message) {
                brought[journey.to.index()] = read(problem, journey, &holds);
            }
            // Only transfers on the way back from a destination to the origin are needed.
            for &destination in problem.messages().destinations(message) {
                let mut at = destination;
                while let Some(carried) = brought[at.index()].take() {
                    at = carried.from;
                    kept.push(carried);
                }
            }
        }
        let steps = kept.iter().map(|carried| carried.step + 1).max().unwrap_or(0);
        let transfers: Vec<(u32, Transfer<'_>)> = kept
            .iter()
            .map(|carried| {
                let DecodedTransfer { step, message, from, to, ref path } = *carried;
                (step, Transfer { message, from, to, path })
            })
            .collect();
        Schedule::from_transfers(steps, &transfers)
    }
}

/// The transfer of a journey, if it takes place.
fn read(
    problem: &Problem,
    journey: &Journey,
    holds: impl Fn(Literal) -> bool,
) -> Option<DecodedTransfer> {
    let happens = journey.happens.iter().position(|&happens| holds(happens))?;
    let &(from, _) = journey.senders.iter().find(|(_, sends)| holds(*sends))?;
    let network = problem.network();
    let (mut at, end) = (problem.home(from), problem.home(journey.to));
    let mut path = Vec::new();
    // An assignment that is not a model might contain cycles.
    while at != end && path.len() < network.router_count() {
        let leaves = |channel: ChannelId| network.channel(channel).tail == at;
        let mut channels = journey.channels.iter();
        let &(channel, _) = channels.find(|(channel, taken)| leaves(*channel) && holds(*taken))?;
        path.push(channel);
        at = network.channel(channel).head;
    }
    let step = journey.earliest + happens as u32 - 1;
    Some(DecodedTransfer { step, message: journey.message, from, to: journey.to, path })
}
