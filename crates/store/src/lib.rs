//! What long runs keep on disk: checkpoints of searches, the results of surveys of faults, and folders with a
//! schedule for every fault.

pub mod checkpoint;
pub mod contingency;
mod error;
pub mod fault_rows;
pub mod fault_survey;
pub mod files;
pub mod resumed;

pub use error::StoreError;
