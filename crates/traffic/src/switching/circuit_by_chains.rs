//! Circuit switching where every chain of channels that follow each other is somebody's path: then the
//! messages that can start when a link becomes free are found by walking from it over free links, back
//! and forth, and nobody who cannot start is looked at.

use super::circuit_records::{Circuits, NONE, Records};
use super::{Case, Priority, Record, Run, State};
use crate::links::Links;
use crate::routing::{Chains, Ends};

/// Messages that wait, by pair of routers, and what a walk finds.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// For every pair of routers whether a message waits: so many words for each destination.
    is_waiting: Vec<u64>,
    words: usize,
    /// For every pair of routers, destination first, its first message that waits, by the place of its
    /// record.
    first: Vec<u32>,
    /// For every message the place of its record.
    places: Vec<u32>,
    records: Records,
    circuits: Circuits,
    /// Places that a walk has come to, and the routers where paths begin.
    reached: Vec<u32>,
    tails: [Vec<u32>; 2],
    /// Pairs found at this instant, each with the link by which it was, and how many they are.
    found: Vec<u64>,
    pairs: usize,
    /// Messages that may start at this instant: record, then the link by which they were found.
    candidates: Vec<u64>,
    /// For every channel how many waiting messages want it.
    wanted: Vec<u32>,
    /// For every place of entry the places from which a waiting message comes to it, and for every
    /// place of exit those to which one goes on.
    entries: Vec<Door>,
    exits: Vec<Door>,
    /// For every place of entry and every place where it can come from, how many waiting messages do so.
    turns: Vec<u32>,
    /// For every router the channels that enter it, and that leave it, which are free and wanted.
    enterable: Vec<u64>,
    leavable: Vec<u64>,
}

/// Whether a channel that becomes free is one of the path that ends, or the other one of its link.
const ALONG: usize = 0;
const AGAINST: usize = 1;

/// Of a channel that a path comes by, its place of entry, and how many routers a walk found behind it.
#[derive(Debug, Clone, Copy, Default)]
struct Behind {
    place: u64,
    routers: usize,
}

/// Where a channel enters or leaves a router: the places that waiting messages use before or after it, and the
/// router at its other end.
#[derive(Debug, Clone, Copy, Default)]
struct Door {
    turns: u64,
    router: u32,
}

