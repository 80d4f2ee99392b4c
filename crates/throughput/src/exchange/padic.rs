//! Square systems of linear equations with integer coefficients, solved exactly: modulo a prime p,
//! then modulo p² by lifting the residual (Dixon, Exact solution of linear equations using p-adic
//! expansions, 1982), then as fractions with a common denominator (Wang, 1981).
//!
//! Numerators and denominators of more than 60 bits are not found. A result must be verified.

/// A Mersenne prime, so that remainders are cheap.
const PRIME: u64 = (1 << 61) - 1;
const SQUARE: u128 = PRIME as u128 * PRIME as u128;
/// The largest numerator and denominator.
const LARGEST: u128 = 1 << 60;

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn subtract(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

fn inverse(a: u64) -> u64 {
    let (mut power, mut base, mut exponent) = (1, a, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = multiply(power, base);
        }
        base = multiply(base, base);
        exponent >>= 1;
    }
    power
}

fn residue(a: i128) -> u64 {
    a.rem_euclid(PRIME.into()) as u64
}

/// A matrix, factorised modulo the prime into lower and upper triangles.
pub(super) struct System {
    size: usize,
    /// The nonzero entries of each row.
    rows: Vec<Vec<(u32, i64)>>,
    /// Both triangles; the lower one has ones on its diagonal.
    factors: Vec<u64>,
    /// Inverses of the diagonal of the upper triangle.
    diagonal: Vec<u64>,
    /// The row of the matrix that each row of the factors comes from.
    permutation: Vec<usize>,
}

/// Numerators with a common denominator.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fractions {
    pub numerators: Vec<i128>,
    pub denominator: u128,
}

impl System {
    /// Factorises a square matrix, given by the nonzero entries of its rows. `None` if it is
    /// singular modulo the prime.
    pub fn new(rows: Vec<Vec<(u32, i64)>>) -> Option<Self> {
        let size = rows.len();
        let mut factors = vec![0; size * size];
        for (row, entries) in rows.iter().enumerate() {
            for &(column, value) in entries {
                factors[row * size + column as usize] = residue(value.into());
            }
        }
        let mut permutation: Vec<usize> = (0..size).collect();
        let mut diagonal = vec![0; size];
        for step in 0..size {
            let pivot = (step..size).find(|row| factors[row * size + step] != 0)?;
            if pivot != step {
                let (upper, lower) = factors.split_at_mut(pivot * size);
                upper[step * size..][..size].swap_with_slice(&mut lower[..size]);
                permutation.swap(pivot, step);
            }
            diagonal[step] = inverse(factors[step * size + step]);
            let (upper, lower) = factors.split_at_mut((step + 1) * size);
            let own = &upper[step * size..];
            let used: Vec<usize> = (step + 1..size).filter(|&column| own[column] != 0).collect();
            for row in lower.chunks_exact_mut(size).filter(|row| row[step] != 0) {
                let factor = multiply(row[step], diagonal[step]);
                row[step] = factor;
                for &column in &used {
                    row[column] = subtract(row[column], multiply(factor, own[column]));
                }
            }
        }
        Some(Self { size, rows, factors, diagonal, permutation })
    }

    /// Solves the equations with the given right-hand side and returns all unknowns but the first
    /// `skipped`. `None` if the solution has too many digits.
    pub fn solve(&self, right: &[i128], skipped: usize) -> Option<Fractions> {
        let solve = |residual: &[u64]| self.solve_residues(residual);
        fractions(&self.lift(right, solve, |solution| self.times(solution))[skipped..])
    }

    /// Solves the equations of the transposed matrix.
    pub fn solve_transposed(&self, right: &[i128]) -> Option<Fractions> {
        let solve = |residual: &[u64]| self.solve_transposed_residues(residual);
        fractions(&self.lift(right, solve, |solution| self.transposed_times(solution)))
    }

    /// The solution modulo p².
    fn lift(
        &self,
        right: &[i128],
        solve: impl Fn(&[u64]) -> Vec<u64>,
        times: impl Fn(&[u64]) -> Vec<i128>,
    ) -> Vec<u128> {
        let residues: Vec<u64> = right.iter().map(|&value| residue(value)).collect();
        let low = solve(&residues);
        let differences = right.iter().zip(times(&low)).map(|(right, left)| right - left);
        let residues: Vec<u64> =
            differences.map(|difference| residue(difference / i128::from(PRIME))).collect();
        let high = solve(&residues).into_iter().map(|high| u128::from(PRIME) * u128::from(high));
        low.into_iter().zip(high).map(|(low, high)| u128::from(low) + high).collect()
    }

    fn solve_residues(&self, right: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = self.permutation.iter().map(|&row| right[row]).collect();
        for row in 0..self.size {
            let factors = &self.factors[row * self.size..][..row];
            values[row] = without_products(values[row], factors, &values[..row]);
        }
        for row in (0..self.size).rev() {
            let factors = &self.factors[row * self.size..][row + 1..self.size];
            let rest = without_products(values[row], factors, &values[row + 1..]);
            values[row] = multiply(rest, self.diagonal[row]);
        }
        values
    }

