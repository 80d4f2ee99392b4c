//! The judge: simple and thorough rather than fast. It applies every rule to every transfer and
//! derives every claimed bound again.
//!
//! It depends only on `model`, and uses its data types and its file reader. Everything that it
//! computes, it computes with its own code: distances, flows, cheapest paths, growth, queues. Four
//! things are shared with the searches:
//!
//! - the types of `model` with their accessors, and the definitions in them: which messages a
//!   collective has, and how a gather or reduce is read backwards in time;
//! - the check of `Problem::new` that every receiver can be reached;
//! - for throughput plans, exact fractions and the conversion of bandwidths to them;
//! - the formulas in [`exact`], [`encode_tdm`] and [`encode_rounds`]: a solver decides them, and the
//!   judge builds them again to check the proof. An error in a formula would affect both, so they have their own
//!   tests.
//!
//! `docs/trust.md` says why this is acceptable and which tests cover it.
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
mod distance;
pub mod exact;
mod group;
pub mod lrat;
mod rounds;
mod rules;
mod tdm;
mod throughput;
mod timed;
pub mod traffic_log;
mod verdict;
mod verify;
mod violation;
mod violation_fields;
mod whole;

pub use certificates::{
    BoundError, OpenProof, cheap_bound, check_bound, check_bound_with, check_bound_within, cost_of,
};
pub use cost::{Cost, Limits, MOST_BYTES, MOST_OPERATIONS, OverLimit};
pub use rounds::{
    RoundCrossing, RoundsFormula, RoundsRefutationError, check_rounds_refutation, encode_rounds,
};
pub use tdm::{
    CheckedTdm, Resource, TDM_ENCODING, TdmBoundError, TdmFormula, TdmRefutationError,
    TdmRejection, TdmRule, TdmVerdict, TdmViolation, WordName, check_refuted_period, check_tdm,
    check_tdm_bound, check_tdm_refutation, check_tdm_with, encode_tdm, judge_tdm, judge_tdm_within,
};
pub use throughput::{
    CheckedPlan, LimitError, PlanJudgeError, PlanRejection, PlanRule, PlanViolation, RouteName,
    ThroughputVerdict, check_plan, judge_plan, judge_plan_within,
};
pub use timed::{
    CheckedTimed, SendName, TimeBoundError, TimedError, TimedRejection, TimedRule, TimedVerdict,
    TimedViolation, check_timed, check_timed_within, judge_timed, judge_timed_within,
};
pub use verdict::{Verdict, judge, judge_within};
pub use verify::{CheckedSchedule, verify, verify_unless};
pub use violation::{ChannelName, Direction, Rule, TransferName, Violation};
pub use whole::{CheckedWhole, WholeVerdict, check_whole_bound, judge_whole, verify_whole};
