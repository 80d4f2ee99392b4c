//! Strict JSON, the only JSON reader of this project. Two things that `serde_json` accepts are
//! errors here, because different readers of the same file could disagree about them:
//!
//! - a duplicate key in an object, at any depth and also in ignored fields;
//! - an array in place of the object of a struct. Derived readers take its items as the fields, in
//!   order.
//!
//! Errors carry the line and column, like those of `serde_json`. Input is streamed; only the keys
//! of the currently open objects are kept.
//!
//! Internally tagged enums and flattened structs buffer their input and read the copy without these
//! checks. There, `deserialize_with = "strict_json::object"` requires an object.

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
use std::io::{BufReader, Read};
use std::marker::PhantomData;

/// Buffer size of a reader.
const BLOCK: usize = 1 << 16;

/// Reads a value from text.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    // As bytes, so that a type has one reader to compile instead of two.
    from_slice(text.as_bytes())
}

/// Reads a value from bytes.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> serde_json::Result<T> {
    read(serde_json::Deserializer::from_slice(bytes))
}

/// Reads a value from a reader, and buffers it: the parser reads one byte at a time.
pub fn from_reader<T: for<'de> Deserialize<'de>>(reader: &mut dyn Read) -> serde_json::Result<T> {
    let reader = BufReader::with_capacity(BLOCK, reader);
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

/// Reads a field that must be an object, for types whose derived reader would also accept an array:
/// `#[serde(deserialize_with = "strict_json::object")]`.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(ObjectVisitor(PhantomData))
}

/// As [`object`], for a field that may be null. If the field may also be missing, it needs
/// `default`.
pub fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let found = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(found.map(|Object(value)| value))
}

/// As [`object`], for a list of objects.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let found = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(found.into_iter().map(|Object(value)| value).collect())
}

/// A value that must be read from an object.
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
