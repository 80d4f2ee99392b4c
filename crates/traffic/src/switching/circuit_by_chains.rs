//! Circuit switching where every chain of channels that follow each other is somebody's path: then the
//! messages that can start when a link becomes free are found by walking from it over free links, back
//! and forth, and nobody who cannot start is looked at.

use super::{Case, Priority, Record, Run, State};
use crate::routing::{Chains, Ends};

/// No message.
const NONE: u32 = u32::MAX;

/// Messages that wait, by pair of routers, and what a walk finds.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// For every pair of routers whether a message waits: so many words for each destination.
    is_waiting: Vec<u64>,
    words: usize,
    /// For every pair of routers, destination first, its first message that waits, by the place of its
    /// record.
    first: Vec<u32>,
    /// For every message the next one of the same pair, by the place of its record.
    following: Vec<u32>,
    /// For every message the place of its record.
    places: Vec<u32>,
    records: Records,
    /// Places that a walk has come to, the routers where paths begin, and the pairs that it found.
    reached: Vec<u32>,
    tails: Vec<u32>,
    pairs: Vec<u32>,
    /// Messages that may start at this instant: record, then the link by which they were found.
    candidates: Vec<u64>,
    /// For every channel how many waiting messages want it.
    wanted: Vec<u32>,
    /// For every place of entry the places from which a waiting message comes to it, and for every
    /// place of exit those to which one goes on.
    before: Vec<u64>,
    after: Vec<u64>,
    /// For every place of entry and every place where it can come from, how many waiting messages do so.
    turns: Vec<u32>,
    /// For every router the channels that enter it, and that leave it, which are free and wanted.
    enterable: Vec<u64>,
    leavable: Vec<u64>,
}

/// All that is needed of a message side by side, because it is looked up at random: its number, the two
/// halves of its length, how many channels its path has, and these. The records are in the order of ranks.
#[derive(Debug, Default)]
struct Records(Vec<u32>);

/// Words of a record before its path.
const HEADER: usize = 4;

impl Records {
    fn fill<P>(&mut self, case: &Case<'_, P>, by_rank: &[u32], places: &mut Vec<u32>) {
        self.0.clear();
        places.resize(by_rank.len(), 0);
        for &message in by_rank {
            places[message as usize] = self.0.len() as u32;
            let length = case.mission.messages()[message as usize].length;
            let path = case.routes.path(message);
            self.0.extend([message, length as u32, (length >> 32) as u32, path.len() as u32]);
            self.0.extend_from_slice(path);
        }
    }

    /// The number, the length and the path of a message.
    #[inline]
    fn get(&self, place: u32) -> (u32, u64, &[u32]) {
        let (header, rest) = self.0[place as usize..].split_at(HEADER);
        let length = u64::from(header[2]) << 32 | u64::from(header[1]);
        (header[0], length, &rest[..header[3] as usize])
    }

    #[inline]
    fn message(&self, place: u32) -> usize {
        self.0[place as usize] as usize
    }
}

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    chains: &Chains,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    let mut waiting = std::mem::take(&mut state.waiting);
    let mut records = std::mem::take(&mut waiting.records);
    records.fill(case, &state.by_rank, &mut waiting.places);
    waiting.prepare(chains, state.by_rank.len());
    while let Some(now) = state.next_instant() {
        waiting.candidates.clear();
        while let Some(place) = state.next_ended(now) {
            let (message, _, path) = records.get(place);
            for &channel in path {
                state.free.push(case.links.of_number(channel));
            }
            state.deliver(case, message, now);
        }
        state.gather_entrants(now);
        for at in 0..state.free.len() {
            // A link stays busy until it is walked, so that no pair is found twice.
            let link = state.free[at];
            state.is_busy[link as usize] = false;
            waiting.open(chains, link);
        }
        state.free.clear();
        if state.entrants.len() == state.by_rank.len() {
            // Then the candidates are in order from the start.
            state.entrants.clone_from(&state.by_rank);
        }
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            match case.routes.path(message).is_empty() {
                true => state.deliver(case, message, now),
                false => waiting.add(chains, case, &records, &state.is_busy, message),
            }
            at += 1;
        }
        state.entrants.clear();
        waiting.candidates.sort_unstable();
        for at in 0..waiting.candidates.len() {
            let candidate = waiting.candidates[at];
            // Most have lost the link by which they were found to a better one.
            let link = candidate as u32 as usize;
            if state.is_busy[link] {
                continue;
            }
            let place = (candidate >> 32) as u32;
            if start(case, state, record, &records, place, now) {
                waiting.close(chains, case, records.get(place).2);
                waiting.remove(chains, &records, place);
            }
        }
    }
    waiting.records = records;
    state.waiting = waiting;
    Run { end: state.end, events: state.holds }
}

