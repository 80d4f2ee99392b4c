//! The judge of TDM schedules: checks every word against every rule and derives the claimed bound
//! again. It shares no code with the crate that searches for schedules.

mod certificate;
mod checked;
mod formula;
mod latency;
mod report;
mod routes;
mod slots;
mod verdict;
mod violation;
mod weights;

pub use certificate::{TdmBoundError, check_refuted_period, check_tdm_bound};
pub use checked::{CheckedTdm, TdmRejection, check_tdm, check_tdm_with};
pub use formula::{TDM_ENCODING, TdmFormula, TdmRefutationError, check_tdm_refutation, encode_tdm};
pub use verdict::{TdmVerdict, judge_tdm, judge_tdm_within};
pub use violation::{Resource, TdmRule, TdmViolation, WordName};
