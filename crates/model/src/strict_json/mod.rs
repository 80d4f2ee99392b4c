//! Strict JSON, the only way in which this project reads JSON. Two things that `serde_json` accepts
//! are errors here, because two readers of the same file could otherwise disagree about it:
//!
//! - an object that has the same key twice, at any depth and also in fields that are ignored;
//! - an array in place of the object of a struct. Derived readers take its items as the fields, in order.
//!
//! Errors carry the line and column, as those of `serde_json` do. Input is streamed, and the keys of
//! the objects that are open at the moment are all that is kept.
//!
//! Internally tagged enums and flattened structs buffer their input and read the copy without these
//! checks: `deserialize_with = "strict_json::object"` demands an object there.

mod adapter;
mod keys;
#[cfg(test)]
mod tests;

use adapter::Strict;
use keys::Keys;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::cell::RefCell;
use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

/// Reads a value from a text.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    read(serde_json::Deserializer::from_str(text))
}

/// Reads a value from bytes.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> serde_json::Result<T> {
    read(serde_json::Deserializer::from_slice(bytes))
}

/// Reads a value from a reader, which should be buffered.
pub fn from_reader<T: for<'de> Deserialize<'de>>(reader: impl Read) -> serde_json::Result<T> {
    read(serde_json::Deserializer::from_reader(reader))
}

fn read<'de, R: serde_json::de::Read<'de>, T: Deserialize<'de>>(
    mut deserializer: serde_json::Deserializer<R>,
) -> serde_json::Result<T> {
    let keys = RefCell::new(Keys::default());
    let value = T::deserialize(Strict::new(&mut deserializer, &keys))?;
    deserializer.end()?;
    Ok(value)
}

/// Reads a field from an object and from nothing else, for types whose derived reader would also
/// take an array: `#[serde(deserialize_with = "strict_json::object")]`.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(ObjectVisitor(PhantomData))
}

/// As [`object`], for a field that may be null. It needs `default` to be absent.
pub fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let found = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(found.map(|Object(value)| value))
}

/// As [`object`], for a list.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let found = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(found.into_iter().map(|Object(value)| value).collect())
}

/// A value that is read from an object and from nothing else.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Object)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
