//! Faults: which of them are alike, what each one costs, and the repair of a schedule after faults.

pub mod changes;
pub mod classes;
pub mod parts;
pub(crate) mod regrow;
pub mod repair;
pub mod sets;
pub mod survey;

pub use changes::Changes;
pub use classes::{Class, Classes, classes, classes_with_bandwidths};
pub use parts::{Part, Parts};
pub use repair::{Keep, RepairError, Repaired, Terms, repair};
pub use sets::{FaultSets, Selection, SetsError};
pub use survey::{Job, JobAnswer, Solved, SurveyedPhase, answer};
