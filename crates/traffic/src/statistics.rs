//! Means with confidence intervals. Sums are of whole ticks, so the order of addition does not
//! matter.

use crate::ticks;
use serde::{Deserialize, Serialize};

/// A mean with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean, in units.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval, in units; `None` for a single value, which
    /// has no spread.
    pub half_width: Option<f64>,
    /// Number of values, at least one.
    pub count: usize,
}

impl Estimate {
    /// The mean of times in ticks; `None` if there are none.
    pub fn of(times: impl Iterator<Item = u64>) -> Option<Self> {
        let times: Vec<u64> = times.collect();
        let count = times.len();
        if count == 0 {
            return None;
        }
        let sum: u128 = times.iter().map(|&time| u128::from(time)).sum();
        let mean = sum as f64 / count as f64;
        let half_width = (count > 1).then(|| {
            let mut squares = 0.0;
            for time in times {
                squares += (time as f64 - mean) * (time as f64 - mean);
            }
            let deviation = (squares / (count - 1) as f64).sqrt();
            quantile(count) * deviation / (count as f64).sqrt() / ticks::PER_UNIT
        });
        Some(Self { mean: mean / ticks::PER_UNIT, half_width, count })
    }
}

/// The 97.5 % quantile of Student's t-distribution for `count` values, from a table for small
/// counts.
fn quantile(count: usize) -> f64 {
    const FEW: [f64; 12] =
        [0.0, 0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match FEW.get(count) {
        Some(&quantile) => quantile,
        // Within one per cent of the table.
        None => 1.96 + 2.6 / (count as f64 - 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_and_its_interval() {
        let times = [9.0, 10.0, 11.0, 10.0].map(ticks::from_units);
        let estimate = Estimate::of(times.into_iter()).unwrap();
        assert_eq!((estimate.mean, estimate.count), (10.0, 4));
        // Standard deviation 0.8165, divided by the square root of 4, times 3.182.
        let half_width = estimate.half_width.unwrap();
        assert!((half_width - 1.299).abs() < 0.001, "{half_width}");
    }

    #[test]
    fn nothing_has_no_mean_and_one_value_no_interval() {
        assert_eq!(Estimate::of(std::iter::empty()), None);
        let single = Estimate { mean: 9.0, half_width: None, count: 1 };
        assert_eq!(Estimate::of([ticks::from_units(9.0)].into_iter()), Some(single));
    }
}
