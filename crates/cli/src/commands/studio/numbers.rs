//! Whole numbers in requests: numbers, or the texts of fields as they were typed. Errors name the field and the value.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Reads the number of a field.
fn whole<'de, D: Deserializer<'de>>(
    deserializer: D,
    field: &str,
    range: RangeInclusive<u64>,
) -> Result<u64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let (number, text) = match &value {
        Value::String(text) => (text.trim().parse().ok(), text.trim().to_owned()),
        other => (other.as_u64(), other.to_string()),
    };
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        D::Error::custom(format!("{field}: {text} is not a whole number from {least} to {most}"))
    })
}

/// The random seed.
pub fn seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    whole(deserializer, "random seed", 0..=u64::MAX)
}

/// How many per cent a repair must keep.
pub fn per_cent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    whole(deserializer, "repairs keep %", 0..=100).map(|number| Some(number as u8))
}

/// How many parts fail together.
pub fn lost_together<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    whole(deserializer, "lost together", 1..=1_000_000).map(|number| number as u32)
}

/// The number of runs of a table.
pub fn runs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    whole(deserializer, "runs", 1..=1_000_000)
}
