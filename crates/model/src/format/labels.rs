//! Looks up messages by their labels in a schedule file.

use crate::collective::Kind;
use crate::ids::MessageId;
use crate::problem::{Label, Problem};

const NOWHERE: u32 = u32::MAX;

/// Maps labels to messages for one problem.
pub(crate) struct LabelIndex {
    kind: Kind,
    messages: u32,
    /// For each processor, the first message of which it is the origin.
    first_message: Vec<u32>,
    /// For each processor, its position in the group of destinations.
    place: Vec<u32>,
}

impl LabelIndex {
    pub fn new(problem: &Problem) -> Self {
        let processors = problem.network().processor_count();
        let mut first_message = vec![NOWHERE; processors];
        for message in problem.messages().ids().rev() {
            first_message[problem.messages().origin(message).index()] = message.0;
        }
        let collective = problem.collective();
        let group =
            if collective.is_backward() { &collective.senders } else { &collective.receivers };
        let mut place = vec![NOWHERE; processors];
        for (at, processor) in group.iter().enumerate() {
            place[processor.index()] = at as u32;
        }
        let messages = problem.messages().len() as u32;
        Self { kind: collective.kind, messages, first_message, place }
    }

    /// The message with this label.
    pub fn find(&self, label: Label) -> Option<MessageId> {
        let known = |number: &u32| *number != NOWHERE;
        match (self.kind, label) {
            (Kind::Messages, Label::One(index)) => {
                (index < self.messages).then_some(MessageId(index))
            }
            (Kind::Broadcast | Kind::Reduce, Label::One(origin)) => {
                let first = self.first_message.get(origin as usize).copied();
                first.filter(known).map(MessageId)
            }
            (Kind::Scatter, Label::Two(origin, to)) => self.find_pair(origin, to),
            (Kind::Gather, Label::Two(to, origin)) => self.find_pair(origin, to),
            _ => None,
        }
    }

    fn find_pair(&self, origin: u32, to: u32) -> Option<MessageId> {
        let known = |number: &u32| *number != NOWHERE;
        if origin == to {
            return None;
        }
        let first = self.first_message.get(origin as usize).copied().filter(known)?;
        let place = self.place.get(to as usize).copied().filter(known)?;
        // An origin that is itself in the group has no message to itself, so later positions shift
        // by one.
        let own = self.place[origin as usize];
        Some(MessageId(first + place - u32::from(known(&own) && own < place)))
    }
}
