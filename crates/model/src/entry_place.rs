//! Finds the line of an entry in valid JSON, or in another format that serde reads. A second, light
//! pass stops at the entry, so that errors found after parsing can still name a line.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The position of an entry in a file.
#[derive(Debug, Clone, Copy)]
pub enum EntryPlace<'a> {
    /// The value of the first top-level field with one of these names.
    Field(&'a [&'a str]),
    /// An entry of the list in such a field.
    In(&'a [&'a str], usize),
    /// An entry of the top-level list.
    Item(usize),
}

impl EntryPlace<'_> {
    /// The line of the entry in JSON.
    pub fn line_in_json(self, text: &str) -> Option<usize> {
        let found = self.deserialize(&mut serde_json::Deserializer::from_str(text));
        found.err().map(|error| error.line())
    }
}

impl fmt::Display for EntryPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(names) => f.write_str(names[0]),
            Self::In(names, index) => write!(f, "{}[{index}]", names[0]),
            Self::Item(index) => write!(f, "entry {index}"),
        }
    }
}

/// Parses up to the entry, where it stops with an error that carries the position.
impl<'de> DeserializeSeed<'de> for EntryPlace<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EntryPlace<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (Self::Field(names) | Self::In(names, _)) = self else {
            return Err(A::Error::custom("a table where a list was"));
        };
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            match self {
                _ if !names.contains(&&*key) => _ = map.next_value::<IgnoredAny>()?,
                Self::In(_, index) => map.next_value_seed(Self::Item(index))?,
                _ => map.next_value_seed(Here)?,
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        if let Self::Item(index) = self {
            for _ in 0..index {
                items.next_element::<IgnoredAny>()?;
            }
            items.next_element_seed(Here)?;
        }
        Ok(())
    }
}

/// The entry itself: parsing it always fails, which reports its position.
struct Here;

impl<'de> DeserializeSeed<'de> for Here {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Here {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_where_it_begins() {
        let json = "{\"a\": [1],\n \"b\": [\n  {\"x\":\n 1}, 2,\n [3,\n 4]],\n \"c\": \"d\"}";
        for (place, line) in [
            (EntryPlace::Field(&["c"]), Some(7)),
            (EntryPlace::In(&["b"], 0), Some(3)),
            (EntryPlace::In(&["z", "b"], 1), Some(4)),
            (EntryPlace::In(&["b"], 2), Some(5)),
            (EntryPlace::In(&["e"], 1), None),
            (EntryPlace::Field(&["z"]), None),
            (EntryPlace::In(&["b"], 3), None),
        ] {
            assert_eq!(place.line_in_json(json), line, "{place:?}");
        }
        assert_eq!(EntryPlace::Item(1).line_in_json("\n[1,\n\n2]"), Some(4));
    }
}
