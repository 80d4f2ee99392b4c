//! Timed schedules: which chunk crosses which channel when, on channels with bandwidths and latencies,
//! and lower bounds on the time of all schedules.

mod all_reduce;
mod any_roots;
mod bound;
mod case;
mod channel_times;
mod explanation;
mod follow;
mod greedy;
mod growing;
mod in_order;
mod jobs;
mod list_schedule;
mod overlap;
mod pieces;
mod repair;
mod restarts;
mod retime;
mod roots;
mod search;
mod shortest;
mod shuffles;
mod solve;
mod waves;

pub use channel_times::ChannelTimesError;
pub use explanation::explanation;
pub use follow::{FollowError, follow};
pub use repair::{
    MendedTimed, RepairedTimed, SendChanges, TimedRepairError, TimedRepairRequest, repair,
};
pub use retime::{retime, retime_only};
pub use solve::{KnownSchedule, TimedAnswer, TimedRequest, TimedSearchError, search_time, solve};
