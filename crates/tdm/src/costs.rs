//! The inner loop of the dynamic programme of a priced search: costs of all starts at once. Slots are handled
//! in blocks of a fixed length, so that no loop has a rest; rows are padded for that.

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

    pub fn get(&self, row: usize, slot: usize) -> i16 {
        self.values[row * self.stride + slot]
    }

    /// Sets all copies of a slot.
    pub fn put(&mut self, row: usize, slot: usize, value: i16) {
        let row = &mut self.values[row * self.stride..][..self.stride];
        row[slot..].iter_mut().step_by(self.period).for_each(|entry| *entry = value);
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
    #[expect(clippy::needless_range_loop, reason = "zipped iterators make the loops twice as slow")]
    pub fn pass(&self, from: &[Incoming], done: &[Block], now: &mut [Block], turned: &mut [Block]) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
