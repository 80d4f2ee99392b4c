//! Finds the format of a file by its beginning, before the rest is read.

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The `format` field of a file, if it is among its first bytes.
pub(crate) fn format_at_start(start: &[u8]) -> Option<String> {
    let mut format = None;
    let mut json = serde_json::Deserializer::from_slice(start);
    // The visitor stops at the field, and the bytes may end anywhere: an error is expected.
    let _ = json.deserialize_map(FormatVisitor(&mut format));
    format
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
            (r#"{"format": "pavane/throughput/1", "network": {"rout"#, Some("pavane/throughput/1")),
            (r#"  {"more": [{}], "format": "pavane/timed/1""#, Some("pavane/timed/1")),
            (r#"{"format": "pavane/schedule/1", "network""#, Some("pavane/schedule/1")),
            (r#"{"network": {"format": "pavane/throughput/1"}}"#, None),
            (r#"{"format": 7}"#, None),
            (r#"{"format": "pavane/throu"#, None),
            (r#"["format"]"#, None),
            ("", None),
        ] {
            assert_eq!(format_at_start(text.as_bytes()).as_deref(), expected, "{text}");
        }
        assert_eq!(format_at_start(&b"{\"a\":".repeat(10_000)), None, "deep nesting");
    }
}
