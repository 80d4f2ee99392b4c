//! The value of a chunk: a sum of input chunks, each with its multiplicity.

use std::fmt;
use std::rc::Rc;

/// Maximum number of terms shown of a sum.
const SHOWN: usize = 6;

/// A sum of inputs as (rank, chunk, multiplicity), in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value(Rc<[(u32, u32, u32)]>);

impl Value {
    /// A single chunk of an input.
    pub fn input(rank: u32, chunk: u32) -> Self {
        Self(Rc::new([(rank, chunk, 1)]))
    }

    /// The sum of inputs, each once.
    pub fn sum_of(inputs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut terms: Vec<(u32, u32, u32)> =
            inputs.into_iter().map(|(rank, chunk)| (rank, chunk, 1)).collect();
        terms.sort_unstable();
        Self(terms.into())
    }

    /// Its terms as (rank, chunk, multiplicity).
    pub fn terms(&self) -> &[(u32, u32, u32)] {
        &self.0
    }

    /// The sum of two values.
    pub fn plus(&self, other: &Self) -> Self {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut terms = Vec::with_capacity(self.0.len().max(other.0.len()));
        loop {
            let key = |term: Option<&&(u32, u32, u32)>| term.map(|term| (term.0, term.1));
            match (key(one.peek()), key(two.peek())) {
                (None, None) => return Self(terms.into()),
                (Some(a), Some(b)) if a == b => {
                    let count = |term: Option<&(u32, u32, u32)>| term.map_or(0, |term| term.2);
                    terms.push((a.0, a.1, count(one.next()).saturating_add(count(two.next()))));
                }
                (Some(a), b) if b.is_none_or(|b| a < b) => terms.extend(one.next()),
                _ => terms.extend(two.next()),
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let term = |&(rank, chunk, times): &(u32, u32, u32)| match times {
            1 => format!("input {chunk} of rank {rank}"),
            times => format!("{times} times input {chunk} of rank {rank}"),
        };
        let shown: Vec<String> = self.0.iter().take(SHOWN).map(term).collect();
        f.write_str(&shown.join(" + "))?;
        if self.0.len() > SHOWN { write!(f, " + {} more", self.0.len() - SHOWN) } else { Ok(()) }
    }
}