/// So few candidates are fetched from memory together.
const FETCHED: usize = 256;

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
    waiting.prepare(chains);
    let longest =
        (0..state.by_rank.len()).map(|message| case.routes.path(message as u32).len()).max();
    waiting.circuits.prepare(longest.unwrap_or(0));
    while let Some(now) = state.next_instant() {
        waiting.candidates.clear();
        while let Some(circuit) = state.next_ended(now) {
            let (message, path) = waiting.circuits.end(circuit);
            state.free.clear();
            state.free.extend_from_slice(path);
            state.deliver(case, message, now);
            waiting.open(chains, case.links, &mut state.is_busy, &state.free);
        }
        state.free.clear();
        state.gather_entrants(now);
        waiting.name_candidates();
        waiting.enter(chains, case, &mut records, state, now);
        waiting.candidates.sort_unstable();
        if waiting.candidates.len() <= FETCHED {
            records.fetch(&waiting.candidates);
        }
        for at in 0..waiting.candidates.len() {
            let candidate = waiting.candidates[at];
            // Most have lost the link by which they were found to a better one.
            let link = candidate as u32 as usize;
            if state.is_busy[link] {
                continue;
            }
            let place = (candidate >> 32) as u32;
            if start(case, state, record, &records, &mut waiting.circuits, place, now) {
                waiting.close(chains, case, records.get(place).2);
                waiting.remove(chains, &mut records, place);
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
    circuits: &mut Circuits,
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
    state.will_end(circuits.build(message, path), end);
    true
}

impl Waiting {
    /// The routers between which a path leads.
    fn pair(chains: &Chains, path: &[u32]) -> (usize, usize) {
        let (first, last) = (path[0] as usize, path[path.len() - 1] as usize);
        (chains.ends[first].tail as usize, chains.ends[last].head as usize)
    }

    /// Those who arrive at this instant wait, or are there if they have no way to go.
    fn enter<P>(
        &mut self,
        chains: &Chains,
        case: &Case<'_, P>,
        records: &mut Records,
        state: &mut State,
        now: u64,
    ) {
        // Where all come at once they are taken in the order of their records, which is that of memory.
        let is_all = state.entrants.len() == state.by_rank.len();
        let mut next = 0;
        for at in 0..state.entrants.len() {
            let place = if is_all { next } else { self.places[state.entrants[at] as usize] };
            next = records.after(place);
            let (message, _, path) = records.get(place);
            match path.is_empty() {
                true => state.deliver(case, message, now),
                false => self.add(chains, case, records, &state.is_busy, place),
            }
        }
        state.entrants.clear();
    }

    /// A message waits, and is to be tried at this instant.
    fn add<P>(
        &mut self,
        chains: &Chains,
        case: &Case<'_, P>,
        records: &mut Records,
        is_busy: &[bool],
        place: u32,
    ) {
        let (_, _, path) = records.get(place);
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
            records.set_following(place, std::mem::replace(first, place));
            return;
        }
        let mut earlier = *first;
        while records.following(earlier) < place {
            earlier = records.following(earlier);
        }
        records.set_following(place, records.following(earlier));
        records.set_following(earlier, place);
    }

    /// A message waits no longer.
    fn remove(&mut self, chains: &Chains, records: &mut Records, place: u32) {
        let (_, _, path) = records.get(place);
        for &channel in path {
            self.wanted[channel as usize] -= 1;
        }
        for pair in path.windows(2) {
            self.remove_turn(chains, pair[0], pair[1]);
        }
        let (tail, head) = Self::pair(chains, path);
        let following = records.following(place);
        let first = &mut self.first[head * chains.routers + tail];
        if *first == place {
            *first = following;
            if following == NONE {
                self.is_waiting[head * self.words + tail / 64] &= !(1 << (tail % 64));
            }
            return;
        }
        let mut at = *first;
        while records.following(at) != place {
            at = records.following(at);
        }
        records.set_following(at, following);
    }

    /// One more waiting message goes from a channel on to another.
    #[inline]
    fn add_turn(&mut self, chains: &Chains, from: u32, to: u32) {
        let (from, to) = (chains.ends[from as usize], chains.ends[to as usize]);
        let entry = to.entry(chains.places);
        self.turns[entry * chains.places + from.place_in as usize] += 1;
        self.entries[entry].turns |= 1 << from.place_in;
        self.exits[from.exit(chains.places)].turns |= 1 << to.place_out;
    }

    /// One less does.
    #[inline]
    fn remove_turn(&mut self, chains: &Chains, from: u32, to: u32) {
        let (from, to) = (chains.ends[from as usize], chains.ends[to as usize]);
        let entry = to.entry(chains.places);
        let turns = &mut self.turns[entry * chains.places + from.place_in as usize];
        *turns -= 1;
        if *turns == 0 {
            self.entries[entry].turns &= !(1 << from.place_in);
            self.exits[from.exit(chains.places)].turns &= !(1 << to.place_out);
        }
    }

    fn prepare(&mut self, chains: &Chains) {
        let refill = |numbers: &mut Vec<u32>, count, number| {
            numbers.clear();
            numbers.resize(count, number);
        };
        refill(&mut self.first, chains.routers * chains.routers, NONE);
        let slots = chains.routers * chains.places;
        refill(&mut self.turns, slots * chains.places, 0);
        refill(&mut self.wanted, chains.ends.len(), 0);
        refill(&mut self.reached, slots, 0);
        refill(&mut self.tails[ALONG], chains.routers, 0);
        refill(&mut self.tails[AGAINST], chains.routers, 0);
        self.words = chains.routers.div_ceil(64);
        let refill = |doors: &mut Vec<Door>, routers: &[u32]| {
            doors.clear();
            doors.extend(routers.iter().map(|&router| Door { turns: 0, router }));
        };
        refill(&mut self.entries, &chains.tails);
        refill(&mut self.exits, &chains.heads);
        let sets = [
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

    /// A path has become free.
    fn open(&mut self, chains: &Chains, links: &Links, is_busy: &mut [bool], path: &[u32]) {
        let mut behind = Behind::default();
        for &channel in path {
            // A link stays busy until it is walked, so that no pair is found twice.
            let link = links.of_number(channel);
            is_busy[link as usize] = false;
            behind = match self.wanted[channel as usize] > 0 {
                true => self.walk(chains, link, channel, ALONG, behind),
                false => Behind::default(),
            };
            for &other in chains.of_link(link) {
                if other != channel && self.wanted[other as usize] > 0 {
                    self.walk(chains, link, other, AGAINST, Behind::default());
                }
            }
        }
    }

    /// Opens a channel, and finds the waiting messages whose paths lead over it and are free altogether. Of
    /// several messages of one pair only the first can start. What lies behind the channel before it is known.
    #[inline]
    fn walk(
        &mut self,
        chains: &Chains,
        link: u32,
        channel: u32,
        way: usize,
        behind: Behind,
    ) -> Behind {
        self.set_open(chains, channel, true);
        let (places, words, ends) =
            (chains.places as u32, self.words, chains.ends[channel as usize]);
        let (reached, tails) = (&mut self.reached[..], &mut self.tails[way][..]);
        let entry = self.entries[ends.entry(chains.places)];
        let mut set = self.enterable[entry.router as usize] & entry.turns;
        let known = if set & behind.place != 0 { behind.routers } else { 0 };
        set &= !behind.place;
        let (mut at, mut count) = (known, known + 1);
        tails[known] = entry.router;
        let mut base = entry.router * places;
        loop {
            while set != 0 {
                let place = base + set.trailing_zeros();
                set &= set - 1;
                reached[count] = place;
                tails[count] = self.entries[place as usize].router;
                count += 1;
            }
            at += 1;
            if at == count {
                break;
            }
            let tail = tails[at];
            base = tail * places;
            set = self.enterable[tail as usize] & self.entries[reached[at] as usize].turns;
        }
        let tails = &tails[..count];
        reached[0] = ends.exit(chains.places) as u32;
        (at, count) = (0, 1);
        let mut pairs = self.pairs;
        while at < count {
            let exit = self.exits[reached[at] as usize];
            at += 1;
            let row = &self.is_waiting[exit.router as usize * words..][..words];
            if self.found.len() < pairs + tails.len() {
                self.found.resize(pairs + tails.len(), 0);
            }
            let first = exit.router * chains.routers as u32;
            for &tail in tails {
                // Written always and kept if it counts: which ones do cannot be foretold.
                self.found[pairs] = u64::from(first + tail) << 32 | u64::from(link);
                pairs += (row[tail as usize / 64] >> (tail % 64) & 1) as usize;
            }
            let mut set = self.leavable[exit.router as usize] & exit.turns;
            while set != 0 {
                reached[count] = exit.router * places + set.trailing_zeros();
                count += 1;
                set &= set - 1;
            }
        }
        self.pairs = pairs;
        Behind { place: 1 << ends.place_in, routers: tails.len() }
    }

    /// Looks up who is first of the pairs that were found, all together as far as memory can.
    #[inline]
    fn name_candidates(&mut self) {
        let first = &self.first;
        let named = self.found[..self.pairs]
            .iter()
            .map(|&found| u64::from(first[(found >> 32) as usize]) << 32 | u64::from(found as u32));
        self.candidates.extend(named);
        self.pairs = 0;
    }
}
