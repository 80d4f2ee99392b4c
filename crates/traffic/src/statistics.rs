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

/// Groups of batches whose means give the confidence interval of a time series. Few long ones: means of short
/// batches that follow each other are alike, and an interval that takes them for independent is too short.
const GROUPS: usize = 5;

/// The largest correlation of neighbouring groups that is corrected; more cannot be told from five means.
const MOST_CORRELATED: f64 = 0.7;

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

    /// The mean of a time series in batches of equal duration, each given as a sum of times in ticks and a count;
    /// `None` if nothing was counted. The confidence interval comes from the means of five groups of batches. It
    /// is longer if those of neighbouring groups are correlated, as for a first-order autoregressive process
    /// (Tafazzoli, Steiger and Wilson 2011).
    pub fn of_batches(batches: &[(u128, u64)]) -> Option<Self> {
        let add = |all: (u128, u64), one: &(u128, u64)| (all.0 + one.0, all.1 + one.1);
        let mean = |(sum, count): (u128, u64)| sum as f64 / count as f64;
        let all = batches.iter().fold((0, 0), add);
        let groups = batches.chunks(batches.len().div_ceil(GROUPS).max(1));
        let groups = groups.map(|group| group.iter().fold((0, 0), add));
        let means: Vec<f64> = groups.filter(|(_, count)| *count > 0).map(mean).collect();
        if means.is_empty() {
            return None;
        }
        let half_width = (means.len() > 1).then(|| half_width(&means) / ticks::PER_UNIT);
        Some(Self { mean: mean(all) / ticks::PER_UNIT, half_width, count: all.1 as usize })
    }
}

/// Half the width of the confidence interval of the mean of a series of at least two values.
fn half_width(series: &[f64]) -> f64 {
    let count = series.len() as f64;
    let mean = series.iter().sum::<f64>() / count;
    let squares: f64 = series.iter().map(|value| (value - mean).powi(2)).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let products: f64 = series.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let found = products / squares;
    // The correlation that is found is too small on average, the more so in short series (Kendall 1954).
    let correlation = (found + (1.0 + 3.0 * found) / count).clamp(0.0, MOST_CORRELATED);
    let longer = (1.0 + correlation) / (1.0 - correlation);
    quantile(series.len()) * (squares / (count - 1.0) / count * longer).sqrt()
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
    use crate::rng::TrafficRng;

    #[test]
    fn a_mean_and_its_interval() {
        let times = [9.0, 10.0, 11.0, 10.0].map(ticks::from_units);
        let estimate = Estimate::of(times.into_iter()).unwrap();
        assert_eq!((estimate.mean, estimate.count), (10.0, 4));
        // Standard deviation 0.8165, divided by the square root of 4, times 3.182.
        let half_width = estimate.half_width.unwrap();
        assert!((half_width - 1.299).abs() < 0.001, "{half_width}");
    }

    /// The share of intervals that contain the mean, for the waiting times in front of a server in use for a part
    /// of the time, in twenty batches.
    fn coverage(
        usage: f64,
        customers: usize,
        of: impl Fn(&[(u128, u64)]) -> Option<Estimate>,
    ) -> f64 {
        let expected = usage / (2.0 * (1.0 - usage));
        let runs = 400;
        let contains = |seed: u64| {
            let mut rng = TrafficRng::stream(seed, 1);
            let (mut wait, mut batches) = (0.0f64, vec![(0, 0); 20]);
            for customer in 0..customers + customers / 10 {
                if let Some(measured) = customer.checked_sub(customers / 10) {
                    let batch = &mut batches[20 * measured / customers];
                    *batch = (batch.0 + u128::from(ticks::from_units(wait)), batch.1 + 1);
                }
                wait = (wait + 1.0 - rng.exponential() / usage).max(0.0);
            }
            let found = of(&batches).unwrap();
            (found.mean - expected).abs() <= found.half_width.unwrap()
        };
        (0..runs).filter(|&seed| contains(seed)).count() as f64 / runs as f64
    }

    #[test]
    fn intervals_of_short_series_contain_the_mean() {
        // (usage, customers, the least share of the intervals, and how many fewer if batches count as independent)
        for (usage, customers, least, fewer) in
            [(0.5, 2000, 0.92, 0.0), (0.8, 2000, 0.9, 0.03), (0.9, 2000, 0.83, 0.08)]
        {
            let found = coverage(usage, customers, Estimate::of_batches);
            let plain = coverage(usage, customers, |batches| {
                Estimate::of(batches.iter().map(|&(sum, count)| (sum / u128::from(count)) as u64))
            });
            assert!(found >= least && plain <= found - fewer, "{usage} {found} {plain}");
        }
    }

    #[test]
    fn batches_without_spread_have_an_interval_of_no_width() {
        let hour = u128::from(ticks::from_units(3600.0));
        let single = Estimate { mean: 3600.0, half_width: None, count: 2 };
        assert_eq!(Estimate::of_batches(&[(0, 0), (2 * hour, 2)]), Some(single));
        let found = Estimate::of_batches(&[(hour, 1); 20]).unwrap();
        assert_eq!((found.mean, found.half_width, found.count), (3600.0, Some(0.0), 20));
        assert_eq!(Estimate::of_batches(&[(0, 0); 20]), None);
    }

    #[test]
    fn nothing_has_no_mean_and_one_value_no_interval() {
        assert_eq!(Estimate::of(std::iter::empty()), None);
        let single = Estimate { mean: 9.0, half_width: None, count: 1 };
        assert_eq!(Estimate::of([ticks::from_units(9.0)].into_iter()), Some(single));
    }
}
