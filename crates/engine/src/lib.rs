//! Lower bounds with certificates, and the engines that search for schedules. Nothing here prints.

pub mod attempt;
pub mod bounds;
pub mod broadcast;
pub mod budget;
pub mod flow;
pub mod gossip;
pub mod paths;
mod portfolio;
pub mod prices;
pub mod rng;
pub mod scatter;
pub mod synthesize;

pub use attempt::{Attempt, Context, Engine};
pub use budget::Budget;
pub use rng::Rng;

/// The engines that `auto` chooses from, the first that take a problem first.
pub static ENGINES: &[&dyn Engine] = &[
    &scatter::wormhole::Wormhole,
    &scatter::store_and_forward::StoreAndForward,
    &broadcast::NestedSets,
    &broadcast::Layered,
    &gossip::Gossip,
];
