//! Parsers of single values: words of a table, switching, ports, routings, lengths, threads,
//! quantities, times.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use pavane_model::{Ports, Routing, Switching, quantity};
use pavane_render::export::MOST_BYTES;
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
    let names =
        [PossibleValue::new("wormhole"), PossibleValue::new("store-and-forward").alias("sf")];
    let parser = PossibleValuesParser::new(names)
        .map(|name| find_switching(&name).expect("clap accepts only these names"));
    ValueParser::new(parser)
}

/// The switching method of schedules with this name.
pub fn find_switching(name: &str) -> Option<Switching> {
    match name {
        "wormhole" => Some(Switching::Wormhole),
        "store-and-forward" | "sf" => Some(Switching::StoreAndForward),
        _ => None,
    }
}

/// A number of ports.
pub fn parse_ports(text: &str) -> Result<Ports, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(Ports::All),
        (_, Ok(ports)) if ports > 0 => Ok(Ports::Limited(ports)),
        _ => Err(format!("expected `all` or a number from 1 to {}", u32::MAX)),
    }
}

/// Which paths are allowed.
pub fn parse_routing(text: &str) -> Result<Routing, String> {
    match text {
        "minimal" => Ok(Routing::Minimal),
        "any" => Ok(Routing::Any),
        _ => match text.strip_prefix('+').map(str::parse) {
            Some(Ok(hops)) => Ok(Routing::Detour(hops)),
            _ => Err("expected `minimal`, `any`, or `+H` such as `+2`".to_owned()),
        },
    }
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
