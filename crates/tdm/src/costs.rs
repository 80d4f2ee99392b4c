//! The inner loops of the dynamic programme of a priced search: costs of all starts at once.

/// Writes both copies of a slot.
pub(crate) fn put(row: &mut [i16], period: usize, slot: usize, value: i16) {
    row[slot] = value;
    row[slot + period] = value;
}

/// Adds a toll to the costs of an edge, and what turns pay to their copy.
#[inline(always)]
pub(crate) fn add_tolls(costs: &mut [i16], turned: &mut [i16], turn: &[i16], toll: i16) {
    for ((cost, turned), turn) in costs.iter_mut().zip(turned).zip(turn) {
        *cost = cost.saturating_add(toll);
        *turned = cost.saturating_add(*turn);
    }
}

/// The words in the way of an edge, for all starts.
#[derive(Clone, Copy)]
pub(crate) struct InWay<'a> {
    pub prices: &'a [i16],
    /// The rows that they use one hop earlier.
    pub earlier: &'a [i16],
}

impl InWay<'_> {
    /// Updates the costs of an edge with those of routes that come from a row. A word that comes from
    /// there too is already paid.
    #[inline(always)]
    pub fn visit(
        self,
        costs: &mut [i16],
        source: &[i16],
        from: i16,
        update: impl Fn(i16, i16) -> i16,
    ) {
        let all = costs.iter_mut().zip(source).zip(self.prices).zip(self.earlier);
        for (((cost, source), price), earlier) in all {
            // A mask instead of a branch, for vector instructions.
            let price = *price & -i16::from(*earlier != from);
            *cost = update(*cost, source.saturating_add(price));
        }
    }

    /// The same for routes that turn, with what the turn pays.
    #[inline(always)]
    pub fn visit_turning(
        self,
        costs: &mut [i16],
        source: &[i16],
        turn: &[i16],
        from: i16,
        update: impl Fn(i16, i16) -> i16,
    ) {
        let all = costs.iter_mut().zip(source).zip(turn).zip(self.prices).zip(self.earlier);
        for ((((cost, source), turn), price), earlier) in all {
            let price = *price & -i16::from(*earlier != from);
            *cost = update(*cost, source.saturating_add(price).saturating_add(*turn));
        }
    }
}
