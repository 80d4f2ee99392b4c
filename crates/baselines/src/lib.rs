//! The algorithms that communication libraries use, as timed schedules, for comparison: rings, double
//! binary trees, recursive doubling, Bruck's algorithm and direct sends. Also gives times to schedules
//! with steps.
//!
//! An algorithm says which rank sends which slice of which message to which other rank, and in what
//! order. Ranks that are not neighbours send over the quickest path; a processor on the path that holds
//! the slice already does not get it again. The simulator then starts every send as early as this order
//! allows, and the judge checks the result.

mod bruck;
mod direct;
mod doubling;
mod from_steps;
mod moves;
mod ranks;
mod ring;
mod rings;
mod simulate;
mod tree;

pub use from_steps::from_steps;
pub use simulate::{BaselineError, Simulated, all, known, simulate};
