//! One step as trails. At every router, each incoming channel continues on an outgoing one, so that the channels of the
//! network form trails; a trail is cut into pieces, which are shortest paths of messages that are left, and holes of
//! one channel each. A move exchanges the continuations of two channels at a router, and cuts the pieces around it
//! anew, by dynamic programming.

use super::super::pairs::{NONE, PairTable};
use super::cut::{Cut, TrailPiece};
use super::stock::{Stock, TAKEN, UNIT};
use crate::rng::Rng;
use rustc_hash::FxHashMap;

/// The share of moves at random routers is one of this many; the others are at wasted channels.
const ANYWHERE: usize = 4;

/// A channel is a candidate for moves for every such amount of wasted value, up to [`MOST_TIMES`].
const WASTE: f32 = 128.0;
const MOST_TIMES: usize = 8;

/// A step that is filled.
pub(super) struct Lane {
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
    /// The pairs whose messages the step has taken since the last exchange with the other steps, each with the
    /// first channel of its path, and those that it has given back, with [`NONE`].
    changed: FxHashMap<usize, u32>,
    rng: Rng,
}

/// The channels around a channel whose continuation changes, up to it and behind it.
#[derive(Default)]
struct Window {
    channels: Vec<u32>,
    middle: usize,
}

impl Lane {
    pub fn new(channels: usize) -> Self {
        Self {
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
            changed: FxHashMap::default(),
            rng: Rng::seeded(0),
        }
    }

    /// Starts with random trails.
    pub fn start(&mut self, stock: &Stock<'_>, rng: Rng) {
        self.rng = rng;
        self.lifted.clear();
        self.join_at_random(stock.pairs);
        self.cut_all(stock);
    }

    /// Makes so many moves.
    pub fn run(&mut self, stock: &Stock<'_>, price: &[f32], moves: u64) {
        self.find_waste(stock, price);
        for _ in 0..moves {
            if let Some((first, second)) = self.choose(stock.pairs) {
                self.exchange(stock, first, second);
            }
        }
    }

    /// Makes the changes of this step known to the others. A message that another step has taken is given up.
    pub fn tell(&mut self, stock: &mut Stock<'_>) {
        let mut changed = std::mem::take(&mut self.changed);
        #[expect(clippy::iter_over_hash_type, reason = "every pair is changed by itself")]
        for (pair, first) in changed.drain() {
            let entry = &mut stock.entry[pair];
            if first == NONE {
                *entry &= !TAKEN;
            } else if *entry & TAKEN == 0 {
                *entry |= TAKEN;
            } else {
                self.give_up(first);
            }
        }
        self.changed = changed;
    }

    /// Turns the path of a message into holes.
    fn give_up(&mut self, first: u32) {
        let mut channel = first;
        loop {
            (self.is_first[channel as usize], self.is_used[channel as usize]) = (true, false);
            channel = self.next[channel as usize];
            if channel == NONE || self.is_first[channel as usize] {
                return;
            }
        }
    }

    /// Passes on the pairs of the messages of the step, with their paths.
    pub fn messages(&self, pairs: &PairTable, mut pass_on: impl FnMut(usize, &[u32])) {
        let mut path = Vec::new();
        for first in 0..pairs.channels() as u32 {
            if self.is_used[first as usize] && self.is_first[first as usize] {
                let last = self.last_of(first);
                path.clear();
                path.extend(self.piece(first, last));
                pass_on(pair_of(pairs, first, last), &path);
            }
        }
    }

    /// Whether this step may use the message of a pair that is taken: if it gave it back, or lifts it.
    #[inline]
    fn may_use(&self, pair: usize) -> bool {
        self.lifted.contains(&pair) || self.changed.get(&pair) == Some(&NONE)
    }

