//! Simulation link by link instead of event by event: if messages only move forward through an
//! order of the links, all arrivals at a link are known once the links before it are done. The link
//! can then be simulated in one go, within a small part of memory.

use super::{Case, Priority};
use crate::heap::Heap;

/// A message on its way to a link.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ApproachingMessage {
    /// When it joins the queue; under cut-through, when it could continue immediately.
    pub time: u64,
    pub length: u64,
    /// The hop, numbered across all paths.
    pub hop: u32,
    pub message: u32,
    /// Number of remaining channels.
    pub left: u32,
    /// The link whose queue it left last; the link itself if the message starts here.
    pub origin: u32,
}

/// The messages on their way to every link, in one block of memory.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) entries: Vec<ApproachingMessage>,
    /// Where the entries of each link start, and where they currently end.
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// Keys of the entries of one link, in order of time.
    pub(super) sorted: Vec<u128>,
    pub(super) queue: Heap,
    /// Refused messages, by the time at which they join the queue.
    pub(super) refused: Heap,
}

impl Flow {
    /// Sends every message to its first link.
    pub(super) fn prepare<P: Priority>(&mut self, case: &Case<'_, P>) {
        let routes = case.routes;
        self.starts.clear();
        self.starts.resize(case.links.count() + 1, 0);
        for &channel in &routes.channels {
            self.starts[case.links.of_number(channel) as usize + 1] += 1;
        }
        for link in 0..case.links.count() {
            self.starts[link + 1] += self.starts[link];
        }
        self.ends.clear();
        self.ends.extend_from_slice(&self.starts[..case.links.count()]);
        if self.entries.len() < routes.channels.len() {
            self.entries.resize(routes.channels.len(), ApproachingMessage::default());
        }
        let ends = routes.starts.windows(2);
        for ((message, ends), number) in case.mission.messages().iter().zip(ends).zip(0..) {
            if ends[0] == ends[1] {
                continue;
            }
            let link = case.links.of_number(routes.channels[ends[0] as usize]);
            self.send(
                link,
                ApproachingMessage {
                    time: message.arrival,
                    length: message.length,
                    hop: ends[0],
                    message: number,
                    left: ends[1] - ends[0],
                    origin: link,
                },
            );
        }
    }

    /// Sends a message to a link.
    #[inline]
    pub(super) fn send(&mut self, link: u32, entry: ApproachingMessage) {
        let end = &mut self.ends[link as usize];
        self.entries[*end as usize] = entry;
        *end += 1;
    }

    /// Sorts the entries of a link by a 96-bit key, followed by the index of the entry.
    pub(super) fn sort(&mut self, link: u32, key: impl Fn(&ApproachingMessage) -> u128) {
        self.sorted.clear();
        let (start, end) = (self.starts[link as usize], self.ends[link as usize]);
        let entries = &self.entries[start as usize..end as usize];
        self.sorted.extend(
            entries.iter().zip(start..).map(|(entry, at)| key(entry) << 32 | u128::from(at)),
        );
        if !self.sorted.is_sorted() {
            self.sorted.sort_unstable();
        }
    }
}
