//! The judge of timed schedules: checks that chunks make up their messages, that no channel carries
//! two chunks at once, that routers send only what they have, and that everything arrives; then derives
//! the claimed bound again. It shares no code with the searches.
//!
//! A reduce or gather is judged as a broadcast or scatter on the reversed network with time reversed.

mod certificate;
mod channels;
mod checked;
mod chunks;
mod clock;
mod holding;
mod order;
mod report;
mod sizes;
mod verdict;
mod violation;

pub use certificate::TimeBoundError;
pub use checked::{CheckedTimed, TimedRejection, check_timed, check_timed_within};
pub use verdict::{TimedError, TimedVerdict, judge_timed, judge_timed_within};
pub use violation::{SendName, TimedRule, TimedViolation};
