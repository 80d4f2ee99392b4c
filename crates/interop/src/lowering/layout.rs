//! The layout of chunks in the input and output buffers of the ranks, as GPU runtimes define it. A
//! chunk that a rank only passes on is kept in scratch.

use super::definition::{Groups, runtime_name};
use crate::whole::Whole;
use pavane_model::{Kind, MessageId};
use std::collections::BTreeMap;

/// A chunk of a buffer: `i`nput, `o`utput or `s`cratch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub buffer: char,
    pub offset: u32,
}

/// Sizes of the buffers, and the first and last places of chunks.
pub(crate) struct Layout {
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
    pub scratch: Vec<u32>,
    /// By chunk and rank: where the rank has the chunk at the start.
    sources: BTreeMap<(u32, u32), Place>,
    /// By chunk and rank: where the rank wants the chunk.
    targets: BTreeMap<(u32, u32), Place>,
    /// Copies within a rank: the rank, from where and to where.
    pub copies: Vec<(u32, Place, Place)>,
}

impl Layout {
    pub fn of(whole: &Whole<'_>) -> Self {
        let ranks = whole.rank_count();
        let mut layout = Self {
            inputs: vec![0; ranks],
            outputs: vec![0; ranks],
            scratch: vec![0; ranks],
            sources: BTreeMap::new(),
            targets: BTreeMap::new(),
            copies: Vec::new(),
        };
        let groups = Groups::of(whole);
        match whole.problem().collective().whole_kind() {
            _ if whole.is_all_reduce() => layout.all_reduce(whole, &groups),
            Kind::Broadcast => layout.broadcast(whole, groups),
            Kind::Scatter | Kind::Gather => layout.scatter(whole, &groups),
            Kind::Reduce => layout.reduce(whole, &groups),
            Kind::Messages => layout.messages(whole),
        }
        layout
    }

    pub fn source(&self, chunk: u32, rank: u32) -> Option<Place> {
        self.sources.get(&(chunk, rank)).copied()
    }

    pub fn target(&self, chunk: u32, rank: u32) -> Option<Place> {
        self.targets.get(&(chunk, rank)).copied()
    }

    /// Allocates a chunk of scratch.
    pub fn scratch(&mut self, rank: u32) -> Place {
        let offset = self.scratch[rank as usize];
        self.scratch[rank as usize] += 1;
        Place { buffer: 's', offset }
    }

    /// The chunks of every sender; receivers have them in the order of senders.
    fn broadcast(&mut self, whole: &Whole<'_>, mut groups: Groups) {
        if runtime_name(whole) == "broadcast" {
            // The runtimes also deliver the root's own message to it.
            groups.receivers = groups.all_ranks();
        }
        let Groups { senders, receivers } = &groups;
        let count = whole.chunk_count();
        for &rank in senders {
            self.inputs[rank as usize] = count;
        }
        for &rank in receivers {
            self.outputs[rank as usize] = senders.len() as u32 * count;
            if let Some(own) = place(senders, rank) {
                let copy = |part| (rank, input(part), output(own * count + part));
                self.copies.extend((0..count).map(copy));
            }
        }
        for (message, origin) in origins(whole) {
            let part = message % count;
            self.sources.insert((message, origin), input(part));
            for &rank in receivers.iter().filter(|&&rank| rank != origin) {
                let at = place(senders, origin).unwrap_or_default();
                self.targets.insert((message, rank), output(at * count + part));
            }
        }
    }

    /// At every sender the chunks for every receiver; at every receiver those from every sender.
    fn scatter(&mut self, whole: &Whole<'_>, groups: &Groups) {
        let Groups { senders, receivers } = groups;
        let count = whole.chunk_count();
        for &rank in senders {
            self.inputs[rank as usize] = receivers.len() as u32 * count;
        }
        for &rank in receivers {
            self.outputs[rank as usize] = senders.len() as u32 * count;
            if let (Some(own), Some(from)) = (place(receivers, rank), place(senders, rank)) {
                let copy = |part| (rank, input(own * count + part), output(from * count + part));
                self.copies.extend((0..count).map(copy));
            }
        }
        let problem = whole.problem();
        for (message, origin) in origins(whole) {
            let other = whole.rank(problem.messages().destinations(MessageId(message))[0]);
            // The messages of a gather are those of the scatter that it is when read backwards.
            let (from, to) = if problem.is_backward() { (other, origin) } else { (origin, other) };
            let at = [place(receivers, to), place(senders, from)]
                .map(|at| at.unwrap_or_default() * count + message % count);
            self.sources.insert((message, from), input(at[0]));
            self.targets.insert((message, to), output(at[1]));
        }
    }

    /// At every contributor a contribution to every root; one sum at every root.
    fn reduce(&mut self, whole: &Whole<'_>, groups: &Groups) {
        let roots = &groups.receivers;
        let count = whole.chunk_count();
        for rank in groups.all_ranks() {
            self.inputs[rank as usize] = roots.len() as u32 * count;
        }
        for (at, &root) in (0..).zip(roots) {
            self.outputs[root as usize] = count;
            for part in 0..count {
                let place = input(at * count + part);
                let is_it =
                    |&(message, origin): &(u32, u32)| origin == root && message % count == part;
                match origins(whole).find(is_it) {
                    // There are no other contributors.
                    None => self.copies.push((root, place, output(part))),
                    Some((message, _)) => {
                        self.targets.insert((message, root), output(part));
                        for &rank in groups.senders.iter().chain([&root]) {
                            self.sources.insert((message, rank), place);
                        }
                    }
                }
            }
        }
    }

    /// At every rank of the groups a contribution to every sum, and every sum.
    fn all_reduce(&mut self, whole: &Whole<'_>, groups: &Groups) {
        let roots = &groups.receivers;
        let count = whole.chunk_count();
        for rank in groups.all_ranks() {
            self.inputs[rank as usize] = roots.len() as u32 * count;
            self.outputs[rank as usize] = roots.len() as u32 * count;
            for (message, root) in origins(whole) {
                let at = place(roots, root).unwrap_or_default() * count + message % count;
                self.sources.insert((message, rank), input(at));
                self.targets.insert((message, rank), output(at));
            }
        }
    }

    /// Messages in the order of the list, at their origin and at their destinations.
    fn messages(&mut self, whole: &Whole<'_>) {
        let messages = whole.problem().messages();
        for (message, origin) in origins(whole) {
            let next = &mut self.inputs[origin as usize];
            self.sources.insert((message, origin), input(*next));
            *next += 1;
            for &to in messages.destinations(MessageId(message)) {
                let rank = whole.rank(to);
                let next = &mut self.outputs[rank as usize];
                self.targets.insert((message, rank), output(*next));
                *next += 1;
            }
        }
    }
}

/// The messages of the first phase with the ranks of their origins.
fn origins(whole: &Whole<'_>) -> impl Iterator<Item = (u32, u32)> {
    let messages = whole.problem().messages();
    messages.ids().map(|message| (message.0, whole.rank(messages.origin(message))))
}

fn input(offset: u32) -> Place {
    Place { buffer: 'i', offset }
}

fn output(offset: u32) -> Place {
    Place { buffer: 'o', offset }
}

/// The index of a rank in a group.
fn place(group: &[u32], rank: u32) -> Option<u32> {
    group.binary_search(&rank).ok().map(|at| at as u32)
}
