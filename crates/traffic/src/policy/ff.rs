//! Farthest first: the message with more remaining channels. One channel counts as one unit of
//! time, as in [`lbf`](super::lbf) with messages of length 1.

use crate::ticks;

pub(super) fn key(_length: u64, left: u32) -> i64 {
    i64::from(left) * ticks::UNIT as i64
}