    fn solve_transposed_residues(&self, right: &[u64]) -> Vec<u64> {
        let mut values = right.to_vec();
        for row in 0..self.size {
            values[row] = multiply(values[row], self.diagonal[row]);
            let value = values[row];
            let factors = &self.factors[row * self.size..][row + 1..self.size];
            subtract_multiple(&mut values[row + 1..], factors, value);
        }
        for row in (0..self.size).rev() {
            let value = values[row];
            let factors = &self.factors[row * self.size..][..row];
            subtract_multiple(&mut values[..row], factors, value);
        }
        let mut solution = vec![0; self.size];
        for (&row, value) in self.permutation.iter().zip(values) {
            solution[row] = value;
        }
        solution
    }

    fn times(&self, solution: &[u64]) -> Vec<i128> {
        let term = |&(column, value): &(u32, i64)| {
            i128::from(value) * i128::from(solution[column as usize])
        };
        self.rows.iter().map(|row| row.iter().map(term).sum()).collect()
    }

    fn transposed_times(&self, solution: &[u64]) -> Vec<i128> {
        let mut sums = vec![0; self.size];
        for (row, &factor) in self.rows.iter().zip(solution) {
            for &(column, value) in row {
                sums[column as usize] += i128::from(value) * i128::from(factor);
            }
        }
        sums
    }
}

fn without_products(value: u64, factors: &[u64], values: &[u64]) -> u64 {
    let products = factors.iter().zip(values).filter(|(factor, _)| **factor != 0);
    products.fold(value, |rest, (&factor, &value)| subtract(rest, multiply(factor, value)))
}

fn subtract_multiple(values: &mut [u64], factors: &[u64], multiple: u64) {
    for (value, &factor) in values.iter_mut().zip(factors).filter(|(_, factor)| **factor != 0) {
        *value = subtract(*value, multiply(factor, multiple));
    }
}

/// Fractions with a common denominator that are congruent to the given values modulo p².
fn fractions(values: &[u128]) -> Option<Fractions> {
    let mut denominator = 1u128;
    for &value in values {
        let scaled = multiply_wide(value, denominator);
        if scaled < LARGEST || SQUARE - scaled < LARGEST {
            continue;
        }
        denominator = denominator.checked_mul(divisor(scaled)?)?;
        if denominator >= LARGEST {
            return None;
        }
    }
    let numerator = |&value: &u128| {
        let scaled = multiply_wide(value, denominator);
        if scaled < LARGEST {
            Some(scaled as i128)
        } else {
            (SQUARE - scaled < LARGEST).then(|| -((SQUARE - scaled) as i128))
        }
    };
    let numerators = values.iter().map(numerator).collect::<Option<_>>()?;
    Some(Fractions { numerators, denominator })
}

/// The product modulo p².
fn multiply_wide(a: u128, b: u128) -> u128 {
    let reduce = |sum: u128| if sum >= SQUARE { sum - SQUARE } else { sum };
    let mut sum = 0;
    for bit in (0..u128::BITS - b.leading_zeros()).rev() {
        sum = reduce(2 * sum);
        if b >> bit & 1 == 1 {
            sum = reduce(sum + a);
        }
    }
    sum
}

/// The denominator of the fraction that is congruent to a value modulo p², by the extended
/// Euclidean algorithm.
fn divisor(value: u128) -> Option<u128> {
    let (mut large, mut small) = (SQUARE, value);
    let (mut before, mut factor) = (0u128, 1u128);
    while small >= LARGEST {
        let quotient = large / small;
        (large, small) = (small, large % small);
        // The factors alternate in sign, so their sizes add up.
        (before, factor) = (factor, before.checked_add(quotient.checked_mul(factor)?)?);
    }
    (factor < LARGEST).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_exactly() {
        // x + 2y = 5, 3x − 4y = 6.
        let rows = vec![vec![(0, 1), (1, 2)], vec![(0, 3), (1, -4)]];
        let system = System::new(rows).unwrap();
        let found = system.solve(&[5, 6], 0).unwrap();
        assert_eq!(found, Fractions { numerators: vec![32, 9], denominator: 10 });
        let found = system.solve_transposed(&[1, 0]).unwrap();
        assert_eq!(found, Fractions { numerators: vec![2, 1], denominator: 5 });
    }

    #[test]
    fn rows_are_exchanged_and_singular_matrices_refused() {
        let rows = vec![vec![(1, 7)], vec![(0, 1 << 40), (1, 3)]];
        let system = System::new(rows).unwrap();
        let found = system.solve(&[7, 3 - (1 << 40)], 0).unwrap();
        assert_eq!(found, Fractions { numerators: vec![-1, 1], denominator: 1 });
        let found = system.solve_transposed(&[1 << 40, 10]).unwrap();
        assert_eq!(found, Fractions { numerators: vec![1, 1], denominator: 1 });
        assert!(System::new(vec![vec![(0, 1), (1, 2)], vec![(0, 2), (1, 4)]]).is_none());
    }

    #[test]
    fn solutions_with_too_many_digits_are_refused() {
        let size = 70;
        let row = |at: u32| if at == 0 { vec![(0, 3)] } else { vec![(at - 1, -1), (at, 3)] };
        let system = System::new((0..size).map(row).collect()).unwrap();
        let mut right = vec![0; size as usize];
        right[0] = 1;
        assert_eq!(system.solve(&right, 0), None);
    }
}
