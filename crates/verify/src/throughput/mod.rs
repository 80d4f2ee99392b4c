//! The judge of throughput plans: checks every tree and path, adds up weights and loads, and derives
//! the claimed limit again. It shares no code with the crate that makes plans.
//!
//! A reduce or gather is judged as a broadcast or scatter on the reversed network: the channels of a
//! tree or path are read backwards, each from its head to its tail. Certificates refer to the
//! network of the file, not to the reversed one.

mod certificate;
mod checked;
mod loads;
mod paths;
mod report;
mod trees;
mod verdict;
mod view;
mod violation;
mod weights;

pub use certificate::LimitError;
pub(crate) use certificate::{derive as derive_limit, derive_for_any_roots, paid};
pub use checked::{CheckedPlan, PlanRejection, check_plan};
pub use verdict::{PlanJudgeError, ThroughputVerdict, judge_plan, judge_plan_within};
pub(crate) use view::View;
pub use violation::{PlanRule, PlanViolation, RouteName};
