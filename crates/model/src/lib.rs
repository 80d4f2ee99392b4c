//! The data model of Pavane: networks, collectives, problems, transfers, schedules, bounds, and
//! their file formats. Named networks and network files, search, verification and output are in
//! other crates.
//!
//! ```
//! use pavane_model::collective::{self, Groups};
//! use pavane_model::{Model, NetworkBuilder, Problem};
//!
//! let mut builder = NetworkBuilder::new("triangle", 3);
//! builder.link(0, 1).link(1, 2).link(2, 0).processor_on_each_router();
//! let network = builder.build()?;
//! let phases = collective::build("aas", &network, &Groups::default())?;
//! let problem = Problem::new(network, phases[0].clone(), Model::default())?;
//! assert_eq!(problem.messages().len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aftermath;
pub mod bound;
pub mod bounded_read;
pub mod claims;
pub mod collective;
mod cost_model;
pub mod csv;
pub mod entry_place;
pub mod faults;
mod file_source;
pub mod format;
pub mod fraction;
pub mod ids;
mod list;
pub mod network;
pub mod printable;
pub mod problem;
pub mod quantity;
mod reachable;
pub mod renumber;
pub mod rules;
#[cfg(test)]
mod samples;
pub mod schedule;
pub mod split_mix;
pub mod strict_json;
pub mod tdm;
pub mod text_file;
pub mod throughput;
pub mod timed;
pub mod units;
pub mod whole;
pub mod words;
pub mod write_target;

pub use aftermath::{Aftermath, AftermathError, CollectiveRequest};
pub use bound::{Bound, Certificate, CertificateKind, NestedSet};
pub use collective::{Collective, Kind, ListedMessage, Messages};
pub use cost_model::CostModel;
pub use faults::{Fault, FaultError};
pub use file_source::FileSource;
pub use fraction::Fraction;
pub use ids::{ChannelId, MessageId, ProcessorId, RouterId};
pub use network::{Channel, Network, NetworkBuilder, NetworkError};
pub use problem::{Label, Problem, ProblemError};
pub use renumber::Renumbering;
pub use rules::{Duplex, Model, Ports, Routing, RuleError, Switching};
pub use schedule::{Schedule, Transfer};
pub use tdm::{TdmProblem, TdmSchedule};
pub use throughput::ThroughputPlan;
pub use timed::TimedSchedule;
