//! Concurrent traffic at message level: missions of messages released into a network, switched,
//! routed and queued, and how close a policy comes to the optimum. After Tsai and Shin, Combined
//! Routing and Scheduling of Concurrent Communication Traffic in Hypercube Multicomputers, 1996.
//!
//! ```
//! use pavane_model::{Duplex, ProcessorId};
//! use pavane_networks::topology;
//! use pavane_traffic::{Log, Memory, Message, Mission, Policy, RoutingMethod, Simulator, SwitchingMethod, ticks};
//!
//! let network = topology::build("path:3")?;
//! let message = |from, length| Message {
//!     arrival: 0,
//!     length: ticks::from_units(length),
//!     source: ProcessorId(from),
//!     destination: ProcessorId(2),
//! };
//! let mission = Mission::new(&network, vec![message(0, 4.0), message(1, 3.0)])?;
//! let routing = RoutingMethod::find("shortest", &network)?;
//! let simulator = Simulator::new(network, Duplex::Half, routing);
//! let mut memory = Memory::default();
//! simulator.route(&mission, 1, &mut memory.routes)?;
//! let policy = Policy::find("fifo")?;
//! let run =
//!     simulator.run(&mission, SwitchingMethod::Circuit, policy, &mut memory, &mut Log::default())?;
//! // The second link carries one after the other.
//! assert_eq!(ticks::to_units(run.end), 7.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod compare;
mod default_routing;
pub mod error;
pub mod flits;
mod heap;
pub mod links;
pub mod log;
pub mod mission;
mod observed;
pub mod optimal;
pub mod policy;
pub mod rng;
mod routed_simulator;
pub mod routing;
pub mod simulator;
pub mod statistics;
pub mod steady;
mod swept;
pub mod switching;
pub mod ticks;
mod trend;

pub use default_routing::{DeadlockRisk, DefaultRouting};
pub use error::TrafficError;
pub use links::Links;
pub use log::{Hold, Log};
pub use mission::{Message, Mission};
pub use observed::ObservedRun;
pub use policy::Policy;
pub use routed_simulator::RoutedSimulator;
pub use simulator::{Memory, RoutingMethod, Simulator};
pub use swept::Over;
pub use switching::SwitchingMethod;
