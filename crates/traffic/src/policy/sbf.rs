//! Smallest remaining bandwidth first: the message with the smaller product of length and remaining
//! channels.

pub(super) fn key(length: u64, left: u32) -> i64 {
    -(length as i64 * i64::from(left))
}
