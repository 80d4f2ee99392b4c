//! Timed schedules: which chunk crosses which channel when, on channels with bandwidths and latencies,
//! and lower bounds on the time of all schedules.

mod any_roots;
mod bound;
mod case;
mod channel_times;
mod explanation;
mod follow;
mod greedy;
mod jobs;
mod list_schedule;
mod pieces;
mod repair;
mod restarts;
mod retime;
mod search;
mod shortest;
mod solve;

pub use channel_times::ChannelTimesError;
pub use explanation::explanation;
pub use follow::{FollowError, follow};
pub use repair::{
    MendedTimed, RepairedTimed, SendChanges, TimedRepairError, TimedRepairRequest, repair,
};
pub use retime::retime;
pub use solve::{TimedAnswer, TimedRequest, TimedSearchError, solve};
