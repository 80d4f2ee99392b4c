//! MSCCL++ JSON, the execution plans of the MSCCL++ runtime.
//!
//! The reader and the writer share no code, so a plan that Pavane writes is checked independently.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

use crate::import::has_keys;

/// Whether a text looks like such a plan.
pub(crate) fn recognises(text: &str) -> bool {
    has_keys(text, &["gpus", "collective"])
}
