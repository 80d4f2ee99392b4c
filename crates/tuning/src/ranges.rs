//! Ranges of sizes with the same best schedule.

use crate::tune::TunedSize;

/// A range of sizes for one schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeRange {
    /// The smallest size.
    pub least: u64,
    /// The largest size.
    pub most: u64,
    /// The place of the schedule among those of the tuning.
    pub schedule: usize,
    /// A size that was tuned.
    pub sample: u64,
}

impl SizeRange {
    /// Whether there is no range of larger sizes.
    pub fn is_last(&self) -> bool {
        self.most == NO_LIMIT
    }
}

/// The largest size of the last range.
const NO_LIMIT: u64 = 1 << 40;

/// The sizes from `least` to `most`, each `factor` times the one before; the last one is `most`.
pub fn sizes(least: u64, most: u64, factor: u64) -> Vec<u64> {
    let sizes = std::iter::successors(Some(least), |size| size.checked_mul(factor));
    let mut sizes: Vec<u64> = sizes.take_while(|&size| size < most).collect();
    sizes.push(most);
    sizes
}

/// The ranges without gaps, from 0 on: a schedule is used from the first tuned size at which it is best up
/// to the next one at which another is.
pub fn ranges(sizes: &[TunedSize]) -> Vec<SizeRange> {
    let mut ranges: Vec<SizeRange> = Vec::new();
    for size in sizes {
        let Some((schedule, _)) = size.best else { continue };
        match ranges.last_mut() {
            Some(last) if last.schedule == schedule => {}
            last => {
                let least = if last.is_some() { size.bytes } else { 0 };
                if let Some(last) = last {
                    last.most = size.bytes - 1;
                }
                ranges.push(SizeRange { least, most: NO_LIMIT, schedule, sample: size.bytes });
            }
        }
    }
    ranges
}
