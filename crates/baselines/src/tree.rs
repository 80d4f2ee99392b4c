//! Two binary trees as in NCCL: the leaves of one are inner nodes of the other, and each carries half of
//! the message, in slices that follow each other.

use crate::moves::Moves;
use crate::ranks::{Ranks, Shape};

pub(crate) fn moves(ranks: &mut Ranks, slices: u32) -> Option<Moves> {
    let count = ranks.count();
    if ranks.shape != Shape::Broadcast || count < 2 {
        return None;
    }
    let mut moves = Moves::equal(2 * slices);
    // (turn, slice, parent, child)
    let mut turns: Vec<(usize, usize, usize, usize)> = Vec::new();
    for child in 1..count {
        let (parent, depth) = (parent(child, count), depth(child, count));
        for slice in 0..slices as usize {
            turns.push((slice + depth, 2 * slice, parent, child));
            let mirrored = |rank: usize| if rank == 0 { 0 } else { count - rank };
            turns.push((slice + depth, 2 * slice + 1, mirrored(parent), mirrored(child)));
        }
    }
    turns.sort_unstable();
    for (_, slice, parent, child) in turns {
        moves.add_slice(ranks, 0, slice, parent, child);
    }
    Some(moves)
}

/// The parent of a rank other than 0 in a binary tree whose root has one child.
fn parent(rank: usize, count: usize) -> usize {
    let lowest = rank & rank.wrapping_neg();
    let up = (rank ^ lowest) | (lowest << 1);
    if up < count { up } else { rank ^ lowest }
}

fn depth(mut rank: usize, count: usize) -> usize {
    let mut depth = 0;
    while rank != 0 {
        rank = parent(rank, count);
        depth += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::{depth, parent};

    #[test]
    fn parents_form_a_shallow_tree() {
        for count in 2usize..70 {
            let children = |of: usize| (1..count).filter(|&it| parent(it, count) == of).count();
            assert_eq!(children(0), 1, "{count}");
            assert!((1..count).all(|rank| children(rank) <= 2), "{count}");
            let deepest = (1..count).map(|rank| depth(rank, count)).max();
            assert!(deepest.is_some_and(|it| it <= count.ilog2() as usize + 1), "{count}");
        }
    }
}
