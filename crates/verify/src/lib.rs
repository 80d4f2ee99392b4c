//! The judge: slow, plain and separate. It knows the nouns of the model and nothing of the
//! searchers, tries every rule on every transfer, and derives every claimed bound anew.

mod case;
mod certificates;
mod group;
mod rules;
mod verdict;
mod verify;
mod violation;
mod violation_fields;

pub use certificates::{BoundError, cheap_bound, check_bound};
pub use verdict::{Verdict, judge};
pub use verify::{CheckedSchedule, verify};
pub use violation::{ChannelName, Direction, Rule, TransferName, Violation};
