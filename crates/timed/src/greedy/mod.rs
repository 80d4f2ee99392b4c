//! Event-driven greedy search for broadcasts: whenever a channel is free, it sends a chunk that its
//! head still wants. Routers that will wait longest for the rest of their chunks are served first, and
//! rare chunks travel first.
//!
//! A switch that does not copy is crossed on the way from one router that copies to another. Such a
//! way is a *segment*; the channels after its first are reserved when the send starts.

mod choice;
mod foresight;
mod segments;
mod spread;

pub(crate) use segments::{Segment, segments};

use crate::case::{PhaseCase, TimedCase};
use choice::Choice;
use foresight::{Foresight, distances};
use pavane_model::timed::{Chunk, Send};
use pavane_model::{ChannelId, MessageId, RouterId};
use rand::Rng;
use spread::Spread;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// In an event, instead of a router: a channel or link is free.
const FREE: u32 = u32::MAX;

/// In an event, instead of a router: a channel asks again what it can send.
const WAKE: u32 = u32::MAX - 1;

/// The most pairs of a chunk and a router for which arrivals are estimated.
const MOST_ESTIMATES: usize = 4_000_000;

/// How the greedy search chooses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taste {
    /// Whether rare chunks go first; otherwise those for which most routers wait behind the head.
    pub is_rarest_first: bool,
    /// Random noise in the order of routers, in percent.
    pub noise: u64,
    /// Whether a chunk is not sent over a slow channel if another send brings it sooner.
    pub has_foresight: bool,
    /// How much longer the other way may take, in percent of the send.
    pub patience: u64,
    /// Whether senders choose the chunk first and then its destination: up to this many copies go to
    /// the neighbours with the least to send, further ones to those that will wait longest.
    pub helpers: Option<u16>,
    /// How long a chunk may wait in a switch for its next channel, in multiples of the time that it
    /// occupies the channel.
    pub queue: u64,
}

/// Runs the greedy search on one phase, and returns the sends and the last arrival; `None` if chunks
/// cannot reach a router, if it would end after `limit`, or if it is stopped.
#[expect(clippy::too_many_arguments, reason = "each is one thing, and there is one caller")]
pub(crate) fn greedy(
    all: &TimedCase,
    case: &PhaseCase,
    segments: &[Vec<Segment>],
    chunks: &[Chunk],
    taste: Taste,
    rng: &mut impl Rng,
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> Option<(Vec<Send>, u64)> {
    let is_small = case.routers() * chunks.len() <= MOST_ESTIMATES;
    let distances = (taste.has_foresight && is_small).then(|| {
        let bytes = chunks.iter().map(|chunk| chunk.bytes).max().unwrap_or(1);
        distances(all, case, bytes)
    });
    Run::new(all, case, segments, chunks, taste, distances.as_deref()).run(rng, limit, stop)
}

struct Run<'a> {
    all: &'a TimedCase,
    case: &'a PhaseCase,
    segments: &'a [Vec<Segment>],
    chunks: &'a [Chunk],
    taste: Taste,
    /// Whether a router has a chunk, or is about to receive it: a bit per chunk.
    coming: Vec<Vec<u64>>,
    /// Whether a router has a chunk.
    here: Vec<Vec<u64>>,
    /// Whether a router wants a chunk or relays it.
    wants: Vec<Vec<u64>>,
    /// Whether processors at a router want a chunk.
    demand: Vec<Vec<u64>>,
    foresight: Option<Foresight<'a>>,
    spread: Option<Spread>,
    /// Copies of every chunk.
    copies: Vec<u32>,
    /// The bytes that each router still wants.
    missing: Vec<u64>,
    /// Time per byte of all channels into a router together.
    in_speed: Vec<f64>,
    free: Vec<u64>,
    open: u64,
    /// The bytes of the largest chunk.
    largest: u64,
}

impl<'a> Run<'a> {
    fn new(
        all: &'a TimedCase,
        case: &'a PhaseCase,
        segments: &'a [Vec<Segment>],
        chunks: &'a [Chunk],
        taste: Taste,
        distances: Option<&'a [Vec<u64>]>,
    ) -> Self {
        let words = chunks.len().div_ceil(64);
        let routers = case.routers();
        let none = vec![vec![0u64; words]; routers];
        let mut run = Self {
            all,
            case,
            segments,
            chunks,
            taste,
            coming: none.clone(),
            here: none.clone(),
            wants: none.clone(),
            demand: none,
            foresight: None,
            spread: None,
            copies: vec![1; chunks.len()],
            missing: vec![0; routers],
            in_speed: vec![0.0; routers],
            free: vec![0; all.resource.len()],
            open: 0,
            largest: chunks.iter().map(|chunk| chunk.bytes).max().unwrap_or(1),
        };
        let mut last: Option<(MessageId, RouterId, Vec<RouterId>)> = None;
        for (at, chunk) in chunks.iter().enumerate() {
            let (origin, wanted) = match &last {
                Some((message, origin, wanted)) if *message == chunk.message => {
                    (*origin, wanted.clone())
                }
                _ => (case.origin(chunk.message.index()), case.wanted_at(chunk.message.index())),
            };
            set(&mut run.here[origin.index()], at);
            set(&mut run.coming[origin.index()], at);
            for &router in &wanted {
                set(&mut run.demand[router.index()], at);
                run.missing[router.index()] += chunk.bytes;
                run.open += 1;
            }
            last = Some((chunk.message, origin, wanted));
        }
        run.wants.clone_from(&run.demand);
        for channel in (0..case.problem.network().channel_count() as u32).map(ChannelId) {
            let (_, to) = case.ends(channel);
            run.in_speed[to.index()] += 1.0 / all.times.per_byte(channel) as f64;
        }
        run.add_relays();
        run.foresight = distances.map(|distances| {
            let mut foresight = Foresight::new(distances, routers, chunks.len());
            for (at, chunk) in chunks.iter().enumerate() {
                foresight.arrived(case.origin(chunk.message.index()).index(), at);
            }
            foresight
        });
        if taste.helpers.is_some() && routers * chunks.len() <= MOST_ESTIMATES {
            run.spread = Some(run.start_spread());
        }
        run
    }

