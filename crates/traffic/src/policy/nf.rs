//! Nearest first: the message with fewer channels still to go.

pub(super) fn key(_length: u64, left: u32) -> i64 {
    -i64::from(left)
}
