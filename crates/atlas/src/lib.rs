//! The atlas: the best-known schedules with their bounds and the published figures that they compare
//! with, in a folder of index files (TOML) and gzipped schedule files.
//!
//! Nothing in the index is believed: [`Atlas::judge`] builds the problem of an entry again from its
//! description, compares it with the schedule file, and has the schedule and its bound judged.
//! [`Atlas::search`] finds the entries of an isomorphic network and maps their schedules to the labels
//! of that network.

mod add;
mod certificates;
mod describe;
mod distinct;
mod entry;
mod error;
mod images;
mod index;
mod judge;
mod mapping;
mod problem;
mod search;

pub use add::{Addition, NewEntry};
pub use entry::{AtlasEntry, AtlasModel, PublishedFigure};
pub use error::AtlasError;
pub use index::{Atlas, RefusedEntry};
pub use judge::{JudgedEntry, JudgedFile, judge_file};
pub use problem::{AtlasProblem, BuiltProblem};
pub use search::{AtlasMatch, AtlasQuery, Found, NearMiss};
