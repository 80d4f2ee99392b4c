//! A queue at a bottleneck: each message arrives no earlier than a given step, a limited number
//! passes per step, and each message needs some steps after it has passed.

use crate::cost::sorting;
use std::collections::BTreeMap;

/// A message that must pass: the steps before it can pass, and the steps that it needs afterwards.
pub(crate) type Crossing = (u64, u64);

/// The messages that must pass, counted by their steps before and after. Takes as much memory as
/// there are different pairs, however many messages there are.
#[derive(Default)]
pub(crate) struct Crossings(BTreeMap<Crossing, u64>);

impl Crossings {
    /// Adds a message.
    pub fn push(&mut self, crossing: Crossing) {
        *self.0.entry(crossing).or_default() += 1;
    }

    /// Adds all messages of another queue.
    pub fn append(&mut self, other: &Self) {
        for (&crossing, count) in &other.0 {
            *self.0.entry(crossing).or_default() += count;
        }
    }
}

/// Operations of [`most_steps`], given the number of messages and of different steps before and
/// after.
pub(crate) fn queue_cost(crossings: u64, befores: u64, afters: u64) -> u64 {
    let table = befores.min(crossings).saturating_mul(afters.min(crossings));
    table.saturating_mul(2).saturating_add(4 * sorting(crossings))
}

/// Steps until all messages have passed, `room` per step, and the last has arrived. Takes the
/// maximum over all subsets of messages that arrive late and have far to go.
pub(crate) fn most_steps(crossings: &Crossings, room: u64) -> Result<u64, String> {
    if crossings.0.is_empty() {
        return Ok(0);
    }
    if room == 0 {
        return Err("no channel enters the set".to_owned());
    }
    let mut afters: Vec<u64> = crossings.0.keys().map(|crossing| crossing.1).collect();
    afters.sort_unstable();
    afters.dedup();
    let latest_first: Vec<(Crossing, u64)> =
        crossings.0.iter().rev().map(|(&crossing, &count)| (crossing, count)).collect();
    // For each number of steps afterwards, how many of the messages visited so far need it.
    let mut counts = vec![0u64; afters.len()];
    let mut most = 0;
    for group in latest_first.chunk_by(|(one, _), (other, _)| one.0 == other.0) {
        for ((_, after), count) in group {
            counts[afters.partition_point(|other| other < after)] += count;
        }
        let (before, _) = group[0].0;
        let mut count = 0u64;
        for (after, here) in afters.iter().zip(&counts).rev() {
            count += here;
            if count > 0 {
                most = most.max(before + count.div_ceil(room) + after);
            }
        }
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::{Crossing, Crossings, most_steps};

    /// Reference: tries every pair of steps before and after, and counts all messages for each.
    fn slow(crossings: &[Crossing], room: u64) -> u64 {
        let mut most = 0;
        for &(before, _) in crossings {
            for &(_, after) in crossings {
                let counts = |crossing: &&Crossing| crossing.0 >= before && crossing.1 >= after;
                let count = crossings.iter().filter(counts).count() as u64;
                if count > 0 {
                    most = most.max(before + count.div_ceil(room) + after);
                }
            }
        }
        most
    }

    #[test]
    fn the_table_says_the_same_as_every_pair() {
        let mut bits = 1u64;
        let mut below = |most: u64| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (bits >> 33) % most
        };
        for count in 0..60 {
            let crossings: Vec<Crossing> = (0..count).map(|_| (below(9), below(7))).collect();
            let mut queue = Crossings::default();
            crossings.iter().for_each(|&crossing| queue.push(crossing));
            for room in 1..5 {
                assert_eq!(most_steps(&queue, room), Ok(slow(&crossings, room)));
            }
        }
        let mut one = Crossings::default();
        one.push((0, 0));
        assert!(most_steps(&one, 0).is_err());
    }
}
