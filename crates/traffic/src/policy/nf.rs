//! Nearest first: the message with fewer remaining channels. One channel counts as one unit of
//! time, as in [`sbf`](super::sbf) with messages of length 1.

use crate::ticks;

pub(super) fn key(_length: u64, left: u32) -> i64 {
    -(i64::from(left) * ticks::UNIT as i64)
}
