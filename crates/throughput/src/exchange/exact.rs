//! The exact weights and prices of a basis of the simplex method. The rows without slack in the
//! basis determine the weights of its paths, and its paths determine the prices of these rows.

use super::padic::System;
use super::program::PathProgram;
use super::simplex::{Basic, PathSimplex};

/// The largest weight of a path.
pub(super) const LARGEST_WEIGHT: u128 = 1 << 62;

/// Integer weights of columns: those of a commodity add up to `scale` times its size.
pub(super) struct Weights {
    pub scale: u128,
    /// Columns of the simplex method with positive weights, sorted by commodity.
    pub weights: Vec<(u32, u128)>,
}

/// The equations of a basis.
pub(super) struct Equations<'a> {
    program: &'a PathProgram,
    simplex: &'a PathSimplex<'a>,
    /// The rows without slack in the basis.
    tight: Vec<u32>,
    /// The paths of the basis that are not keys.
    paths: Vec<u32>,
    /// The rows are those in `tight`; the first column is the time and the others are `paths`.
    system: System,
}

impl<'a> Equations<'a> {
    /// The equations of the present basis; `None` if they have no unique solution.
    pub fn new(program: &'a PathProgram, simplex: &'a PathSimplex<'a>) -> Option<Self> {
        let mut is_tight = vec![true; program.bandwidths.len()];
        let mut paths = Vec::new();
        for basic in &simplex.basis {
            match *basic {
                Basic::Time => {}
                Basic::Slack(row) => is_tight[row as usize] = false,
                Basic::Path(column) => paths.push(column),
            }
        }
        let tight: Vec<u32> =
            (0..is_tight.len() as u32).filter(|&row| is_tight[row as usize]).collect();
        let mut rows: Vec<Vec<(u32, i64)>> = tight
            .iter()
            .map(|&row| vec![(0, -(program.bandwidths[row as usize] as i64))])
            .collect();
        for (unknown, &path) in (1..).zip(&paths) {
            let column = &simplex.columns[path as usize];
            let key = &simplex.columns[simplex.keys[column.commodity as usize] as usize];
            for (load, sign) in [(&column.load, 1), (&key.load, -1)] {
                for &(row, load) in load {
                    if let Ok(at) = tight.binary_search(&row) {
                        rows[at].push((unknown, sign * load));
                    }
                }
            }
        }
        rows.iter_mut().for_each(merge);
        Some(Self { program, simplex, tight, paths, system: System::new(rows)? })
    }

    /// The weights of all paths; `None` if some are negative or have too many digits.
    pub fn weights(&self) -> Option<Weights> {
        let mut right = vec![0i128; self.program.bandwidths.len()];
        for (&key, commodity) in self.simplex.keys.iter().zip(&self.program.commodities) {
            for &(row, load) in &self.simplex.columns[key as usize].load {
                right[row as usize] -= i128::from(load) * i128::from(commodity.size);
            }
        }
        let right: Vec<i128> = self.tight.iter().map(|&row| right[row as usize]).collect();
        let found = self.system.solve(&right, 1)?;
        let scale = found.denominator;
        let whole = |size: u64| scale.checked_mul(size.into()).filter(|&all| all < LARGEST_WEIGHT);
        let sizes = self.program.commodities.iter().map(|commodity| whole(commodity.size));
        let mut keys: Vec<i128> =
            sizes.map(|all| all.map(|all| all as i128)).collect::<Option<_>>()?;
        let mut weights = Vec::new();
        for (&path, &weight) in self.paths.iter().zip(&found.numerators) {
            keys[self.simplex.columns[path as usize].commodity as usize] -= weight;
            weights.push((path, weight));
        }
        weights.extend(self.simplex.keys.iter().copied().zip(keys));
        if weights.iter().any(|&(_, weight)| weight < 0) {
            return None;
        }
        let commodity = |column: u32| self.simplex.columns[column as usize].commodity;
        weights.sort_by_key(|&(column, _)| (commodity(column), column));
        let used = weights.into_iter().filter(|&(_, weight)| weight > 0);
        Some(Weights { scale, weights: used.map(|(column, w)| (column, w as u128)).collect() })
    }

    /// The price of every row, up to a common factor; `None` if they have too many digits. Negative
    /// prices become zero.
    pub fn prices(&self) -> Option<Vec<u128>> {
        let mut right = vec![0; self.tight.len()];
        right[0] = -1;
        let found = self.system.solve_transposed(&right)?;
        let mut prices = vec![0; self.program.bandwidths.len()];
        for (&row, &price) in self.tight.iter().zip(&found.numerators) {
            prices[row as usize] = price.max(0) as u128;
        }
        Some(prices)
    }
}

/// Adds up entries of the same column.
fn merge(row: &mut Vec<(u32, i64)>) {
    row.sort_unstable_by_key(|&(column, _)| column);
    row.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    row.retain(|&(_, value)| value != 0);
}
