//! Images of personalised messages under automorphisms: the messages between the images of their
//! ends.

use super::free_group::FreeGroup;
use super::processors::ProcessorOrder;
use crate::budget::{Budget, Interrupt};
use pavane_model::{MessageId, Problem, ProcessorId};

/// The personalised messages of a problem by origin and destination; messages with the same ends
/// are ranked.
#[derive(Debug, Clone)]
pub struct MessageOrder<'a> {
    problem: &'a Problem,
    processors: ProcessorOrder,
    /// Per processor, the index of its first message in `order`.
    starts: Vec<u32>,
    order: Vec<u32>,
    /// Per message, its rank among those with the same ends; empty if all ends differ.
    ranks: Vec<u32>,
}

impl<'a> MessageOrder<'a> {
    /// Requires a problem with personalised messages only.
    pub fn new(problem: &'a Problem) -> Self {
        let messages = problem.messages();
        let ends = |m: u32| {
            let message = MessageId(m);
            (messages.origin(message), messages.destinations(message)[0])
        };
        let mut order: Vec<u32> = (0..messages.len() as u32).collect();
        if !order.is_sorted_by_key(|&message| ends(message)) {
            order.sort_by_key(|&message| ends(message));
        }
        let mut starts = vec![0; problem.network().processor_count() + 1];
        for message in messages.ids() {
            starts[messages.origin(message).index() + 1] += 1;
        }
        for processor in 1..starts.len() {
            starts[processor] += starts[processor - 1];
        }
        let mut ranks = Vec::new();
        for pair in 1..order.len() {
            if ends(order[pair]) == ends(order[pair - 1]) {
                ranks.resize(order.len(), 0);
                ranks[order[pair] as usize] = ranks[order[pair - 1] as usize] + 1;
            }
        }
        Self { problem, processors: ProcessorOrder::new(problem), starts, order, ranks }
    }

    /// The image of a living processor under a member of a group.
    pub fn processor_image(&self, group: &FreeGroup, member: u32, of: ProcessorId) -> ProcessorId {
        self.processors.image(group, member, of)
    }

    /// The image of a message under a member of a group; `None` if there is no such message.
    pub fn image(&self, group: &FreeGroup, member: u32, message: MessageId) -> Option<MessageId> {
        let messages = self.problem.messages();
        let from = self.processor_image(group, member, messages.origin(message));
        let to = self.processor_image(group, member, messages.destinations(message)[0]);
        let rank = self.ranks.get(message.index()).copied().unwrap_or(0);
        self.find(from, to, rank)
    }

    /// The subgroup whose members map messages to messages; the trivial group on interrupt.
    pub fn keepers(&self, group: FreeGroup, interrupt: &Interrupt) -> FreeGroup {
        let mut pace = Budget::unlimited(interrupt);
        let mut is_keeper = |member: u32| {
            let mut all = self.problem.messages().ids();
            all.all(|message| pace.spend(1) && self.image(&group, member, message).is_some())
        };
        if self.is_complete() || group.generators().iter().all(|&member| is_keeper(member)) {
            return group;
        }
        let kept: Vec<u32> = (0..group.order() as u32).filter(|&m| is_keeper(m)).collect();
        if pace.is_over() { group.restricted_to(&[]) } else { group.restricted_to(&kept) }
    }

    /// Whether the collective is all-to-all, which every automorphism preserves.
    fn is_complete(&self) -> bool {
        let processors = self.problem.network().living_processors().count();
        self.ranks.is_empty() && self.order.len() == processors * (processors - 1)
    }

    fn find(&self, from: ProcessorId, to: ProcessorId, rank: u32) -> Option<MessageId> {
        let to_of = |message: u32| self.problem.messages().destinations(MessageId(message))[0];
        let start = self.starts[from.index()] as usize;
        let own = &self.order[start..self.starts[from.index() + 1] as usize];
        // In an all-to-all, the index of the message is known.
        let guess = to.index() - usize::from(to > from);
        let is_guess = own.get(guess).is_some_and(|&message| to_of(message) == to);
        let first = if is_guess && self.ranks.is_empty() {
            guess
        } else {
            own.partition_point(|&message| to_of(message) < to)
        };
        let found = *own.get(first + rank as usize)?;
        (to_of(found) == to).then_some(MessageId(found))
    }
}
