//! The ways of chunks after faults: what is left of each, completed along quickest paths.

use crate::case::{PhaseCase, TimedCase};
use crate::pieces::Piece;
use crate::shortest::{Delay, Loads, quickest};
use pavane_model::timed::TimedPhase;
use pavane_model::{ChannelId, MessageId, RouterId};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A chunk with its way after the faults.
pub(super) struct MendedChunk {
    /// The chunk and its channels, in the order of the forward problem.
    pub piece: Piece,
    /// For every channel of the way, when its send should start: if it is kept, when it started before.
    pub due: Vec<u64>,
}

/// Mends the chunks of a phase whose messages still exist. `ratio` is the unit of the times before
/// divided by the unit now.
pub(super) fn mend(
    all: &TimedCase,
    at: usize,
    before: &TimedPhase,
    numbers: &[Option<MessageId>],
    channels: &[Option<ChannelId>],
    ratio: f64,
) -> Vec<MendedChunk> {
    let case = &all.phases[at];
    let mut by_chunk: Vec<Vec<usize>> = vec![Vec::new(); before.chunks.len()];
    for (number, send) in before.sends.iter().enumerate() {
        by_chunk[send.chunk as usize].push(number);
    }
    let mut mending = Mending {
        all,
        case,
        loads: Loads(vec![0; all.resource.len()]),
        rng: Xoshiro256PlusPlus::seed_from_u64(1),
    };
    let mut mended = Vec::new();
    // First what is left, so that the loads are known when other ways are chosen.
    for (number, chunk) in before.chunks.iter().enumerate() {
        let Some(message) = numbers[chunk.message.index()] else { continue };
        let sends = &mut by_chunk[number];
        sends.sort_by_key(|&send| before.sends[send].start);
        if case.is_backward {
            // A part arrives before its router sends it on, also if both take no time.
            sends.reverse();
        }
        let piece = Piece {
            message,
            offset: chunk.offset,
            bytes: chunk.bytes,
            channels: Vec::new(),
            turn: 0,
        };
        let mut way = Way::new(case, piece);
        for &send in by_chunk[number].iter() {
            let send = &before.sends[send];
            if let Some(channel) = channels[send.channel.index()] {
                way.take(case, channel, (send.start as f64 * ratio) as u64);
            }
        }
        mending.add_loads(&way.chunk.piece);
        mended.push(way);
    }
    mended.into_iter().map(|way| mending.complete(way)).collect()
}

/// The way of a chunk, and where it leads.
struct Way {
    chunk: MendedChunk,
    /// By router, whether it has the chunk.
    has_chunk: Vec<bool>,
    /// By switch that does not copy, the copies that it has not sent on.
    copies: Vec<u32>,
}

impl Way {
    fn new(case: &PhaseCase, piece: Piece) -> Self {
        let mut has_chunk = vec![false; case.routers()];
        has_chunk[case.origin(piece.message.index()).index()] = true;
        let chunk = MendedChunk { piece, due: Vec::new() };
        Self { chunk, has_chunk, copies: vec![0; case.routers()] }
    }

    /// Takes a channel if its tail has the chunk and its head does not.
    fn take(&mut self, case: &PhaseCase, channel: ChannelId, due: u64) {
        let (from, to) = case.ends(channel);
        let origin = case.origin(self.chunk.piece.message.index());
        let is_free = case.copying[from.index()] || from == origin;
        if !self.has_chunk[from.index()] || (!is_free && self.copies[from.index()] == 0) {
            return;
        }
        if case.copying[to.index()] {
            if self.has_chunk[to.index()] {
                return;
            }
        } else {
            self.copies[to.index()] += 1;
        }
        if !is_free {
            self.copies[from.index()] -= 1;
        }
        self.has_chunk[to.index()] = true;
        self.chunk.piece.channels.push(channel);
        self.chunk.due.push(due);
    }

    /// Drops the channels that lead to no router that wants the chunk.
    fn prune(&mut self, case: &PhaseCase) {
        let mut uses = vec![0u32; case.routers()];
        for router in case.wanted_at(self.chunk.piece.message.index()) {
            uses[router.index()] = 1;
        }
        let channels = std::mem::take(&mut self.chunk.piece.channels);
        let due = std::mem::take(&mut self.chunk.due);
        for (channel, due) in channels.into_iter().zip(due).rev() {
            let (from, to) = case.ends(channel);
            if uses[to.index()] == 0 {
                continue;
            }
            if !case.copying[to.index()] {
                uses[to.index()] -= 1;
            }
            uses[from.index()] += 1;
            self.chunk.piece.channels.push(channel);
            self.chunk.due.push(due);
        }
        self.chunk.piece.channels.reverse();
        self.chunk.due.reverse();
    }
}

struct Mending<'a> {
    all: &'a TimedCase,
    case: &'a PhaseCase,
    loads: Loads,
    rng: Xoshiro256PlusPlus,
}

impl Mending<'_> {
    fn add_loads(&mut self, piece: &Piece) {
        for &channel in &piece.channels {
            let resource = self.all.resource[channel.index()] as usize;
            self.loads.0[resource] += self.all.times.occupied(channel, piece.bytes);
        }
    }

    /// Leads a chunk to all routers that want it, along quickest paths around busy channels.
    fn complete(&mut self, mut way: Way) -> MendedChunk {
        let case = self.case;
        let bytes = way.chunk.piece.bytes;
        for to in case.wanted_at(way.chunk.piece.message.index()) {
            if way.has_chunk[to.index()] {
                continue;
            }
            let origin = case.origin(way.chunk.piece.message.index());
            let sources: Vec<RouterId> = (0..case.routers() as u32)
                .map(RouterId)
                .filter(|&router| {
                    way.has_chunk[router.index()]
                        && (case.copying[router.index()] || router == origin)
                })
                .collect();
            let delay = Delay::Load(100);
            let ways = quickest(self.all, case, &sources, bytes, delay, &self.loads, &mut self.rng);
            let mut path = Vec::new();
            let mut router = to;
            while let Some(channel) = ways.enters[router.index()] {
                path.push(channel);
                router = case.ends(channel).0;
            }
            // In a backward phase the sends of a later part of the way start earlier.
            let mut due = way.due_at(case, router);
            for &channel in path.iter().rev() {
                let own = self.all.times.occupied(channel, bytes) + self.all.times.latency(channel);
                if case.is_backward {
                    due = due.saturating_sub(own);
                }
                way.take(case, channel, due);
                if !case.is_backward {
                    due = due.saturating_add(own);
                }
                self.loads.0[self.all.resource[channel.index()] as usize] +=
                    self.all.times.occupied(channel, bytes);
            }
        }
        way.prune(case);
        way.chunk
    }
}

impl Way {
    /// When the chunk arrives at a router, by the times before; in a backward phase, when it leaves.
    fn due_at(&self, case: &PhaseCase, router: RouterId) -> u64 {
        let enters = self.chunk.piece.channels.iter().zip(&self.chunk.due);
        let due = enters.filter(|(channel, _)| case.ends(**channel).1 == router);
        due.map(|(_, &due)| due).next().unwrap_or(if case.is_backward { u64::MAX / 4 } else { 0 })
    }
}
