//! Sets of messages as one row of bits per processor, and bit-sliced counters, so that sixty-four
//! messages are compared at once.

use crate::rng::Rng;

/// Rows of bits of equal length, stored contiguously.
#[derive(Debug, Clone)]
pub(super) struct BitRows {
    words: usize,
    data: Vec<u64>,
}

impl BitRows {
    /// `rows` rows of `bits` bits, all clear.
    pub(super) fn new(rows: usize, bits: usize) -> Self {
        let words = bits.div_ceil(64);
        Self { words, data: vec![0; rows * words] }
    }

    /// Words per row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// A row.
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.data[row * self.words..(row + 1) * self.words]
    }

    /// A row, mutable.
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.data[row * self.words..(row + 1) * self.words]
    }

    /// Whether a bit is set.
    pub(super) fn has(&self, row: usize, bit: usize) -> bool {
        self.data[row * self.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Sets a bit.
    pub(super) fn set(&mut self, row: usize, bit: usize) {
        self.data[row * self.words + bit / 64] |= 1 << (bit % 64);
    }

    /// Clears a bit.
    pub(super) fn clear(&mut self, row: usize, bit: usize) {
        self.data[row * self.words + bit / 64] &= !(1 << (bit % 64));
    }

    /// Clears all bits.
    pub(super) fn clear_all(&mut self) {
        self.data.fill(0);
    }

    /// How many bits of a row are set.
    pub(super) fn count(&self, row: usize) -> u32 {
        count(self.row(row))
    }
}

/// How many bits are set.
pub(super) fn count(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// Whether two sets intersect.
pub(super) fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(a, b)| a & b != 0)
}

/// The set bits, in ascending order.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| ones_of(word).map(move |bit| 64 * at + bit))
}

/// The set bits of one word, in ascending order.
pub(super) fn ones_of(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        bit
    })
}

/// A set bit chosen uniformly at random; `None` if there is none.
pub(super) fn pick(words: &[u64], rng: &mut Rng) -> Option<usize> {
    let total = count(words) as usize;
    if total == 0 {
        return None;
    }
    let mut skip = rng.below(total) as u32;
    for (at, &word) in words.iter().enumerate() {
        let here = word.count_ones();
        if skip < here {
            let mut rest = word;
            for _ in 0..skip {
                rest &= rest - 1;
            }
            return Some(at * 64 + rest.trailing_zeros() as usize);
        }
        skip -= here;
    }
    None
}

/// One counter per bit, bit-sliced: plane `i` holds the `i`-th binary digit of every counter.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    planes: BitRows,
    used: usize,
    carry: Vec<u64>,
}

impl Counters {
    /// Counters for `bits` bits, up to 2^`digits` - 1.
    pub(super) fn new(digits: usize, bits: usize) -> Self {
        let planes = BitRows::new(digits, bits);
        let carry = vec![0; planes.words()];
        Self { planes, used: 0, carry }
    }

    /// Sets all counters to zero.
    pub(super) fn reset(&mut self) {
        self.used = 0;
    }

    /// Increments the counters of all bits in the set.
    pub(super) fn add(&mut self, set: &[u64]) {
        self.carry.copy_from_slice(set);
        for digit in 0..self.used {
            let mut left = 0;
            for (plane, carry) in self.planes.row_mut(digit).iter_mut().zip(&mut self.carry) {
                let over = *plane & *carry;
                *plane ^= *carry;
                *carry = over;
                left |= over;
            }
            if left == 0 {
                return;
            }
        }
        self.planes.row_mut(self.used).copy_from_slice(&self.carry);
        self.used += 1;
    }

    /// Sets the counters; values that do not fit are clamped to the largest.
    pub(super) fn store(&mut self, values: impl Iterator<Item = u32>) {
        self.planes.clear_all();
        let digits = self.planes.data.len() / self.planes.words.max(1);
        let largest = (1u32 << digits) - 1;
        for (bit, value) in values.enumerate() {
            for digit in (0..digits).filter(|digit| value.min(largest) >> digit & 1 == 1) {
                self.planes.set(digit, bit);
            }
        }
        self.used = digits;
    }

    /// Keeps the candidates with the largest counter. `scratch` has the same length.
    pub(super) fn keep_largest(&self, candidates: &mut [u64], scratch: &mut [u64]) {
        for digit in (0..self.used).rev() {
            let mut any = 0;
            let plane = self.planes.row(digit);
            for ((kept, &candidate), &mask) in scratch.iter_mut().zip(&*candidates).zip(plane) {
                *kept = candidate & mask;
                any |= *kept;
            }
            if any != 0 {
                candidates.copy_from_slice(scratch);
            }
        }
    }
}
