//! Sends that are started again: the two phases of an all-reduce, found one by one, and coarse chunks cut
//! into finer ones.

use crate::case::TimedCase;
use crate::in_order::in_order;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::pieces::{self, Piece};
use crate::search::{Found, found};

/// Pieces with the times at which their sends could start, in the order of the jobs.
struct Due {
    pieces: Vec<Vec<Piece>>,
    due: Vec<u64>,
}

/// A reduce and a broadcast as an all-reduce. The broadcast of a chunk starts when its sum is complete,
/// so the result never takes longer than one phase after the other.
pub(crate) fn overlapped(
    case: &TimedCase,
    reduce: &Found,
    broadcast: &Found,
    stop: &dyn Fn() -> bool,
) -> Found {
    let phases = [&reduce.phases[0], &broadcast.phases[0]];
    let routes = case.phases.iter().zip(phases);
    let routes: Vec<(Vec<Piece>, Vec<usize>)> = routes
        .map(|(case, (chunks, sends))| pieces::of_sends(chunks, sends, case.is_backward))
        .collect();
    let due = |later: u64| -> Vec<u64> {
        let of_phase = |at: usize| {
            let later = if at == 0 { 0 } else { later };
            routes[at].1.iter().map(move |&place| phases[at].1[place].start + later)
        };
        of_phase(0).chain(of_phase(1)).collect()
    };
    let whole = due(reduce.end);
    let orders = [reduce.end / 2, 0].map(due);
    let pieces = routes.iter().map(|(pieces, _)| pieces.clone()).collect();
    started(case, &Due { pieces, due: whole }, &orders, "phases one by one", stop)
}

/// The same sends with chunks cut where `count` equal chunks of every message would be cut. The chunks of
/// a larger one follow each other, so the result never takes longer.
pub(crate) fn refined(
    case: &TimedCase,
    coarse: Found,
    count: u64,
    stop: &dyn Fn() -> bool,
) -> Found {
    let parts = |piece: &Piece, bytes: u64| pieces::parts(piece, bytes, count);
    cut(case, &coarse, &parts, stop).unwrap_or(coarse)
}

/// The same sends with every chunk cut in two, which follow each other. The result never takes longer.
pub(crate) fn halved(case: &TimedCase, coarse: &Found, stop: &dyn Fn() -> bool) -> Option<Found> {
    let parts = |piece: &Piece, _| {
        let mut parts = Vec::new();
        pieces::cut(piece.message, piece.offset, piece.bytes, 2, &piece.channels, &mut parts);
        parts
    };
    cut(case, coarse, &parts, stop)
}

/// The same sends with the parts of all chunks, of which each is given with the bytes of its message.
/// `None` if every chunk has one part.
fn cut(
    case: &TimedCase,
    coarse: &Found,
    parts: &dyn Fn(&Piece, u64) -> Vec<Piece>,
    stop: &dyn Fn() -> bool,
) -> Option<Found> {
    let mut fine = Due { pieces: Vec::new(), due: Vec::new() };
    let mut is_same = true;
    for (case_of_phase, (chunks, sends)) in case.phases.iter().zip(&coarse.phases) {
        let (routes, places) = pieces::of_sends(chunks, sends, case_of_phase.is_backward);
        let mut places = places.iter();
        let mut cut: Vec<Piece> = Vec::new();
        for route in routes {
            let own: Vec<usize> = places.by_ref().take(route.channels.len()).copied().collect();
            let parts = parts(&route, case_of_phase.sizes[route.message.index()]);
            is_same &= parts.len() == 1;
            for part in parts {
                let before = part.offset - route.offset;
                let due = own.iter().zip(&part.channels).map(|(&place, &channel)| {
                    sends[place].start + case.times.occupied(channel, before)
                });
                fine.due.extend(due);
                cut.push(part);
            }
        }
        fine.pieces.push(cut);
    }
    (!is_same).then(|| started(case, &fine, &[], coarse.method, stop))
}

/// Starts sends in their order, and in other orders as soon as channels are free. Returns the quickest
/// schedule.
fn started(
    case: &TimedCase,
    due: &Due,
    orders: &[Vec<u64>],
    method: &'static str,
    stop: &dyn Fn() -> bool,
) -> Found {
    let jobs = Jobs::new(case, &due.pieces);
    let resources = case.resource.len();
    let mut best = in_order(&jobs, resources, &due.due);
    let early = |due: &Vec<u64>| -> Vec<u64> {
        let mut early: Vec<u64> = due.iter().map(|&due| u64::MAX - due).collect();
        early.resize(jobs.jobs.len(), 0);
        early
    };
    let mut priorities = vec![jobs.tails(), early(&due.due)];
    priorities.extend(orders.iter().map(early));
    for priority in priorities {
        let Some(times) = list_schedule(&jobs, resources, &priority, stop) else { break };
        if times.end < best.end {
            best = times;
        }
    }
    found(&jobs, &best.starts, &due.pieces, best.end, method)
}
