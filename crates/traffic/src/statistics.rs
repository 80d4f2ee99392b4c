//! Means with their confidence, from sums of whole ticks, so that the order of adding does not matter.

use crate::ticks;

/// A mean and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean, in units.
    pub mean: f64,
    /// Half the width of the interval that has the true mean with 95 % confidence, in units.
    pub half_width: f64,
    /// Of how many.
    pub count: usize,
}

impl Estimate {
    /// The mean of times in ticks.
    pub fn of(times: impl Iterator<Item = u64>) -> Self {
        let (mut sum, mut squares, mut count) = (0u128, 0.0, 0usize);
        let mut all = Vec::new();
        for time in times {
            sum += u128::from(time);
            count += 1;
            all.push(time);
        }
        let mean = sum as f64 / count.max(1) as f64;
        for time in all {
            squares += (time as f64 - mean) * (time as f64 - mean);
        }
        let deviation = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
        let half_width = quantile(count) * deviation / (count.max(1) as f64).sqrt();
        Self { mean: mean / ticks::PER_UNIT, half_width: half_width / ticks::PER_UNIT, count }
    }
}

/// The 97.5 % quantile of Student's distribution for so many values; those of a few from the table.
fn quantile(count: usize) -> f64 {
    const FEW: [f64; 12] =
        [0.0, 0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match FEW.get(count) {
        Some(&quantile) => quantile,
        // Within a percent of the table.
        None => 1.96 + 2.6 / (count as f64 - 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_and_its_interval() {
        let times = [9.0, 10.0, 11.0, 10.0].map(ticks::from_units);
        let estimate = Estimate::of(times.into_iter());
        assert_eq!(estimate.mean, 10.0);
        // Deviation 0.8165, over the root of 4, times 3.182.
        assert!((estimate.half_width - 1.299).abs() < 0.001, "{}", estimate.half_width);
        assert_eq!(Estimate::of(std::iter::empty()).mean, 0.0);
    }
}
