//! Bounded lists of routers, channels or processors in files. No network has more than [`LARGEST`]
//! of them, so a longer list is refused while it is being read.

use crate::network::LARGEST;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads a list of at most [`LARGEST`] entries.
pub(crate) fn bounded<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Bounded::deserialize(deserializer)?.0)
}

/// As [`bounded`], where the list may be missing or `null`.
pub(crate) fn optional<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Bounded<T>>::deserialize(deserializer)?.map(|list| list.0))
}

struct Bounded<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Entries { most: LARGEST as usize, entry: PhantomData })
    }
}

struct Entries<T> {
    most: usize,
    entry: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Bounded<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Bounded<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element()? {
            if list.len() == self.most {
                return Err(A::Error::custom(format!(
                    "a list of more than {} entries, the maximum",
                    self.most
                )));
            }
            list.push(entry);
        }
        Ok(Bounded(list))
    }
}

#[cfg(test)]
mod tests {
    use super::{Deserializer, Entries, PhantomData, optional};

    #[test]
    fn a_longer_list_is_refused_while_it_is_read() {
        let read = |text: &str| {
            let mut json = serde_json::Deserializer::from_str(text);
            let list = json.deserialize_seq(Entries::<u32> { most: 2, entry: PhantomData });
            list.map(|list| list.0).map_err(|error| error.to_string())
        };
        assert_eq!(read("[7, 8]"), Ok(vec![7, 8]));
        // Nothing after the third entry is read.
        let error = read("[7, 8, 9, \"and so on").unwrap_err();
        assert!(error.starts_with("a list of more than 2 entries"), "{error}");
    }

    #[test]
    fn null_is_no_list() {
        let read = |text: &str| optional::<_, u32>(&mut serde_json::Deserializer::from_str(text));
        assert_eq!(read("null").unwrap(), None);
        assert_eq!(read("[1]").unwrap(), Some(vec![1]));
        assert!(read("7").is_err());
    }
}
