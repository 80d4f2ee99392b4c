//! Memory layout of messages that wait for a circuit and of existing circuits, for random access.

use crate::heap::Heap;
use crate::routing::{Chains, Hop};

/// There is no heap.
const NONE: u32 = u32::MAX;

/// For every pair of routers, the first waiting message with all its data side by side, because
/// pairs are accessed at random: its rank, number and length, the heap of the other waiting
/// messages, and for short paths the number of channels and their places at the routers that they
/// leave.
#[derive(Debug, Default)]
pub(super) struct Slots {
    bytes: Vec<u8>,
    /// Offset of the first slot, aligned to a cache line.
    start: usize,
    /// Ranks that wait behind the first message of their pair, and the indices of unused heaps.
    others: Vec<Heap>,
    unused: Vec<u32>,
}

/// Bytes per cache line and per slot: no slot crosses a line.
const LINE: usize = 64;
const SLOT: usize = 32;

/// Offsets within a slot.
const MESSAGE: usize = 4;
const LENGTH: usize = 8;
const OTHERS: usize = 16;
const HOPS: usize = 20;
const PATH: usize = 21;

/// The path is too long for a slot.
const LONG: u8 = u8::MAX;

/// The first waiting message of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct First {
    pub(super) rank: u32,
    pub(super) message: u32,
    pub(super) length: u64,
}

impl Slots {
    pub(super) fn prepare(&mut self, pairs: usize) {
        let needed = pairs * SLOT + LINE;
        if self.bytes.len() < needed {
            self.bytes = vec![0; needed];
        }
        self.start = self.bytes.as_ptr().align_offset(LINE).min(LINE);
        self.others.iter_mut().for_each(Heap::clear);
        self.unused.clear();
        self.unused.extend(0..self.others.len() as u32);
    }

    #[inline]
    fn slot(&self, pair: usize) -> &[u8] {
        &self.bytes[self.start + pair * SLOT..][..SLOT]
    }

    #[inline]
    fn slot_mut(&mut self, pair: usize) -> &mut [u8] {
        &mut self.bytes[self.start + pair * SLOT..][..SLOT]
    }

    #[inline]
    pub(super) fn rank(&self, pair: usize) -> u32 {
        word(self.slot(pair), 0)
    }

    #[inline]
    pub(super) fn first(&self, pair: usize) -> First {
        let slot = self.slot(pair);
        let [low, high] = [word(slot, LENGTH), word(slot, LENGTH + 4)].map(u64::from);
        First { rank: word(slot, 0), message: word(slot, MESSAGE), length: high << 32 | low }
    }

    #[inline]
    fn set_first(&mut self, pair: usize, first: First, others: u32) {
        let slot = self.slot_mut(pair);
        slot[..MESSAGE].copy_from_slice(&first.rank.to_le_bytes());
        slot[MESSAGE..LENGTH].copy_from_slice(&first.message.to_le_bytes());
        slot[LENGTH..OTHERS].copy_from_slice(&first.length.to_le_bytes());
        slot[OTHERS..HOPS].copy_from_slice(&others.to_le_bytes());
    }

    /// Adds the only waiting message of a pair.
    #[inline]
    pub(super) fn add_only(&mut self, pair: usize, only: First, path: &[Hop]) {
        self.set_first(pair, only, NONE);
        let slot = self.slot_mut(pair);
        if path.len() > SLOT - PATH {
            slot[HOPS] = LONG;
            return;
        }
        slot[HOPS] = path.len() as u8;
        for (place, hop) in slot[PATH..].iter_mut().zip(path) {
            *place = hop.place_out;
        }
    }

    /// Adds another waiting message of a pair.
    pub(super) fn add(&mut self, pair: usize, new: First) {
        let first = self.first(pair);
        let mut others = word(self.slot(pair), OTHERS);
        if others == NONE {
            others = self.unused.pop().unwrap_or_else(|| {
                self.others.push(Heap::default());
                self.others.len() as u32 - 1
            });
        }
        let (first, later) =
            if new.rank < first.rank { (new, first.rank) } else { (first, new.rank) };
        self.others[others as usize].push(u128::from(later));
        self.set_first(pair, first, others);
    }

    /// Removes the first waiting message of a pair. Returns whether another one waits.
    #[inline]
    pub(super) fn remove_first(&mut self, pair: usize, named: impl Fn(u32) -> First) -> bool {
        let others = word(self.slot(pair), OTHERS);
        if others == NONE {
            return false;
        }
        match self.others[others as usize].pop() {
            Some(rank) => {
                self.set_first(pair, named(rank as u32), others);
                true
            }
            None => {
                self.unused.push(others);
                false
            }
        }
    }

    /// Lists the channels of a pair's path up to the first busy link. Returns whether all links are
    /// free. `long` returns the channels if they do not fit into a slot.
    #[inline]
    pub(super) fn free_path<'a>(
        &self,
        chains: &Chains,
        pair: usize,
        long: impl FnOnce() -> &'a [u32],
        is_busy: &[bool],
        path: &mut Vec<Hop>,
    ) -> bool {
        path.clear();
        let mut go = |exit: usize| {
            let hop = chains.hops[exit];
            path.push(hop);
            (!is_busy[hop.link as usize]).then_some(hop.head as usize)
        };
        let slot = self.slot(pair);
        if slot[HOPS] == LONG {
            return long()
                .iter()
                .all(|&channel| go(chains.exits[channel as usize] as usize).is_some());
        }
        let places = &slot[PATH..][..slot[HOPS] as usize];
        let start = pair / chains.routers;
        let end =
            places.iter().try_fold(start, |at, &place| go(at * chains.places + place as usize));
        end.is_some()
    }
}

#[inline]
fn word(slot: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&slot[at..at + 4]);
    u32::from_le_bytes(bytes)
}

/// The existing circuits. They are few, so they stay in the cache.
#[derive(Debug, Default)]
pub(super) struct CircuitRecords {
    /// For every circuit, its message and its number of channels (`headers`), and the channels
    /// (`hops`).
    headers: Vec<(u32, u32)>,
    hops: Vec<Hop>,
    stride: usize,
    unused: Vec<u32>,
}

impl CircuitRecords {
    pub(super) fn prepare(&mut self, longest: usize) {
        self.headers.clear();
        self.hops.clear();
        self.unused.clear();
        self.stride = longest;
    }

    #[inline]
    pub(super) fn build(&mut self, message: u32, path: &[Hop]) -> u32 {
        let circuit = self.unused.pop().unwrap_or_else(|| {
            self.headers.push((0, 0));
            self.hops.resize(self.hops.len() + self.stride, Hop::default());
            self.headers.len() as u32 - 1
        });
        self.headers[circuit as usize] = (message, path.len() as u32);
        self.hops[circuit as usize * self.stride..][..path.len()].copy_from_slice(path);
        circuit
    }

    /// Ends a circuit and returns its message and channels.
    #[inline]
    pub(super) fn end(&mut self, circuit: u32) -> (u32, &[Hop]) {
        self.unused.push(circuit);
        let (message, hops) = self.headers[circuit as usize];
        (message, &self.hops[circuit as usize * self.stride..][..hops as usize])
    }
}
