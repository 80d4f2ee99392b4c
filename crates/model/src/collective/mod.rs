//! Collectives: which processors have which messages, and which want them. Steps, channels and
//! search are not part of a collective.

mod build;
mod chunks;
pub mod group;
pub mod message_file;
mod permutation;
#[cfg(test)]
mod tests;

pub use build::{
    CollectiveError, build, has_any_root, has_groups, has_root, is_all_reduce, is_called_rightly,
    is_name, names, todays_name,
};
pub use chunks::Chunks;
pub use group::{GroupError, Groups};

use crate::ids::{MessageId, ProcessorId};
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// The kinds of collective in a schedule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One message per sender, to every receiver but itself.
    Broadcast,
    /// One personalised message per (sender, receiver) pair of different processors.
    Scatter,
    /// A scatter run backwards in time: the senders are the contributors.
    Gather,
    /// A broadcast run backwards in time: the senders are the contributors.
    Reduce,
    /// An explicit list of messages.
    Messages,
}

/// One message of an explicit list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "a message: an object with from and to")]
pub struct ListedMessage {
    /// Its origin.
    pub from: ProcessorId,
    /// Its destinations.
    pub to: Vec<ProcessorId>,
}

/// A collective communication between processors of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// Its kind.
    pub kind: Kind,
    /// The name by which it was requested.
    pub name: String,
    /// The processors that send; for gather and reduce, the contributors.
    pub senders: Vec<ProcessorId>,
    /// The processors that receive; for gather and reduce, the roots.
    pub receivers: Vec<ProcessorId>,
    /// The messages of [`Kind::Messages`]; empty for the other kinds.
    pub list: Vec<ListedMessage>,
    /// Set if the listed messages are chunks of larger ones; then the groups are those of the whole
    /// collective.
    pub chunks: Option<Chunks>,
}

impl Collective {
    /// A collective between two groups.
    pub fn between(
        kind: Kind,
        name: &str,
        senders: Vec<ProcessorId>,
        receivers: Vec<ProcessorId>,
    ) -> Self {
        Self { kind, name: name.to_owned(), senders, receivers, list: Vec::new(), chunks: None }
    }

    /// An explicit list of messages.
    pub fn listed(name: &str, list: Vec<ListedMessage>) -> Self {
        let (senders, receivers) = (Vec::new(), Vec::new());
        Self { kind: Kind::Messages, name: name.to_owned(), senders, receivers, list, chunks: None }
    }

    /// Whether it runs backwards in time: a gather, or a reduce in chunks or not.
    pub fn is_backward(&self) -> bool {
        matches!(self.kind, Kind::Gather | Kind::Reduce) || self.whole_kind() == Kind::Reduce
    }

    /// The collective read backwards in time: a gather becomes a scatter, a reduce a broadcast, and
    /// vice versa. A list of messages is returned unchanged, unless it has the chunks of a reduce or
    /// broadcast.
    pub fn turned_round(&self) -> Self {
        let turned = |kind| match kind {
            Kind::Gather => Kind::Scatter,
            Kind::Scatter => Kind::Gather,
            Kind::Reduce => Kind::Broadcast,
            Kind::Broadcast => Kind::Reduce,
            Kind::Messages => Kind::Messages,
        };
        let chunks = match self.chunks {
            Some(Chunks { count, of: of @ (Kind::Reduce | Kind::Broadcast) }) => {
                Some(Chunks { count, of: turned(of) })
            }
            _ if self.kind == Kind::Messages => return self.clone(),
            chunks => chunks,
        };
        let (senders, receivers) = (self.receivers.clone(), self.senders.clone());
        Self { kind: turned(self.kind), senders, receivers, chunks, ..self.clone() }
    }

