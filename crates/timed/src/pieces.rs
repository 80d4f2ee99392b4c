//! Pieces: byte ranges of messages with the tree or path that each takes.

use crate::case::PhaseCase;
use pavane_model::throughput::PlanPhase;
use pavane_model::timed::{Chunk, Send};
use pavane_model::{ChannelId, MessageId};

/// A chunk with its route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The message.
    pub message: MessageId,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes, at least 1.
    pub bytes: u64,
    /// The channels of its tree or path in the forward problem: a channel comes after the one that
    /// brings the chunk to its tail.
    pub channels: Vec<ChannelId>,
    /// Its number among the pieces of the same route.
    pub turn: u32,
}

/// Cuts messages along the routes of a plan: every route gets its share of the bytes, in `count`
/// chunks.
pub(crate) fn from_plan(case: &PhaseCase, plan: &PlanPhase, scale: u64, count: u64) -> Vec<Piece> {
    let mut order: Vec<usize> = (0..plan.routes.len()).collect();
    order.sort_by_key(|&route| plan.routes[route].message);
    let mut pieces = Vec::new();
    for group in order.chunk_by(|&a, &b| plan.routes[a].message == plan.routes[b].message) {
        let message = plan.routes[group[0]].message;
        let size = case.sizes[message.index()];
        let whole = u128::from(scale) * u128::from(plan.size(message).max(1));
        let (mut weight, mut offset) = (0u128, 0u64);
        for &route in group {
            let route = &plan.routes[route];
            weight += u128::from(route.weight);
            let end = (u128::from(size) * weight / whole) as u64;
            let mut channels = route.channels.clone();
            if case.is_backward {
                channels.reverse();
            }
            cut(message, offset, end - offset, count, &channels, &mut pieces);
            offset = end;
        }
    }
    pieces
}

/// Cuts every message into `count` groups of `fine` equal chunks, each of which takes one route of a
/// plan, in proportion to the weights of the routes.
pub(crate) fn equal_from_plan(
    case: &PhaseCase,
    plan: &PlanPhase,
    fine: u64,
    count: u64,
) -> Vec<Piece> {
    let mut order: Vec<usize> = (0..plan.routes.len()).collect();
    order.sort_by_key(|&route| plan.routes[route].message);
    let mut pieces = Vec::new();
    for group in order.chunk_by(|&a, &b| plan.routes[a].message == plan.routes[b].message) {
        let message = plan.routes[group[0]].message;
        let first = pieces.len();
        groups(message, case.sizes[message.index()], fine, count, &mut pieces);
        let whole: u128 = group.iter().map(|&route| u128::from(plan.routes[route].weight)).sum();
        let chunks = (pieces.len() - first) as u128;
        let (mut at, mut passed) = (0, 0u128);
        for (number, piece) in (0u128..).zip(&mut pieces[first..]) {
            // The route in which the middle of the chunk lies.
            let middle = (2 * number + 1) * whole;
            while at + 1 < group.len()
                && 2 * chunks * (passed + u128::from(plan.routes[group[at]].weight)) <= middle
            {
                passed += u128::from(plan.routes[group[at]].weight);
                at += 1;
            }
            piece.channels.clone_from(&plan.routes[group[at]].channels);
            if case.is_backward {
                piece.channels.reverse();
            }
        }
    }
    pieces
}

/// Cuts a range of bytes into `count` chunks that differ by at most one byte; empty ones are dropped.
pub(crate) fn cut(
    message: MessageId,
    offset: u64,
    bytes: u64,
    count: u64,
    channels: &[ChannelId],
    pieces: &mut Vec<Piece>,
) {
    let mut start = offset;
    for turn in 0..count.min(bytes) {
        let count = count.min(bytes);
        let own = bytes / count + u64::from(turn < bytes % count);
        pieces.push(Piece {
            message,
            offset: start,
            bytes: own,
            channels: channels.to_vec(),
            turn: turn as u32,
        });
        start += own;
    }
}

/// Cuts a message into `count` ranges, each of which is one or several of `fine` equal chunks.
pub(crate) fn groups(
    message: MessageId,
    bytes: u64,
    fine: u64,
    count: u64,
    pieces: &mut Vec<Piece>,
) {
    let mut chunks = Vec::new();
    cut(message, 0, bytes, fine, &[], &mut chunks);
    let count = count.clamp(1, fine.max(1)).min(chunks.len() as u64);
    for turn in 0..count {
        let place = |turn: u64| (turn * chunks.len() as u64 / count) as usize;
        let group = &chunks[place(turn)..place(turn + 1)];
        let bytes = group.iter().map(|chunk| chunk.bytes).sum();
        pieces.push(Piece { bytes, turn: turn as u32, ..group[0].clone() });
    }
}

/// The parts of a piece, cut where `count` equal chunks of its message of `bytes` bytes are cut.
pub(crate) fn parts(piece: &Piece, bytes: u64, count: u64) -> Vec<Piece> {
    let mut chunks = Vec::new();
    cut(piece.message, 0, bytes, count, &piece.channels, &mut chunks);
    let end = piece.offset + piece.bytes;
    chunks.retain(|chunk| chunk.offset < end && piece.offset < chunk.offset + chunk.bytes);
    for chunk in &mut chunks {
        let last = (chunk.offset + chunk.bytes).min(end);
        chunk.offset = chunk.offset.max(piece.offset);
        chunk.bytes = last - chunk.offset;
    }
    chunks
}

/// The chunks of sends in the order of their starts as pieces, and the places of the sends of all pieces,
/// in the order of their channels.
pub(crate) fn of_sends(
    chunks: &[Chunk],
    sends: &[Send],
    is_backward: bool,
) -> (Vec<Piece>, Vec<usize>) {
    let mut of_chunk: Vec<Vec<usize>> = vec![Vec::new(); chunks.len()];
    for (place, send) in sends.iter().enumerate() {
        of_chunk[send.chunk as usize].push(place);
    }
    let mut all = Vec::new();
    let pieces = chunks.iter().zip(&mut of_chunk).map(|(chunk, places)| {
        if is_backward {
            places.reverse();
        }
        all.extend_from_slice(places);
        Piece {
            message: chunk.message,
            offset: chunk.offset,
            bytes: chunk.bytes,
            channels: places.iter().map(|&place| sends[place].channel).collect(),
            turn: 0,
        }
    });
    (pieces.collect(), all)
}

#[cfg(test)]
mod tests {
    use super::{groups, parts};
    use pavane_model::MessageId;

    #[test]
    fn groups_of_chunks_are_cut_into_these_chunks() {
        for (bytes, fine, count) in [(8, 6, 3), (7, 4, 2), (10, 3, 1), (2, 5, 3), (9, 4, 4)] {
            let (mut coarse, mut chunks) = (Vec::new(), Vec::new());
            groups(MessageId(0), bytes, fine, count, &mut coarse);
            super::cut(MessageId(0), 0, bytes, fine, &[], &mut chunks);
            let places = |pieces: &[super::Piece]| -> Vec<(u64, u64)> {
                pieces.iter().map(|piece| (piece.offset, piece.bytes)).collect()
            };
            let cut: Vec<_> = coarse.iter().flat_map(|piece| parts(piece, bytes, fine)).collect();
            assert_eq!(places(&cut), places(&chunks), "{bytes} bytes, {fine} chunks");
            assert_eq!(coarse.len() as u64, count.min(bytes));
        }
    }
}
