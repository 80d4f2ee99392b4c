//! The best schedule for every size of a message: k-synchronous schedules, timed schedules with equal
//! chunks, and the algorithms of libraries are simulated at every size, beside the quickest timed schedule
//! found and the bound. Also compares schedules for single sizes.

mod candidates;
mod choice;
pub mod compare;
pub mod foreign;
mod ranges;
mod rounds_limit;
mod times;
mod tune;

pub use ranges::{SizeRange, ranges, sizes};
pub use rounds_limit::limit_in_rounds;
pub use times::TuningTimes;
pub use tune::{TunedSize, Tuning, TuningError, TuningRequest, tune};
