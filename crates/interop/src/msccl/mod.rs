//! MSCCL XML, the algorithm files of the MSCCL runtime.
//!
//! The reader and the writer share no code, so a plan that Pavane writes is checked independently.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

/// Whether a text looks like such a plan.
pub(crate) fn recognises(text: &str) -> bool {
    text.contains("<algo")
}
