//! Random numbers for names that contain a seed (`random-permutation:7`). They must be the same on
//! every machine and in every version, which random number libraries do not promise. SplitMix64,
//! after Steele, Lea and Flood, OOPSLA 2014.

/// A pseudo-random number generator.
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    /// Starts the generator from a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A random number below `limit`, which must be at least 1.
    pub fn below(&mut self, limit: u32) -> u32 {
        // The high half of the product; the bias is below limit / 2^64.
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u32
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    #[test]
    fn a_seed_gives_the_published_numbers() {
        let mut random = SplitMix::seeded(1_234_567);
        assert_eq!(
            [random.bits(), random.bits(), random.bits()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
