//! A broadcast or reduction as broadcasts on a graph. A reduction is read backwards.

use crate::network::{ScaleError, Scaled};
use crate::trees::Broadcasts;
use pavane_model::Problem;

/// The forward problem on a graph with integer bandwidths.
pub(crate) struct Forward {
    /// The graph.
    pub scaled: Scaled,
    /// The router of the sender of each message.
    pub senders: Vec<u32>,
    /// The router of each receiver.
    pub receivers: Vec<u32>,
}

impl Forward {
    /// The forward problem of a broadcast or reduction.
    pub fn new(problem: &Problem) -> Result<Self, ScaleError> {
        let forward = problem.forward();
        let messages = forward.messages();
        let senders = messages.ids().map(|message| forward.home(messages.origin(message)).0);
        let receivers = forward.collective().receivers.iter();
        Ok(Self {
            scaled: Scaled::new(forward.network())?,
            senders: senders.collect(),
            receivers: receivers.map(|&receiver| forward.home(receiver).0).collect(),
        })
    }

    /// Whether some router that does not copy has more bandwidth out than in.
    pub fn has_greedy_switch(&self) -> bool {
        let Scaled { graph, copying, .. } = &self.scaled;
        let mut surplus = vec![0_i128; graph.routers as usize];
        for link in &graph.links {
            surplus[link.tail as usize] += i128::from(link.bandwidth);
            surplus[link.head as usize] -= i128::from(link.bandwidth);
        }
        surplus.iter().zip(copying).any(|(&surplus, &copies)| surplus > 0 && !copies)
    }

    /// The broadcasts.
    pub fn broadcasts(&self) -> Broadcasts<'_> {
        Broadcasts {
            graph: &self.scaled.graph,
            copying: &self.scaled.copying,
            senders: &self.senders,
            receivers: &self.receivers,
        }
    }
}
