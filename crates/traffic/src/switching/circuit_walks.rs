//! Walks over free channels that waiting messages want, from a link that becomes free, back and forth: they
//! find the pairs of routers whose messages can start.

use crate::routing::{Chains, Hop, NO_PLACE};
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of places of a router. The narrowest that is wide enough keeps most of what a walk reads in the
/// nearest memory.
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
    /// That place alone.
    fn only(place: u8) -> Self;

    /// The first place of a set that is not empty, which is taken out.
    fn take_first(&mut self) -> u32;

    /// Whether nothing is in it.
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

/// What waiting messages want, and which of it is free.
#[derive(Debug, Default)]
pub(super) struct Walks<S> {
    /// For every pair of routers whether a message waits: so many words for each destination.
    is_waiting: Vec<u64>,
    words: usize,
    /// For every place of exit how many waiting messages want its channel.
    wanted: Vec<u32>,
    /// For every place of entry the places from which a waiting message comes to it, and for every
    /// place of exit those to which one goes on.
    entries: Vec<Door<S>>,
    exits: Vec<Door<S>>,
    /// For every place of exit and every place where it can come from, how many waiting messages do so.
    turns: Vec<u32>,
    /// For every router the channels that enter it, and that leave it, which are free and wanted.
    enterable: Vec<S>,
    leavable: Vec<S>,
    /// The routers where free paths to a channel begin: along a path that ends, and against it.
    sources: [Vec<u64>; 2],
    /// Places where a walk has still to go on.
    stack: Vec<(S, u32)>,
    /// Pairs found at this instant, each with the link by which it was.
    pub(super) found: Vec<u64>,
}

/// Whether a channel that becomes free is one of the path that ends, or the other one of its link.
const ALONG: usize = 0;
const AGAINST: usize = 1;

/// Where a channel enters or leaves a router: the places that waiting messages use before or after it, and the
/// router at its other end.
#[derive(Debug, Clone, Copy, Default)]
struct Door<S> {
    turns: S,
    router: u16,
}

/// A channel between places of routers.
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

    /// The other channel of a link.
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

    /// A message waits; says whether it is the only one of its pair.
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

    /// A message waits no longer, and its links have become busy.
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

    /// One more waiting message goes from a channel on to another.
    #[inline]
    fn add_turn(&mut self, places: usize, from: &Hop, to: &Hop) {
        let exit = Way::along(to).exit(places);
        self.turns[exit * places + from.place_in as usize] += 1;
        self.entries[Way::along(to).entry(places)].turns |= S::only(from.place_in);
        self.exits[Way::along(from).exit(places)].turns |= S::only(to.place_out);
    }

    /// One less does.
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

    /// Says of a channel whether it is free and wanted.
    #[inline]
    fn set_open(&mut self, way: Way, is_open: bool) {
        let entering = &mut self.enterable[way.head as usize];
        let leaving = &mut self.leavable[way.tail as usize];
        let (one, other) = (S::only(way.place_in), S::only(way.place_out));
        match is_open {
            true => (*entering, *leaving) = (*entering | one, *leaving | other),
            false => (*entering, *leaving) = (*entering & !one, *leaving & !other),
        }
    }

    /// A path has become free.
    #[inline]
    pub(super) fn open(&mut self, chains: &Chains, is_busy: &mut [bool], path: &[Hop]) {
        let mut behind = S::default();
        for hop in path {
            // A link stays busy until it is walked, so that no pair is found twice.
            is_busy[hop.link as usize] = false;
            let way = Way::along(hop);
            behind = match self.wanted[way.exit(chains.places)] > 0 {
                true => self.walk::<ALONG>(chains, hop.link, way, behind),
                false => S::default(),
            };
            if let Some(way) = Way::against(hop)
                && self.wanted[way.exit(chains.places)] > 0
            {
                self.walk::<AGAINST>(chains, hop.link, way, S::default());
            }
        }
    }

    /// Opens a channel, and finds the waiting messages whose paths lead over it and are free altogether. Of
    /// several messages of one pair only the first can start. What lies behind the channel before it, which
    /// came in at that place, is known. Gives the place where this one comes in.
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

/// Names what two sets have in common, which is mostly nothing.
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
