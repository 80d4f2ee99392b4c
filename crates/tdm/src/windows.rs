//! The slots in which a word may start.

use pavane_model::tdm::{TdmMessage, TdmRules};

/// The allowed starts of the words of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartWindows {
    period: u32,
    weight: u32,
    /// Starts from which a word ends within the period, or all slots if words may wrap.
    free: u32,
    /// If a latency is demanded: how much later than its share of the period a word may start.
    slack: Option<u32>,
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
        let slack = match message.max_latency {
            None => None,
            Some(most) => {
                let gap = u64::from(most).checked_sub(travel)?;
                let step = u64::from(period).div_ceil(u64::from(weight));
                Some(gap.checked_sub(step)?.min(step - 1) as u32)
            }
        };
        Some(Self { period, weight, free, slack })
    }

    /// The first start of a word of the message and how many there are, modulo the period. Word j with a
    /// demanded latency starts in a window after j/weight of the period: gaps are then at most the
    /// distance of two windows plus their length. `None` if the window is empty.
    pub fn window(&self, word: u32) -> Option<(u32, u32)> {
        let Some(slack) = self.slack.filter(|_| self.weight > 1) else {
            return Some((0, self.free));
        };
        let first = u64::from(word) * u64::from(self.period) / u64::from(self.weight);
        let left = self.free.checked_sub(first as u32).filter(|&left| left > 0)?;
        Some((first as u32, (slack + 1).min(left)))
    }
}
