//! Chromosomes: the representation of schedules that evolution works on. A chromosome has one gene
//! per delivery, and a gene has *components*, each a number below its *limit*: a path, a step, a
//! source. All values of the components encode transfers within the given number of steps in which
//! every processor holds what it sends; only channels and ports may be overused. The fitness counts
//! these *conflicts*: a chromosome without conflicts is a valid schedule.
//!
//! Three encodings, after Jaroš, Ohlídal and Dvořák, GECCO 2007, and Jaroš, fault-tolerant
//! collectives: [`Scatter`] (wormhole, personalised messages: path and step), [`BroadcastTree`]
//! (wormhole broadcast: source, path and step, repaired to a tree) and [`StoreAndForward`] (a path and
//! the step of every channel; also the older encoding with a path and a start step).
//!
//! Conflicts are updated incrementally: changing a gene costs about the length of its path.
//!
//! ```text
//! let tables = context.facts_of::<PathTables>();          // listed once per problem
//! let paths = tables.get(problem, detour);
//! let genome = ScatterGenome::new(problem, steps, paths); // what all individuals share
//! let mut chromosome = genome.random(rng);
//! chromosome.try_move(allowed, rng);                      // one gene, kept if not much worse
//! if chromosome.conflicts() == 0 { chromosome.schedule() }
//! ```

mod decode;
mod individual;
mod path_table;
mod path_tables;
mod rows;
mod scatter;
mod store_and_forward;
mod tree;

pub use individual::{Chromosome, Role};
pub use path_table::PathTable;
pub use path_tables::{LONGEST_DETOUR, PathTables, can_list_paths, longest_detour};
pub use scatter::{Scatter, ScatterGenome};
pub use store_and_forward::{StepEncoding, StoreAndForward, StoreAndForwardGenome, can_count_hops};
pub use tree::{BroadcastTree, Repair, TreeGenome};
