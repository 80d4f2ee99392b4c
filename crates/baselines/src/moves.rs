//! Moves of slices between ranks, and the sends on channels that they become.

use crate::ranks::Ranks;
use pavane_model::timed::{Chunk, TimedPhase, sends_along};
use pavane_model::{ChannelId, MessageId, Problem};

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
        let sends = sends_along(forward, phase.is_backward(), &chunks, paths);
        TimedPhase { problem: phase.clone(), chunks, sends }
    }
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
