//! One message for several processors: one-to-all broadcast and multicast, under wormhole and
//! store-and-forward switching. The wormhole engines search for the set of holders after each step
//! (`holder_sets`) and differ in how they find paths within a step; under store-and-forward each
//! processor is assigned a parent and a step.

mod call_orders;
mod cosets;
mod evicting_router;
mod flow_router;
mod greedy;
mod holder_sets;
mod hop_by_hop;
mod layered;
mod level;
mod lifted;
mod matched_growth;
mod nested_sets;
mod one_message;
mod sizes;
mod spread;
mod step_router;
mod tour;
mod tree;
mod way_back;

pub use call_orders::CallOrders;
pub use hop_by_hop::HopByHop;
pub use layered::Layered;
pub use nested_sets::NestedSets;

use crate::attempt::Engine;

/// The engines for one message with several destinations.
pub static ENGINES: &[&dyn Engine] = &[&NestedSets, &Layered, &HopByHop, &CallOrders];
