//! Collectives as missions: every pair of a message and a destination becomes a message. All have
//! the same length and arrive at time 0.

use super::{Message, Mission};
use crate::error::TrafficError;
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Messages, Model, Network, Ports, Problem, Routing, Switching};

/// The deliveries of a collective as a mission; `length` is in units.
pub fn from_messages(
    network: &Network,
    messages: &Messages,
    length: f64,
) -> Result<Mission, TrafficError> {
    super::check_count(messages.delivery_count() as u64)?;
    let length = super::common_length(length)?;
    let mut list = Vec::with_capacity(messages.delivery_count());
    for message in messages.ids() {
        let source = messages.origin(message);
        let targets = messages.destinations(message).iter();
        list.extend(targets.map(|&destination| Message {
            arrival: 0,
            length,
            source,
            destination,
        }));
    }
    Mission::new(network, list)
}

/// The deliveries of a collective by name, all of the same length in units, and whether messages with several
/// destinations became one message for each.
pub fn from_collective(
    network: &Network,
    name: &str,
    duplex: Duplex,
    length: f64,
) -> Result<(Mission, bool), TrafficError> {
    let wrong = |problem: String| TrafficError::Collective { problem };
    let phases = collective::build(name, network, &Groups::default());
    let phases = phases.map_err(|error| wrong(error.to_string()))?;
    let [phase] = &phases[..] else {
        return Err(wrong(format!("{name} has several phases; use the collective of one phase")));
    };
    let (switching, routing, ports) = (Switching::Wormhole, Routing::Any, Ports::All);
    let model = Model { switching, routing, duplex, ports };
    let problem = Problem::new(network.clone(), phase.clone(), model);
    let problem = problem.map_err(|error| wrong(error.to_string()))?;
    if problem.is_backward() {
        return Err(wrong(format!(
            "{name}: gather and reduce are not supported; use a broadcast, a scatter or a permutation, or a schedule of {name}"
        )));
    }
    let messages = problem.messages();
    let is_unicast = messages.ids().any(|message| messages.destinations(message).len() > 1);
    Ok((from_messages(network, messages, length)?, is_unicast))
}
