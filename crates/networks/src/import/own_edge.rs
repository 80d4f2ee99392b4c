//! A link or channel in Pavane's own files: `[0, 1]`, or a table with more fields. Written by hand
//! instead of as an untagged enum, so that errors point at the wrong entry.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A router, by number or by name.
pub(super) enum End {
    Number(u32),
    Name(String),
}

/// A link or channel, as a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `from` and `to`")]
pub(super) struct OwnEdge {
    pub from: End,
    pub to: End,
    pub latency_ns: Option<f64>,
    pub bandwidth_gbytes: Option<f64>,
    pub link: Option<u32>,
}

/// A link or channel, as a table or a pair.
pub(super) struct ListedEdge(pub OwnEdge);

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EndVisitor)
    }
}

struct EndVisitor;

impl Visitor<'_> for EndVisitor {
    type Value = End;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number or the name of a router")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<End, E> {
        let number = number.try_into();
        number.map(End::Number).map_err(|_| E::custom("this router number is too large"))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<End, E> {
        match number.try_into() {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::custom(format!("{number} is not a router number"))),
        }
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<End, E> {
        Ok(End::Name(name.to_owned()))
    }
}

impl<'de> Deserialize<'de> for ListedEdge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EdgeVisitor)
    }
}

struct EdgeVisitor;

impl<'de> Visitor<'de> for EdgeVisitor {
    type Value = ListedEdge;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two routers, such as [0, 1], or a table with `from` and `to`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ends: A) -> Result<ListedEdge, A::Error> {
        let from = ends.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let to = ends.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        match ends.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::invalid_length(3, &self)),
            None => {
                let (latency_ns, bandwidth_gbytes, link) = (None, None, None);
                Ok(ListedEdge(OwnEdge { from, to, latency_ns, bandwidth_gbytes, link }))
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListedEdge, A::Error> {
        OwnEdge::deserialize(MapAccessDeserializer::new(map)).map(ListedEdge)
    }
}
