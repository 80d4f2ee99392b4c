//! Recursive doubling: in step j a rank exchanges all it has with the rank that differs in bit j. A
//! broadcast this way is a binomial tree; a reduction read backwards is recursive halving.

use crate::bruck::distances;
use crate::moves::Moves;
use crate::ranks::{Ranks, Shape};

pub(crate) fn moves(ranks: &mut Ranks, slices: u32) -> Option<Moves> {
    let mut moves = Moves::equal(slices);
    let count = ranks.count();
    match ranks.shape {
        Shape::AllGather if count.is_power_of_two() => {
            for distance in distances(count) {
                for rank in 0..count {
                    let first = rank / distance * distance;
                    for message in first..first + distance {
                        moves.add(ranks, message, rank, rank ^ distance);
                    }
                }
            }
        }
        Shape::Broadcast => {
            for distance in distances(count) {
                for rank in 0..distance.min(count - distance) {
                    moves.add(ranks, 0, rank, rank + distance);
                }
            }
        }
        Shape::AllGather | Shape::Personalised => return None,
    }
    Some(moves)
}
