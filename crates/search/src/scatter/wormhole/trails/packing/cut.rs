//! The best cut of a part of a trail into messages and holes, by dynamic programming.

use super::stock::{DISTANCE, Stock, TAKEN, VALUE};

/// A message on a part of a trail: its channels from `start` to before `end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrailPiece {
    pub start: u32,
    pub end: u32,
}

/// The best values of the beginnings of a trail, and where their last pieces start.
#[derive(Default)]
pub(super) struct Cut {
    best: Vec<u32>,
    start: Vec<u32>,
}

/// The last piece is a hole.
const HOLE: u32 = u32::MAX;

impl Cut {
    /// Cuts a trail, with messages that are free, and those taken that `may_use` allows. Returns the value.
    pub fn best(
        &mut self,
        stock: &Stock<'_>,
        may_use: impl Fn(usize) -> bool,
        trail: &[u32],
        pieces: &mut Vec<TrailPiece>,
    ) -> u32 {
        let Self { best, start } = self;
        let (pairs, entry) = (stock.pairs, &stock.entry);
        let length = trail.len();
        best.clear();
        best.resize(length + 1, 0);
        start.clear();
        start.resize(length + 1, HOLE);
        for from in 0..length {
            let value = best[from];
            if value > best[from + 1] {
                (best[from + 1], start[from + 1]) = (value, HOLE);
            }
            let first = pairs.pair(pairs.tail[trail[from] as usize], 0);
            let row = &entry[first..first + pairs.routers];
            for (at, &channel) in trail.iter().enumerate().skip(from) {
                let found = row[pairs.head[channel as usize] as usize];
                // Parts of shortest paths are shortest paths.
                if (found >> DISTANCE) as usize != at - from + 1 {
                    break;
                }
                let through = value + (found & VALUE);
                let is_better = found & VALUE > 0 && through > best[at + 1];
                let is_free =
                    || found & TAKEN == 0 || may_use(first + pairs.head[channel as usize] as usize);
                if is_better && is_free() {
                    (best[at + 1], start[at + 1]) = (through, from as u32);
                }
            }
        }
        pieces.clear();
        let mut end = length;
        while end > 0 {
            let from = start[end];
            if from == HOLE {
                end -= 1;
            } else {
                pieces.push(TrailPiece { start: from, end: end as u32 });
                end = from as usize;
            }
        }
        best[length]
    }
}
