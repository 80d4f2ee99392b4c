//! The revised simplex method in floating point, for linear programs whose columns are found one after
//! the other: maximise the gain, subject to rows whose right-hand side is 0 except in the last one.
//!
//! Right-hand sides of 0 make the program degenerate, so they are replaced by small numbers that all
//! differ. The result is a basis, from which exact numbers are computed elsewhere.
//! `exchange/simplex.rs` is a method of its own, because its basis has no rows for commodities.

/// A variable of the program: its entries by row, and what it gains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Row and value.
    pub entries: Vec<(usize, i64)>,
    /// The gain of one unit.
    pub gain: i64,
}

/// Numbers below this count as zero.
const TOLERANCE: f64 = 1e-9;
/// The right-hand side of a row is between this number and twice this number.
const PERTURBATION: f64 = 1e-7;
/// Exchanges of basis columns after which the inverse is computed anew.
const REFRESH: usize = 200;

/// A program with the inverse of its current basis.
pub struct Simplex {
    rows: usize,
    /// The first `rows` columns are the slacks of the rows.
    columns: Vec<Column>,
    /// What the entries of the last row are divided by.
    unit: f64,
    right: Vec<f64>,
    /// The basic column of each row, and whether a column is basic.
    basis: Vec<usize>,
    is_basic: Vec<bool>,
    /// The inverse of the basis, by columns.
    inverse: Vec<Vec<f64>>,
    values: Vec<f64>,
    multipliers: Vec<f64>,
    exchanges: usize,
}

impl Simplex {
    /// A program with slacks only. The right-hand side of the last row is `unit·amount`.
    pub fn new(rows: usize, unit: f64, amount: f64) -> Self {
        let slack = |row| Column { entries: vec![(row, 1)], gain: 0 };
        // Multiples of the golden ratio are spread evenly.
        let spread = |row: usize| (row as f64 * 0.618_033_988_749_894_9).fract();
        let mut right: Vec<f64> = (0..rows).map(|row| PERTURBATION * (1.0 + spread(row))).collect();
        right[rows - 1] = amount;
        let mut simplex = Simplex {
            rows,
            columns: (0..rows).map(slack).collect(),
            unit,
            right,
            basis: Vec::new(),
            is_basic: Vec::new(),
            inverse: Vec::new(),
            values: Vec::new(),
            multipliers: Vec::new(),
            exchanges: 0,
        };
        simplex.is_basic = vec![true; rows];
        simplex.basis = (0..rows).collect();
        simplex.refresh();
        simplex
    }

    /// Adds a column.
    pub fn add(&mut self, column: Column) {
        self.columns.push(column);
        self.is_basic.push(false);
    }

    /// The multiplier of each row: what one more unit of its right-hand side would gain.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The value of the basic column of each row, in the order of `basis`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The columns of the basis with their numbers. Columns added by `add` follow those of the slacks.
    pub fn basis(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.basis.iter().map(|&column| (column, &self.columns[column]))
    }

    /// Exchanges columns until no other one gains. None if `stop` says so or if rounding errors
    /// prevent it.
    pub fn maximise(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        let most = self.exchanges + 50 * (self.rows + 100);
        while let Some(column) = self.gaining() {
            if self.exchanges > most || stop() {
                return None;
            }
            let effect = self.effect(column);
            let row = self.leaving(&effect)?;
            self.exchange(row, column, &effect);
            self.exchanges += 1;
            if self.exchanges.is_multiple_of(REFRESH) {
                self.refresh();
            }
        }
        Some(())
    }

    fn entry(&self, (row, value): (usize, i64)) -> f64 {
        if row + 1 == self.rows { value as f64 / self.unit } else { value as f64 }
    }

    /// The column that gains most per length.
    fn gaining(&self) -> Option<usize> {
        let mut best = (TOLERANCE, None);
        for (at, column) in self.columns.iter().enumerate() {
            if self.is_basic[at] {
                continue;
            }
            let entries = column.entries.iter();
            let pays: f64 = entries.map(|&it| self.multipliers[it.0] * self.entry(it)).sum();
            let gain = column.gain as f64 - pays;
            if gain > TOLERANCE * (1.0 + column.gain as f64) {
                let gain = gain / ((1 + column.entries.len()) as f64).sqrt();
                if gain > best.0 {
                    best = (gain, Some(at));
                }
            }
        }
        best.1
    }

    /// By how much each basic variable falls if a column rises by 1.
    fn effect(&self, column: usize) -> Vec<f64> {
        let mut effect = vec![0.0; self.rows];
        for &it in &self.columns[column].entries {
            let value = self.entry(it);
            for (sum, inverse) in effect.iter_mut().zip(&self.inverse[it.0]) {
                *sum += value * inverse;
            }
        }
        effect
    }

