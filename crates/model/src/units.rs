//! Bandwidths, times and sizes with units, as people write them: `400Gb/s`, `0.7us`, `1MiB`. All
//! results are exact.

use crate::fraction::Fraction;
use crate::quantity;
use crate::words::excerpt;
use std::time::Duration;

/// A text that is not a quantity of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {what}: {problem}; write for example {example}")]
pub struct UnitError {
    /// The text.
    pub text: String,
    /// The kind of quantity.
    pub what: &'static str,
    /// What is wrong.
    pub problem: String,
    /// A valid text.
    pub example: &'static str,
}

/// A kind of quantity, for errors.
#[derive(Clone, Copy)]
struct QuantityKind {
    what: &'static str,
    example: &'static str,
    units: &'static str,
}

const BANDWIDTH: QuantityKind = QuantityKind {
    what: "bandwidth",
    example: "50GB/s or 400Gb/s",
    units: "B/s (bytes) and b/s (bits) with a prefix such as M, G, T or Gi",
};
const TIME: QuantityKind =
    QuantityKind { what: "time", example: "500ns or 0.7us", units: "ps, ns, us, ms and s" };
const SIZE: QuantityKind = QuantityKind {
    what: "size",
    example: "64KB or 1MiB",
    units: "B (bytes) with a prefix such as K, M, G, Ki or Mi, or no unit for bytes",
};

