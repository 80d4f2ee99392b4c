//! The slot table of a search: which word uses which row in which slot.

use crate::instance::{Edge, Instance};

/// No word.
pub(crate) const NONE: u32 = u32::MAX;

/// A use of a row from a slot.
pub(crate) type Use = (u32, u32);

/// The rows as bitsets and the words in them.
///
/// Bit `s` of a row is set if a use that starts in slot `s` would overlap one in the table. Every row is
/// stored more than twice in a row, so that a view from any offset is a shifted copy.
#[derive(Debug)]
pub(crate) struct SlotTable {
    period: u32,
    phits: u32,
    moduli: Vec<u32>,
    blocks: usize,
    stride: usize,
    pub bits: Vec<u64>,
    /// The word that starts in a slot of a row; rows have `period` entries.
    owners: Vec<u32>,
    /// Number of uses that block a slot. Unused for one phit.
    blocked: Vec<u16>,
}

impl SlotTable {
    pub fn new(instance: &Instance) -> Self {
        let period = instance.period as usize;
        let (blocks, stride) = (instance.blocks, instance.stride);
        let rows = instance.moduli.len();
        let blocked = if instance.phits > 1 { rows * period } else { 0 };
        Self {
            period: instance.period,
            phits: instance.phits,
            moduli: instance.moduli.clone(),
            blocks,
            stride,
            bits: vec![0; rows * stride],
            owners: vec![NONE; rows * period],
            blocked: vec![0; blocked],
        }
    }

    /// The row of an edge and the slot in which a word that starts at `start` uses it.
    pub fn use_of(&self, edge: Edge, start: u32) -> Use {
        let stride = self.stride as u32;
        let row = edge.block / stride;
        let modulus = self.moduli[row as usize];
        let slot = start + 64 * (edge.block % stride) + edge.bit();
        if slot < modulus {
            (row, slot)
        } else if slot < 2 * modulus {
            (row, slot - modulus)
        } else {
            (row, slot % modulus)
        }
    }

    pub fn is_blocked(&self, row: u32, slot: u32) -> bool {
        self.bits[row as usize * self.stride + slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    /// Whether the use of an edge by a word that starts at `start` would overlap one in the table.
    pub fn is_edge_blocked(&self, edge: Edge, start: u32) -> bool {
        let bit = edge.bit() + start;
        self.bits[(edge.block + bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Adds the words that a use of a row from a slot would overlap.
    pub fn add_occupants(&self, (row, slot): Use, occupants: &mut Vec<u32>) {
        let base = row as usize * self.period as usize;
        let mut add = |slot: u32| {
            let owner = self.owners[base + slot as usize];
            if owner != NONE && !occupants.contains(&owner) {
                occupants.push(owner);
            }
        };
        add(slot);
        if self.phits == 1 {
            return;
        }
        let modulus = self.moduli[row as usize];
        for distance in 1..self.phits {
            add((slot + distance) % modulus);
            add((slot + modulus - distance % modulus) % modulus);
        }
    }

    pub fn insert(&mut self, word: u32, uses: &[Use]) {
        for &(row, slot) in uses {
            self.owners[row as usize * self.period as usize + slot as usize] = word;
            self.change(row, slot, true);
        }
    }

    pub fn remove(&mut self, uses: &[Use]) {
        for &(row, slot) in uses {
            self.owners[row as usize * self.period as usize + slot as usize] = NONE;
            self.change(row, slot, false);
        }
    }

    /// Blocks or frees the slots that a use overlaps.
    fn change(&mut self, row: u32, slot: u32, is_added: bool) {
        if self.phits == 1 {
            self.set(row, slot, is_added);
            return;
        }
        let modulus = self.moduli[row as usize];
        let width = (2 * self.phits - 1).min(modulus);
        let first = (slot + modulus - (self.phits - 1) % modulus) % modulus;
        for distance in 0..width {
            let slot = (first + distance) % modulus;
            let count = &mut self.blocked[row as usize * self.period as usize + slot as usize];
            if is_added {
                *count += 1
            } else {
                *count -= 1
            }
            let is_blocked = *count > 0;
            self.set(row, slot, is_blocked);
        }
    }

    fn set(&mut self, row: u32, slot: u32, is_blocked: bool) {
        let modulus = self.moduli[row as usize] as usize;
        let base = row as usize * self.stride;
        let last = self.period as usize + 64 * self.blocks;
        for bit in (slot as usize..last).step_by(modulus) {
            let mask = 1 << (bit % 64);
            let block = &mut self.bits[base + bit / 64];
            *block = if is_blocked { *block | mask } else { *block & !mask };
        }
    }
}
