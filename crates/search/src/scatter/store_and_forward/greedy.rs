//! Longest-first insertion under store-and-forward: every message takes the free path on which it
//! arrives earliest.

use super::super::layout::Layout;
use super::graph::RelayGraph;
use super::legs::{KeptMessage, Leg, NONE};
use crate::budget::{Budget, Interrupt};
use pavane_model::{MessageId, ProcessorId};
use std::ops::Range;

/// Arrival time of a message that has no path.
const NEVER: u32 = u32::MAX;

/// Inserts the messages in the given order, each only if it arrives within `limit` steps, and
/// passes the legs of each placed message to `place`. Returns the messages that arrive too late or
/// were left on interrupt.
pub(super) fn insert_all(
    layout: &Layout<'_>,
    order: &[u32],
    limit: u32,
    interrupt: &Interrupt,
    place: impl FnMut(u32, &[Leg]),
) -> Vec<u32> {
    insert_beside(layout, (&[], order), limit, interrupt, place)
}

/// Like [`insert_all`], beside messages that are already placed.
pub(super) fn insert_beside(
    layout: &Layout<'_>,
    (kept, order): (&[KeptMessage], &[u32]),
    limit: u32,
    interrupt: &Interrupt,
    mut place: impl FnMut(u32, &[Leg]),
) -> Vec<u32> {
    let mut taken = TakenSteps::new(layout.rows);
    let mut pace = Budget::unlimited(interrupt);
    kept.iter().flat_map(|(_, legs)| legs).for_each(|leg| taken.take(layout, leg));
    let mut graph = RelayGraph::default();
    let mut arrivals: Vec<(u32, Leg, u32)> = Vec::new();
    let mut legs = Vec::new();
    let mut left = Vec::new();
    for (at, &message) in order.iter().enumerate() {
        if !pace.spend(1 + std::mem::take(&mut taken.looks)) {
            left.extend_from_slice(&order[at..]);
            break;
        }
        graph.find(layout, MessageId(message), 0);
        taken.find_arrivals(layout, &graph, &mut arrivals);
        let mut node = graph.nodes.len() - 1;
        if arrivals[node].0 > limit || arrivals[node].0 == NEVER {
            left.push(message);
            continue;
        }
        legs.clear();
        while node > 0 {
            let (_, leg, tail) = arrivals[node];
            legs.push(leg);
            taken.take(layout, &leg);
            node = tail as usize;
        }
        legs.reverse();
        place(message, &legs);
    }
    left
}

/// Which rows are taken, one bit per step; steps beyond the end of a row are free.
struct TakenSteps {
    rows: Vec<Vec<u64>>,
    /// Per row, the number of leading words of steps that are all taken.
    full: Vec<u32>,
    /// Work counter: words inspected.
    looks: u64,
}

impl TakenSteps {
    fn new(rows: usize) -> Self {
        Self { rows: vec![Vec::new(); rows], full: vec![0; rows], looks: 0 }
    }

    /// Computes for every node the earliest arrival time, the last leg on that path, and the node
    /// it comes from.
    fn find_arrivals(
        &mut self,
        layout: &Layout<'_>,
        graph: &RelayGraph,
        arrivals: &mut Vec<(u32, Leg, u32)>,
    ) {
        arrivals.clear();
        arrivals.push((0, Leg::default(), 0));
        for node in &graph.nodes[1..] {
            let mut best = (NEVER, Leg::default(), 0);
            for hop in &graph.hops[node.hops.clone()] {
                let from = graph.nodes[hop.tail as usize].processor;
                let after = arrivals[hop.tail as usize].0;
                if after == NEVER || layout.is_blocked(hop.channel) {
                    continue;
                }
                let leg = self.first_leg(layout, from, node.processor, hop.channel, after);
                if leg.step + 1 < best.0 {
                    best = (leg.step + 1, leg, hop.tail);
                }
            }
            arrivals.push(best);
        }
    }

    /// The hop in its first free step from `after` on.
    fn first_leg(
        &mut self,
        layout: &Layout<'_>,
        from: ProcessorId,
        to: ProcessorId,
        channel: u32,
        after: u32,
    ) -> Leg {
        let (sends, receives) = (layout.send_rows(from), layout.receive_rows(to));
        let (mut word, mut mask) = (after as usize / 64, u64::MAX << (after % 64));
        let first = self.first_word(&sends).max(self.first_word(&receives));
        let first = match channel {
            NONE => first,
            channel => first.max(self.full[layout.row(channel) as usize]),
        };
        if first as usize > word {
            (word, mask) = (first as usize, u64::MAX);
        }
        loop {
            self.looks += 1;
            let mut free = mask & self.free_among(&sends, word) & self.free_among(&receives, word);
            if channel != NONE {
                free &= !self.word(layout.row(channel), word);
            }
            if free != 0 {
                let step = word as u32 * 64 + free.trailing_zeros();
                let (send_row, receive_row) =
                    (self.free_row(sends, step), self.free_row(receives, step));
                return Leg { step, from: from.0, to: to.0, channel, send_row, receive_row };
            }
            (word, mask) = (word + 1, u64::MAX);
        }
    }

    /// The first word of steps in which some row may be free; 0 if `rows` is empty.
    fn first_word(&self, rows: &Range<u32>) -> u32 {
        rows.clone().map(|row| self.full[row as usize]).min().unwrap_or(0)
    }

    fn word(&self, row: u32, word: usize) -> u64 {
        self.rows[row as usize].get(word).copied().unwrap_or(0)
    }

    /// The steps in which at least one of the rows is free; all steps if `rows` is empty.
    fn free_among(&self, rows: &Range<u32>, word: usize) -> u64 {
        if rows.is_empty() {
            u64::MAX
        } else {
            rows.clone().fold(0, |free, row| free | !self.word(row, word))
        }
    }

    fn free_row(&self, mut rows: Range<u32>, step: u32) -> u32 {
        let is_free = |&row: &u32| self.word(row, step as usize / 64) >> (step % 64) & 1 == 0;
        rows.find(is_free).unwrap_or(NONE)
    }

    fn take(&mut self, layout: &Layout<'_>, leg: &Leg) {
        let channel_row = if leg.channel == NONE { NONE } else { layout.row(leg.channel) };
        for row in [channel_row, leg.send_row, leg.receive_row] {
            if row != NONE {
                let words = &mut self.rows[row as usize];
                let word = leg.step as usize / 64;
                if words.len() <= word {
                    words.resize(word + 1, 0);
                }
                words[word] |= 1 << (leg.step % 64);
                let full = &mut self.full[row as usize];
                while words.get(*full as usize) == Some(&u64::MAX) {
                    *full += 1;
                }
            }
        }
    }
}
