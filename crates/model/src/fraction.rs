//! Exact non-negative fractions, for bandwidths, latencies and what is computed from them.

use crate::words::excerpt;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most digits after the point of a decimal that is written.
const MOST_DECIMALS: usize = 40;

/// A non-negative fraction in lowest terms. Operations return `None` if a numerator or denominator
/// exceeds 128 bits; comparisons always work.
///
/// ```
/// use pavane_model::Fraction;
///
/// let half: Fraction = "12.5".parse()?;
/// assert_eq!(half.to_string(), "25/2");
/// assert_eq!(half.checked_div(Fraction::from(25)).map(|f| f.to_string()), Some("1/2".into()));
/// assert!(half < "38/3".parse()?);
/// # Ok::<(), pavane_model::fraction::FractionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

/// A text that is not a fraction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a non-negative fraction or decimal, such as 7/300 or 12.5{reason}")]
pub struct FractionError {
    text: String,
    reason: &'static str,
}

impl Fraction {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// The fraction in lowest terms; `None` if the denominator is zero.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        let common = greatest_common_divisor(numerator, denominator);
        (denominator > 0)
            .then(|| Self { numerator: numerator / common, denominator: denominator / common })
    }

    /// The numerator, in lowest terms.
    pub fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator, in lowest terms.
    pub fn denominator(self) -> u128 {
        self.denominator
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The sum.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let common = greatest_common_divisor(self.denominator, other.denominator);
        let (one, two) = (self.denominator / common, other.denominator / common);
        let left = self.numerator.checked_mul(two)?;
        let right = other.numerator.checked_mul(one)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(two)?)
    }

    /// The difference; `None` also if it is negative.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let common = greatest_common_divisor(self.denominator, other.denominator);
        let (one, two) = (self.denominator / common, other.denominator / common);
        let left = self.numerator.checked_mul(two)?;
        let right = other.numerator.checked_mul(one)?;
        Self::new(left.checked_sub(right)?, self.denominator.checked_mul(two)?)
    }

    /// The product.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        // Reducing crosswise keeps the products as small as the result.
        let down = greatest_common_divisor(self.numerator, other.denominator);
        let up = greatest_common_divisor(other.numerator, self.denominator);
        Self::new(
            (self.numerator / down).checked_mul(other.numerator / up)?,
            (self.denominator / up).checked_mul(other.denominator / down)?,
        )
    }

    /// The quotient; `None` also if `other` is zero.
    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.checked_mul(Self::new(other.denominator, other.numerator)?)
    }

    /// The decimal that the shortest text of a number denotes: 1/10 for `0.1`, although the binary
    /// number is slightly larger. `None` if the number is negative, not finite, or needs more than
    /// 128 bits.
    ///
    /// ```
    /// use pavane_model::Fraction;
    ///
    /// assert_eq!(Fraction::of_decimal(0.1), Fraction::new(1, 10));
    /// ```
    pub fn of_decimal(value: f64) -> Option<Self> {
        // Adding zero turns negative zero into zero.
        value.is_finite().then(|| (value + 0.0).to_string().parse().ok())?
    }

    /// The number whose shortest text denotes exactly this fraction; `None` if there is none, for
    /// example for 1/3.
    pub fn as_decimal(self) -> Option<f64> {
        let value: f64 = self.decimal_text()?.parse().ok()?;
        (Self::of_decimal(value) == Some(self)).then_some(value)
    }

    /// The nearest floating-point number, for people.
    pub fn to_f64(self) -> f64 {
        self.as_decimal().unwrap_or(self.numerator as f64 / self.denominator as f64)
    }

    /// The finite decimal, such as `12.5`; `None` if there is none of reasonable length.
    fn decimal_text(self) -> Option<String> {
        let mut text = (self.numerator / self.denominator).to_string();
        let mut rest = self.numerator % self.denominator;
        if rest > 0 {
            text.push('.');
        }
        for _ in 0..MOST_DECIMALS {
            if rest == 0 {
                break;
            }
            rest = rest.checked_mul(10)?;
            text.push_str(&(rest / self.denominator).to_string());
            rest %= self.denominator;
        }
        (rest == 0).then_some(text)
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    // Zero only if both are zero, where dividing by one is harmless.
    a.max(1)
}

impl From<u64> for Fraction {
    fn from(number: u64) -> Self {
        Self { numerator: number.into(), denominator: 1 }
    }
}

