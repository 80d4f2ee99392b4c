//! Exact solutions of linear equations with integer coefficients: computed modulo a prime of 127 bits,
//! then read as fractions whose numerators and denominators have at most 63 bits.
//!
//! A solution that needs larger numbers is read wrongly, so callers must check what they get.

/// A Mersenne prime.
const PRIME: u128 = (1 << 127) - 1;
/// Larger than all numerators and denominators.
const LARGEST: u128 = 1 << 63;

/// An equation: the coefficients by variable, each variable at most once, and the right-hand side.
pub type Equation = (Vec<(usize, i64)>, i64);

/// A fraction with its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signed {
    /// Whether it is below 0.
    pub is_negative: bool,
    /// The numerator of the absolute value.
    pub numerator: u128,
    /// The denominator.
    pub denominator: u128,
}

/// The solution of as many equations as variables; `None` if it is not unique or too large, or if
/// `stop` says so.
pub fn solve(equations: &[Equation], stop: &dyn Fn() -> bool) -> Option<Vec<Signed>> {
    let mut system = RowSystem::new(equations);
    for _ in 0..equations.len() {
        if stop() {
            return None;
        }
        system.eliminate()?;
    }
    system.substitute().into_iter().map(fraction).collect()
}

/// A row modulo the prime: coefficients by variable, ascending, and the right-hand side.
#[derive(Clone)]
struct Row {
    entries: Vec<(usize, u128)>,
    right: u128,
}

/// Rows of which some are solved for a variable.
struct RowSystem {
    rows: Vec<Row>,
    /// Rows that are not solved yet.
    open: Vec<usize>,
    /// The open rows in which each variable may occur.
    users: Vec<Vec<usize>>,
    /// Rows with the variable for which they are solved, in this order.
    solved: Vec<(usize, usize)>,
}

impl RowSystem {
    fn new(equations: &[Equation]) -> Self {
        let mut users = vec![Vec::new(); equations.len()];
        let mut rows = Vec::new();
        for (at, (coefficients, right)) in equations.iter().enumerate() {
            let nonzero = coefficients.iter().filter(|&&(_, value)| value != 0);
            let mut entries: Vec<(usize, u128)> =
                nonzero.map(|&(variable, value)| (variable, residue(value))).collect();
            entries.sort_unstable();
            entries.iter().for_each(|&(variable, _)| users[variable].push(at));
            rows.push(Row { entries, right: residue(*right) });
        }
        RowSystem { open: (0..rows.len()).collect(), rows, users, solved: Vec::new() }
    }

    /// Solves the shortest row for the variable with the fewest users, and removes this variable from
    /// all other open rows. None if the row is empty.
    fn eliminate(&mut self) -> Option<()> {
        let place =
            (0..self.open.len()).min_by_key(|&at| self.rows[self.open[at]].entries.len())?;
        let at = self.open.swap_remove(place);
        let row = self.rows[at].clone();
        let rarest = row.entries.iter().min_by_key(|&&(variable, _)| self.users[variable].len());
        let &(variable, pivot) = rarest?;
        let inverse = inverse(pivot);
        row.entries.iter().for_each(|&(variable, _)| self.users[variable].retain(|&it| it != at));
        for other in std::mem::take(&mut self.users[variable]) {
            self.subtract(other, &row, variable, inverse);
        }
        self.solved.push((at, variable));
        Some(())
    }

    /// Removes a variable from a row with the help of another row.
    fn subtract(&mut self, at: usize, row: &Row, variable: usize, inverse: u128) {
        let old = &self.rows[at];
        let Ok(place) = old.entries.binary_search_by_key(&variable, |entry| entry.0) else {
            return;
        };
        let factor = PRIME - multiply(old.entries[place].1, inverse);
        let mut entries = Vec::with_capacity(old.entries.len() + row.entries.len());
        let (mut mine, mut others) = (old.entries.iter().peekable(), row.entries.iter().peekable());
        loop {
            let next = [mine.peek(), others.peek()].map(|next| next.map_or(usize::MAX, |it| it.0));
            let column = next[0].min(next[1]);
            if column == usize::MAX {
                break;
            }
            let own = mine.next_if(|it| it.0 == column).map_or(0, |it| it.1);
            let more = others.next_if(|it| it.0 == column).map_or(0, |it| it.1);
            let sum = add(own, multiply(more, factor));
            if column == variable {
                continue;
            }
            if own == 0 && sum != 0 {
                self.users[column].push(at);
            } else if own != 0 && sum == 0 {
                self.users[column].retain(|&user| user != at);
            }
            entries.extend((sum != 0).then_some((column, sum)));
        }
        let right = add(old.right, multiply(row.right, factor));
        self.rows[at] = Row { entries, right };
    }