    /// Continues every channel on a random one at its last router, rather not on its opposite.
    fn join_at_random(&mut self, pairs: &PairTable) {
        self.next.fill(NONE);
        self.before.fill(NONE);
        let mut out = Vec::new();
        for (into, all) in pairs.into.iter().zip(&pairs.out) {
            out.clear();
            out.extend_from_slice(all);
            out.resize(out.len().max(into.len()), NONE);
            self.rng.shuffle(&mut out);
            for _ in 0..4 {
                for (at, &channel) in into.iter().enumerate() {
                    if turns_back(pairs, channel, out[at]) {
                        let other = self.rng.below(out.len());
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

    /// Cuts all trails into pieces.
    fn cut_all(&mut self, stock: &Stock<'_>) {
        self.is_first.fill(true);
        self.is_used.fill(false);
        self.advance_clock();
        let mut trail = Vec::new();
        // Trails with an end first, from their first channel on; then closed ones.
        let channels = 0..stock.pairs.channels() as u32;
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
                let (mut cut, mut pieces) =
                    (std::mem::take(&mut self.cut), std::mem::take(&mut self.cuts[0]));
                cut.best(stock, |pair| self.may_use(pair), part, &mut pieces);
                self.set(stock.pairs, part, &pieces);
                (self.cut, self.cuts[0]) = (cut, pieces);
            }
        }
    }

    /// Sets the pieces of a part of a trail. A message that occurs twice has the first place only.
    fn set(&mut self, pairs: &PairTable, part: &[u32], pieces: &[TrailPiece]) {
        for &channel in part {
            (self.is_first[channel as usize], self.is_used[channel as usize]) = (true, false);
        }
        for piece in pieces {
            let channels = &part[piece.start as usize..piece.end as usize];
            let pair = pair_of(pairs, channels[0], channels[channels.len() - 1]);
            match self.changed.get(&pair) {
                // It gets back what it gave back.
                Some(&NONE) => self.changed.remove(&pair),
                Some(_) => continue,
                None => self.changed.insert(pair, channels[0]),
            };
            for (at, &channel) in channels.iter().enumerate() {
                (self.is_first[channel as usize], self.is_used[channel as usize]) = (at == 0, true);
            }
        }
    }

    /// Lists the channels whose messages could pay more: holes, and channels of messages whose
    /// cheapest path costs less than theirs.
    fn find_waste(&mut self, stock: &Stock<'_>, price: &[f32]) {
        let mut wasted = std::mem::take(&mut self.wasted);
        wasted.clear();
        let times = |waste: f32| ((waste / WASTE) as usize).min(MOST_TIMES);
        for first in 0..stock.pairs.channels() as u32 {
            if !self.is_used[first as usize] {
                let times = times(UNIT * price[first as usize]).max(1);
                wasted.extend(std::iter::repeat_n(first, times));
            } else if self.is_first[first as usize] {
                let last = self.last_of(first);
                let pair = pair_of(stock.pairs, first, last);
                let length = stock.pairs.distance[pair];
                let paid = stock.value(pair) as f32 - stock.bonus[usize::from(length)];
                let cost: f32 = self.piece(first, last).map(|c| price[c as usize]).sum();
                let times = times((UNIT * cost - paid) / f32::from(length));
                let channels = self.piece(first, last);
                wasted.extend(channels.flat_map(|channel| std::iter::repeat_n(channel, times)));
            }
        }
        self.wasted = wasted;
    }

    /// Chooses two channels into the same router, one of them rather at a wasted channel.
    fn choose(&mut self, pairs: &PairTable) -> Option<(u32, u32)> {
        let first = if !self.wasted.is_empty() && self.rng.below(ANYWHERE) > 0 {
            let channel = self.wasted[self.rng.below(self.wasted.len())];
            let is_behind = self.rng.below(2) == 0;
            if is_behind { channel } else { self.before[channel as usize] }
        } else {
            self.rng.below(pairs.channels()) as u32
        };
        if first == NONE {
            return None;
        }
        let into = &pairs.into[pairs.head[first as usize] as usize];
        let second = into[self.rng.below(into.len())];
        let turns_back = turns_back(pairs, first, self.next[second as usize])
            || turns_back(pairs, second, self.next[first as usize]);
        (first != second && !turns_back).then_some((first, second))
    }

    /// Exchanges the continuations of two channels, unless that loses too much value.
    fn exchange(&mut self, stock: &Stock<'_>, first: u32, second: u32) {
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
        let before = self.lift(stock);
        let mut after = 0;
        let mut cut = std::mem::take(&mut self.cut);
        for at in 0..2 {
            let mut pieces = std::mem::take(&mut self.cuts[at]);
            after += cut.best(stock, |pair| self.may_use(pair), &self.trails[at], &mut pieces);
            self.cuts[at] = pieces;
        }
        self.cut = cut;
        let gain = after as f32 - before as f32;
        let is_accepted =
            gain >= 0.0 || (self.rng.unit() as f32) < (gain / stock.temperature).exp();
        if !is_accepted || !self.is_distinct(stock.pairs) {
            return;
        }
        for pair in self.lifted.drain(..) {
            // What was taken since the last exchange is as before it; the rest is given back.
            if self.changed.remove(&pair).is_none() {
                self.changed.insert(pair, NONE);
            }
        }
        let (after_first, after_second) = (self.next[first as usize], self.next[second as usize]);
        self.join(first, after_second);
        self.join(second, after_first);
        for at in 0..2 {
            let (trail, pieces) =
                (std::mem::take(&mut self.trails[at]), std::mem::take(&mut self.cuts[at]));
            self.set(stock.pairs, &trail, &pieces);
            (self.trails[at], self.cuts[at]) = (trail, pieces);
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

    /// Notes the messages in the windows, which a move may use; returns their value.
    fn lift(&mut self, stock: &Stock<'_>) -> u32 {
        self.lifted.clear();
        let mut total = 0;
        for at in 0..2 {
            let mut next = 0;
            while next < self.windows[at].channels.len() {
                let first = self.windows[at].channels[next];
                let last = self.last_of(first);
                next += self.piece(first, last).count();
                if self.is_used[first as usize] {
                    let pair = pair_of(stock.pairs, first, last);
                    total += stock.value(pair);
                    self.lifted.push(pair);
                }
            }
        }
        total
    }

    /// Whether no message has two places.
    fn is_distinct(&mut self, pairs: &PairTable) -> bool {
        let mut placed = std::mem::take(&mut self.placed);
        placed.clear();
        for (trail, pieces) in self.trails.iter().zip(&self.cuts) {
            let ends =
                |piece: &TrailPiece| (trail[piece.start as usize], trail[piece.end as usize - 1]);
            placed.extend(pieces.iter().map(ends).map(|(first, last)| pair_of(pairs, first, last)));
        }
        let is_elsewhere = |pair: &usize| {
            self.changed.get(pair).is_some_and(|&first| first != NONE)
                && !self.lifted.contains(pair)
        };
        let is_new =
            |(at, pair): (usize, &usize)| !placed[..at].contains(pair) && !is_elsewhere(pair);
        let is_distinct = placed.iter().enumerate().all(is_new);
        self.placed = placed;
        is_distinct
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

/// The pair of the first and the last router of a path.
fn pair_of(pairs: &PairTable, first: u32, last: u32) -> usize {
    pairs.pair(pairs.tail[first as usize], pairs.head[last as usize])
}

fn turns_back(pairs: &PairTable, channel: u32, next: u32) -> bool {
    next != NONE && pairs.head[next as usize] == pairs.tail[channel as usize]
}
