//! One step of a schedule as trails. At every router, each incoming channel continues on an outgoing
//! one, so that the channels of the network form trails; a trail is cut into pieces, which are
//! shortest paths of messages that are left, and holes of one channel each. A move exchanges the
//! continuations of two channels at a router, and cuts the pieces around it anew, by dynamic
//! programming.

mod cut;

use super::balance::LoadPrices;
use super::pairs::{NONE, PairTable};
use crate::budget::Budget;
use crate::rng::Rng;
use cut::{Cut, TrailPiece, VALUE};

/// Units of value: the value of a channel of mean price.
const UNIT: f32 = 256.0;

/// The values of messages beside the prices of their paths, and the temperature of the moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Appeal {
    /// Bonus of long messages, which are difficult to place later, per squared length.
    pub long: f32,
    /// Malus of short messages, which fill gaps later. It shrinks by [`SHRINK`] with every channel.
    pub short: f32,
    /// A move that loses so much value is accepted with probability 1 / e.
    pub temperature: f32,
}

/// Where all channels have about the same load, every gap counts, and short messages are precious.
pub(super) const EVEN: Appeal = Appeal { long: 50.0, short: 150.0, temperature: 100.0 };

/// Where the loads differ, only the loaded channels have to be used well.
pub(super) const UNEVEN: Appeal = Appeal { long: 12.0, short: 85.0, temperature: 45.0 };

const SHRINK: f32 = 0.75;

/// Moves between two searches for channels with waste.
const LOOK: u64 = 256;

/// The share of moves at random routers is one of this many; the others are at wasted channels.
const ANYWHERE: usize = 4;

/// A channel is a candidate for moves for every such amount of wasted value, up to [`MOST_TIMES`].
const WASTE: f32 = 128.0;
const MOST_TIMES: usize = 8;

/// Work of a move, in evaluations.
pub(super) const MOVE: u64 = 100;

/// The messages left, and the step that is filled with them.
pub(super) struct TrailPacking<'a> {
    pairs: &'a PairTable,
    /// Value of the message of every pair; 0 if it has a place in an earlier step.
    value: Vec<u32>,
    /// For the search: distance and value of every pair, without the value where the message has a place
    /// in this step.
    entry: Vec<u32>,
    /// Values by length, without the prices.
    bonus: Vec<f32>,
    temperature: f32,
    left: usize,
    next: Vec<u32>,
    before: Vec<u32>,
    /// Whether a channel is the first of a piece; holes are pieces.
    is_first: Vec<bool>,
    is_used: Vec<bool>,
    seen: Vec<u32>,
    now: u32,
    wasted: Vec<u32>,
    cut: Cut,
    /// The pairs whose messages a move has lifted, and those that it would place.
    lifted: Vec<usize>,
    placed: Vec<usize>,
    windows: [Window; 2],
    trails: [Vec<u32>; 2],
    cuts: [Vec<TrailPiece>; 2],
}

/// The channels around a channel whose continuation changes, up to it and behind it.
#[derive(Default)]
struct Window {
    channels: Vec<u32>,
    middle: usize,
}

impl<'a> TrailPacking<'a> {
    /// With all messages left.
    pub fn new(pairs: &'a PairTable, taste: Appeal) -> Self {
        let channels = pairs.channels();
        let longest = pairs.distance.iter().copied().max().unwrap_or(0);
        let bonus = |length: u8| {
            let length = f32::from(length);
            taste.long * length * length - taste.short * SHRINK.powf(length - 1.0)
        };
        let is_message = |pair: usize| pairs.message[pair] != NONE && pairs.distance[pair] > 0;
        let value: Vec<u32> = (0..pairs.message.len()).map(|p| u32::from(is_message(p))).collect();
        Self {
            pairs,
            left: value.iter().filter(|&&value| value > 0).count(),
            entry: pairs.distance.iter().map(|&length| u32::from(length) << 24).collect(),
            value,
            bonus: (0..=longest).map(bonus).collect(),
            temperature: taste.temperature,
            next: vec![NONE; channels],
            before: vec![NONE; channels],
            is_first: vec![true; channels],
            is_used: vec![false; channels],
            seen: vec![0; channels],
            now: 0,
            wasted: Vec::new(),
            cut: Cut::default(),
            lifted: Vec::new(),
            placed: Vec::new(),
            windows: Default::default(),
            trails: Default::default(),
            cuts: Default::default(),
        }
    }

