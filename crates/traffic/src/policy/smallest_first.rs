//! Smallest first: the shorter message.

pub(super) fn key(length: u64, _left: u32) -> i64 {
    -(length as i64)
}
