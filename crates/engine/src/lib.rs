//! Lower bounds with certificates, and the engines that search for schedules. Nothing here prints.

pub mod attempt;
pub mod bounds;
pub mod broadcast;
pub mod budget;
pub mod flow;
pub mod gossip;
pub mod paths;
pub mod rng;
pub mod scatter;

pub use attempt::{Attempt, Context, Engine};
pub use budget::Budget;
pub use rng::Rng;
