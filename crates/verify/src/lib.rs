//! The judge: slow, plain and separate. It knows the nouns of the model and nothing of the
//! searchers, tries every rule on every transfer, and derives every claimed bound anew.

mod case;
mod certificates;
pub mod exact;
mod group;
pub mod lrat;
pub mod plan;
mod rules;
pub mod traffic_log;
mod verdict;
mod verify;
mod violation;
mod violation_fields;

pub use certificates::{BoundError, OpenProof, cheap_bound, check_bound, check_bound_with};
pub use verdict::{Verdict, judge};
pub use verify::{CheckedSchedule, verify};
pub use violation::{ChannelName, Direction, Rule, TransferName, Violation};
