//! First in, first out: all keys are equal, so the message that has waited longer goes first.

pub(super) fn key(_length: u64, _left: u32) -> i64 {
    0
}
