//! The throughput limit of a collective and a plan that attains it: no latency, infinitely fine
//! chunks, channels with bandwidths. All results are exact.

pub mod answer;
mod attained;
pub mod automorphisms;
pub mod chunks;
mod division;
pub mod exchange;
pub mod explanation;
pub mod fault_limit;
mod forward;
mod graph;
mod integer;
pub mod limit;
mod maxflow;
pub mod network;
mod packing;
mod personalised;
mod phases;
pub mod rates;
pub mod reached;
pub mod reason;
pub mod repair;
mod shallow;
pub mod sizes;
mod splitting;
pub mod steps;
pub mod stored;
pub mod trees;

pub use graph::{Graph, Link, Ratio};
