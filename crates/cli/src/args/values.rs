//! Parsers of single values: words of a table, whole numbers, switching, ports, routings, lengths,
//! threads, quantities, times.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use pavane_interop::export::MOST_BYTES;
use pavane_model::{Duplex, Fraction, RuleError, Switching, quantity, units};
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// A parser for an option that takes one of a few words.
pub fn one_of<T: Copy + Send + Sync + 'static>(table: &'static [(&'static str, T)]) -> ValueParser {
    let names = table.iter().map(|(word, _)| PossibleValue::new(*word));
    let parser = PossibleValuesParser::new(names).map(|word| {
        let entry = table.iter().find(|(name, _)| *name == word);
        entry.expect("clap accepts only these words").1
    });
    ValueParser::new(parser)
}

/// A parser for a whole number in a range that includes its ends.
pub fn whole<T>(range: impl RangeBounds<T> + Clone + Send + Sync + 'static) -> ValueParser
where
    T: FromStr<Err = ParseIntError> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    ValueParser::new(move |text: &str| match text.parse::<T>() {
        Ok(number) if range.contains(&number) => Ok(number),
        parsed => {
            let is_too_large =
                parsed.is_err_and(|error| *error.kind() == IntErrorKind::PosOverflow);
            Err(match (range.start_bound(), range.end_bound()) {
                (Bound::Included(start), Bound::Included(end)) => {
                    format!("expected a whole number from {start} to {end}")
                }
                _ if is_too_large => "expected a smaller number".to_owned(),
                (Bound::Included(start), _) => {
                    format!("expected a whole number of at least {start}")
                }
                _ => "expected a whole number".to_owned(),
            })
        }
    })
}

/// A parser for the switching method of schedules.
pub fn switching() -> ValueParser {
    let names = Switching::NAMES.map(|[name, short]| PossibleValue::new(name).alias(short));
    ValueParser::new(PossibleValuesParser::new(names).try_map(|name| name.parse::<Switching>()))
}

/// A parser for the duplex mode of links.
pub fn duplex() -> ValueParser {
    let names = Duplex::NAMES.map(PossibleValue::new);
    ValueParser::new(PossibleValuesParser::new(names).try_map(|name| name.parse::<Duplex>()))
}

/// A parser for ports or routings.
pub fn rule<T>(text: &str) -> Result<T, String>
where
    T: FromStr<Err = RuleError>,
{
    text.parse().map_err(|error: RuleError| format!("expected {}", error.known))
}

/// A length in bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(bytes) if bytes % 4 == 0 && (4..=MOST_BYTES).contains(&bytes) => Ok(bytes),
        _ => Err(format!("expected a multiple of 4 from 4 to {MOST_BYTES}")),
    }
}

/// A number of threads.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a number from 1 to 1024".to_owned()),
    }
}

/// A time, a length or a cost: a finite number that is not negative.
pub fn parse_quantity(text: &str) -> Result<f64, String> {
    quantity::parse(text).ok_or_else(|| format!("expected {}", quantity::RANGE))
}

/// A bandwidth such as `50GB/s`.
pub fn parse_bandwidth(text: &str) -> Result<Fraction, String> {
    units::bandwidth(text).map_err(|error| error.to_string())
}

/// A latency such as `500ns`.
pub fn parse_latency(text: &str) -> Result<Fraction, String> {
    units::latency(text).map_err(|error| error.to_string())
}

/// A size such as `64KB`.
pub fn parse_size(text: &str) -> Result<u64, String> {
    units::size(text).map_err(|error| error.to_string())
}

pub use pavane_model::units::parse_time;
