//! The messages of an all-to-all between routers with one processor each.

use pavane_model::{MessageId, Problem, RouterId};

/// The message from every router to every other one.
pub(super) struct Pairs {
    /// By origin and destination, in one list.
    messages: Vec<Option<MessageId>>,
    routers: usize,
}

impl Pairs {
    /// `None` unless all messages have one destination each, and no two messages the same routers.
    pub fn new(problem: &Problem) -> Option<Self> {
        let (routers, messages) = (problem.network().router_count(), problem.messages());
        let mut table = vec![None; routers * routers];
        for message in messages.ids() {
            let [to] = messages.destinations(message) else { return None };
            let [from, to] = [messages.origin(message), *to].map(|p| problem.home(p).index());
            if from == to || table[from * routers + to].replace(message).is_some() {
                return None;
            }
        }
        Some(Self { messages: table, routers })
    }

    /// The message from one router to another.
    pub fn message(&self, from: RouterId, to: RouterId) -> Option<MessageId> {
        self.messages[from.index() * self.routers + to.index()]
    }
}
