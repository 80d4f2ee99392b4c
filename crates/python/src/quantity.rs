//! Bandwidths, latencies and sizes: numbers, fractions, or texts with a unit.

use crate::errors::bad;
use pavane_model::network::TimingError;
use pavane_model::{Fraction, Network, units};
use pyo3::prelude::*;
use std::fmt::Display;

/// A bandwidth in gigabytes per second: a number, a `fractions.Fraction`, or a text such as "400Gb/s".
pub fn bandwidth(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<Fraction> {
    exact(keyword, value, "GB/s", units::bandwidth)
}

/// A latency in nanoseconds: a number, a `fractions.Fraction`, or a text such as "0.7us".
pub fn latency(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<Fraction> {
    exact(keyword, value, "ns", units::latency)
}

/// A size in bytes: a number, or a text such as "1GB".
pub fn size(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    // A float such as 1e6 is a whole number of bytes, and Python writes it as 1000000.0.
    let whole = value.extract::<f64>().ok().filter(|size| size.fract() == 0.0 && *size < 1e15);
    let text = match whole {
        Some(size) => size.to_string(),
        None => value.str()?.to_string(),
    };
    units::size(&text).map_err(|error| wrong(keyword, error))
}

/// Two sizes: a pair, or a text such as "1KB..1GB".
pub fn range(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    let text = value.extract::<String>().ok();
    let (least, most) = match text.as_deref().map(|text| text.split_once("..")) {
        Some(Some((least, most))) => {
            let of = |text| units::size(text).map_err(|error| wrong(keyword, error));
            (of(least)?, of(most)?)
        }
        None if value.len().is_ok_and(|count| count == 2) => {
            (size(keyword, &value.get_item(0)?)?, size(keyword, &value.get_item(1)?)?)
        }
        _ => {
            let expected = "expected two sizes, such as (\"1KB\", \"1GB\") or \"1KB..1GB\"";
            return Err(bad(format!("{keyword}: {expected}")));
        }
    };
    if least > most {
        return Err(bad(format!("{keyword}: the first size is larger than the second")));
    }
    Ok((least, most))
}

/// A number from 2 to 1024: each size of a range is this many times the one before.
pub fn factor(factor: u64) -> PyResult<u64> {
    if (2..=1024).contains(&factor) {
        return Ok(factor);
    }
    Err(bad(format!("factor={factor} is not valid; use a number from 2 to 1024")))
}

/// The network with these values on all channels; those of the network if there are none.
pub fn with_timing(
    network: Network,
    bandwidth: Option<&Bound<'_, PyAny>>,
    latency: Option<&Bound<'_, PyAny>>,
) -> PyResult<Network> {
    let bandwidth = bandwidth.map(|value| self::bandwidth("bandwidth", value)).transpose()?;
    let latency = latency.map(|value| self::latency("latency", value)).transpose()?;
    network.with_timing(bandwidth, latency).map_err(bad)
}

/// The number in a file that denotes a value exactly.
pub fn decimal(what: &'static str, value: Fraction) -> PyResult<f64> {
    value.as_decimal().ok_or_else(|| bad(TimingError::Inexact { what, value }))
}

fn exact<E: Display>(
    keyword: &str,
    value: &Bound<'_, PyAny>,
    unit: &str,
    parse: impl Fn(&str) -> Result<Fraction, E>,
) -> PyResult<Fraction> {
    let text = value.str()?.to_string();
    let parsed = |text: &str| parse(text).map_err(|error| wrong(keyword, error));
    if value.extract::<String>().is_ok() {
        return parsed(&text);
    }
    // A fraction is written as 25/2, and a small float as 1e-07; the texts with units have neither.
    if text.contains('/') {
        return text.parse().map_err(|error| wrong(keyword, error));
    }
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0);
    match number.and_then(Fraction::of_decimal) {
        Some(number) => Ok(number),
        None => parsed(&format!("{text}{unit}")),
    }
}

fn wrong(keyword: &str, error: impl Display) -> PyErr {
    bad(format!("{keyword}: {error}"))
}
