//! The first channels of the paths of every message.

use crate::chromosome::path_table::PathTable;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId};
use std::ops::Range;

/// The first channels of all paths, by sender.
#[derive(Debug)]
pub(super) struct Doors {
    pub senders: Vec<Sender>,
    /// By message: the index of its first way; and the end of the last.
    firsts: Vec<u32>,
    ways: Vec<Way>,
}

/// A processor that sends, and its messages.
#[derive(Debug)]
pub(super) struct Sender {
    pub ports: u32,
    /// Number of channels that leave its router.
    pub width: usize,
    pub messages: Vec<MessageId>,
}

/// Paths of a message that share their first channel.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// The index of the channel among those that leave the router; `None` if the path is empty.
    pub door: Option<u32>,
    pub paths: Range<u32>,
}

impl Doors {
    pub fn new(problem: &Problem, paths: &PathTable) -> Self {
        let mut doors = Self { senders: Vec::new(), firsts: vec![0], ways: Vec::new() };
        let mut senders: Vec<Option<usize>> = vec![None; problem.network().processor_count()];
        for message in problem.messages().ids() {
            let from = problem.messages().origin(message);
            let number = *senders[from.index()].get_or_insert_with(|| {
                doors.senders.push(Sender::new(problem, from));
                doors.senders.len() - 1
            });
            doors.senders[number].messages.push(message);
            let out = problem.network().out_channels(problem.home(from));
            let to = problem.messages().destinations(message)[0];
            let numbers = paths.between(problem.home(from), problem.home(to));
            doors.list_ways(numbers.map(|number| paths.path(number)), out);
            doors.firsts.push(doors.ways.len() as u32);
        }
        doors
    }

    fn list_ways<'t>(&mut self, paths: impl Iterator<Item = &'t [ChannelId]>, out: &[ChannelId]) {
        let begin = self.ways.len();
        for (path, channels) in (0..).zip(paths) {
            let first = channels.first();
            let door = first.and_then(|first| out.iter().position(|c| c == first));
            let door = door.map(|door| door as u32);
            // The path table is sorted by channels.
            match self.ways[begin..].last_mut() {
                Some(way) if way.door == door => way.paths.end = path + 1,
                _ => self.ways.push(Way { door, paths: path..path + 1 }),
            }
        }
    }

    pub fn ways(&self, message: MessageId) -> &[Way] {
        let at = message.index();
        &self.ways[self.firsts[at] as usize..self.firsts[at + 1] as usize]
    }
}

impl Sender {
    fn new(problem: &Problem, from: ProcessorId) -> Self {
        let width = problem.network().out_channels(problem.home(from)).len();
        Self { ports: problem.send_ports(from), width, messages: Vec::new() }
    }
}
