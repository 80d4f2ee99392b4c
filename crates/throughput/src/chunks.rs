//! The search for the best number of chunks per message: which numbers are worth a search, and the most
//! steps that would still be an improvement.

use crate::steps::limit_in_steps;
use pavane_model::{Fraction, Problem};

/// The numbers of chunks to try after a schedule for whole messages.
///
/// ```
/// use pavane_model::Fraction;
/// use pavane_throughput::chunks::ChunkCounts;
///
/// // Whole messages take 2 steps, and no number of chunks takes less than 7/6 steps per message.
/// let mut counts = ChunkCounts::new(Some("7/6".parse::<Fraction>()?), 2, 6);
/// assert_eq!(counts.advance(), Some((2, 3)));
/// assert!(counts.improve(2, 3));
/// // Three chunks would have to take 4 steps, and four chunks 5.
/// assert_eq!(counts.advance(), Some((3, 4)));
/// assert!(counts.improve(3, 4));
/// assert_eq!(counts.advance(), Some((4, 5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChunkCounts {
    limit: Option<Fraction>,
    /// The fewest steps per message so far.
    fewest: Fraction,
    count: u32,
    most: u32,
}

impl ChunkCounts {
    /// The numbers up to `most`, after a schedule of `steps` steps for whole messages. `limit` is the
    /// throughput limit in steps per message, if it is known.
    pub fn new(limit: Option<Fraction>, steps: u32, most: u32) -> Self {
        Self { limit, fewest: u64::from(steps).into(), count: 1, most }
    }

    /// The next number of chunks that can give fewer steps per message, and the most steps with which it
    /// does. `None` if there is none, or if the limit is reached.
    pub fn advance(&mut self) -> Option<(u32, u32)> {
        if self.limit.is_some_and(|limit| limit >= self.fewest) {
            return None;
        }
        while self.count < self.most {
            self.count += 1;
            if let Some(steps) = self.most_steps() {
                return Some((self.count, steps));
            }
        }
        None
    }

    /// How many numbers are left, with the current one.
    pub fn left(&self) -> u32 {
        self.most + 1 - self.count
    }

    /// Takes note of a schedule. Returns whether it has fewer steps per message than all before.
    pub fn improve(&mut self, count: u32, steps: u32) -> bool {
        let ratio = Fraction::new(steps.into(), count.into());
        let Some(better) = ratio.filter(|&ratio| ratio < self.fewest) else { return false };
        self.fewest = better;
        true
    }

    /// The largest number of steps that improves on the best ratio; `None` if the limit excludes it.
    fn most_steps(&self) -> Option<u32> {
        let target = self.fewest.checked_mul(Fraction::from(u64::from(self.count)))?;
        let most = (target.numerator().div_ceil(target.denominator())).checked_sub(1)?;
        let ratio = Fraction::new(most, self.count.into())?;
        let is_possible = self.limit.is_none_or(|limit| limit <= ratio);
        most.try_into().ok().filter(|&most: &u32| most > 0 && is_possible)
    }
}

/// The sum of the limits of all phases, in steps per message; `None` if it cannot be computed.
pub fn limit_of_phases<'a>(mut phases: impl Iterator<Item = &'a Problem>) -> Option<Fraction> {
    phases.try_fold(Fraction::ZERO, |sum, problem| sum.checked_add(limit_in_steps(problem).ok()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_reach_the_limit_are_skipped() {
        // Two or three chunks cannot take 3/2 steps per message or less without passing the limit.
        let mut counts = ChunkCounts::new(Fraction::new(7, 4), 2, 5);
        assert_eq!(counts.advance(), Some((4, 7)));
        assert_eq!(counts.left(), 2);
        assert!(!counts.improve(4, 8));
        assert!(counts.improve(4, 7));
        assert_eq!(counts.advance(), None);
    }

    #[test]
    fn without_a_limit_every_number_is_tried() {
        let mut counts = ChunkCounts::new(None, 1, 3);
        assert_eq!(counts.advance(), Some((2, 1)));
        assert_eq!(counts.advance(), Some((3, 2)));
        assert_eq!(counts.advance(), None);
        // Nothing improves on zero steps.
        assert_eq!(ChunkCounts::new(None, 0, 3).advance(), None);
    }
}
