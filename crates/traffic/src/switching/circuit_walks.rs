//! Walks over free channels that waiting messages need, backwards and forwards from a link that
//! becomes free. They find the pairs of routers whose messages can start.

use crate::routing::{Chains, Hop, NO_PLACE};
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of places of a router. The narrowest sufficient width keeps most of the data of a walk in
/// the cache.
pub(super) trait Set:
    Copy
    + Debug
    + Default
    + PartialEq
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
{
    /// The set of one place.
    fn only(place: u8) -> Self;

    /// Removes and returns the first place of a non-empty set.
    fn take_first(&mut self) -> u32;

    /// Whether the set is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

macro_rules! set {
    ($word:ty) => {
        impl Set for $word {
            #[inline]
            fn only(place: u8) -> Self {
                1 << place
            }

            #[inline]
            fn take_first(&mut self) -> u32 {
                let first = self.trailing_zeros();
                *self &= *self - 1;
                first
            }
        }
    };
}

set!(u16);
set!(u64);

/// The channels that waiting messages need, and which of them are free.
#[derive(Debug, Default)]
pub(super) struct Walks<S> {
    /// For every pair of routers, whether a message waits: `words` words per destination.
    is_waiting: Vec<u64>,
    words: usize,
    /// For every exit, the number of waiting messages that need its channel.
    wanted: Vec<u32>,
    /// For every entry, the places from which some waiting message reaches it; for every exit, the
    /// places to which some waiting message continues.
    entries: Vec<Door<S>>,
    exits: Vec<Door<S>>,
    /// For every exit and every place that leads to it, the number of waiting messages that make
    /// this turn.
    turns: Vec<u32>,
    /// For every router, the entering and the leaving channels that are free and needed.
    enterable: Vec<S>,
    leavable: Vec<S>,
    /// The routers where free paths to a channel begin, along a path that ends and against it.
    sources: [Vec<u64>; 2],
    /// Places from which a walk still has to continue.
    stack: Vec<(S, u32)>,
    /// Pairs found at this instant, each with the link by which it was found.
    pub(super) found: Vec<u64>,
}

/// Whether a channel that becomes free belongs to the path that ends (`ALONG`) or is the opposite
/// one (`AGAINST`).
const ALONG: usize = 0;
const AGAINST: usize = 1;

/// The place where a channel enters or leaves a router: the places that waiting messages use before
/// or after it, and the router at its other end.
#[derive(Debug, Clone, Copy, Default)]
struct Door<S> {
    turns: S,
    router: u16,
}

/// A channel between places of two routers.
#[derive(Debug, Clone, Copy)]
struct Way {
    tail: u16,
    head: u16,
    place_out: u8,
    place_in: u8,
}

impl Way {
    fn along(hop: &Hop) -> Self {
        let &Hop { tail, head, place_out, place_in, .. } = hop;
        Self { tail, head, place_out, place_in }
    }

    /// The opposite channel of a link.
    fn against(hop: &Hop) -> Option<Self> {
        let &Hop { tail, head, back_out, back_in, .. } = hop;
        (back_out != NO_PLACE).then_some(Self {
            tail: head,
            head: tail,
            place_out: back_out,
            place_in: back_in,
        })
    }

    fn exit(self, places: usize) -> usize {
        self.tail as usize * places + self.place_out as usize
    }

    fn entry(self, places: usize) -> usize {
        self.head as usize * places + self.place_in as usize
    }
}

impl<S: Set> Walks<S> {
    pub(super) fn prepare(&mut self, chains: &Chains) {
        let slots = chains.routers * chains.places;
        self.words = chains.routers.div_ceil(64).next_multiple_of(4);
        refill(&mut self.is_waiting, chains.routers * self.words);
        refill(&mut self.wanted, slots);
        refill(&mut self.turns, slots * chains.places);
        refill(&mut self.entries, slots);
        refill(&mut self.exits, slots);
        refill(&mut self.enterable, chains.routers);
        refill(&mut self.leavable, chains.routers);
        refill(&mut self.sources[ALONG], self.words);
        refill(&mut self.sources[AGAINST], self.words);
        refill(&mut self.stack, chains.routers);
        self.found.clear();
        for &exit in &chains.exits {
            let way = Way::along(&chains.hops[exit as usize]);
            self.exits[exit as usize].router = way.head;
            self.entries[way.entry(chains.places)].router = way.tail;
        }
    }

    #[inline]
    fn bit(&mut self, tail: usize, head: usize) -> (&mut u64, u64) {
        (&mut self.is_waiting[head * self.words + tail / 64], 1 << (tail % 64))
    }

    /// Adds a waiting message. Returns whether it is the only one of its pair.
    #[inline]
    pub(super) fn add(&mut self, chains: &Chains, path: &[Hop], is_busy: &[bool]) -> bool {
        for hop in path {
            let way = Way::along(hop);
            let wanted = &mut self.wanted[way.exit(chains.places)];
            *wanted += 1;
            if *wanted == 1 && !is_busy[hop.link as usize] {
                self.set_open(way, true);
            }
        }
        for pair in path.windows(2) {
            self.add_turn(chains.places, &pair[0], &pair[1]);
        }
        let (word, bit) = self.bit(path[0].tail as usize, path[path.len() - 1].head as usize);
        let is_only = *word & bit == 0;
        *word |= bit;
        is_only
    }

    /// Removes a message that has started, so that its links are busy.
    #[inline]
    pub(super) fn remove(&mut self, chains: &Chains, path: &[Hop], is_last: bool) {
        for hop in path {
            let way = Way::along(hop);
            self.wanted[way.exit(chains.places)] -= 1;
            self.set_open(way, false);
            if let Some(way) = Way::against(hop) {
                self.set_open(way, false);
            }
        }
        for pair in path.windows(2) {
            self.remove_turn(chains.places, &pair[0], &pair[1]);
        }
        if is_last {
            let (word, bit) = self.bit(path[0].tail as usize, path[path.len() - 1].head as usize);
            *word &= !bit;
        }
    }

    /// Counts a waiting message that continues from one channel to another.
    #[inline]
    fn add_turn(&mut self, places: usize, from: &Hop, to: &Hop) {
        let exit = Way::along(to).exit(places);
        self.turns[exit * places + from.place_in as usize] += 1;
        self.entries[Way::along(to).entry(places)].turns |= S::only(from.place_in);
        self.exits[Way::along(from).exit(places)].turns |= S::only(to.place_out);
    }

    /// Reverses [`add_turn`](Self::add_turn).
    #[inline]
    fn remove_turn(&mut self, places: usize, from: &Hop, to: &Hop) {
        let exit = Way::along(to).exit(places);
        let turns = &mut self.turns[exit * places + from.place_in as usize];
        *turns -= 1;
        if *turns == 0 {
            self.entries[Way::along(to).entry(places)].turns &= !S::only(from.place_in);
            self.exits[Way::along(from).exit(places)].turns &= !S::only(to.place_out);
        }
    }

    /// Records whether a channel is free and needed.
    #[inline]
    fn set_open(&mut self, way: Way, is_open: bool) {
        let entering = &mut self.enterable[way.head as usize];
        let leaving = &mut self.leavable[way.tail as usize];
        let (one, other) = (S::only(way.place_in), S::only(way.place_out));
        if is_open {
            (*entering, *leaving) = (*entering | one, *leaving | other)
        } else {
            (*entering, *leaving) = (*entering & !one, *leaving & !other)
        }
    }

    /// Frees the links of a path.
    #[inline]
    pub(super) fn open(&mut self, chains: &Chains, is_busy: &mut [bool], path: &[Hop]) {
        let mut behind = S::default();
        for hop in path {
            // Links stay busy until their walk, so that no pair is found twice.
            is_busy[hop.link as usize] = false;
            let way = Way::along(hop);
            behind = if self.wanted[way.exit(chains.places)] > 0 {
                self.walk::<ALONG>(chains, hop.link, way, behind)
            } else {
                S::default()
            };
            if let Some(way) = Way::against(hop)
                && self.wanted[way.exit(chains.places)] > 0
            {
                self.walk::<AGAINST>(chains, hop.link, way, S::default());
            }
        }
    }

    /// Opens a channel and finds the waiting messages whose paths use it and are entirely free. Of
    /// several messages of one pair only the first can start. `behind` is the place where the
    /// previous channel of the same path enters; the sources behind it are already known. Returns
    /// the place where this channel enters.
    #[inline]
    fn walk<const WAY: usize>(&mut self, chains: &Chains, link: u32, way: Way, behind: S) -> S {
        self.set_open(way, true);
        let places = chains.places as u32;
        let words = self.words;
        let sources = &mut self.sources[WAY][..words];
        let turns = self.entries[way.entry(chains.places)].turns;
        let mut set = self.enterable[way.tail as usize] & turns;
        let known = if (set & behind).is_empty() { 0 } else { u64::MAX };
        sources.iter_mut().for_each(|word| *word &= known);
        set &= !behind;
        sources[way.tail as usize / 64] |= 1 << (way.tail % 64);
        let stack = &mut self.stack[..];
        let (mut base, mut depth) = (u32::from(way.tail) * places, 0);
        loop {
            if set.is_empty() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                (set, base) = stack[depth];
            }
            let Door { turns, router } = self.entries[(base + set.take_first()) as usize];
            sources[router as usize / 64] |= 1 << (router % 64);
            let more = self.enterable[router as usize] & turns;
            if !more.is_empty() {
                stack[depth] = (set, base);
                depth += usize::from(!set.is_empty());
                (set, base) = (more, u32::from(router) * places);
            }
        }
        let sources = &self.sources[WAY][..words];
        let Door { turns, mut router } = self.exits[way.exit(chains.places)];
        set = self.leavable[router as usize] & turns;
        base = u32::from(router) * places;
        loop {
            let row = &self.is_waiting[router as usize * words..][..words];
            meet(row, sources, |tail| {
                let pair = tail * chains.routers as u32 + u32::from(router);
                self.found.push(u64::from(pair) << 32 | u64::from(link));
            });
            if set.is_empty() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                (set, base) = stack[depth];
            }
            let door = self.exits[(base + set.take_first()) as usize];
            router = door.router;
            let more = self.leavable[router as usize] & door.turns;
            if !more.is_empty() {
                stack[depth] = (set, base);
                depth += usize::from(!set.is_empty());
                (set, base) = (more, u32::from(router) * places);
            }
        }
        S::only(way.place_in)
    }
}

/// Calls `name` for every element of the intersection of two sets, which is usually empty.
#[inline]
fn meet(one: &[u64], other: &[u64], mut name: impl FnMut(u32)) {
    let some = one.iter().zip(other).fold(0, |some, (one, other)| some | one & other);
    if some == 0 {
        return;
    }
    for (word, (one, other)) in (0..).zip(one.iter().zip(other)) {
        let mut common = one & other;
        while common != 0 {
            name(word * 64 + common.trailing_zeros());
            common &= common - 1;
        }
    }
}

fn refill<T: Clone + Default>(items: &mut Vec<T>, count: usize) {
    items.clear();
    items.resize(count, T::default());
}
