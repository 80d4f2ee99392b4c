//! The judge: simple, separate and thorough rather than fast. It depends only on `model`, not on
//! the search code. It applies every rule to every transfer and derives every claimed bound again.
//!
//! ```
//! use pavane_model::format::read;
//! use pavane_verify::judge;
//!
//! let file = r#"{"format": "pavane/schedule/1",
//!   "network": {"name": "path:2", "routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
//!   "model": {"switching": "wormhole", "routing": "minimal", "duplex": "full", "ports": "all"},
//!   "collective": {"kind": "broadcast", "name": "oab", "senders": [0], "receivers": [1]},
//!   "steps": [[{"message": [0], "from": 0, "to": 1, "path": [0]}]]}"#;
//! let phase = read(file.as_bytes(), "oab.json", 1000)?.remove(0);
//! let verdict = judge(phase.problem, phase.schedule, None, &|_| Err(std::io::ErrorKind::NotFound.into()));
//! assert!(verdict.is_valid() && verdict.is_optimal());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case;
mod certificates;
mod cost;
pub mod exact;
mod group;
pub mod lrat;
mod rules;
pub mod traffic_log;
mod verdict;
mod verify;
mod violation;
mod violation_fields;

pub use certificates::{
    BoundError, OpenProof, cheap_bound, check_bound, check_bound_with, check_bound_within, cost_of,
};
pub use cost::{Cost, Limits, MOST_BYTES, MOST_OPERATIONS, OverLimit};
pub use verdict::{Verdict, judge, judge_within};
pub use verify::{CheckedSchedule, verify, verify_unless};
pub use violation::{ChannelName, Direction, Rule, TransferName, Violation};
