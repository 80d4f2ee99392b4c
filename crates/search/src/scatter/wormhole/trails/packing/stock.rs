//! The messages that are left, and what they are worth.

use super::super::pairs::PairTable;

/// Units of value: the value of a channel of mean price.
pub(super) const UNIT: f32 = 256.0;

/// The part of an entry that is a value, the flag of messages that are taken, and where the distance begins.
pub(super) const VALUE: u32 = 0x7f_ffff;
pub(super) const TAKEN: u32 = 1 << 23;
pub(super) const DISTANCE: u32 = 24;

/// The messages left.
pub(super) struct Stock<'a> {
    pub pairs: &'a PairTable,
    /// Distance and value of every pair; the value is 0 without a message that is left. Messages that have a place in
    /// the steps that are being filled are taken.
    pub entry: Vec<u32>,
    /// Values by length, without the prices.
    pub bonus: Vec<f32>,
    pub temperature: f32,
}

impl Stock<'_> {
    pub fn value(&self, pair: usize) -> u32 {
        self.entry[pair] & VALUE
    }
}
