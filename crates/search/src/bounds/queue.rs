//! Messages that queue at a bottleneck. Each message reaches it after a number of steps at the
//! earliest, a limited number cross it in one step, and each needs a number of steps afterwards.
//! Messages are counted by these two numbers, so finding the worst subset only visits the values
//! that occur.

use std::cmp::Reverse;

/// The subset of the messages that needs the most steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worst {
    /// Steps until the last message of the subset has arrived.
    pub steps: u64,
    /// Steps before any of them can cross.
    pub before: u64,
    /// Number of messages in the subset.
    pub count: u64,
    /// Steps that each needs after it has crossed.
    pub after: u64,
}

impl Worst {
    /// Whether this subset needs more steps. Ties prefer fewer steps after, then more steps before.
    fn exceeds(&self, other: &Self) -> bool {
        let key = |worst: &Self| (worst.steps, Reverse(worst.after), worst.before);
        key(self) > key(other)
    }
}

/// The messages of one queue, counted by the steps before and after their crossing.
#[derive(Debug, Default)]
pub struct Queue {
    /// By steps before: the numbers of messages by steps after; empty if there are none.
    rows: Vec<Vec<u32>>,
    /// The values of steps before that occur.
    befores: Vec<u32>,
    /// One more than the largest number of steps after.
    width: usize,
    /// The smallest number of steps after.
    least_after: usize,
}

impl Queue {
    /// Removes all messages.
    pub fn clear(&mut self) {
        for before in self.befores.drain(..) {
            self.rows[before as usize].clear();
        }
        self.width = 0;
    }

    /// Adds a message.
    pub fn push(&mut self, before: u32, after: u32) {
        let (before, after) = (before as usize, after as usize);
        if self.rows.len() <= before {
            self.rows.resize_with(before + 1, Vec::new);
        }
        let row = &mut self.rows[before];
        if row.is_empty() {
            self.befores.push(before as u32);
        }
        if row.len() <= after {
            row.resize(after + 1, 0);
        }
        row[after] += 1;
        self.least_after = if self.width == 0 { after } else { self.least_after.min(after) };
        self.width = self.width.max(after + 1);
    }

    /// Adds the messages of another queue.
    pub fn append(&mut self, other: &Self) {
        for &before in &other.befores {
            for (after, &count) in (0..).zip(&other.rows[before as usize]) {
                (0..count).for_each(|_| self.push(before, after));
            }
        }
    }

    /// Number of table entries that [`Queue::worst`] visits.
    pub fn size(&self) -> u64 {
        (self.befores.len() * (self.width - self.least_after.min(self.width))) as u64
    }

    /// The worst subset of the messages if `room` messages can cross in one step.
    pub fn worst(&mut self, room: u64) -> Worst {
        let mut worst = Worst::default();
        if room == 0 {
            return worst;
        }
        self.befores.sort_unstable_by(|one, other| other.cmp(one));
        // By steps after, the number of messages with at least `before` steps before.
        // `with_more_before` counts only those with more than `before`.
        let mut counts = vec![0u64; self.width];
        for &before in &self.befores {
            let row = &self.rows[before as usize];
            let (mut count, mut with_more_before) = (0, 0);
            for after in (self.least_after..self.width).rev() {
                with_more_before += counts[after];
                counts[after] += u64::from(row.get(after).copied().unwrap_or(0));
                count += counts[after];
                if count == with_more_before {
                    continue;
                }
                let rounds = u64::div_ceil(count, room);
                let found = Worst {
                    steps: u64::from(before) + rounds + after as u64,
                    before: before.into(),
                    // The fewest messages that need this many rounds.
                    count: (with_more_before + 1).max((rounds - 1) * room + 1),
                    after: after as u64,
                };
                if found.exceeds(&worst) {
                    worst = found;
                }
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Reference implementation that visits every message.
    fn plain_worst(queue: &[(u32, u32)], room: u64) -> Worst {
        let mut worst = Worst::default();
        let mut sorted = queue.to_vec();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        let mut afters: Vec<u32> = queue.iter().map(|entry| entry.1).collect();
        afters.sort_unstable();
        afters.dedup();
        for after in afters {
            let far = sorted.iter().filter(|entry| entry.1 >= after);
            for (count, &(before, _)) in (1..).zip(far) {
                let steps = u64::from(before) + u64::div_ceil(count, room) + u64::from(after);
                if steps > worst.steps {
                    worst = Worst { steps, before: before.into(), count, after: after.into() };
                }
            }
        }
        worst
    }

    proptest! {
        #[test]
        fn counting_finds_what_a_look_at_every_message_finds(
            entries in vec((0u32..9, 0u32..9), 0..60),
            others in vec((0u32..12, 0u32..5), 0..20),
            room in 1u64..5,
        ) {
            let mut queue = Queue::default();
            entries.iter().for_each(|&(before, after)| queue.push(before, after));
            prop_assert_eq!(queue.worst(room), plain_worst(&entries, room));
            let mut more = Queue::default();
            others.iter().for_each(|&(before, after)| more.push(before, after));
            more.append(&queue);
            prop_assert_eq!(more.worst(room), plain_worst(&[&entries[..], &others].concat(), room));
            queue.clear();
            others.iter().for_each(|&(before, after)| queue.push(before, after));
            prop_assert_eq!(queue.worst(room), plain_worst(&others, room));
        }
    }

    #[test]
    fn nothing_crosses_a_closed_border() {
        let mut queue = Queue::default();
        queue.push(1, 1);
        assert_eq!(queue.worst(0), Worst::default());
    }
}
