//! Exact integer arithmetic.

/// The greatest common divisor; that of 0 and a number is the number.
pub(crate) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `a·b / c`, rounded down. The product may exceed 128 bits; the result, and twice `a` and `c`, must
/// not.
pub(crate) fn proportion(a: u128, b: u128, c: u128) -> u128 {
    if let Some(product) = a.checked_mul(b) {
        return product / c;
    }
    let (mut quotient, mut rest) = (0, 0);
    for bit in (0..u128::BITS).rev() {
        rest = 2 * rest + if b >> bit & 1 == 1 { a % c } else { 0 };
        quotient = 2 * quotient + rest / c;
        rest %= c;
    }
    quotient + a / c * b
}

#[cfg(test)]
mod tests {
    use super::{gcd, proportion};

    #[test]
    fn proportions_of_large_numbers_are_exact() {
        assert_eq!(proportion(7, 5, 3), 11);
        let [a, b] = [(1 << 90) - 3, (1 << 70) + 9];
        assert_eq!(proportion(a, b, a), b);
        assert_eq!(proportion(a * 5, b, a), 5 * b);
        assert_eq!(proportion(a, b, b), a);
        assert_eq!(proportion(a - 1, b, a), b - 1);
        assert_eq!(gcd(12, 18), 6);
        assert_eq!(gcd(0, 5), 5);
    }
}
