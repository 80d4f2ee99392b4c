//! The names of the schedule file fields that describe the problem.

/// The fields of `network`.
pub const NETWORK_FIELDS: &[&str] = &[
    "name",
    "routers",
    "channels",
    "processors",
    "links",
    "directed",
    "names",
    "positions",
    "latency_ns",
    "bandwidth_gbytes",
    "multicast",
    "faults",
];

/// The fields of `model`.
pub const MODEL_FIELDS: &[&str] = &["switching", "routing", "duplex", "ports"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::raw::RawNetwork;
    use crate::rules::Model;
    use serde::de::value::Error;
    use serde::de::{Deserialize, Deserializer, Error as _, Visitor};

    /// A deserializer that only records the fields of the requested struct.
    struct Recorder<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Recorder<'_> {
        type Error = Error;

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            _visitor: V,
        ) -> Result<V::Value, Error> {
            *self.0 = fields;
            Err(Error::custom("only the fields are wanted"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
            Err(Error::custom("not a struct"))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
            ignored_any
        }
    }

    fn fields_of<T: Deserialize<'static>>() -> &'static [&'static str] {
        let mut fields: &'static [&'static str] = &[];
        assert!(T::deserialize(Recorder(&mut fields)).is_err());
        fields
    }

    #[test]
    fn every_field_that_is_read_is_listed() {
        assert_eq!(fields_of::<RawNetwork>(), NETWORK_FIELDS);
        assert_eq!(fields_of::<Model>(), MODEL_FIELDS);
    }
}