    /// The values of all variables, once all rows are solved.
    fn substitute(&self) -> Vec<u128> {
        let mut values = vec![0; self.rows.len()];
        for &(at, variable) in self.solved.iter().rev() {
            let row = &self.rows[at];
            let (mut sum, mut pivot) = (row.right, 1);
            for &(other, value) in &row.entries {
                if other == variable {
                    pivot = value;
                } else {
                    sum = add(sum, PRIME - multiply(value, values[other]));
                }
            }
            values[variable] = multiply(sum, inverse(pivot));
        }
        values
    }
}

fn residue(value: i64) -> u128 {
    let size = u128::from(value.unsigned_abs());
    if value < 0 { PRIME - size } else { size }
}

/// The residue of a number of 128 bits. Both halves of a number at the 127th bit count the same.
fn reduce(value: u128) -> u128 {
    let sum = (value & PRIME) + (value >> 127);
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn add(a: u128, b: u128) -> u128 {
    reduce(a + b)
}

/// The product of two residues, from the products of their halves.
fn multiply(a: u128, b: u128) -> u128 {
    const HALF: u128 = (1 << 64) - 1;
    let [a_high, a_low, b_high, b_low] = [a >> 64, a & HALF, b >> 64, b & HALF];
    let middle = a_high * b_low + a_low * b_high;
    // 2^127 is 1, so 2^128 is 2.
    let high = reduce(2 * (a_high * b_high));
    let middle = reduce((middle >> 63) + ((middle & (HALF >> 1)) << 64));
    add(add(high, middle), reduce(a_low * b_low))
}

/// The inverse of a residue other than 0, by Fermat's little theorem.
fn inverse(value: u128) -> u128 {
    let (mut result, mut square, mut exponent) = (1, value, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    result
}

/// The fraction with small numbers that a residue stands for, by Euclid's algorithm.
fn fraction(value: u128) -> Option<Signed> {
    let (mut before, mut rest) = (PRIME, value);
    let (mut factor_before, mut factor) = (0u128, 1u128);
    let mut is_negative = false;
    while rest >= LARGEST {
        let quotient = before / rest;
        (before, rest) = (rest, before % rest);
        // Factors alternate in sign, so their sizes add up.
        (factor_before, factor) = (factor, factor_before + quotient * factor);
        is_negative = !is_negative;
    }
    let common = crate::integer::gcd(rest, factor).max(1);
    let (numerator, denominator) = (rest / common, factor / common);
    (denominator < LARGEST).then_some(Signed { is_negative, numerator, denominator })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(is_negative: bool, numerator: u128, denominator: u128) -> Signed {
        Signed { is_negative, numerator, denominator }
    }

    #[test]
    fn residues_multiply_as_numbers_do() {
        assert_eq!(multiply(PRIME - 1, PRIME - 1), 1);
        assert_eq!(multiply(1 << 126, 4), 2);
        assert_eq!(multiply((1 << 100) + 7, 1 << 30), add(8, 7 << 30));
        for value in [1, 2, 12_345, 1 << 90, PRIME - 1] {
            assert_eq!(multiply(value, inverse(value)), 1);
        }
    }

    #[test]
    fn equations_have_exact_solutions() {
        // x + y = 1, x − 3y = 0, 7z − x = −5.
        let equations =
            [(vec![(0, 1), (1, 1)], 1), (vec![(0, 1), (1, -3)], 0), (vec![(2, 7), (0, -1)], -5)];
        let solution = solve(&equations, &|| false);
        let expected = vec![signed(false, 3, 4), signed(false, 1, 4), signed(true, 17, 28)];
        assert_eq!(solution, Some(expected));
        let singular = [(vec![(0, 1), (1, 1)], 1), (vec![(0, 2), (1, 2)], 2)];
        assert_eq!(solve(&singular, &|| false), None);
        assert_eq!(solve(&equations, &|| true), None);
    }
}