    /// Number of messages left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The messages left.
    pub fn messages_left(&self) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.value.iter().zip(&self.pairs.message);
        pairs.filter(|(value, _)| **value > 0).map(|(_, &message)| message)
    }

    /// Updates prices and values of the messages left; returns the work.
    pub fn reprice(&mut self, balance: &mut LoadPrices, steps: f32) -> u64 {
        let Self { pairs, value, entry, bonus, .. } = self;
        balance.sweep(pairs, value, steps, |value, pair, price| {
            let length = pairs.distance[pair];
            let worth = UNIT * price + bonus[usize::from(length)];
            *value = (worth.max(1.0) as u32).min(VALUE);
            entry[pair] = u32::from(length) << 24 | *value;
        })
    }

    /// Fills a step, with so many moves. Returns the share of the prices of all channels that its
    /// messages pay, or `None` if the budget ends first.
    pub fn fill(
        &mut self,
        balance: &LoadPrices,
        moves: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<f32> {
        self.join_at_random(rng);
        self.cut_all();
        for done in 0..moves {
            if done % LOOK == 0 {
                if !budget.spend(LOOK.min(moves - done) * MOVE) {
                    return None;
                }
                self.find_waste(&balance.price);
            }
            if let Some((first, second)) = self.choose(rng) {
                self.exchange(first, second, rng);
            }
        }
        let mut paid = 0.0;
        for first in 0..self.pairs.channels() as u32 {
            if self.is_used[first as usize] && self.is_first[first as usize] {
                let pair = self.pair(first, self.last_of(first));
                paid +=
                    self.value[pair] as f32 - self.bonus[usize::from(self.pairs.distance[pair])];
            }
        }
        Some(paid / (UNIT * self.pairs.channels() as f32))
    }

    /// Removes the messages of the step from those left, and passes them on with their paths.
    pub fn take(&mut self, mut pass_on: impl FnMut(u32, &[u32])) {
        let mut path = Vec::new();
        for first in 0..self.pairs.channels() as u32 {
            if !self.is_used[first as usize] || !self.is_first[first as usize] {
                continue;
            }
            let last = self.last_of(first);
            path.clear();
            path.extend(self.piece(first, last));
            let pair = self.pair(first, last);
            self.value[pair] = 0;
            self.entry[pair] &= !VALUE;
            self.left -= 1;
            pass_on(self.pairs.message[pair], &path);
        }
    }

    /// Continues every channel on a random one at its last router, rather not on its opposite.
    fn join_at_random(&mut self, rng: &mut Rng) {
        self.next.fill(NONE);
        self.before.fill(NONE);
        let mut out = Vec::new();
        for (into, all) in self.pairs.into.iter().zip(&self.pairs.out) {
            out.clear();
            out.extend_from_slice(all);
            out.resize(out.len().max(into.len()), NONE);
            rng.shuffle(&mut out);
            for _ in 0..4 {
                for (at, &channel) in into.iter().enumerate() {
                    if self.turns_back(channel, out[at]) {
                        let other = rng.below(out.len());
                        out.swap(at, other);
                    }
                }
            }
            for (&channel, &next) in into.iter().zip(&out) {
                self.join(channel, next);
            }
        }
    }

    fn join(&mut self, channel: u32, next: u32) {
        self.next[channel as usize] = next;
        if next != NONE {
            self.before[next as usize] = channel;
        }
    }

    fn turns_back(&self, channel: u32, next: u32) -> bool {
        next != NONE && self.pairs.head[next as usize] == self.pairs.tail[channel as usize]
    }

    /// Cuts all trails into pieces.
    fn cut_all(&mut self) {
        self.is_first.fill(true);
        self.is_used.fill(false);
        self.advance_clock();
        let mut trail = Vec::new();
        // Trails with an end first, from their first channel on; then closed ones.
        let channels = 0..self.pairs.channels() as u32;
        let open = channels.clone().filter(|&c| self.before[c as usize] == NONE);
        let starts: Vec<u32> = open.chain(channels).collect();
        for start in starts {
            trail.clear();
            let mut channel = start;
            while channel != NONE && self.seen[channel as usize] != self.now {
                self.seen[channel as usize] = self.now;
                trail.push(channel);
                channel = self.next[channel as usize];
            }
            for part in trail.chunks(64) {
                let mut pieces = std::mem::take(&mut self.cuts[0]);
                self.cut.best(self.pairs, &self.entry, part, &mut pieces);
                self.set(part, &pieces);
                self.cuts[0] = pieces;
            }
        }
    }

    /// Sets the pieces of a part of a trail. A message that occurs twice has the first place only.
    fn set(&mut self, part: &[u32], pieces: &[TrailPiece]) {
        for &channel in part {
            (self.is_first[channel as usize], self.is_used[channel as usize]) = (true, false);
        }
        for piece in pieces {
            let channels = &part[piece.start as usize..piece.end as usize];
            let pair = self.pair(channels[0], channels[channels.len() - 1]);
            if self.entry[pair] & VALUE == 0 {
                continue;
            }
            self.entry[pair] &= !VALUE;
            for (at, &channel) in channels.iter().enumerate() {
                (self.is_first[channel as usize], self.is_used[channel as usize]) = (at == 0, true);
            }
        }
    }

    /// Lists the channels whose messages could pay more: holes, and channels of messages whose
    /// cheapest path costs less than theirs.
    fn find_waste(&mut self, price: &[f32]) {
        let mut wasted = std::mem::take(&mut self.wasted);
        wasted.clear();
        let times = |waste: f32| ((waste / WASTE) as usize).min(MOST_TIMES);
        for first in 0..self.pairs.channels() as u32 {
            if !self.is_used[first as usize] {
                let times = times(UNIT * price[first as usize]).max(1);
                wasted.extend(std::iter::repeat_n(first, times));
            } else if self.is_first[first as usize] {
                let last = self.last_of(first);
                let pair = self.pair(first, last);
                let length = self.pairs.distance[pair];
                let paid = self.value[pair] as f32 - self.bonus[usize::from(length)];
                let cost: f32 = self.piece(first, last).map(|c| price[c as usize]).sum();
                let times = times((UNIT * cost - paid) / f32::from(length));
                let channels = self.piece(first, last);
                wasted.extend(channels.flat_map(|channel| std::iter::repeat_n(channel, times)));
            }
        }
        self.wasted = wasted;
    }

    /// Chooses two channels into the same router, one of them rather at a wasted channel.
    fn choose(&self, rng: &mut Rng) -> Option<(u32, u32)> {
        let first = if !self.wasted.is_empty() && rng.below(ANYWHERE) > 0 {
            let channel = self.wasted[rng.below(self.wasted.len())];
            let is_behind = rng.below(2) == 0;
            if is_behind { channel } else { self.before[channel as usize] }
        } else {
            rng.below(self.pairs.channels()) as u32
        };
        if first == NONE {
            return None;
        }
        let into = &self.pairs.into[self.pairs.head[first as usize] as usize];
        let second = into[rng.below(into.len())];
        let turns_back = self.turns_back(first, self.next[second as usize])
            || self.turns_back(second, self.next[first as usize]);
        (first != second && !turns_back).then_some((first, second))
    }

    /// Exchanges the continuations of two channels, unless that loses too much value.
    fn exchange(&mut self, first: u32, second: u32, rng: &mut Rng) {
        self.advance_clock();
        for (at, channel) in [first, second].into_iter().enumerate() {
            let mut window = std::mem::take(&mut self.windows[at]);
            let is_apart = self.open(channel, &mut window);
            self.windows[at] = window;
            if !is_apart {
                return;
            }
        }
        for at in 0..2 {
            let (own, other) = (&self.windows[at], &self.windows[1 - at]);
            self.trails[at].clear();
            self.trails[at].extend_from_slice(&own.channels[..own.middle]);
            self.trails[at].extend_from_slice(&other.channels[other.middle..]);
        }
        let before = self.lift();
        let mut after = 0;
        for at in 0..2 {
            let pieces = &mut self.cuts[at];
            after += self.cut.best(self.pairs, &self.entry, &self.trails[at], pieces);
        }
        let gain = after as f32 - before as f32;
        let is_accepted = gain >= 0.0 || (rng.unit() as f32) < (gain / self.temperature).exp();
        if is_accepted && self.is_distinct() {
            let (after_first, after_second) =
                (self.next[first as usize], self.next[second as usize]);
            self.join(first, after_second);
            self.join(second, after_first);
            for at in 0..2 {
                let (trail, pieces) =
                    (std::mem::take(&mut self.trails[at]), std::mem::take(&mut self.cuts[at]));
                self.set(&trail, &pieces);
                (self.trails[at], self.cuts[at]) = (trail, pieces);
            }
        } else {
            for &pair in &self.lifted {
                self.entry[pair] &= !VALUE;
            }
        }
    }

    /// Collects the channels around the end of a channel: its piece and the one before, and the two
    /// pieces that follow. False if one of them belongs to the other window already.
    fn open(&mut self, channel: u32, window: &mut Window) -> bool {
        let next = self.next[channel as usize];
        let mut start = self.first_of(channel);
        let before = self.before[start as usize];
        if before != NONE && before != channel {
            start = self.first_of(before);
        }
        window.channels.clear();
        let mut at = start;
        while self.mark(at) {
            window.channels.push(at);
            if at == channel {
                window.middle = window.channels.len();
                return next == NONE || self.open_behind(next, window);
            }
            at = self.next[at as usize];
        }
        false
    }

    fn open_behind(&mut self, next: u32, window: &mut Window) -> bool {
        let mut last = self.last_of(next);
        let behind = self.next[last as usize];
        if behind != NONE && self.seen[behind as usize] != self.now {
            last = self.last_of(behind);
        }
        let mut at = next;
        while self.mark(at) {
            window.channels.push(at);
            if at == last {
                return true;
            }
            at = self.next[at as usize];
        }
        false
    }

    /// Marks a channel as part of a window; false if it is one already.
    fn mark(&mut self, channel: u32) -> bool {
        std::mem::replace(&mut self.seen[channel as usize], self.now) != self.now
    }

    fn advance_clock(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.seen.fill(0);
            self.now = 1;
        }
    }

    /// Makes the messages in the windows available again; returns their value.
    fn lift(&mut self) -> u32 {
        self.lifted.clear();
        let mut total = 0;
        for at in 0..2 {
            let mut next = 0;
            while next < self.windows[at].channels.len() {
                let first = self.windows[at].channels[next];
                let last = self.last_of(first);
                next += self.piece(first, last).count();
                if self.is_used[first as usize] {
                    let pair = self.pair(first, last);
                    self.entry[pair] |= self.value[pair];
                    total += self.value[pair];
                    self.lifted.push(pair);
                }
            }
        }
        total
    }

    /// Whether no message has two places in the new cuts.
    fn is_distinct(&mut self) -> bool {
        let mut placed = std::mem::take(&mut self.placed);
        placed.clear();
        for (trail, pieces) in self.trails.iter().zip(&self.cuts) {
            let ends =
                |piece: &TrailPiece| (trail[piece.start as usize], trail[piece.end as usize - 1]);
            placed.extend(pieces.iter().map(ends).map(|(first, last)| self.pair(first, last)));
        }
        let is_new = |(at, pair): (usize, &usize)| !placed[..at].contains(pair);
        let is_distinct = placed.iter().enumerate().all(is_new);
        self.placed = placed;
        is_distinct
    }

    fn pair(&self, first: u32, last: u32) -> usize {
        self.pairs.pair(self.pairs.tail[first as usize], self.pairs.head[last as usize])
    }

    fn first_of(&self, mut channel: u32) -> u32 {
        while !self.is_first[channel as usize] {
            channel = self.before[channel as usize];
        }
        channel
    }

    fn last_of(&self, mut channel: u32) -> u32 {
        loop {
            let next = self.next[channel as usize];
            if next == NONE || self.is_first[next as usize] {
                return channel;
            }
            channel = next;
        }
    }

    fn piece(&self, first: u32, last: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let channel = next?;
            next = (channel != last).then(|| self.next[channel as usize]);
            Some(channel)
        })
    }
}
