//! Periodic schedules for time-division-multiplexed networks on chip: lower bounds on the period with
//! certificates, a search for the shortest period, and repair after faults.
//!
//! ```
//! use pavane_model::TdmProblem;
//! use pavane_model::tdm::{TdmDemand, TdmRules};
//! use pavane_tdm::{TdmOptions, solve};
//!
//! let network = pavane_networks::topology::build("torus:3x3")?;
//! let problem = TdmProblem::new(network, TdmDemand::AllToAll, TdmRules::default(), 1000)?;
//! let outcome = solve(&problem, &TdmOptions::default())?;
//! let found = outcome.schedule.ok_or("no schedule")?;
//! assert!(found.is_optimal());
//! assert_eq!(found.schedule().period, 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approach;
mod attempt;
pub mod bounds;
mod chains;
mod costs;
mod driver;
mod ejection;
mod greedy;
mod guide;
mod instance;
mod latency;
mod loose;
mod phases;
mod priced;
mod pricing;
mod proof;
mod reach;
mod repair;
mod rounds;
mod solve;
mod stage;
mod symmetry;
mod table;
mod windows;

pub use latency::UnmetLatency;
pub use proof::{TdmProof, TdmSolverAnswer};
pub use repair::{LongerPeriod, TdmChanges, TdmRepairError, TdmRepaired, repair};
pub use solve::{TdmOptions, TdmOutcome, solve, solve_with};
