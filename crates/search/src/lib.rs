//! Lower bounds with certificates, and the engines that search for schedules. Nothing here prints.
//!
//! ```
//! use pavane_search::synthesize::{Options, synthesize};
//! use pavane_model::collective::{self, Groups};
//! use pavane_model::{Model, Problem};
//! use pavane_networks::topology;
//!
//! let network = topology::build("octagon:8")?;
//! let phases = collective::build("aas", &network, &Groups::default())?;
//! let problem = Problem::new(network, phases[0].clone(), Model::default())?;
//! let outcome = synthesize(&problem, &Options::default())?;
//! let solution = outcome.solution.ok_or("no schedule was found")?;
//! // The schedule meets the lower bound, so it is optimal.
//! assert_eq!(solution.checked.schedule().step_count(), 4);
//! assert_eq!(outcome.bounds.best.steps, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod all_reduce;
pub mod attempt;
pub mod bounds;
pub mod broadcast;
pub mod budget;
pub mod catalogue;
pub mod exact;
pub mod facts;
pub mod fault;
pub mod flow;
pub mod gossip;
pub mod parameters;
pub mod plain;
mod ports;
pub mod prices;
pub mod rng;
mod routers;
pub mod scatter;
pub mod success;
pub mod symmetry;
pub mod synthesize;
mod threads;

pub use attempt::{Attempt, Context, Engine, Fit, Proof, ProofLimits, Suitability, Traits};
pub use budget::{Budget, Interrupt};
pub use catalogue::Catalogue;
pub use rng::Rng;
pub use threads::{start_threads, use_threads, with_threads};