    /// The row whose basic variable reaches 0 first; of several that do so at almost the same time,
    /// the one with the largest effect.
    fn leaving(&self, effect: &[f64]) -> Option<usize> {
        let rows = || (0..self.rows).filter(|&row| effect[row] > TOLERANCE);
        let ratio = |row: usize, slack: f64| (self.values[row].max(0.0) + slack) / effect[row];
        let slack = PERTURBATION * 1e-3;
        let most = rows().map(|row| ratio(row, slack)).min_by(f64::total_cmp)?;
        let close = rows().filter(|&row| ratio(row, 0.0) <= most);
        close.max_by(|&one, &other| effect[one].total_cmp(&effect[other]))
    }

    /// Replaces the basic column of a row.
    fn exchange(&mut self, row: usize, column: usize, effect: &[f64]) {
        let pivot = effect[row];
        let old = std::mem::replace(&mut self.basis[row], column);
        self.is_basic[old] = false;
        self.is_basic[column] = true;
        let touched: Vec<usize> = (0..self.rows).filter(|&at| effect[at] != 0.0).collect();
        for inverse in &mut self.inverse {
            let share = inverse[row] / pivot;
            if share != 0.0 {
                touched.iter().for_each(|&at| inverse[at] -= effect[at] * share);
                inverse[row] = share;
            }
        }
        let step = self.values[row].max(0.0) / pivot;
        for &at in &touched {
            self.values[at] -= effect[at] * step;
        }
        self.values[row] = step;
        let entries = self.columns[column].entries.iter();
        let pays: f64 = entries.map(|&it| self.multipliers[it.0] * self.entry(it)).sum();
        let gain = self.columns[column].gain as f64 - pays;
        for (multiplier, inverse) in self.multipliers.iter_mut().zip(&self.inverse) {
            // The row of the inverse is already divided by the pivot.
            *multiplier += gain * inverse[row];
        }
    }

    /// Computes everything anew from the basis.
    fn refresh(&mut self) {
        let rows = self.rows;
        let basis = std::mem::replace(&mut self.basis, (0..rows).collect());
        self.is_basic = vec![false; self.columns.len()];
        self.is_basic[..rows].fill(true);
        let unit = |row| (0..rows).map(|at| if at == row { 1.0 } else { 0.0 }).collect();
        self.inverse = (0..rows).map(unit).collect();
        self.values = self.right.clone();
        self.multipliers = vec![0.0; rows];
        let mut is_kept = vec![false; rows];
        basis.iter().filter(|&&column| column < rows).for_each(|&slack| is_kept[slack] = true);
        for column in basis.into_iter().filter(|&column| column >= rows) {
            let effect = self.effect(column);
            let free = (0..rows).filter(|&row| !is_kept[row]);
            let row = free.max_by(|&a, &b| effect[a].abs().total_cmp(&effect[b].abs()));
            if let Some(row) = row.filter(|&row| effect[row].abs() > TOLERANCE) {
                is_kept[row] = true;
                self.exchange(row, column, &effect);
            }
        }
        self.settle();
    }

    /// Computes values and multipliers from the inverse.
    fn settle(&mut self) {
        self.values = vec![0.0; self.rows];
        for (inverse, right) in self.inverse.iter().zip(&self.right) {
            for (value, share) in self.values.iter_mut().zip(inverse) {
                *value += share * right;
            }
        }
        let gains: Vec<f64> =
            self.basis.iter().map(|&column| self.columns[column].gain as f64).collect();
        let product = |inverse: &Vec<f64>| inverse.iter().zip(&gains).map(|(a, b)| a * b).sum();
        self.multipliers = self.inverse.iter().map(product).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two loads that share a channel of bandwidth 4, and demands of 3 and 5 for them.
    #[test]
    fn a_channel_shared_by_two_demands_takes_their_sum() {
        let mut simplex = Simplex::new(3, 4.0, 1.0);
        simplex.add(Column { entries: vec![(0, -1), (1, -1), (2, 4)], gain: 0 });
        simplex.add(Column { entries: vec![(0, 1)], gain: 3 });
        assert_eq!(simplex.maximise(&|| false), Some(()));
        assert!((simplex.multipliers()[2] - 3.0).abs() < 1e-6);
        simplex.add(Column { entries: vec![(1, 1)], gain: 5 });
        assert_eq!(simplex.maximise(&|| true), None);
        assert_eq!(simplex.maximise(&|| false), Some(()));
        let expected = [3.0, 5.0, 8.0];
        let close = |(one, other): (&f64, f64)| (one - other).abs() < 1e-6;
        assert!(simplex.multipliers().iter().zip(expected).all(close));
        let mut basis: Vec<usize> = simplex.basis().map(|(column, _)| column).collect();
        basis.sort_unstable();
        assert_eq!(basis, [3, 4, 5]);
    }
}
