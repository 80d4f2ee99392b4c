//! Rings: every rank sends to the next one what it got from the one before. A broadcast along a ring is
//! a chain.

use crate::moves::{Move, Moves};
use crate::ranks::{Ranks, Shape};
use crate::rings::{Ring, rings};

pub(crate) fn moves(ranks: &mut Ranks, slices: u32) -> Option<Moves> {
    let count = ranks.count();
    if count < 2 || ranks.shape == Shape::Personalised {
        return None;
    }
    let rings = rings(ranks);
    let mut moves = Moves { weights: Vec::new(), moves: Vec::new() };
    for ring in &rings {
        moves.weights.extend(std::iter::repeat_n(ring.rate, slices as usize));
    }
    let all = || rings.iter().enumerate();
    let slice = |ring: usize, part: usize| (ring * slices as usize + part) as u32;
    match ranks.shape {
        Shape::AllGather => {
            for step in 0..count - 1 {
                for (number, ring) in all() {
                    for place in 0..count {
                        let message = ring.order[(place + count - step) % count] as u32;
                        for part in 0..slices as usize {
                            let path = ring.paths[place].clone();
                            moves.moves.push(Move { message, slice: slice(number, part), path });
                        }
                    }
                }
            }
        }
        Shape::Broadcast | Shape::Personalised => {
            for turn in 0..slices as usize + count - 2 {
                for (number, ring) in all() {
                    for hop in 0..=turn.min(count - 2) {
                        if turn - hop < slices as usize {
                            let path = chain(ring)[hop].clone();
                            let slice = slice(number, turn - hop);
                            moves.moves.push(Move { message: 0, slice, path });
                        }
                    }
                }
            }
        }
    }
    Some(moves)
}

/// The paths of a ring from rank 0 on.
fn chain(ring: &Ring) -> Vec<&Vec<pavane_model::ChannelId>> {
    let root = ring.order.iter().position(|&rank| rank == 0).unwrap_or(0);
    let count = ring.order.len();
    (0..count).map(|at| &ring.paths[(root + at) % count]).collect()
}
