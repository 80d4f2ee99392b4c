//! Reads a schedule from a model of the formula.

use super::{FALSE, MessageVariables, TdmFormula};
use crate::exact::Literal;
use pavane_model::TdmProblem;
use pavane_model::tdm::Word;

impl TdmFormula {
    /// The period and the words of a model, where `holds` says which literals are true. `None` if it is
    /// not a model.
    pub fn decode(
        &self,
        problem: &TdmProblem,
        holds: impl Fn(Literal) -> bool,
    ) -> Option<(u32, Vec<Word>)> {
        let part = self.parts.iter().find(|part| holds(part.is_chosen))?;
        let mut words = Vec::new();
        for (message, variables) in problem.messages().iter().zip(&part.messages) {
            let is_start = |start: &u32| {
                let literal = variables.starts[*start as usize];
                literal != FALSE && holds(literal)
            };
            let starts = (0..part.period).filter(is_start).take(message.weight as usize);
            for start in starts {
                let path = path(variables, start as usize, &holds)?;
                words.push(Word { from: message.from, to: message.to, start, path });
            }
        }
        Some((part.period, words))
    }
}

/// The route of a word: some hop that is taken after another.
fn path(
    variables: &MessageVariables,
    start: usize,
    holds: &impl Fn(Literal) -> bool,
) -> Option<Vec<pavane_model::ChannelId>> {
    let graph = &variables.graph;
    let mut path = Vec::new();
    let mut last = None;
    while graph.most > 0 && last.is_none_or(|hop: usize| !graph.hops[hop].is_last) {
        let next = graph.after(last).find(|&hop| holds(variables.hops[hop][start]))?;
        path.push(graph.hops[next].channel);
        last = Some(next);
    }
    Some(path)
}
