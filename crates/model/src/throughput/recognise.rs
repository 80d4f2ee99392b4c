//! Recognises a throughput plan by the beginning of its file, before the rest is read.

use super::FORMAT;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// Whether the first bytes of a file have a `format` field that says that it is a throughput plan.
pub(crate) fn is_start_of_plan(start: &[u8]) -> bool {
    let mut format = None;
    let mut json = serde_json::Deserializer::from_slice(start);
    // The visitor stops at the field, and the bytes may end anywhere: an error is expected.
    let _ = json.deserialize_map(FormatVisitor(&mut format));
    format.is_some_and(|format| format == FORMAT)
}

struct FormatVisitor<'a>(&'a mut Option<String>);

impl<'de> Visitor<'de> for FormatVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "format" {
                *self.0 = Some(map.next_value()?);
                return Err(A::Error::custom("the rest is not read"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_found_in_the_first_bytes() {
        for (text, expected) in [
            (r#"{"format": "pavane/throughput/1", "network": {"rout"#, true),
            (r#"  {"more": [{}], "format": "pavane/throughput/1""#, true),
            (r#"{"format": "pavane/schedule/1", "network""#, false),
            (r#"{"network": {"format": "pavane/throughput/1"}}"#, false),
            (r#"{"format": 7}"#, false),
            (r#"{"format": "pavane/throu"#, false),
            (r#"["format"]"#, false),
            ("", false),
        ] {
            assert_eq!(is_start_of_plan(text.as_bytes()), expected, "{text}");
        }
        assert!(!is_start_of_plan(&b"{\"a\":".repeat(10_000)), "deep nesting");
    }
}
