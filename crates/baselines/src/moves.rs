//! Moves of slices between ranks, and the sends on channels that they become.

use crate::ranks::Ranks;
use pavane_model::timed::{Chunk, Send, TimedPhase};
use pavane_model::{ChannelId, MessageId, Problem, RouterId};
use std::collections::HashSet;

/// A slice of a message goes from one rank to another over a path.
pub(crate) struct Move {
    pub message: u32,
    pub slice: u32,
    pub path: Vec<ChannelId>,
}

/// What an algorithm does in a phase, read forwards.
pub(crate) struct Moves {
    /// The relative sizes of the slices of every message.
    pub weights: Vec<f64>,
    /// In order.
    pub moves: Vec<Move>,
}

impl Moves {
    /// Equal slices and no moves yet.
    pub fn equal(slices: u32) -> Self {
        Self { weights: vec![1.0; slices as usize], moves: Vec::new() }
    }

    /// Adds moves of all slices of a message between two ranks.
    pub fn add(&mut self, ranks: &mut Ranks, message: usize, from: usize, to: usize) {
        for slice in 0..self.weights.len() {
            self.add_slice(ranks, message, slice, from, to);
        }
    }

    /// Adds a move of a slice between two ranks.
    pub fn add_slice(
        &mut self,
        ranks: &mut Ranks,
        message: usize,
        slice: usize,
        from: usize,
        to: usize,
    ) {
        let path = ranks.path(from, to, 1);
        self.moves.push(Move { message: message as u32, slice: slice as u32, path });
    }

    /// The phase with its sends in order; times are not set. `sizes` are the bytes of every message.
    pub fn into_phase(self, phase: &Problem, forward: &Problem, sizes: &[u64]) -> TimedPhase {
        let mut chunks = Vec::new();
        // By message and slice: its chunk, unless it is empty.
        let mut numbers: Vec<Vec<Option<u32>>> = Vec::new();
        for (message, &bytes) in (0..).zip(sizes) {
            let mut of_message = Vec::new();
            for (offset, bytes) in cut(bytes, &self.weights) {
                let number = (bytes > 0).then_some(chunks.len() as u32);
                of_message.push(number);
                if bytes > 0 {
                    chunks.push(Chunk { message: MessageId(message), offset, bytes });
                }
            }
            numbers.push(of_message);
        }
        let paths = self.moves.iter().filter_map(|it| {
            let chunk = numbers[it.message as usize][it.slice as usize]?;
            Some((chunk, &it.path[..]))
        });
        let sends = sends(forward, phase.is_backward(), &chunks, paths);
        TimedPhase { problem: phase.clone(), chunks, sends }
    }
}

/// The sends of chunks along paths, in the direction of time. Paths are in the order of the forward
/// phase. A router that copies gets every chunk once, so a path starts at the last router on it that has
/// the chunk already.
pub(crate) fn sends<'a>(
    forward: &Problem,
    is_backward: bool,
    chunks: &[Chunk],
    paths: impl Iterator<Item = (u32, &'a [ChannelId])>,
) -> Vec<Send> {
    let network = forward.network();
    let copies =
        |router: RouterId| !network.residents(router).is_empty() || network.is_multicast(router);
    let mut held: HashSet<(u32, RouterId)> = HashSet::new();
    for (number, chunk) in (0..).zip(chunks) {
        held.insert((number, forward.home(forward.messages().origin(chunk.message))));
    }
    let mut sends = Vec::new();
    for (chunk, path) in paths {
        let has = |channel: &ChannelId| held.contains(&(chunk, network.channel(*channel).head));
        let first = path.iter().rposition(has).map_or(0, |at| at + 1);
        for &channel in &path[first..] {
            let head = network.channel(channel).head;
            if copies(head) {
                held.insert((chunk, head));
            }
            sends.push(Send { chunk, channel, start: 0 });
        }
    }
    if is_backward {
        sends.reverse();
    }
    sends
}

/// Offsets and bytes of slices with relative sizes, which together are the whole.
pub(crate) fn cut(bytes: u64, weights: &[f64]) -> Vec<(u64, u64)> {
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let mut offset = 0;
    let mut slices = Vec::new();
    for (at, weight) in weights.iter().enumerate() {
        sum += weight;
        let is_last = at + 1 == weights.len();
        let end = if is_last { bytes } else { (bytes as f64 * sum / total).round() as u64 };
        let end = end.clamp(offset, bytes);
        slices.push((offset, end - offset));
        offset = end;
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn slices_are_the_whole() {
        assert_eq!(cut(10, &[1.0, 1.0, 2.0]), [(0, 3), (3, 2), (5, 5)]);
        assert_eq!(cut(1, &[1.0, 1.0]), [(0, 1), (1, 0)]);
        assert_eq!(cut(0, &[1.0]), [(0, 0)]);
    }
}
