//! Parsers of single values: words of a table, switching, ports, routings, lengths, threads,
//! quantities, times.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use pavane_interop::export::MOST_BYTES;
use pavane_model::{Duplex, Fraction, RuleError, Switching, quantity, units};
use std::str::FromStr;
use std::time::Duration;

/// A parser for an option that takes one of a few words.
pub fn one_of<T: Copy + Send + Sync + 'static>(table: &'static [(&'static str, T)]) -> ValueParser {
    let names = table.iter().map(|(word, _)| PossibleValue::new(*word));
    let parser = PossibleValuesParser::new(names).map(|word| {
        let entry = table.iter().find(|(name, _)| *name == word);
        entry.expect("clap accepts only these words").1
    });
    ValueParser::new(parser)
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

/// A time such as `60s`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as `60s`, `2m` or `500ms`".to_owned()),
    };
    let seconds = quantity::parse(number).map(|number| number * scale);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a time such as `60s`, `2m` or `500ms`".to_owned())
}
