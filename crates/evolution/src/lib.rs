//! The papers' evolutionary engines, and the ones they are compared with. They run only when
//! selected by name: the engines that `auto` chooses from are far stronger. Each has two presets:
//! `paper` follows the papers literally, and `tuned` adds what the papers leave open and what makes
//! the difference.
//!
//! ```
//! use pavane_search::synthesize::{Options, synthesize};
//! use pavane_model::collective::{self, Groups};
//! use pavane_model::{Model, Problem};
//! use pavane_networks::topology;
//!
//! let network = topology::build("ring:5")?;
//! let phases = collective::build("aas", &network, &Groups::default())?;
//! let problem = Problem::new(network, phases[0].clone(), Model::default())?;
//! let engine = Some("annealing".to_owned());
//! let options = Options { catalogue: pavane_evolution::catalogue(), engine, ..Options::default() };
//! let solution = synthesize(&problem, &options)?.solution.ok_or("no schedule was found")?;
//! assert_eq!(solution.checked.schedule().step_count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annealing;
mod attempt;
pub mod chromosome;
mod cooling;
pub mod decision_trees;
mod encoding;
mod estimation;
mod ga;
mod hgsa;
mod mboa;
mod memory;
pub mod paths;
mod search;
mod umda;

pub use annealing::Annealing;
pub use ga::Ga;
pub use hgsa::Hgsa;
pub use mboa::Mboa;
pub use umda::Umda;

use pavane_search::{Catalogue, Engine};

/// The engines that run only when selected by name.
pub static ENGINES: &[&dyn Engine] = &[&Annealing, &Hgsa, &Mboa, &Umda, &Ga];

/// All engines: those of the search crate, and the evolutionary ones when selected by name.
pub fn catalogue() -> Catalogue {
    Catalogue { named: ENGINES, ..Catalogue::default() }
}
