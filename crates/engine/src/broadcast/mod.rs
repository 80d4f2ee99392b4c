//! One message for several processors: one-to-all broadcast and multicast, under wormhole and
//! store-and-forward switching. The wormhole engines search for the set of holders after each step;
//! under store-and-forward each processor is assigned a parent and a step.

mod cosets;
mod greedy;
mod layered;
mod level;
mod lifted;
mod nested_sets;
mod search;
mod sizes;
mod spread;
mod store_and_forward;
mod task;
mod tour;
mod tree;
mod way_back;

pub use layered::Layered;
pub use nested_sets::NestedSets;
pub use store_and_forward::HopByHop;

/// The engines for one message with several destinations.
pub static ENGINES: &[&dyn crate::Engine] = &[&NestedSets, &Layered, &HopByHop];
