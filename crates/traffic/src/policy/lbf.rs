//! Largest remaining bandwidth first: the message whose length times channels still to go is more.

pub(super) fn key(length: u64, left: u32) -> i64 {
    length as i64 * i64::from(left)
}
