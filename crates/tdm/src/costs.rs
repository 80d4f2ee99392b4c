//! The inner loop of the dynamic programme of a priced search: costs of all starts at once. Slots are handled
//! in blocks of a fixed length, so that no loop has a rest; rows are padded for that.

use pulp::{Simd, WithSimd};

/// Slots of a block.
pub(crate) const LANES: usize = 32;

/// Something for every slot of a block.
pub(crate) type Block = [i16; LANES];

/// What a turn pays for each straight run of free slots that it ends.
pub(crate) const TURN: i16 = 80;

/// Rows of slots modulo a period, repeated so that a view of whole blocks from any slot stays within the row.
#[derive(Debug)]
pub(crate) struct SlotRows {
    period: usize,
    /// Blocks that cover a period.
    blocks: usize,
    stride: usize,
    values: Vec<i16>,
}

impl SlotRows {
    pub fn new(rows: usize, period: usize, value: i16) -> Self {
        let blocks = period.div_ceil(LANES);
        let stride = period + blocks * LANES;
        Self { period, blocks, stride, values: vec![value; rows * stride] }
    }

    /// Values of a table with so many rows.
    pub fn entries(rows: usize, period: usize) -> usize {
        rows.saturating_mul(period.next_multiple_of(LANES) + period)
    }

    #[inline]
    pub fn get(&self, row: usize, slot: usize) -> i16 {
        self.values[row * self.stride + slot]
    }

    /// Sets all copies of a slot.
    #[inline]
    pub fn put(&mut self, row: usize, slot: usize, value: i16) {
        let row = &mut self.values[row * self.stride..][..self.stride];
        let mut at = slot;
        while let Some(entry) = row.get_mut(at) {
            *entry = value;
            at += self.period;
        }
    }

    /// The blocks of a row from a slot on.
    #[inline(always)]
    pub fn view(&self, row: usize, slot: usize) -> &[Block] {
        self.values[row * self.stride + slot..][..self.blocks * LANES].as_chunks().0
    }
}

/// What the routes that enter an edge pay.
#[derive(Debug)]
pub(crate) struct EdgeView<'a> {
    /// The prices of the words in the way, and the rows that they use one hop earlier.
    pub prices: &'a [Block],
    pub earlier: &'a [Block],
    /// The same of words in the way that begin later, if words have several phits.
    pub late: Option<(&'a [Block], &'a [Block])>,
    /// The prices of the slots straight before and straight on, if turns pay for those that are free.
    pub before: Option<&'a [Block]>,
    pub after: Option<&'a [Block]>,
    /// What a use of a slot pays.
    pub toll: i16,
}

/// An edge that routes come from: the first block of the costs up to it, its row, and whether they go straight
/// on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Incoming {
    pub first: usize,
    pub row: i16,
    pub is_straight: bool,
}

