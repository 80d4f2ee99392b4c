//! Collectives as missions: every pair of a message and a destination becomes a message. All have
//! the same length and arrive at time 0.

use super::{Message, Mission};
use crate::error::TrafficError;
use pavane_model::{Messages, Network};

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
