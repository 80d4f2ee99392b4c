//! Free starts in a period so long that a table of all its slots would not fit into memory: every channel and
//! port has a list of its uses.

use super::{Starts, rows_of};
use pavane_model::tdm::TdmMessage;
use pavane_model::{ChannelId, TdmProblem};

/// Comparisons with earlier uses up to which lists are used.
const MOST_COMPARISONS: u64 = 1 << 30;

pub(super) struct SparseStarts {
    period: u64,
    phits: u64,
    depth: u64,
    /// For every row, the slots in which its uses begin.
    begins: Vec<Vec<u32>>,
    /// The rows of the current word and the slots from its start until it uses them.
    uses: Vec<(usize, u64)>,
}

impl SparseStarts {
    /// `None` if the search would take long: `uses` is the number of uses of all words, `busiest` the most of
    /// one row.
    pub fn new(problem: &TdmProblem, period: u32, uses: u64, busiest: u64) -> Option<Self> {
        let (network, rules) = (problem.network(), problem.rules());
        let rows = network.channel_count() + 2 * network.processor_count();
        let is_quick = uses.saturating_mul(busiest) <= MOST_COMPARISONS && rules.phits <= period;
        is_quick.then(|| Self {
            period: period.into(),
            phits: rules.phits.into(),
            depth: rules.depth.into(),
            begins: vec![Vec::new(); rows],
            uses: Vec::new(),
        })
    }

    /// The starts, from 0 on, with which the current word would overlap an earlier one: the first and the one
    /// after the last of each range.
    fn blocked(&self) -> Vec<(u64, u64)> {
        let mut blocked = Vec::new();
        let width = (2 * self.phits - 1).min(self.period);
        for &(row, offset) in &self.uses {
            for &begin in &self.begins[row] {
                let first = u64::from(begin) + 2 * self.period - offset - (self.phits - 1);
                let first = first % self.period;
                blocked.push((first, first + width));
                if first + width > self.period {
                    blocked.push((0, first + width - self.period));
                }
            }
        }
        blocked.sort_unstable();
        blocked
    }
}

impl Starts for SparseStarts {
    fn look_at(&mut self, problem: &TdmProblem, message: &TdmMessage, path: &[ChannelId]) {
        self.uses.clear();
        for (at, row) in (0..).zip(rows_of(problem, message, path)) {
            self.uses.push((row, self.depth * at % self.period));
        }
    }

    fn first_free(&self, first: u32, count: u32, from: usize) -> Option<u32> {
        let (first, count, from) = (u64::from(first), u64::from(count), 64 * from as u64);
        let end = first + count;
        let blocked = self.blocked();
        let around = 0..end.saturating_sub(self.period);
        for range in [around, first..end.min(self.period)] {
            let mut start = range.start.max(from);
            for &(begin, end) in &blocked {
                if begin > start {
                    break;
                }
                start = start.max(end);
            }
            if start < range.end {
                return u32::try_from(start).ok();
            }
        }
        None
    }

    fn occupy(&mut self, start: u32) {
        for &(row, offset) in &self.uses {
            let begin = (u64::from(start) + offset) % self.period;
            self.begins[row].push(begin as u32);
        }
    }
}
