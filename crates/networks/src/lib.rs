//! Networks: named topologies, network files read and written, properties and automorphisms.
//!
//! ```
//! use pavane_networks::{describe::describe, import};
//!
//! let network = import::load("octagon:8")?;
//! assert_eq!(describe(&network).automorphisms.as_deref(), Some("16"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod describe;
pub mod description;
pub mod export_network;
pub mod import;
pub mod name_check;
mod parts;
pub mod poseidon;
pub mod symmetry;
pub mod topology;
