//! Ejection chains (Glover 1996): a word takes the place of one or two other ones, those take the places of
//! further ones, and so on until all have free places. Chains that move few words are tried before those that
//! move many.

use super::{EjectionSearch, POLL, Placed, Sample};
use pavane_search::Interrupt;

/// Places of other words that are tried for a word.
const BRANCHES: usize = 8;
/// Random routes that are tried for a start.
const ROUTES: usize = 2;
/// Words that one word may eject.
const MOST_EJECTED: usize = 2;

/// The insertions after which the search for a chain ends, and the interrupt.
#[derive(Clone, Copy)]
struct Limit<'a> {
    end: u64,
    interrupt: &'a Interrupt,
}

impl EjectionSearch<'_> {
    /// Places all words that are left. At most `most` words move for each of them. Gives up after `limit`
    /// insertions, tried or not, or after a round in which no word was placed.
    pub fn place_by_chains(&mut self, most: usize, limit: u64, interrupt: &Interrupt) -> bool {
        let placed = &self.placed;
        self.queue.retain(|&word| placed[word as usize].uses.is_empty());
        let end = self.insertions + limit;
        while !self.queue.is_empty() {
            let before = self.queue.len();
            // Each word gets its share of the rest.
            for left in (1..=before).rev() {
                let Some(word) = self.queue.pop_front() else { break };
                let share = end.saturating_sub(self.insertions) / left as u64;
                let limit = Limit { end: self.insertions + share, interrupt };
                let mut has_chain = |length| self.extend(&[word], length, limit, &mut Vec::new());
                if !(0..=most).any(&mut has_chain) {
                    self.queue.push_back(word);
                }
            }
            if self.queue.len() == before {
                return false;
            }
        }
        true
    }

    /// Places words; at most `length` other ones move. `moving` are the words of the chain so far, which do not
    /// move again.
    fn extend(
        &mut self,
        words: &[u32],
        length: usize,
        limit: Limit<'_>,
        moving: &mut Vec<u32>,
    ) -> bool {
        let Some((&word, rest)) = words.split_first() else { return true };
        let is_polled = self.insertions.is_multiple_of(POLL);
        if self.insertions >= limit.end || is_polled && limit.interrupt.is_raised() {
            return false;
        }
        self.insertions += 1;
        let (routes, item) = (self.routes(word), self.instance.items[word as usize]);
        let level = self.reach.run(routes, item, &self.table.bits);
        let most = length.min(MOST_EJECTED);
        if level > most {
            return false;
        }
        moving.push(word);
        for place in self.places(word, level, moving, most) {
            let others = &place.occupants;
            let before: Vec<Placed> = others.iter().map(|&other| self.take(other)).collect();
            self.insert(word, &place);
            let next: Vec<u32> = others.iter().chain(rest).copied().collect();
            if self.extend(&next, length - others.len(), limit, moving) {
                return true;
            }
            self.take(word);
            for (&other, before) in others.iter().zip(before) {
                self.table.insert(other, &before.uses);
                self.placed[other as usize] = before;
            }
        }
        moving.pop();
        false
    }

    /// Starts and routes of a word with few words in the way, those with fewest first, none of them moving. A
    /// free place is the only one.
    fn places(&mut self, word: u32, level: usize, moving: &[u32], most: usize) -> Vec<Sample> {
        let routes = self.routes(word);
        self.best.cost = u64::MAX;
        // The reach knows one level more than the least one.
        let level = if level == 0 { 0 } else { level + 1 };
        let starts = self.reach.starts(level, routes.ends.len() - 1);
        let is_in = |start: &u32| starts[*start as usize / 64] >> (start % 64) & 1 == 1;
        let mut starts: Vec<u32> = (0..self.instance.period).filter(is_in).collect();
        self.rng.shuffle(&mut starts);
        let mut places: Vec<Sample> = Vec::new();
        for start in starts {
            for _ in 0..ROUTES {
                self.sample.start = start;
                if !self.trace(word, routes, level)
                    || self.sample.occupants.len() > most
                    || self.sample.occupants.iter().any(|other| moving.contains(other))
                {
                    continue;
                }
                let is_known = |other: &Sample| {
                    other.start == start && other.occupants == self.sample.occupants
                };
                if places.iter().any(is_known) || self.is_flawed(word, routes) {
                    continue;
                }
                places.push(self.sample.clone());
                if level == 0 {
                    return places;
                }
            }
        }
        places.sort_by_key(|place| place.occupants.len());
        places.truncate(BRANCHES);
        places
    }

    fn insert(&mut self, word: u32, place: &Sample) {
        let uses = self.uses(word, place.start, &place.edges);
        self.table.insert(word, &uses);
        let edges = place.edges.clone();
        self.placed[word as usize] = Placed { start: place.start, uses, edges };
    }

    /// Removes a word from its place.
    fn take(&mut self, word: u32) -> Placed {
        let placed = std::mem::take(&mut self.placed[word as usize]);
        self.table.remove(&placed.uses);
        placed
    }
}
