//! Reads a schedule from a model of the formula.

use super::{FALSE, RoundsFormula};
use crate::exact::Literal;
use pavane_model::{MessageId, Problem, RouterId};

/// A message crosses a link in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundCrossing {
    /// The step, from 0.
    pub step: u32,
    /// The message.
    pub message: MessageId,
    /// The router that it leaves.
    pub tail: RouterId,
    /// The router that it reaches.
    pub head: RouterId,
}

impl RoundsFormula {
    /// The crossings that some destination needs, where `holds` says which literals are true in a model.
    /// `problem` is the forward problem. `None` if it is not a model.
    pub fn decode(
        &self,
        problem: &Problem,
        holds: impl Fn(Literal) -> bool,
    ) -> Option<Vec<RoundCrossing>> {
        let mut found = Vec::new();
        for (message, crossings) in problem.messages().ids().zip(&self.messages) {
            let mut entries: Vec<Option<RoundCrossing>> =
                vec![None; problem.network().router_count()];
            for (number, by_step) in crossings.iter().enumerate() {
                let is_taken = |literal: &Literal| *literal != FALSE && holds(*literal);
                if let Some(step) = by_step.iter().position(is_taken) {
                    let link = self.links.link(number);
                    let (tail, head) = (link.tail, link.head);
                    let crossing = RoundCrossing { step: step as u32, message, tail, head };
                    let entry = entries[head.index()].get_or_insert(crossing);
                    if crossing.step < entry.step {
                        *entry = crossing;
                    }
                }
            }
            let origin = problem.home(problem.messages().origin(message));
            let mut is_reached = vec![false; entries.len()];
            is_reached[origin.index()] = true;
            for &destination in problem.messages().destinations(message) {
                let mut router = problem.home(destination);
                while !is_reached[router.index()] {
                    is_reached[router.index()] = true;
                    let crossing = entries[router.index()]?;
                    found.push(crossing);
                    router = crossing.tail;
                }
            }
        }
        Some(found)
    }
}
