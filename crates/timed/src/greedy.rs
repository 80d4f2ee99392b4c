//! Event-driven greedy search for broadcasts: whenever a channel is free, it sends a chunk that its
//! head still wants. Routers that will wait longest for the rest of their chunks are served first, and
//! rare chunks travel first.
//!
//! A switch that does not copy is crossed on the way from one router that copies to another. Such a
//! way is a *segment*; the channels after its first are reserved when the send starts.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::timed::{Chunk, Send};
use pavane_model::{ChannelId, MessageId, RouterId};
use rand::{Rng, RngExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most switches that a segment crosses.
const MOST_SWITCHES: usize = 4;

/// The most pairs of a chunk and a router for which arrivals are estimated.
const MOST_ESTIMATES: usize = 4_000_000;

/// The most segments from one router to another.
const MOST_BETWEEN: usize = 8;

/// A way between two routers that copy, across switches that do not.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub to: RouterId,
    pub channels: Vec<ChannelId>,
}

/// The segments of a network, by the first channel.
pub(crate) fn segments(all: &TimedCase, case: &PhaseCase) -> Vec<Vec<Segment>> {
    let mut found: Vec<Vec<Segment>> = vec![Vec::new(); case.problem.network().channel_count()];
    for from in (0..case.routers() as u32).map(RouterId).filter(|from| case.copying[from.index()]) {
        let mut counts = vec![0usize; case.routers()];
        // Breadth first, so that short segments come first.
        let mut paths: std::collections::VecDeque<Vec<ChannelId>> =
            case.outgoing(from).iter().map(|&channel| vec![channel]).collect();
        while let Some(path) = paths.pop_front() {
            let Some(&last) = path.last() else { continue };
            let (_, to) = case.ends(last);
            if to == from || counts[to.index()] >= MOST_BETWEEN * case.outgoing(from).len() {
                continue;
            }
            counts[to.index()] += 1;
            if case.copying[to.index()] {
                found[path[0].index()].push(Segment { to, channels: path });
            } else if path.len() <= MOST_SWITCHES {
                let is_new = |&&next: &&ChannelId| {
                    let (_, end) = case.ends(next);
                    end != from && path.iter().all(|&channel| case.ends(channel).0 != end)
                };
                for &next in case.outgoing(to).iter().filter(is_new) {
                    let mut longer = path.clone();
                    longer.push(next);
                    paths.push_back(longer);
                }
            }
        }
    }
    let duration = |segment: &Segment| -> u64 {
        segment.channels.iter().map(|&channel| all.times.latency(channel)).sum()
    };
    found.iter_mut().for_each(|list| list.sort_by_key(duration));
    found
}

/// How the greedy search chooses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taste {
    /// Whether rare chunks go first; otherwise those for which most routers wait behind the head.
    pub is_rarest_first: bool,
    /// Random noise in the order of routers, in percent.
    pub noise: u64,
    /// Whether a chunk is not sent over a slow channel if another send brings it sooner.
    pub has_foresight: bool,
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

/// The time from every router to every other one for so many bytes, if no channel is busy.
fn distances(all: &TimedCase, case: &PhaseCase, bytes: u64) -> Vec<Vec<u64>> {
    let from = |start: u32| {
        let mut least = vec![u64::MAX; case.routers()];
        least[start as usize] = 0;
        let mut queue = BinaryHeap::from([Reverse((0u64, RouterId(start)))]);
        while let Some(Reverse((time, router))) = queue.pop() {
            if time > least[router.index()] {
                continue;
            }
            for &channel in case.outgoing(router) {
                let (_, to) = case.ends(channel);
                let next = time + all.times.occupied(channel, bytes) + all.times.latency(channel);
                if next < least[to.index()] {
                    least[to.index()] = next;
                    queue.push(Reverse((next, to)));
                }
            }
        }
        least
    };
    (0..case.routers() as u32).map(from).collect()
}

/// Estimates when chunks could come to routers from elsewhere.
struct Foresight<'a> {
    distances: &'a [Vec<u64>],
    /// For every chunk and router, the time from the nearest router that has the chunk.
    near: Vec<Vec<u64>>,
    /// For every chunk and router, the earliest time at which the chunk could come from a router to
    /// which it is on its way, and when it arrives there.
    soon: Vec<Vec<(u64, u64)>>,
}

impl<'a> Foresight<'a> {
    fn new(distances: &'a [Vec<u64>], routers: usize, chunks: usize) -> Self {
        Self {
            distances,
            near: vec![vec![u64::MAX; routers]; chunks],
            soon: vec![vec![(u64::MAX, 0); routers]; chunks],
        }
    }

    fn arrived(&mut self, router: usize, chunk: usize) {
        let near = self.near[chunk].iter_mut();
        near.zip(&self.distances[router]).for_each(|(near, &time)| *near = (*near).min(time));
    }

    fn sent(&mut self, router: usize, chunk: usize, arrival: u64) {
        let soon = self.soon[chunk].iter_mut();
        for (soon, &time) in soon.zip(&self.distances[router]) {
            let comes = arrival.saturating_add(time);
            if comes < soon.0 {
                *soon = (comes, arrival);
            }
        }
    }

