//! First in, first out: no message is better than another, and the earlier one in the queue goes.

pub(super) fn key(_length: u64, _left: u32) -> i64 {
    0
}
