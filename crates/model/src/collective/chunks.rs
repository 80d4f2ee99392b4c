//! Collectives whose messages are cut into equal chunks. A chunk is scheduled like a message: the
//! chunks of a collective form a list of messages, all chunks of one message in a row.

use super::{Collective, Kind, ListedMessage};
use serde::{Deserialize, Serialize};

/// How the listed messages of a collective are chunks of larger messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "chunks"))]
#[serde(expecting = "chunks: an object with count and of")]
pub struct Chunks {
    /// Number of chunks of each message; at least 2.
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub count: u32,
    /// The kind of the collective before its messages were cut.
    pub of: Kind,
}

impl Collective {
    /// The collective with every message cut into `count` chunks; unchanged if `count` is 1 or less.
    /// It must not be in chunks already.
    ///
    /// The chunks of a reduce are listed as those of the broadcast that it is when read backwards.
    pub fn in_chunks(&self, count: u32) -> Self {
        if count <= 1 {
            return self.clone();
        }
        let forward = match self.kind {
            Kind::Reduce => self.turned_round(),
            // A gather is a list of messages from its contributors to its roots.
            Kind::Gather => Self { kind: Kind::Scatter, ..self.clone() },
            _ => self.clone(),
        };
        let messages = forward.messages();
        let list = messages.ids().flat_map(|message| {
            let (from, to) = (messages.origin(message), messages.destinations(message).to_vec());
            std::iter::repeat_n(ListedMessage { from, to }, count as usize)
        });
        Self {
            kind: Kind::Messages,
            list: list.collect(),
            chunks: Some(Chunks { count, of: self.kind }),
            ..self.clone()
        }
    }

    /// The number of chunks of each message; 1 if messages are whole.
    pub fn chunk_count(&self) -> u32 {
        self.chunks.map_or(1, |chunks| chunks.count)
    }

    /// The kind of the collective before its messages were cut.
    pub fn whole_kind(&self) -> Kind {
        self.chunks.map_or(self.kind, |chunks| chunks.of)
    }

    /// The collective before its messages were cut.
    pub fn whole(&self) -> Self {
        let Some(Chunks { count, of }) = self.chunks else { return self.clone() };
        let list = if of == Kind::Messages {
            self.list.iter().step_by(count.max(1) as usize).cloned().collect()
        } else {
            Vec::new()
        };
        Self { kind: of, list, chunks: None, ..self.clone() }
    }

    /// Whether the listed messages are the chunks that the collective claims to have. Every
    /// collective read from a file is checked with this.
    pub(crate) fn has_right_chunks(&self) -> bool {
        let Some(Chunks { count, .. }) = self.chunks else { return true };
        let whole = self.whole();
        let expected = whole.size().messages.checked_mul(u64::from(count));
        count > 1 && expected == Some(self.list.len() as u64) && whole.in_chunks(count) == *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ProcessorId;

    fn group(processors: &[u32]) -> Vec<ProcessorId> {
        processors.iter().copied().map(ProcessorId).collect()
    }

    #[test]
    fn chunks_are_listed_in_a_row_and_put_together_again() {
        let (two, three) = (group(&[0, 1]), group(&[0, 1, 2]));
        let between = |kind| Collective::between(kind, "x", two.clone(), three.clone());
        let list = vec![ListedMessage { from: ProcessorId(2), to: group(&[0]) }];
        for (whole, is_backward, messages) in [
            (between(Kind::Broadcast), false, 2),
            (between(Kind::Scatter), false, 4),
            (between(Kind::Gather), false, 4),
            (between(Kind::Reduce), true, 3),
            (Collective::listed("x", list), false, 1),
        ] {
            let cut = whole.in_chunks(3);
            assert_eq!(cut.list.len(), 3 * messages, "{whole:?}");
            assert_eq!(cut.size().messages, 3 * messages as u64);
            assert_eq!(cut.size().deliveries, 3 * whole.size().deliveries, "{whole:?}");
            assert!(cut.list.chunks(3).all(|run| run.iter().all(|chunk| *chunk == run[0])));
            assert_eq!(cut.is_backward(), is_backward);
            assert_eq!((cut.chunk_count(), cut.whole_kind()), (3, whole.kind));
            assert_eq!(cut.whole(), whole);
            assert!(cut.has_right_chunks());
            assert_eq!(whole.in_chunks(1), whole);
        }
    }

    #[test]
    fn a_reduce_in_chunks_is_a_broadcast_read_backwards() {
        let reduce = Collective::between(Kind::Reduce, "x", group(&[0, 1, 2]), group(&[0]));
        let turned = reduce.in_chunks(2).turned_round();
        assert_eq!(turned, reduce.turned_round().in_chunks(2));
        assert_eq!(turned.turned_round(), reduce.in_chunks(2));
    }

    #[test]
    fn other_lists_are_not_the_chunks() {
        let whole = Collective::between(Kind::Broadcast, "x", group(&[0, 1]), group(&[0, 1]));
        let cut = whole.in_chunks(2);
        let mut fewer = cut.clone();
        fewer.list.pop();
        let mut other = cut.clone();
        other.list[1].from = ProcessorId(1);
        let counted = |count| Collective {
            chunks: Some(Chunks { count, of: Kind::Broadcast }),
            ..cut.clone()
        };
        for wrong in [fewer, other, counted(0), counted(1), counted(u32::MAX)] {
            assert!(!wrong.has_right_chunks(), "{wrong:?}");
        }
    }
}
