//! Direct sends: every rank sends to every other one itself, first to the next rank, then to the one
//! after it, and so on.

use crate::moves::Moves;
use crate::ranks::{Ranks, Shape};

pub(crate) fn moves(ranks: &mut Ranks, slices: u32) -> Option<Moves> {
    let mut moves = Moves::equal(slices);
    let count = ranks.count();
    match ranks.shape {
        Shape::AllGather => {
            for distance in 1..count {
                for rank in 0..count {
                    moves.add(ranks, rank, rank, (rank + distance) % count);
                }
            }
        }
        Shape::Broadcast => {
            for rank in 1..count {
                moves.add(ranks, 0, 0, rank);
            }
        }
        Shape::Personalised => {
            let mut pairs = pairs(ranks)?;
            pairs.sort_by_key(|&(_, from, to)| ((to + count - from) % count, from));
            for (message, from, to) in pairs {
                moves.add(ranks, message, from, to);
            }
        }
    }
    Some(moves)
}

/// The messages with one destination: number, origin and destination.
pub(crate) fn pairs(ranks: &Ranks) -> Option<Vec<(usize, usize, usize)>> {
    let messages = ranks.problem.messages();
    let pair = |message| {
        let from = ranks.rank_of(messages.origin(message))?;
        let to = ranks.rank_of(messages.destinations(message)[0])?;
        Some((message.index(), from, to))
    };
    messages.ids().map(pair).collect()
}
