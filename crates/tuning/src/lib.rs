//! The best schedule for every size of a message: k-synchronous schedules, timed schedules with equal
//! chunks, and the algorithms of libraries are simulated at every size, beside the quickest timed schedule
//! found and the bound.

mod candidates;
mod ranges;
mod tune;

pub use ranges::{SizeRange, ranges};
pub use tune::{TunedSize, Tuning, TuningError, TuningRequest, tune};