/// Starts a message if its whole path is free.
fn start<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
    records: &Records,
    place: u32,
    now: u64,
) -> bool {
    let (message, length, path) = records.get(place);
    if path.iter().any(|&channel| state.is_busy[case.links.of_number(channel) as usize]) {
        return false;
    }
    let end = now + length;
    for &channel in path {
        state.is_busy[case.links.of_number(channel) as usize] = true;
        state.holds += 1;
        record.hold(message, channel, now, end);
    }
    state.will_end(place, end);
    true
}

impl Waiting {
    /// The routers between which a path leads.
    fn pair(chains: &Chains, path: &[u32]) -> (usize, usize) {
        let (first, last) = (path[0] as usize, path[path.len() - 1] as usize);
        (chains.ends[first].tail as usize, chains.ends[last].head as usize)
    }

    /// A message waits, and is to be tried at this instant.
    fn add<P>(
        &mut self,
        chains: &Chains,
        case: &Case<'_, P>,
        records: &Records,
        is_busy: &[bool],
        message: u32,
    ) {
        let path = case.routes.path(message);
        let place = self.places[message as usize];
        let link = case.links.of_number(path[0]);
        self.candidates.push(u64::from(place) << 32 | u64::from(link));
        for &channel in path {
            let wanted = &mut self.wanted[channel as usize];
            *wanted += 1;
            if *wanted == 1 && !is_busy[case.links.of_number(channel) as usize] {
                self.set_open(chains, channel, true);
            }
        }
        for pair in path.windows(2) {
            self.add_turn(chains, pair[0], pair[1]);
        }
        let (tail, head) = Self::pair(chains, path);
        self.is_waiting[head * self.words + tail / 64] |= 1 << (tail % 64);
        let first = &mut self.first[head * chains.routers + tail];
        if *first >= place {
            self.following[message as usize] = std::mem::replace(first, place);
            return;
        }
        let mut earlier = records.message(*first);
        while self.following[earlier] < place {
            earlier = records.message(self.following[earlier]);
        }
        let later = std::mem::replace(&mut self.following[earlier], place);
        self.following[message as usize] = later;
    }

    /// A message waits no longer.
    fn remove(&mut self, chains: &Chains, records: &Records, place: u32) {
        let (message, _, path) = records.get(place);
        for &channel in path {
            self.wanted[channel as usize] -= 1;
        }
        for pair in path.windows(2) {
            self.remove_turn(chains, pair[0], pair[1]);
        }
        let (tail, head) = Self::pair(chains, path);
        let following = self.following[message as usize];
        let first = &mut self.first[head * chains.routers + tail];
        if *first == place {
            *first = following;
            if following == NONE {
                self.is_waiting[head * self.words + tail / 64] &= !(1 << (tail % 64));
            }
            return;
        }
        let mut at = records.message(*first);
        while self.following[at] != place {
            at = records.message(self.following[at]);
        }
        self.following[at] = following;
    }

    /// One more waiting message goes from a channel on to another.
    #[inline]
    fn add_turn(&mut self, chains: &Chains, from: u32, to: u32) {
        let (from, to) = (chains.ends[from as usize], chains.ends[to as usize]);
        let entry = to.entry(chains.places);
        self.turns[entry * chains.places + from.place_in as usize] += 1;
        self.before[entry] |= 1 << from.place_in;
        self.after[from.exit(chains.places)] |= 1 << to.place_out;
    }

    /// One less does.
    #[inline]
    fn remove_turn(&mut self, chains: &Chains, from: u32, to: u32) {
        let (from, to) = (chains.ends[from as usize], chains.ends[to as usize]);
        let entry = to.entry(chains.places);
        let turns = &mut self.turns[entry * chains.places + from.place_in as usize];
        *turns -= 1;
        if *turns == 0 {
            self.before[entry] &= !(1 << from.place_in);
            self.after[from.exit(chains.places)] &= !(1 << to.place_out);
        }
    }