    /// The collective without the processors that a network has lost. They leave the groups and the
    /// destinations of listed messages.
    pub fn left_in(&self, network: &Network) -> Self {
        if self.chunks.is_some() {
            return self.whole().left_in(network).in_chunks(self.chunk_count());
        }
        let living = |group: &[ProcessorId]| -> Vec<ProcessorId> {
            group.iter().copied().filter(|&p| network.home(p).is_some()).collect()
        };
        let mut left =
            Self::between(self.kind, &self.name, living(&self.senders), living(&self.receivers));
        let senders = self.list.iter().filter(|message| network.home(message.from).is_some());
        let messages = senders.map(|m| ListedMessage { from: m.from, to: living(&m.to) });
        left.list = messages.filter(|message| !message.to.is_empty()).collect();
        left
    }

    /// The number of messages and deliveries, computed without listing them.
    pub fn size(&self) -> Size {
        if self.kind == Kind::Messages {
            let deliveries = self.list.iter().map(|message| message.to.len() as u64).sum();
            return Size { messages: self.list.len() as u64, deliveries };
        }
        let mut receivers = self.receivers.clone();
        receivers.sort_unstable();
        let shared = self.senders.iter().filter(|p| receivers.binary_search(p).is_ok()).count();
        let pairs = self.senders.len() as u64 * self.receivers.len() as u64 - shared as u64;
        match self.kind {
            Kind::Scatter | Kind::Gather => Size { messages: pairs, deliveries: pairs },
            Kind::Broadcast => Size { messages: self.senders.len() as u64, deliveries: pairs },
            _ => Size { messages: self.receivers.len() as u64, deliveries: pairs },
        }
    }

    /// The messages of a collective that runs forwards (broadcast, scatter or a list), in order. A
    /// broadcast numbers them by sender, a scatter by sender and then by receiver.
    pub(crate) fn messages(&self) -> Messages {
        let mut messages = Messages::default();
        match self.kind {
            Kind::Broadcast | Kind::Reduce => {
                // A sender that is also the only receiver has nothing to send.
                let only = if let [only] = self.receivers[..] { Some(only) } else { None };
                for &origin in self.senders.iter().filter(|&&origin| Some(origin) != only) {
                    messages.push(origin, self.receivers.iter().copied().filter(|&p| p != origin));
                }
            }
            Kind::Scatter | Kind::Gather => {
                for &origin in &self.senders {
                    for &to in self.receivers.iter().filter(|&&p| p != origin) {
                        messages.push(origin, [to]);
                    }
                }
            }
            Kind::Messages => {
                for message in &self.list {
                    messages.push(message.from, message.to.iter().copied());
                }
            }
        }
        messages
    }
}

/// The size of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The number of messages.
    pub messages: u64,
    /// The number of (message, destination) pairs.
    pub deliveries: u64,
}

/// Messages with their origins and destinations, stored in flat arrays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    origins: Vec<ProcessorId>,
    ends: Vec<u32>,
    destinations: Vec<ProcessorId>,
}

impl Messages {
    fn push(&mut self, origin: ProcessorId, to: impl IntoIterator<Item = ProcessorId>) {
        self.origins.push(origin);
        self.destinations.extend(to);
        self.ends.push(self.destinations.len() as u32);
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// All messages, in their order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = MessageId> + Clone + use<> {
        (0..self.origins.len() as u32).map(MessageId)
    }

    /// The processor that holds the message at the start.
    pub fn origin(&self, message: MessageId) -> ProcessorId {
        self.origins[message.index()]
    }

    /// The processors that want the message.
    pub fn destinations(&self, message: MessageId) -> &[ProcessorId] {
        let start = match message.index() {
            0 => 0,
            index => self.ends[index - 1] as usize,
        };
        &self.destinations[start..self.ends[message.index()] as usize]
    }

    /// Whether the message has exactly one destination, to which it is sent directly.
    pub fn is_personalised(&self, message: MessageId) -> bool {
        self.destinations(message).len() == 1
    }

    /// The number of (message, destination) pairs.
    pub fn delivery_count(&self) -> usize {
        self.destinations.len()
    }
}
