//! Integer weights near floating-point ones, for plans whose exact weights are not known.

use super::exact::{LARGEST_WEIGHT, Weights};
use super::program::PathProgram;
use super::simplex::PathSimplex;

/// The scale of rounded weights, unless sizes are so large that it must be smaller.
const SCALE: u128 = 1 << 24;

/// The weights of the present basis, rounded.
pub(super) fn rounded(program: &PathProgram, simplex: &PathSimplex<'_>) -> Weights {
    let largest = program.commodities.iter().map(|commodity| commodity.size).max().unwrap_or(1);
    let scale = SCALE.min(LARGEST_WEIGHT / u128::from(largest) / 2).max(1);
    let all = simplex.weights();
    let commodity = |column: u32| simplex.columns[column as usize].commodity;
    let mut weights = Vec::new();
    for group in all.chunk_by(|one, other| commodity(one.0) == commodity(other.0)) {
        let size = program.commodities[commodity(group[0].0) as usize].size;
        let floats: Vec<f64> = group.iter().map(|&(_, weight)| weight.max(0.0)).collect();
        for (&(column, _), weight) in group.iter().zip(shares(&floats, scale * u128::from(size))) {
            weights.extend((weight > 0).then_some((column, weight)));
        }
    }
    Weights { scale, weights }
}

/// Integers that add up to `total`, nearly proportional to the given numbers: rounded down, and the
/// rest on the largest.
fn shares(weights: &[f64], total: u128) -> Vec<u128> {
    let sum: f64 = weights.iter().sum();
    let share = |weight: &f64| ((weight / sum * total as f64) as u128).min(total);
    let mut shares: Vec<u128> =
        if sum > 0.0 { weights.iter().map(share).collect() } else { vec![0; weights.len()] };
    let mut rest = total;
    for share in &mut shares {
        *share = rest.min(*share);
        rest -= *share;
    }
    if let Some(largest) = shares.iter_mut().max() {
        *largest += rest;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_add_up() {
        assert_eq!(shares(&[1.0, 1.0, 1.0], 10), [3, 3, 4]);
        assert_eq!(shares(&[0.5, 0.0, 0.25], 300), [200, 0, 100]);
        assert_eq!(shares(&[0.0, 0.0], 7), [0, 7]);
    }
}