impl EdgeView<'_> {
    /// Computes the costs of the cheapest routes up to an edge, and with what a turn behind it pays. A word that
    /// comes from the same row as the route is already paid.
    #[inline(always)]
    pub fn pass(&self, from: &[Incoming], done: &[Block], now: &mut [Block], turned: &mut [Block]) {
        match (self.late, from) {
            (None, &[one]) if turned.is_empty() => {
                self.pass_early::<1, false>([one], done, now, turned)
            }
            (None, &[one]) => self.pass_early::<1, true>([one], done, now, turned),
            (None, &[one, other]) if turned.is_empty() => {
                self.pass_early::<2, false>([one, other], done, now, turned);
            }
            (None, &[one, other]) => self.pass_early::<2, true>([one, other], done, now, turned),
            _ => self.pass_any(from, done, now, turned),
        }
    }

    /// The same for words of one phit that come from a known number of edges: without branches in the loops.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "zipped iterators make the loops twice as slow")]
    fn pass_early<const EDGES: usize, const HAS_TURNS: bool>(
        &self,
        from: [Incoming; EDGES],
        done: &[Block],
        now: &mut [Block],
        turned: &mut [Block],
    ) {
        let blocks = now.len();
        let (prices, earlier) = (&self.prices[..blocks], &self.earlier[..blocks]);
        let before = &self.before.unwrap_or(prices)[..blocks];
        let after = &self.after.unwrap_or(prices)[..blocks];
        let mut turns = [0; EDGES];
        let mut costs: [&[Block]; EDGES] = [&[]; EDGES];
        for edge in 0..EDGES {
            let is_turn = self.before.is_some() && !from[edge].is_straight;
            turns[edge] = if is_turn { TURN } else { 0 };
            costs[edge] = &done[from[edge].first..][..blocks];
        }
        let turn_after = if self.after.is_some() { TURN } else { 0 };
        let turned = if HAS_TURNS { &mut turned[..blocks] } else { turned };
        for block in 0..blocks {
            let mut least = [i16::MAX; LANES];
            for edge in 0..EDGES {
                for lane in 0..LANES {
                    // Masks instead of branches, for vector instructions.
                    let is_paid = earlier[block][lane] == from[edge].row;
                    let price = prices[block][lane] & -i16::from(!is_paid);
                    let mut cost = costs[edge][block][lane].saturating_add(price);
                    if HAS_TURNS {
                        let turn = turns[edge] & -i16::from(before[block][lane] == 0);
                        cost = cost.saturating_add(turn);
                    }
                    least[lane] = least[lane].min(cost);
                }
            }
            for lane in 0..LANES {
                least[lane] = least[lane].saturating_add(self.toll);
            }
            now[block] = least;
            if HAS_TURNS {
                for lane in 0..LANES {
                    let turn = turn_after & -i16::from(after[block][lane] == 0);
                    turned[block][lane] = least[lane].saturating_add(turn);
                }
            }
        }
    }

    /// The same for words of any length that come from any number of edges.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "zipped iterators make the loops twice as slow")]
    fn pass_any(&self, from: &[Incoming], done: &[Block], now: &mut [Block], turned: &mut [Block]) {
        let blocks = now.len();
        for block in 0..blocks {
            let (prices, earlier) = (&self.prices[block], &self.earlier[block]);
            let mut least = [i16::MAX; LANES];
            for incoming in from {
                let costs = &done[incoming.first + block];
                let mut with_late = [0; LANES];
                let costs = match self.late {
                    None => costs,
                    Some((prices, earlier)) => {
                        let (prices, earlier) = (&prices[block], &earlier[block]);
                        for lane in 0..LANES {
                            let price = prices[lane] & -i16::from(earlier[lane] != incoming.row);
                            with_late[lane] = costs[lane].saturating_add(price);
                        }
                        &with_late
                    }
                };
                match self.before {
                    Some(before) if !incoming.is_straight => {
                        let before = &before[block];
                        for lane in 0..LANES {
                            // Masks instead of branches, for vector instructions.
                            let price = prices[lane] & -i16::from(earlier[lane] != incoming.row);
                            let turn = TURN & -i16::from(before[lane] == 0);
                            let cost = costs[lane].saturating_add(price).saturating_add(turn);
                            least[lane] = least[lane].min(cost);
                        }
                    }
                    _ => {
                        for lane in 0..LANES {
                            let price = prices[lane] & -i16::from(earlier[lane] != incoming.row);
                            least[lane] = least[lane].min(costs[lane].saturating_add(price));
                        }
                    }
                }
            }
            for lane in 0..LANES {
                least[lane] = least[lane].saturating_add(self.toll);
            }
            now[block] = least;
            let Some(turned) = turned.get_mut(block) else { continue };
            match self.after {
                Some(after) => {
                    let after = &after[block];
                    for lane in 0..LANES {
                        let turn = TURN & -i16::from(after[lane] == 0);
                        turned[lane] = least[lane].saturating_add(turn);
                    }
                }
                None => *turned = least,
            }
        }
    }
}

/// The least cost of some starts, and how many cost at most `noise` more.
pub(crate) struct CountNear<'a> {
    pub parts: [&'a [i16]; 2],
    pub noise: i16,
}

impl WithSimd for CountNear<'_> {
    type Output = (i16, u32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (i16, u32) {
        let [one, other] = self.parts;
        let mut least = i16::MAX;
        for &cost in one {
            least = least.min(cost);
        }
        for &cost in other {
            least = least.min(cost);
        }
        let most = least.saturating_add(self.noise);
        (least, count_near(one, most) + count_near(other, most))
    }
}

/// How many costs are at most `most`.
#[inline(always)]
pub(crate) fn count_near(costs: &[i16], most: i16) -> u32 {
    let (blocks, rest) = costs.as_chunks::<LANES>();
    let mut counts = [0i16; LANES];
    let mut count = 0;
    // So few blocks that no counter overflows.
    for some in blocks.chunks(i16::MAX as usize) {
        for block in some {
            for lane in 0..LANES {
                counts[lane] += i16::from(block[lane] <= most);
            }
        }
        for lane in &mut counts {
            count += std::mem::take(lane) as u32;
        }
    }
    for &cost in rest {
        count += u32::from(cost <= most);
    }
    count
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;

    #[test]
    fn near_costs_are_counted_in_both_parts() {
        let costs: Vec<i16> = (0..100).map(|number| (number * 37 % 101) as i16 + 5).collect();
        for (first, noise) in [(0, 0), (1, 10), (33, 40), (100, i16::MAX)] {
            let parts = [&costs[first..], &costs[..first / 2]];
            let all = || parts.into_iter().flatten();
            let least = *all().min().unwrap();
            let near = all().filter(|cost| **cost <= least.saturating_add(noise)).count() as u32;
            let found = pulp::Arch::new().dispatch(CountNear { parts, noise });
            assert_eq!(found, (least, near), "{first} {noise}");
        }
    }

    #[test]
    fn views_from_any_slot_are_the_row_modulo_the_period() {
        for period in [1, 2, 31, 32, 33, 100] {
            let mut rows = SlotRows::new(2, period, -1);
            assert_eq!(rows.values.len(), SlotRows::entries(2, period));
            for slot in 0..period {
                rows.put(1, slot, slot as i16);
            }
            for slot in 0..period {
                let seen = rows.view(1, slot).as_flattened();
                assert!(seen.len() >= period);
                let is_right = |(at, &value): (usize, &i16)| value as usize == (slot + at) % period;
                assert!(seen.iter().enumerate().all(is_right), "{period} {slot}");
                assert_eq!(rows.get(0, slot), -1);
            }
        }
    }
}
