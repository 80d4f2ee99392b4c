//! Bruck's algorithm (Bruck et al., "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", 1997): a logarithmic number of steps for any number of ranks.

use crate::direct::pairs;
use crate::moves::Moves;
use crate::ranks::{Ranks, Shape};

pub(crate) fn moves(ranks: &mut Ranks, slices: u32) -> Option<Moves> {
    let mut moves = Moves::equal(slices);
    let count = ranks.count();
    match ranks.shape {
        // In the step of distance d, rank r gets the next messages from rank r + d.
        Shape::AllGather => {
            for distance in distances(count) {
                for rank in 0..count {
                    let from = (rank + distance) % count;
                    for next in 0..distance.min(count - distance) {
                        moves.add(ranks, (from + next) % count, from, rank);
                    }
                }
            }
        }
        Shape::Broadcast => return None,
        // A message moves by every power of two in the distance to its destination.
        Shape::Personalised => {
            let pairs = pairs(ranks)?;
            for distance in distances(count) {
                for &(message, origin, to) in &pairs {
                    let way = (to + count - origin) % count;
                    if way & distance != 0 {
                        let from = (origin + way % distance) % count;
                        moves.add(ranks, message, from, (from + distance) % count);
                    }
                }
            }
        }
    }
    Some(moves)
}

/// The powers of two below a number.
pub(crate) fn distances(count: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS).map(|bit| 1 << bit).take_while(move |&distance| distance < count)
}
