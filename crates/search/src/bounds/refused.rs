//! What happens to a bound that the judge does not accept.

use pavane_verify::BoundError;

/// A bound that the judge refused, which is a bug in the bound.
#[derive(Debug, thiserror::Error)]
#[error("the judge rejected the {reason} bound: {error}")]
pub struct RefusedBound {
    pub(super) reason: String,
    pub(super) error: BoundError,
}
