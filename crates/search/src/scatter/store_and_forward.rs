//! Personalised messages under store-and-forward: every message follows one path, one channel per
//! step, and may wait at every processor on the way. The place of a message is a path and a step
//! for each of its channels.

mod board;
mod graph;
mod greedy;
mod grid;
mod legs;
mod relay_ejection;
mod relay_matching;
mod relay_orbits;
mod start;

pub use relay_ejection::RelayEjection;
pub use relay_matching::RelayMatching;
pub use relay_orbits::RelayOrbits;
