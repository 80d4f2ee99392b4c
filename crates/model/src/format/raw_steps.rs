//! The steps of a schedule file, read as a stream without keeping text or a tree of JSON values.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::ops::Range;

/// The steps of a file with unresolved labels, in flat arrays.
#[derive(Default)]
pub(super) struct RawSteps {
    pub step_ends: Vec<u32>,
    pub heads: Vec<RawHead>,
    pub path_ends: Vec<u32>,
    pub paths: Vec<u32>,
}

impl RawSteps {
    /// Copies a range of steps.
    pub fn part(&self, range: Range<usize>) -> Self {
        if range.is_empty() {
            return Self::default();
        }
        let start = |ends: &[u32], at: usize| if at == 0 { 0 } else { ends[at - 1] };
        let heads = start(&self.step_ends, range.start)..start(&self.step_ends, range.end);
        let paths = start(&self.path_ends, heads.start as usize)
            ..start(&self.path_ends, heads.end as usize);
        let taken = |ends: &[u32], less: u32| ends.iter().map(|end| end - less).collect();
        let heads_range = heads.start as usize..heads.end as usize;
        Self {
            step_ends: taken(&self.step_ends[range], heads.start),
            heads: self.heads[heads_range.clone()].to_vec(),
            path_ends: taken(&self.path_ends[heads_range], paths.start),
            paths: self.paths[paths.start as usize..paths.end as usize].to_vec(),
        }
    }
}

/// A transfer without its path. If the label is a single number, the second entry is `u32::MAX`.
#[derive(Clone)]
pub(super) struct RawHead {
    pub label: [u32; 2],
    pub from: u32,
    pub to: u32,
}

impl<'de> Deserialize<'de> for RawSteps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut steps = Self::default();
        deserializer.deserialize_seq(StepsVisitor(&mut steps))?;
        Ok(steps)
    }
}

struct StepsVisitor<'a>(&'a mut RawSteps);

impl<'de> Visitor<'de> for StepsVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut steps: A) -> Result<(), A::Error> {
        while steps.next_element_seed(StepSeed(self.0))?.is_some() {
            self.0.step_ends.push(self.0.heads.len() as u32);
        }
        Ok(())
    }
}

struct StepSeed<'a>(&'a mut RawSteps);

impl<'de> DeserializeSeed<'de> for StepSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for StepSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a step: a list of transfers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut transfers: A) -> Result<(), A::Error> {
        while transfers.next_element_seed(TransferSeed(self.0))?.is_some() {}
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum TransferField {
    Message,
    From,
    To,
    Path,
    #[serde(other)]
    Other,
}

struct TransferSeed<'a>(&'a mut RawSteps);

impl<'de> DeserializeSeed<'de> for TransferSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TransferSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transfer: message, from, to and path")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut label, mut from, mut to, mut has_path) = (None, None, None, false);
        while let Some(field) = map.next_key()? {
            match field {
                TransferField::Message => label = Some(map.next_value::<StepLabel>()?.0),
                TransferField::From => from = Some(map.next_value()?),
                TransferField::To => to = Some(map.next_value()?),
                TransferField::Path if has_path => return Err(A::Error::duplicate_field("path")),
                TransferField::Path => {
                    map.next_value_seed(PathSeed(&mut self.0.paths))?;
                    has_path = true;
                }
                TransferField::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !has_path {
            return Err(A::Error::missing_field("path"));
        }
        let label = label.ok_or_else(|| A::Error::missing_field("message"))?;
        let from = from.ok_or_else(|| A::Error::missing_field("from"))?;
        let to = to.ok_or_else(|| A::Error::missing_field("to"))?;
        if self.0.paths.len().max(self.0.heads.len() + 1) > u32::MAX as usize {
            return Err(A::Error::custom(format!(
                "more than {} transfers or channel uses, the maximum",
                u32::MAX
            )));
        }
        self.0.heads.push(RawHead { label, from, to });
        self.0.path_ends.push(self.0.paths.len() as u32);
        Ok(())
    }
}

struct StepLabel([u32; 2]);

impl<'de> Deserialize<'de> for StepLabel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StepLabelVisitor)
    }
}

struct StepLabelVisitor;

impl<'de> Visitor<'de> for StepLabelVisitor {
    type Value = StepLabel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message label of one or two numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<StepLabel, A::Error> {
        let first = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let second = numbers.next_element()?;
        if second == Some(u32::MAX) {
            return Err(A::Error::custom(format!(
                "a message label must be less than {}",
                u32::MAX
            )));
        }
        let second = second.unwrap_or(u32::MAX);
        match numbers.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::invalid_length(3, &self)),
            None => Ok(StepLabel([first, second])),
        }
    }
}

struct PathSeed<'a>(&'a mut Vec<u32>);

impl<'de> DeserializeSeed<'de> for PathSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for PathSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path: a list of channel numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut channels: A) -> Result<(), A::Error> {
        while let Some(channel) = channels.next_element()? {
            self.0.push(channel);
        }
        Ok(())
    }
}
