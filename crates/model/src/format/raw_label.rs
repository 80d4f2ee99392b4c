//! The label of a message in JSON: a list of one or two numbers.

use crate::problem::Label;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

pub(crate) struct RawLabel(pub Label);

impl<'de> Deserialize<'de> for RawLabel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(LabelVisitor)
    }
}

struct LabelVisitor;

impl<'de> Visitor<'de> for LabelVisitor {
    type Value = RawLabel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message: a list of one or two numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<RawLabel, A::Error> {
        let Some(one) = numbers.next_element()? else {
            return Err(A::Error::invalid_length(0, &self));
        };
        let Some(two) = numbers.next_element()? else {
            return Ok(RawLabel(Label::One(one)));
        };
        match numbers.next_element::<u32>()? {
            None => Ok(RawLabel(Label::Two(one, two))),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}
