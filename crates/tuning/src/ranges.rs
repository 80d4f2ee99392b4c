//! Ranges of sizes with the same best schedule.

use crate::tune::Tuning;

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
    /// Whether it has no largest size.
    pub fn is_unlimited(&self) -> bool {
        self.most == NO_LIMIT
    }
}

/// The largest size of the last range of a tuning that was not stopped.
const NO_LIMIT: u64 = 1 << 40;

/// The sizes from `least` to `most`, each `factor` times the one before; the last one is `most`.
pub fn sizes(least: u64, most: u64, factor: u64) -> Vec<u64> {
    let sizes = std::iter::successors(Some(least), |size| size.checked_mul(factor));
    let mut sizes: Vec<u64> = sizes.take_while(|&size| size < most).collect();
    sizes.push(most);
    sizes
}

/// The ranges without gaps, from 0 on: a schedule is used from the first tuned size at which it is best up
/// to the next one at which another is. If the tuning was stopped, they end at the largest tuned size.
pub fn ranges(tuning: &Tuning) -> Vec<SizeRange> {
    let mut ranges: Vec<SizeRange> = Vec::new();
    let tuned = tuning.sizes.last().map_or(0, |size| size.bytes);
    let most = if tuning.is_stopped { tuned } else { NO_LIMIT };
    for size in &tuning.sizes {
        let Some((schedule, _)) = size.best else { continue };
        match ranges.last_mut() {
            Some(last) if last.schedule == schedule => {}
            last => {
                let least = if last.is_some() { size.bytes } else { 0 };
                if let Some(last) = last {
                    last.most = size.bytes - 1;
                }
                ranges.push(SizeRange { least, most, schedule, sample: size.bytes });
            }
        }
    }
    ranges
}
