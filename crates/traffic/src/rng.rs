//! Seeded random numbers: uniform, normal and exponential, identical on every machine. The
//! logarithm is implemented here because those of different systems differ in the last bit.
//! `pavane-search` has the uniform numbers too; neither crate depends on the other.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct TrafficRng {
    source: Xoshiro256PlusPlus,
    /// The second number of the last normal pair.
    spare: Option<f64>,
}

impl TrafficRng {
    /// The stream with number `index` of a seed.
    pub fn stream(seed: u64, index: u64) -> Self {
        let mixed =
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03);
        Self { source: Xoshiro256PlusPlus::seed_from_u64(mixed), spare: None }
    }

    /// A uniform number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.source.random()
    }

    /// A uniform integer from 0 to `limit` - 1; `limit` must be at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        self.source.random_range(0..limit)
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A normal number with mean 0 and standard deviation 1, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                let scale = (-2.0 * logarithm(square) / square).sqrt();
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }

    /// An exponential number with mean 1, such as the time between arrivals of a Poisson process.
    pub fn exponential(&mut self) -> f64 {
        -logarithm(1.0 - self.unit())
    }
}

/// Natural logarithm of a normal number above 0: splits off the power of two and computes the rest
/// by the series of the inverse hyperbolic tangent.
pub fn logarithm(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut rest = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    if rest > std::f64::consts::SQRT_2 {
        rest *= 0.5;
        exponent += 1;
    }
    let z = (rest - 1.0) / (rest + 1.0);
    let square = z * z;
    // Each term is 34 times smaller than the one before, so eleven are enough for 52 bits.
    let mut sum = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * z * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right_to_fourteen_places() {
        for step in 1..2000 {
            let x = f64::from(step) / 700.0;
            assert!((logarithm(x) - x.ln()).abs() < 1e-14 * (1.0 + x.ln().abs()), "{x}");
        }
    }

    #[test]
    fn normal_and_exponential_numbers_have_their_means_and_deviations() {
        let mut rng = TrafficRng::stream(1, 0);
        let normal: Vec<f64> = (0..100_000).map(|_| rng.normal()).collect();
        let waits: Vec<f64> = (0..100_000).map(|_| rng.exponential()).collect();
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
        let squares = |numbers: &[f64]| mean(&numbers.iter().map(|x| x * x).collect::<Vec<_>>());
        assert!(mean(&normal).abs() < 0.01, "{}", mean(&normal));
        assert!((squares(&normal) - 1.0).abs() < 0.02, "{}", squares(&normal));
        assert!((mean(&waits) - 1.0).abs() < 0.01, "{}", mean(&waits));
        assert!((squares(&waits) - 2.0).abs() < 0.1, "{}", squares(&waits));
    }
}
