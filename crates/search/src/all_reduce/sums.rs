//! The sums of an all-reduce, with the numbers of their messages in both phases.

use pavane_model::{MessageId, Problem, ProcessorId};

/// The sums in the order of the broadcast.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    roots: Vec<ProcessorId>,
    /// By phase and message, the number of the sum.
    of_message: [Vec<usize>; 2],
    /// By phase and sum, the message.
    messages: [Vec<MessageId>; 2],
}

impl Sums {
    /// Chunk c of a sum in the reduce is chunk c of it in the broadcast. `None` if the phases have different
    /// sums.
    pub fn new(reduce: &Problem, broadcast: &Problem) -> Option<Self> {
        let of = |problem: &Problem| {
            let messages = problem.messages();
            let mut counts = vec![0u32; problem.network().processor_count()];
            let mut sums: Vec<(ProcessorId, u32, MessageId)> = Vec::new();
            for message in messages.ids() {
                let root = messages.origin(message);
                sums.push((root, counts[root.index()], message));
                counts[root.index()] += 1;
            }
            sums.sort_unstable();
            sums
        };
        let (before, after) = (of(reduce), of(broadcast));
        let is_same = before.len() == after.len()
            && before.iter().zip(&after).all(|(one, other)| (one.0, one.1) == (other.0, other.1));
        if !is_same {
            return None;
        }
        let roots = after.iter().map(|sum| sum.0).collect();
        let messages = [before, after].map(|sums| sums.iter().map(|sum| sum.2).collect::<Vec<_>>());
        let mut of_message = [vec![0; messages[0].len()], vec![0; messages[1].len()]];
        for (phase, messages) in messages.iter().enumerate() {
            for (sum, message) in messages.iter().enumerate() {
                of_message[phase][message.index()] = sum;
            }
        }
        Some(Self { roots, of_message, messages })
    }

    pub fn count(&self) -> usize {
        self.roots.len()
    }

    pub fn root(&self, sum: usize) -> ProcessorId {
        self.roots[sum]
    }

    pub fn of(&self, phase: usize, message: MessageId) -> usize {
        self.of_message[phase][message.index()]
    }

    pub fn message(&self, phase: usize, sum: usize) -> MessageId {
        self.messages[phase][sum]
    }

    /// The sums of each processor, in order; `None` if some processor has more of them than another.
    pub fn by_root(&self, problem: &Problem) -> Option<Vec<Vec<usize>>> {
        let network = problem.network();
        let mut by_root = vec![Vec::new(); network.processor_count()];
        for (sum, root) in self.roots.iter().enumerate() {
            by_root[root.index()].push(sum);
        }
        let each = self.count() / network.living_processors().count().max(1);
        network.living_processors().all(|p| by_root[p.index()].len() == each).then_some(by_root)
    }
}
