//! Sets of a given number of faults: all of them, or a sample if there are too many.

use crate::rng::Rng;
use rustc_hash::FxHashSet;

/// Number of sets up to which all are listed.
const MOST_SETS: u128 = 100_000;

/// Default size of a sample.
const SAMPLE: usize = 500;

/// Maximum size of a sample.
const LARGEST_SAMPLE: usize = 1_000_000;

/// How many parts fail at once, and how many sets of them are examined.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    /// Parts that fail at once.
    pub count: u32,
    /// Number of sets to draw at random.
    pub sample: Option<usize>,
    /// Random seed.
    pub seed: u64,
}

/// Sets of parts, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSets {
    /// The sets, each in increasing order, without duplicates.
    pub sets: Vec<Vec<u32>>,
    /// The number of all such sets.
    pub total: u128,
}

/// Why no sets can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetsError {
    /// Zero faults.
    #[error("a set of 0 faults: at least one fault is required")]
    None,
    /// More faults than parts.
    #[error(
        "a set of {count} faults: {network} has only {parts} parts that can fail; use fewer faults"
    )]
    TooFew {
        /// Faults at once.
        count: u32,
        /// The network.
        network: String,
        /// The number of parts that may fail.
        parts: usize,
    },
    /// The sample is too large.
    #[error("a sample of {sample} sets of faults: the maximum is {LARGEST_SAMPLE}")]
    SampleTooLarge {
        /// The requested size.
        sample: usize,
    },
    /// An empty sample.
    #[error("a sample of 0 sets of faults: at least one set is required")]
    EmptySample,
}

impl FaultSets {
    /// Builds the requested sets of `parts` parts.
    pub fn new(network: &str, parts: usize, selection: Selection) -> Result<Self, SetsError> {
        let Selection { count, sample, seed } = selection;
        if count == 0 {
            return Err(SetsError::None);
        }
        if sample == Some(0) {
            return Err(SetsError::EmptySample);
        }
        if count as usize > parts {
            return Err(SetsError::TooFew { count, network: network.to_owned(), parts });
        }
        let total = choose(parts as u128, count.into());
        if let Some(sample) = sample.filter(|&sample| sample > LARGEST_SAMPLE) {
            return Err(SetsError::SampleTooLarge { sample });
        }
        let wanted = match sample {
            Some(wanted) if (wanted as u128) < total => wanted,
            None if total > MOST_SETS => SAMPLE,
            _ => return Ok(Self { sets: all(parts, count as usize), total }),
        };
        let sets = if total <= MOST_SETS {
            some_of(all(parts, count as usize), wanted, seed)
        } else {
            draw(parts, count as usize, wanted, seed)
        };
        Ok(Self { sets, total })
    }

    /// Whether some sets are left out.
    pub fn is_sample(&self) -> bool {
        (self.sets.len() as u128) < self.total
    }
}

/// The binomial coefficient; `u128::MAX` if it overflows.
fn choose(from: u128, count: u128) -> u128 {
    let mut ways: u128 = 1;
    for step in 0..count.min(from - count) {
        match ways.checked_mul(from - step) {
            Some(product) => ways = product / (step + 1),
            None => return u128::MAX,
        }
    }
    ways
}

fn all(parts: usize, count: usize) -> Vec<Vec<u32>> {
    let mut sets = Vec::new();
    let mut set: Vec<u32> = (0..count as u32).collect();
    loop {
        sets.push(set.clone());
        let is_movable = |&at: &usize| (set[at] as usize) < parts - (count - at);
        let Some(at) = (0..count).rev().find(is_movable) else { return sets };
        let first = set[at] + 1;
        for (value, place) in (first..).zip(&mut set[at..]) {
            *place = value;
        }
    }
}

fn some_of(mut sets: Vec<Vec<u32>>, wanted: usize, seed: u64) -> Vec<Vec<u32>> {
    Rng::seeded(seed).shuffle(&mut sets);
    sets.truncate(wanted);
    sets.sort_unstable();
    sets
}

/// Draws different sets, possibly fewer than `wanted` if that is close to the number of all sets.
fn draw(parts: usize, count: usize, wanted: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Rng::seeded(seed);
    let mut is_drawn = FxHashSet::default();
    let mut sets = Vec::new();
    // Duplicates are usually rare; the limit ends the loop when they are not.
    for _ in 0..wanted.saturating_mul(4) {
        let mut set: Vec<u32> = Vec::with_capacity(count);
        while set.len() < count {
            let part = rng.below(parts) as u32;
            if !set.contains(&part) {
                set.push(part);
            }
        }
        set.sort_unstable();
        if is_drawn.insert(set.clone()) {
            sets.push(set);
        }
        if sets.len() == wanted {
            break;
        }
    }
    sets.sort_unstable();
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(parts: usize, count: u32, sample: Option<usize>) -> Result<FaultSets, SetsError> {
        FaultSets::new("net", parts, Selection { count, sample, seed: 1 })
    }

    #[test]
    fn all_sets_are_there_once() {
        for (parts, count, expected) in [(5, 1, 5), (24, 2, 276), (6, 3, 20), (4, 4, 1)] {
            let found = sets(parts, count, None).unwrap();
            assert_eq!((found.sets.len(), found.total), (expected, expected as u128));
            assert!(found.sets.is_sorted() && !found.is_sample());
            assert!(found.sets.iter().all(|set| set.is_sorted() && set.len() == count as usize));
        }
    }

    #[test]
    fn too_many_sets_become_a_sample() {
        for (parts, count, sample, expected) in [
            (1000, 3, None, SAMPLE),
            (1000, 3, Some(40), 40),
            (24, 2, Some(10), 10),
            (24, 2, Some(1000), 276),
            (u32::MAX as usize, 40, Some(3), 3),
        ] {
            let found = sets(parts, count, sample).unwrap();
            assert_eq!(found.sets.len(), expected, "{parts} {count} {sample:?}");
            assert_eq!(found, sets(parts, count, sample).unwrap(), "the seed decides");
        }
        assert_eq!(sets(1000, 3, None).unwrap().total, 166_167_000);
    }

    #[test]
    fn impossible_selections_are_errors() {
        assert_eq!(sets(5, 0, None), Err(SetsError::None));
        assert!(matches!(sets(5, 6, None), Err(SetsError::TooFew { parts: 5, .. })));
        assert_eq!(sets(5, 1, Some(0)), Err(SetsError::EmptySample));
    }
}
