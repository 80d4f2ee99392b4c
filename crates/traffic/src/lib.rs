//! Concurrent traffic at message level: missions of messages released into a network, switched,
//! routed and queued, and how close a policy comes to the optimum. After Tsai and Shin, Combined
//! Routing and Scheduling of Concurrent Communication Traffic in Hypercube Multicomputers, 1996.

pub mod chance;
pub mod compare;
pub mod error;
mod heap;
pub mod links;
pub mod log;
pub mod mission;
pub mod optimal;
pub mod policy;
pub mod routing;
pub mod simulator;
pub mod statistics;
pub mod steady;
pub mod switching;
pub mod ticks;

pub use error::TrafficError;
pub use links::Links;
pub use log::{Hold, Log};
pub use mission::{Message, Mission};
pub use policy::Policy;
pub use simulator::{Memory, Routing, Simulator};
pub use switching::Switching;
