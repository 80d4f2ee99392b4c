//! Whether latencies grow during a measurement. If a link gets more traffic than it can carry, its
//! queue and with it the mean latency grow for as long as messages arrive, so that there is no
//! steady state and a mean latency depends on the duration of the measurement.

/// Rise of the line through the means of the batches, relative to their mean, from which on
/// latencies grow.
const RISE: f64 = 0.5;

/// Number of standard errors by which the slope must exceed 0.
const ERRORS: f64 = 3.0;

/// Smallest number of batches with messages for which there is a trend.
const FEWEST: usize = 5;

/// Whether the means of batches, each given as a sum and a count, grow from the first to the last:
/// the least-squares line through them rises by more than half their mean, and by more than three
/// standard errors.
pub(crate) fn grows(batches: &[(u128, u64)]) -> bool {
    let means = batches.iter().zip(0..).filter(|((_, count), _)| *count > 0);
    let means = means.map(|(&(sum, count), at)| (f64::from(at), sum as f64 / count as f64));
    let points: Vec<(f64, f64)> = means.collect();
    if points.len() < FEWEST {
        return false;
    }
    let count = points.len() as f64;
    let mean_of = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (at, mean) = (mean_of(|point| point.0), mean_of(|point| point.1));
    let products = |one: fn(f64, f64) -> f64| {
        points.iter().map(|point| one(point.0 - at, point.1 - mean)).sum::<f64>()
    };
    let (across, up) = (products(|x, _| x * x), products(|_, y| y * y));
    let slope = products(|x, y| x * y) / across;
    let rise = slope * (points[points.len() - 1].0 - points[0].0);
    let rest = (up - slope * slope * across).max(0.0);
    let error = (rest / (count - 2.0) / across).sqrt();
    rise > RISE * mean && slope > ERRORS * error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(mean: impl Fn(u32) -> f64) -> Vec<(u128, u64)> {
        (0..20).map(|batch| ((mean(batch) * 100.0) as u128, 100)).collect()
    }

    #[test]
    fn only_a_clear_rise_is_growth() {
        let noise = |batch: u32| f64::from(batch * 7 % 5) - 2.0;
        assert!(!grows(&batches(|_| 50.0)));
        assert!(!grows(&batches(|batch| 50.0 + 5.0 * noise(batch))));
        assert!(!grows(&batches(|batch| 50.0 + 0.5 * f64::from(batch))));
        assert!(grows(&batches(|batch| 50.0 + 5.0 * f64::from(batch) + 5.0 * noise(batch))));
        // One slow batch at the end is not a trend.
        assert!(!grows(&batches(|batch| if batch == 19 { 300.0 } else { 50.0 })));
        assert!(!grows(&[(10, 1), (900, 1)]));
    }
}