impl Ord for Fraction {
    /// Compares the whole parts, then the reciprocals of the rests. No product can overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut one, mut two) =
            ((self.numerator, self.denominator), (other.numerator, other.denominator));
        let mut is_swapped = false;
        loop {
            let order = (one.0 / one.1).cmp(&(two.0 / two.1));
            let rests = (one.0 % one.1, two.0 % two.1);
            let order = match (order, rests) {
                (Ordering::Equal, (0, 0)) => return Ordering::Equal,
                (Ordering::Equal, (0, _)) => Ordering::Less,
                (Ordering::Equal, (_, 0)) => Ordering::Greater,
                (Ordering::Equal, _) => {
                    (one, two) = ((one.1, rests.0), (two.1, rests.1));
                    is_swapped = !is_swapped;
                    continue;
                }
                (order, _) => order,
            };
            return if is_swapped { order.reverse() } else { order };
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `7/300`, or `25` if it is whole.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// Reads `7/300`, `25`, and decimals such as `12.5`; no sign, exponent or space.
impl FromStr for Fraction {
    type Err = FractionError;

    fn from_str(text: &str) -> Result<Self, FractionError> {
        let wrong = |reason| FractionError { text: excerpt(text).into_owned(), reason };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (large, zero) = (" (it has too many digits)", " (its denominator is 0)");
        let number = |part: &str| part.parse::<u128>().map_err(|_| wrong(large));
        if let Some((above, below)) = text.split_once('/') {
            if !is_number(above) || !is_number(below) {
                return Err(wrong(""));
            }
            return Self::new(number(above)?, number(below)?).ok_or_else(|| wrong(zero));
        }
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        if !is_number(whole) || !is_number(decimals) {
            return Err(wrong(""));
        }
        let decimals = decimals.trim_end_matches('0');
        let digits = format!("{whole}{decimals}");
        let scale = 10u128.checked_pow(decimals.len() as u32).ok_or_else(|| wrong(large))?;
        Self::new(number(&digits)?, scale).ok_or_else(|| wrong(zero))
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(text: &str) -> Fraction {
        text.parse().expect(text)
    }

    #[test]
    fn texts_are_reduced() {
        for (text, expected) in [
            ("12.5", "25/2"),
            ("0.1", "1/10"),
            ("100", "100"),
            ("100.00", "100"),
            ("6/4", "3/2"),
            ("0/7", "0"),
            ("0.000", "0"),
            ("007", "7"),
        ] {
            assert_eq!(fraction(text).to_string(), expected, "{text}");
        }
        for (text, part) in [
            ("", "is not a non-negative"),
            ("-1", "\"-1\" is not"),
            ("+1", "such as 7/300"),
            ("1e3", "is not"),
            (".5", "is not"),
            ("5.", "is not"),
            ("1/", "is not"),
            ("1/2/3", "is not"),
            ("1 / 2", "is not"),
            ("1/0", "its denominator is 0"),
            ("NaN", "is not"),
            ("inf", "is not"),
            ("1000000000000000000000000000000000000000", "too many digits"),
            ("0.0000000000000000000000000000000000000001", "too many digits"),
        ] {
            let error = text.parse::<Fraction>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn arithmetic_is_exact_and_refuses_to_overflow() {
        let [third, half] = ["1/3", "1/2"].map(fraction);
        assert_eq!(third.checked_add(half), Some(fraction("5/6")));
        assert_eq!(half.checked_sub(third), Some(fraction("1/6")));
        assert_eq!(third.checked_sub(half), None);
        assert_eq!(third.checked_mul(half), Some(fraction("1/6")));
        assert_eq!(third.checked_div(half), Some(fraction("2/3")));
        assert_eq!(third.checked_div(Fraction::ZERO), None);
        let most = Fraction::new(u128::MAX, 1).expect("a number");
        let least = Fraction::new(1, u128::MAX).expect("a fraction");
        assert_eq!(most.checked_add(Fraction::ONE), None);
        assert_eq!(most.checked_mul(least), Some(Fraction::ONE));
        assert_eq!(least.checked_mul(half), None);
        assert_eq!(Fraction::new(1, 0), None);
        assert_eq!(Fraction::new(0, 0), None);
    }

    #[test]
    fn a_quantity_is_the_decimal_that_its_shortest_text_denotes() {
        for (value, expected) in [
            (12.5, "25/2"),
            (0.1, "1/10"),
            (-0.0, "0"),
            (1e20, "100000000000000000000"),
            (0.7, "7/10"),
        ] {
            let exact = Fraction::of_decimal(value).expect("a fraction");
            assert_eq!(exact.to_string(), expected);
            assert_eq!(exact.as_decimal(), Some(value));
        }
        for value in [-1.0, f64::NAN, f64::INFINITY, 1e39, 1e-300] {
            assert_eq!(Fraction::of_decimal(value), None, "{value}");
        }
        assert_eq!(fraction("1/3").as_decimal(), None);
        assert_eq!(fraction("12345678901234567891/10").as_decimal(), None, "too many digits");
        assert_eq!(fraction("1/4").to_f64(), 0.25);
        assert!((fraction("1/3").to_f64() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn files_hold_fractions_as_text() {
        assert_eq!(serde_json::to_string(&fraction("7/300")).unwrap(), "\"7/300\"");
        assert_eq!(
            crate::strict_json::from_str::<Fraction>("\"7/300\"").unwrap(),
            fraction("7/300")
        );
        assert!(crate::strict_json::from_str::<Fraction>("\"7/0\"").is_err());
    }

    proptest! {
        #[test]
        fn order_is_that_of_the_cross_products(
            a in any::<u64>(), b in 1..u64::MAX, c in any::<u64>(), d in 1..u64::MAX
        ) {
            let [one, two] = [(a, b), (c, d)].map(|(n, d)| Fraction::new(n.into(), d.into()));
            let (left, right) = (u128::from(a) * u128::from(d), u128::from(c) * u128::from(b));
            prop_assert_eq!(one.cmp(&two), left.cmp(&right));
        }

        #[test]
        fn large_fractions_are_compared(a in any::<u128>(), b in 1..u128::MAX) {
            let one = Fraction::new(a, b).expect("a fraction");
            prop_assert_eq!(one.cmp(&one), Ordering::Equal);
            let one_text = one.to_string();
            prop_assert_eq!(one_text.parse::<Fraction>(), Ok(one));
        }

        #[test]
        fn decimals_come_back(value in 1e-9f64..1e12) {
            prop_assert_eq!(Fraction::of_decimal(value).and_then(Fraction::as_decimal), Some(value));
        }
    }
}