    fn prepare(&mut self, chains: &Chains, messages: usize) {
        let refill = |numbers: &mut Vec<u32>, count, number| {
            numbers.clear();
            numbers.resize(count, number);
        };
        refill(&mut self.first, chains.routers * chains.routers, NONE);
        let slots = chains.routers * chains.places;
        refill(&mut self.turns, slots * chains.places, 0);
        refill(&mut self.following, messages, NONE);
        refill(&mut self.wanted, chains.ends.len(), 0);
        refill(&mut self.reached, slots, 0);
        refill(&mut self.tails, chains.routers, 0);
        self.words = chains.routers.div_ceil(64);
        let sets = [
            (&mut self.before, slots),
            (&mut self.after, slots),
            (&mut self.enterable, chains.routers),
            (&mut self.leavable, chains.routers),
            (&mut self.is_waiting, chains.routers * self.words),
        ];
        for (set, count) in sets {
            set.clear();
            set.resize(count, 0);
        }
    }

    /// Says of a channel whether it is free and wanted.
    #[inline]
    fn set_open(&mut self, chains: &Chains, channel: u32, is_open: bool) {
        let Ends { tail, head, place_out, place_in } = chains.ends[channel as usize];
        let entering = &mut self.enterable[head as usize];
        let leaving = &mut self.leavable[tail as usize];
        match is_open {
            true => (*entering, *leaving) = (*entering | 1 << place_in, *leaving | 1 << place_out),
            false => {
                (*entering, *leaving) = (*entering & !(1 << place_in), *leaving & !(1 << place_out))
            }
        }
    }

    /// The links of a message have become busy.
    fn close<P>(&mut self, chains: &Chains, case: &Case<'_, P>, path: &[u32]) {
        for &channel in path {
            for &channel in chains.of_link(case.links.of_number(channel)) {
                self.set_open(chains, channel, false);
            }
        }
    }

    /// A link has become free.
    fn open(&mut self, chains: &Chains, link: u32) {
        for &channel in chains.of_link(link) {
            if self.wanted[channel as usize] > 0 {
                self.set_open(chains, channel, true);
                self.walk(chains, link, chains.ends[channel as usize]);
            }
        }
    }

    /// Finds the waiting messages whose paths lead over a channel that has become free and are free
    /// altogether. Of several messages of one pair only the first can start.
    #[inline]
    fn walk(&mut self, chains: &Chains, link: u32, ends: Ends) {
        let (places, reached) = (chains.places, &mut self.reached[..]);
        reached[0] = ends.entry(places) as u32;
        let (mut at, mut count) = (0, 1);
        while at < count {
            let entry = reached[at] as usize;
            let tail = chains.tails[entry] as usize;
            self.tails[at] = tail as u32;
            at += 1;
            let mut set = self.enterable[tail] & self.before[entry];
            while set != 0 {
                reached[count] = (tail * places) as u32 + set.trailing_zeros();
                count += 1;
                set &= set - 1;
            }
        }
        let tails = &self.tails[..count];
        reached[0] = ends.exit(places) as u32;
        let mut found = 0;
        (at, count) = (0, 1);
        while at < count {
            let exit = reached[at] as usize;
            let head = chains.heads[exit] as usize;
            at += 1;
            let is_waiting = &self.is_waiting[head * self.words..][..self.words];
            if self.pairs.len() < found + tails.len() {
                self.pairs.resize(found + tails.len(), 0);
            }
            for &tail in tails {
                // Written always and kept if it counts: which ones do cannot be foretold.
                self.pairs[found] = (head * chains.routers) as u32 + tail;
                found += (is_waiting[tail as usize / 64] >> (tail % 64) & 1) as usize;
            }
            let mut set = self.leavable[head] & self.after[exit];
            while set != 0 {
                reached[count] = (head * places) as u32 + set.trailing_zeros();
                count += 1;
                set &= set - 1;
            }
        }
        for &pair in &self.pairs[..found] {
            self.candidates.push(u64::from(self.first[pair as usize]) << 32 | u64::from(link));
        }
    }
}
