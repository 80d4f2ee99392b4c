//! The slots in which a word may start.

use pavane_model::tdm::{TdmMessage, TdmRules};

/// The allowed starts of the words of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartWindows {
    period: u32,
    weight: u32,
    /// Starts from which a word ends within the period, or all slots if words may wrap.
    free: u32,
    /// If the words must be spread to meet a latency: how.
    spread: Option<Spread>,
}

/// Word j starts in a window after j steps.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// The step is this many slots divided by the number of the second field.
    span: u64,
    steps: u64,
    /// How much later than the beginning of its window a word may start.
    slack: u32,
}

impl StartWindows {
    /// `None` if the period is too short for a word, or too long for the demanded latency.
    pub fn new(rules: TdmRules, message: &TdmMessage, period: u32, hops: u32) -> Option<Self> {
        let travel = rules.travel(hops as usize);
        let free = if rules.wraps {
            period
        } else {
            let free = (u64::from(period) + 1).checked_sub(travel)?;
            u32::try_from(free).ok().filter(|&free| free > 0)?
        };
        let weight = message.weight;
        let spread = match message.max_latency {
            None => None,
            Some(most) => {
                let gap = u64::from(most).checked_sub(travel)?;
                // All words of a pair start apart, so that no gap can be longer than this.
                let longest = u64::from(period)
                    .saturating_sub(u64::from(rules.phits) * (u64::from(weight) - 1));
                if gap < longest {
                    Some(Spread::new(rules, period, free, weight, gap)?)
                } else {
                    None
                }
            }
        };
        Some(Self { period, weight, free, spread })
    }

    /// The first start of a word of the message and how many there are, modulo the period. `None` if the
    /// window is empty.
    pub fn window(&self, word: u32) -> Option<(u32, u32)> {
        let Some(spread) = self.spread.filter(|_| self.weight > 1) else {
            return Some((0, self.free));
        };
        let first = u64::from(word) * spread.span / spread.steps;
        let first = u32::try_from(first).ok().filter(|&first| first < self.period)?;
        let left = self.free.checked_sub(first).filter(|&left| left > 0)?;
        Some((first, (spread.slack + 1).min(left)))
    }
}

impl Spread {
    /// Spreads the words so that no gap between their starts is longer than `gap`: it is at most the distance
    /// of two windows plus their length. `None` if that is impossible.
    fn new(rules: TdmRules, period: u32, free: u32, weight: u32, gap: u64) -> Option<Self> {
        let (period, weight) = (u64::from(period), u64::from(weight));
        let (last, gaps) = (u64::from(free) - 1, weight - 1);
        // Without wrap, the words start early in the period, and the gap around its end is the longest one.
        let is_early = !rules.wraps && last * weight < period * gaps;
        let (span, steps) = if is_early { (last, gaps) } else { (period, weight) };
        let step = span.div_ceil(steps);
        let around = period - gaps * span / steps;
        let slack = gap.checked_sub(step.max(around))?;
        // Windows that wrap around the end of the period must not overlap.
        let slack = if rules.wraps { slack.min(step - 1) } else { slack.min(last) };
        Some(Self { span, steps, slack: slack as u32 })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use pavane_model::ProcessorId;

    fn windows(rules: TdmRules, weight: u32, most: u32, period: u32) -> Option<StartWindows> {
        let (from, to) = (ProcessorId(0), ProcessorId(1));
        let message = TdmMessage { from, to, weight, max_latency: Some(most) };
        StartWindows::new(rules, &message, period, 1)
    }

    #[test]
    fn windows_meet_every_latency_that_they_allow() {
        for (wraps, depth, phits) in [(true, 1, 1), (false, 1, 1), (false, 3, 1), (true, 2, 2)] {
            let rules = TdmRules { wraps, depth, phits, ..TdmRules::default() };
            let travel = rules.travel(1);
            for (period, weight) in (8..40).flat_map(|period| (1..5).map(move |w| (period, w))) {
                for most in 1..80 {
                    let Some(windows) = windows(rules, weight, most, period) else { continue };
                    let all: Option<Vec<_>> =
                        (0..weight).map(|word| windows.window(word)).collect();
                    let Some(all) = all.filter(|_| windows.spread.is_some() && weight > 1) else {
                        continue;
                    };
                    for (at, &(first, count)) in all.iter().enumerate() {
                        assert!(wraps || first + count <= windows.free, "{rules:?} {period}");
                        let (next, next_count) = all[(at + 1) % all.len()];
                        let around = if at + 1 == all.len() { period } else { 0 };
                        let gap = around + next + next_count - 1 - first;
                        let latency = u64::from(gap) + travel;
                        assert!(latency <= u64::from(most), "{rules:?} {period} {weight} {most}");
                        assert!(count > 0);
                    }
                }
            }
        }
    }

    #[test]
    fn a_loose_latency_does_not_spread_words() {
        // Two words on one hop without wrap: starts 0 and 1, eight slots at depth 3.
        let rules = TdmRules { wraps: false, depth: 3, ..TdmRules::default() };
        let windows = windows(rules, 2, 18, 8).unwrap();
        assert_eq!([0, 1].map(|word| windows.window(word)), [Some((0, 2)); 2]);
        assert!(windows.spread.is_none());
    }
}
