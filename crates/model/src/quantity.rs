//! Numbers that users type for times, lengths and costs: finite and non-negative.

/// The largest accepted number. Products and sums of a few such numbers are still finite.
pub const LARGEST: f64 = 1e100;

/// The accepted range, for error messages.
pub const RANGE: &str = "a number from 0 to 1e100";

/// Parses a number. `None` if it is not a number, not finite, negative, or above [`LARGEST`].
///
/// ```
/// use pavane_model::quantity;
///
/// assert_eq!(quantity::parse("2.5"), Some(2.5));
/// assert_eq!(quantity::parse("NaN"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let value: f64 = text.trim().parse().ok()?;
    // Adding zero turns negative zero into zero.
    (0.0..=LARGEST).contains(&value).then_some(value + 0.0)
}

/// Formats a number for people: very large ones use an exponent.
pub fn shown(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{parse, shown};

    #[test]
    fn large_numbers_have_an_exponent() {
        for (value, expected) in [
            (0.0, "0"),
            (2.5, "2.5"),
            (1e14, "100000000000000"),
            (2e200, "2e200"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(shown(value), expected);
        }
    }

    #[test]
    fn only_finite_numbers_from_zero_on_are_read() {
        for (text, expected) in
            [("0", 0.0), ("1e3", 1000.0), (" 0.25 ", 0.25), ("1e100", 1e100), ("+4", 4.0)]
        {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        assert!(parse("-0").is_some_and(|zero| zero.is_sign_positive()));
        for text in [
            "", "NaN", "nan", "-nan", "inf", "+inf", "-inf", "infinity", "1e999", "2e100", "-1",
            "1s",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