/// Prefixes of bits and bytes: `K` is 1000, `Ki` is 1024.
const PREFIXES: &[(&str, u64)] = &[
    ("", 1),
    ("k", 1_000),
    ("K", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
];

/// Units of time in picoseconds.
const TIMES: &[(&str, u64)] = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("μs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
];

impl QuantityKind {
    fn wrong(self, text: &str, problem: impl Into<String>) -> UnitError {
        let Self { what, example, .. } = self;
        let text = excerpt(text).into_owned();
        UnitError { text, what, problem: problem.into(), example }
    }

    /// Splits a text into its number and its unit.
    fn split(self, text: &str) -> Result<(Fraction, &str), UnitError> {
        let trimmed = text.trim();
        if trimmed.starts_with('-') {
            return Err(self.wrong(text, "it is negative"));
        }
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        if number.is_empty() {
            return Err(self.wrong(text, "it does not start with a number"));
        }
        match number.parse() {
            Ok(number) => Ok((number, unit.trim_start())),
            Err(_) if number.bytes().filter(|&b| b.is_ascii_digit()).count() > 30 => {
                Err(self.wrong(text, "its number has too many digits"))
            }
            Err(_) => Err(self.wrong(text, format!("{number:?} is not a number"))),
        }
    }

    fn no_unit(self, text: &str, unit: &str) -> UnitError {
        let problem = match unit {
            "" => format!("its unit is missing; known are {}", self.units),
            unit => format!("there is no unit {:?}; known are {}", excerpt(unit), self.units),
        };
        self.wrong(text, problem)
    }

    /// The error for a unit with a small prefix, or without bytes and bits, that two units may mean.
    fn ambiguous(self, text: &str, unit: &str, meanings: [String; 2]) -> UnitError {
        let [one, other] = meanings;
        self.wrong(text, format!("{:?} may mean {one} or {other}", excerpt(unit)))
    }

    /// A number times `up` divided by `down`.
    fn scaled(
        self,
        text: &str,
        number: Fraction,
        up: u64,
        down: u64,
    ) -> Result<Fraction, UnitError> {
        let scaled = number.checked_mul(Fraction::from(up));
        let scaled = scaled.and_then(|scaled| scaled.checked_div(Fraction::from(down)));
        scaled.ok_or_else(|| self.wrong(text, "it is too large or has too many digits"))
    }
}

fn find(table: &[(&str, u64)], unit: &str) -> Option<u64> {
    table.iter().find(|(known, _)| *known == unit).map(|&(_, factor)| factor)
}

/// The prefix that is written in small letters: `Gi` for `gi`.
fn large(small: &str) -> Option<String> {
    let is_small = small.bytes().all(|byte| byte.is_ascii_lowercase());
    let first = small.get(..1).filter(|_| is_small)?;
    let large = first.to_ascii_uppercase() + &small[1..];
    find(PREFIXES, &large).map(|_| large)
}

/// Parses a bandwidth such as `50GB/s`, `400Gb/s`, `400Gbit/s`, `400Gbps` or `1GiB/s`, in gigabytes
/// per second (bytes per nanosecond). Zero is refused. `B` means bytes and `b` bits.
///
/// ```
/// use pavane_model::units;
///
/// assert_eq!(units::bandwidth("100Gb/s")?.to_string(), "25/2");
/// assert!(units::bandwidth("50").unwrap_err().to_string().contains("its unit is missing"));
/// # Ok::<(), units::UnitError>(())
/// ```
pub fn bandwidth(text: &str) -> Result<Fraction, UnitError> {
    let (number, unit) = BANDWIDTH.split(text)?;
    let amount = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"));
    let known = amount.and_then(|amount| {
        let (prefix, bits) = match amount.strip_suffix('B') {
            Some(prefix) => (prefix, 8),
            None => (amount.strip_suffix("bit").or_else(|| amount.strip_suffix('b'))?, 1),
        };
        Some((find(PREFIXES, prefix)?, bits))
    });
    let (factor, bits) = known.ok_or_else(|| {
        let prefix = ["b/s", "bps"].iter().find_map(|end| unit.strip_suffix(end));
        match prefix.and_then(large) {
            Some(prefix) => {
                let meanings = [format!("{prefix}B/s (bytes)"), format!("{prefix}b/s (bits)")];
                BANDWIDTH.ambiguous(text, unit, meanings)
            }
            None => BANDWIDTH.no_unit(text, unit),
        }
    })?;
    if number.is_zero() {
        return Err(BANDWIDTH.wrong(text, "it must be more than 0"));
    }
    BANDWIDTH.scaled(text, number, factor * bits, 8_000_000_000)
}

/// Parses a time such as `500ns`, `0.7us` or `1ms`, in nanoseconds.
///
/// ```
/// assert_eq!(pavane_model::units::latency("0.7us")?.to_string(), "700");
/// # Ok::<(), pavane_model::units::UnitError>(())
/// ```
pub fn latency(text: &str) -> Result<Fraction, UnitError> {
    let (number, unit) = TIME.split(text)?;
    let factor = find(TIMES, unit).ok_or_else(|| TIME.no_unit(text, unit))?;
    TIME.scaled(text, number, factor, 1_000)
}

/// Parses a size such as `64KB`, `1MiB`, `1.5GB` or `4096`, in whole bytes. Units may be small letters throughout
/// (`64kb`), because sizes are in bytes. Zero is refused.
///
/// ```
/// assert_eq!(pavane_model::units::size("1MiB"), Ok(1 << 20));
/// ```
pub fn size(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = SIZE.split(text)?;
    let factor = match unit {
        "" => Some(1),
        "b" => Some(1),
        unit => match unit.strip_suffix('b').and_then(large) {
            Some(prefix) => find(PREFIXES, &prefix),
            None => unit.strip_suffix('B').and_then(|prefix| find(PREFIXES, prefix)),
        },
    };
    let factor = factor.ok_or_else(|| match unit.get(..1).map(str::to_ascii_uppercase) {
        Some(prefix) if unit.len() == 1 && find(PREFIXES, &prefix).is_some() => {
            SIZE.ambiguous(text, unit, [format!("{prefix}B"), format!("{prefix}iB")])
        }
        _ => SIZE.no_unit(text, unit),
    })?;
    let bytes = SIZE.scaled(text, number, factor, 1)?;
    if bytes.is_zero() {
        return Err(SIZE.wrong(text, "it must be at least 1 byte"));
    }
    if bytes.denominator() != 1 {
        return Err(SIZE.wrong(text, "it is not a whole number of bytes"));
    }
    bytes.numerator().try_into().map_err(|_| SIZE.wrong(text, "it is too large"))
}

/// A size in the largest decimal unit that divides it, or else in the largest binary one.
///
/// ```
/// use pavane_model::units::size_in_words;
///
/// assert_eq!(size_in_words(64_000), "64 KB");
/// assert_eq!(size_in_words(1 << 20), "1 MiB");
/// assert_eq!(size_in_words(1_500), "1500 B");
/// ```
pub fn size_in_words(bytes: u64) -> String {
    let units = [
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("KB", 1_000),
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
    ];
    let fits = units.into_iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    fits.map_or(format!("{bytes} B"), |(name, unit)| format!("{} {name}", bytes / unit))
}

/// A time limit such as `60s`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a time such as `60s`, `2m` or `500ms`";
    if text.starts_with('-') {
        return Err(format!("a time is not negative; {EXPECTED}"));
    }
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number = quantity::parse(number).ok_or(EXPECTED)?;
    Duration::try_from_secs_f64(number * scale).map_err(|_| {
        "this is longer than the age of the universe; leave the option out for no limit".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths() {
        for (text, expected) in [
            ("50GB/s", "50"),
            ("400Gb/s", "50"),
            ("12.5GB/s", "25/2"),
            ("1TB/s", "1000"),
            (" 100 Gb/s ", "25/2"),
            ("200Gbit/s", "25"),
            ("200Gbps", "25"),
            ("25GBps", "25"),
            ("1GiB/s", "16777216/15625000"),
            ("1Gib/s", "2097152/15625000"),
            ("1B/s", "1/1000000000"),
            ("100kb/s", "1/80000"),
        ] {
            let expected: Fraction = expected.parse().unwrap();
            assert_eq!(bandwidth(text), Ok(expected), "{text}");
            assert!(expected.as_decimal().is_some(), "{text}: a file can hold it");
        }
    }

    #[test]
    fn times() {
        for (text, expected) in [
            ("500ns", "500"),
            ("0.7us", "700"),
            ("1ms", "1000000"),
            ("1.3 µs", "1300"),
            ("2s", "2000000000"),
            ("250ps", "1/4"),
            ("0ns", "0"),
        ] {
            assert_eq!(latency(text), Ok(expected.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("64KB", 64_000),
            ("64kB", 64_000),
            ("64kb", 64_000),
            ("2gib", 2 << 30),
            ("7b", 7),
            ("1MiB", 1 << 20),
            ("1GB", 1_000_000_000),
            ("1.5KiB", 1536),
            ("4096", 4096),
            ("4096B", 4096),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_text_and_give_an_example() {
        let bandwidth = |text: &str| bandwidth(text).unwrap_err();
        let latency = |text: &str| latency(text).unwrap_err();
        let size = |text: &str| size(text).unwrap_err();
        for (error, part) in [
            (bandwidth("50"), "\"50\" is not a bandwidth: its unit is missing"),
            (bandwidth("50GB"), "there is no unit \"GB\"; known are B/s (bytes)"),
            (bandwidth("50gb/s"), "\"gb/s\" may mean GB/s (bytes) or Gb/s (bits); write"),
            (bandwidth("50gibps"), "\"gibps\" may mean GiB/s (bytes) or Gib/s (bits)"),
            (size("64M"), "\"M\" may mean MB or MiB"),
            (size("64k"), "\"k\" may mean KB or KiB"),
            (bandwidth("50GX/s"), "write for example 50GB/s or 400Gb/s"),
            (bandwidth("0GB/s"), "it must be more than 0"),
            (bandwidth("-1GB/s"), "it is negative"),
            (bandwidth("GB/s"), "does not start with a number"),
            (bandwidth("1.2.3GB/s"), "\"1.2.3\" is not a number"),
            (bandwidth("1e3GB/s"), "there is no unit \"e3GB/s\""),
            (bandwidth("inf"), "does not start with a number"),
            (bandwidth("1000000000000000000000000000000000000000GB/s"), "too many digits"),
            (bandwidth("100000000000000000000000000000000PiB/s"), "it is too large"),
            (latency("500"), "\"500\" is not a time: its unit is missing; known are ps, ns"),
            (latency("5min"), "there is no unit \"min\"; known are ps, ns, us, ms and s"),
            (latency("-5ns"), "write for example 500ns or 0.7us"),
            (size("64KBit"), "\"64KBit\" is not a size: there is no unit \"KBit\""),
            (size("64Kb"), "there is no unit \"Kb\""),
            (size("0"), "it must be at least 1 byte"),
            (size("0.3B"), "it is not a whole number of bytes"),
            (size("99999999PiB"), "it is too large"),
            (size(""), "write for example 64KB or 1MiB"),
        ] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