    /// The chunks that wait at their origins, and the neighbours that want them.
    fn start_spread(&self) -> Spread {
        let tail = |segment: &Segment| self.case.ends(segment.channels[0]).0.index();
        let wants = |router: usize| -> Vec<u64> {
            let words = self.wants[router].iter().zip(&self.coming[router]);
            words.map(|(wants, coming)| wants & !coming).collect()
        };
        let (routers, chunks) = (self.case.routers(), self.chunks);
        let mut spread = Spread::new(routers, chunks.len(), self.segments, &tail, &wants);
        for (at, chunk) in chunks.iter().enumerate() {
            spread.gains(self.case.origin(chunk.message.index()).index(), at);
        }
        spread
    }

    /// Routers without a demand of their own relay what a neighbour wants, if they copy.
    fn add_relays(&mut self) {
        let starts = 0..self.segments.len() as u32;
        for channel in starts.map(ChannelId) {
            let (from, _) = self.case.ends(channel);
            if !self.case.problem.network().residents(from).is_empty() {
                continue;
            }
            for segment in &self.segments[channel.index()] {
                let demand = self.demand[segment.to.index()].clone();
                let own = self.wants[from.index()].iter_mut();
                own.zip(demand).for_each(|(own, demand)| *own |= demand);
            }
        }
    }

    fn run(
        mut self,
        rng: &mut impl Rng,
        limit: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<(Vec<Send>, u64)> {
        let mut sends = Vec::new();
        let mut events: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
        let users = self.users();
        let (mut time, mut end) = (0, 0);
        // The channels that may have something to send since they were asked last.
        let mut asked: Vec<bool> = self.segments.iter().map(|list| !list.is_empty()).collect();
        loop {
            for channel in self.in_order(&asked, time, rng) {
                asked[channel.index()] = false;
                match self.choose(channel, time, rng) {
                    Choice::Send { segment, chunk } => {
                        let segment = &self.segments[channel.index()][segment];
                        let arrival = self.send(segment, chunk, time, &mut sends, &mut events);
                        end = end.max(arrival);
                    }
                    Choice::Wait(Some(next)) => events.push(Reverse((next, WAKE, channel.0))),
                    Choice::Wait(None) => {}
                }
            }
            if self.open == 0 {
                return Some((sends, end));
            }
            let &Reverse((next, ..)) = events.peek()?;
            if next > limit || stop() {
                return None;
            }
            time = next;
            while let Some(&Reverse((at, router, number))) = events.peek()
                && at == time
            {
                events.pop();
                if router == WAKE {
                    asked[number as usize] = true;
                    continue;
                }
                if router == FREE {
                    users[number as usize].iter().for_each(|user| asked[user.index()] = true);
                    continue;
                }
                set(&mut self.here[router as usize], number as usize);
                for channel in self.case.outgoing(RouterId(router)) {
                    asked[channel.index()] = !self.segments[channel.index()].is_empty();
                }
                if let Some(foresight) = &mut self.foresight {
                    foresight.arrived(router as usize, number as usize);
                }
            }
        }
    }

    /// For every channel or link, the first channels of the segments that use it.
    fn users(&self) -> Vec<Vec<ChannelId>> {
        let mut users: Vec<Vec<ChannelId>> = vec![Vec::new(); self.all.resource.len()];
        for segment in self.segments.iter().flatten() {
            for channel in &segment.channels {
                let users = &mut users[self.all.resource[channel.index()] as usize];
                if !users.contains(&segment.channels[0]) {
                    users.push(segment.channels[0]);
                }
            }
        }
        users
    }

    fn send(
        &mut self,
        segment: &Segment,
        chunk: usize,
        time: u64,
        sends: &mut Vec<Send>,
        events: &mut BinaryHeap<Reverse<(u64, u32, u32)>>,
    ) -> u64 {
        let bytes = self.chunks[chunk].bytes;
        let mut at = time;
        for &channel in &segment.channels {
            let resource = self.all.resource[channel.index()] as usize;
            let occupied = self.all.times.occupied(channel, bytes);
            let start = at.max(self.free[resource]);
            sends.push(Send { chunk: chunk as u32, channel, start });
            self.free[resource] = start + occupied;
            events.push(Reverse((start + occupied, FREE, resource as u32)));
            at = start + occupied + self.all.times.latency(channel);
        }
        let to = segment.to.index();
        set(&mut self.coming[to], chunk);
        if let Some(foresight) = &mut self.foresight {
            foresight.sent(to, chunk, at);
        }
        if let Some(spread) = &mut self.spread {
            let coming = &self.coming;
            spread.served(to, chunk, &|router| coming[router][chunk / 64] >> (chunk % 64) & 1 == 1);
        }
        self.copies[chunk] += 1;
        if self.demand[to][chunk / 64] >> (chunk % 64) & 1 == 1 {
            self.missing[to] -= bytes;
            self.open -= 1;
        }
        events.push(Reverse((at, to as u32, chunk as u32)));
        at
    }
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}
