//! poseidon, the scheduler of the Argo network on chip: writes its schedule XML and reads its
//! communication XML. `pavane_networks` reads its platform XML.

mod communication;
mod schedule;

pub use communication::{Communication, CommunicationError, read_communication};
pub(super) use schedule::write;