    /// Whether a chunk could come to a router before a time.
    fn comes_sooner(&self, router: usize, chunk: usize, now: u64, arrival: u64) -> bool {
        let (comes, at) = self.soon[chunk][router];
        now.saturating_add(self.near[chunk][router]) < arrival || (at > now && comes < arrival)
    }
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
    /// Copies of every chunk.
    copies: Vec<u32>,
    /// The bytes that each router still wants.
    missing: Vec<u64>,
    /// Time per byte of all channels into a router together.
    in_speed: Vec<f64>,
    free: Vec<u64>,
    open: u64,
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
            copies: vec![1; chunks.len()],
            missing: vec![0; routers],
            in_speed: vec![0.0; routers],
            free: vec![0; all.resource.len()],
            open: 0,
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
        run
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
        let channels: Vec<ChannelId> = (0..self.segments.len() as u32)
            .map(ChannelId)
            .filter(|channel| !self.segments[channel.index()].is_empty())
            .collect();
        let (mut time, mut end) = (0, 0);
        loop {
            for channel in self.in_order(&channels, time, rng) {
                let Some((segment, chunk)) = self.choose(channel, time, rng) else { continue };
                let segment = &self.segments[channel.index()][segment];
                let arrival = self.send(segment, chunk, time, &mut sends, &mut events);
                end = end.max(arrival);
            }
            if self.open == 0 {
                return Some((sends, end));
            }
            let &Reverse((next, ..)) = events.peek()?;
            if next > limit || stop() {
                return None;
            }
            time = next;
            while let Some(&Reverse((at, router, chunk))) = events.peek()
                && at == time
            {
                events.pop();
                if router != u32::MAX {
                    set(&mut self.here[router as usize], chunk as usize);
                    if let Some(foresight) = &mut self.foresight {
                        foresight.arrived(router as usize, chunk as usize);
                    }
                }
            }
        }
    }

    /// The free channels, those into routers that will wait longest first.
    fn in_order(&self, channels: &[ChannelId], time: u64, rng: &mut impl Rng) -> Vec<ChannelId> {
        let mut order: Vec<(f64, u32, ChannelId)> = Vec::new();
        for &channel in channels {
            if self.free[self.all.resource[channel.index()] as usize] > time {
                continue;
            }
            let wait = |segment: &Segment| {
                let to = segment.to.index();
                self.missing[to] as f64 / self.in_speed[to].max(1e-300)
            };
            let waits = self.segments[channel.index()].iter().map(wait).fold(0.0, f64::max);
            let noise = 1.0 + self.taste.noise as f64 / 100.0 * rng.random::<f64>();
            order.push((waits * noise, rng.random(), channel));
        }
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        order.into_iter().map(|(_, _, channel)| channel).collect()
    }

    /// The segment and chunk that a free channel sends next.
    fn choose(&self, channel: ChannelId, time: u64, rng: &mut impl Rng) -> Option<(usize, usize)> {
        if self.free[self.all.resource[channel.index()] as usize] > time {
            return None;
        }
        let (from, _) = self.case.ends(channel);
        let mut best: Option<((f64, u64, u32), usize, usize)> = None;
        for (at, segment) in self.segments[channel.index()].iter().enumerate() {
            let to = segment.to.index();
            let urgency = self.missing[to] as f64 / self.in_speed[to].max(1e-300);
            if best.as_ref().is_some_and(|best| best.0.0 > urgency) {
                continue;
            }
            let Some((rarity, chunk)) = self.rarest(from.index(), segment, time, rng) else {
                continue;
            };
            let key = (urgency, rarity, rng.random());
            if best.as_ref().is_none_or(|best| key > best.0) {
                best = Some((key, at, chunk));
            }
        }
        best.map(|(_, segment, chunk)| (segment, chunk))
    }

    /// The best chunk that a router has and the end of a segment wants, with its rarity.
    fn rarest(
        &self,
        from: usize,
        segment: &Segment,
        time: u64,
        rng: &mut impl Rng,
    ) -> Option<(u64, usize)> {
        let to = segment.to.index();
        let mut best: Option<((u64, u32), usize)> = None;
        let words = self.here[from].iter().zip(&self.coming[to]).zip(&self.wants[to]);
        for (word, ((here, coming), wants)) in words.enumerate() {
            let mut rest = here & !coming & wants;
            while rest != 0 {
                let chunk = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let rarity = if self.taste.is_rarest_first {
                    u64::MAX - u64::from(self.copies[chunk])
                } else {
                    u64::from(self.copies[chunk])
                };
                let key = (rarity, rng.random());
                if best.as_ref().is_none_or(|best| key > best.0)
                    && self.is_clear(segment, chunk, time)
                {
                    best = Some((key, chunk));
                }
            }
        }
        best.map(|((rarity, _), chunk)| (rarity, chunk))
    }

    /// Whether a chunk crosses a segment without waiting for a channel, and no other send brings it
    /// sooner.
    fn is_clear(&self, segment: &Segment, chunk: usize, time: u64) -> bool {
        let bytes = self.chunks[chunk].bytes;
        let mut at = time;
        for &channel in &segment.channels {
            if self.free[self.all.resource[channel.index()] as usize] > at {
                return false;
            }
            at += self.all.times.occupied(channel, bytes) + self.all.times.latency(channel);
        }
        let foresight = self.foresight.as_ref();
        !foresight.is_some_and(|look| look.comes_sooner(segment.to.index(), chunk, time, at))
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
            let occupied = self.all.times.occupied(channel, bytes);
            sends.push(Send { chunk: chunk as u32, channel, start: at });
            self.free[self.all.resource[channel.index()] as usize] = at + occupied;
            events.push(Reverse((at + occupied, u32::MAX, 0)));
            at += occupied + self.all.times.latency(channel);
        }
        let to = segment.to.index();
        set(&mut self.coming[to], chunk);
        if let Some(foresight) = &mut self.foresight {
            foresight.sent(to, chunk, at);
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
