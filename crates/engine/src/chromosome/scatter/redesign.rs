//! Redistribution of port use before evaluation, after Jaroš, fault-tolerant collectives: of the
//! messages that leave a processor on the same channel in the same step only one stays. The others
//! move to free first channels and steps, as far as there are any.

use super::{Gene, Scatter, ScatterGenome};
use crate::rng::Rng;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId};
use std::ops::Range;

/// The first channels of all paths, by sender.
#[derive(Debug)]
pub(super) struct Doors {
    senders: Vec<Sender>,
    /// By message: the index of its first way; and the end of the last.
    firsts: Vec<u32>,
    ways: Vec<Way>,
}

#[derive(Debug)]
struct Sender {
    ports: u32,
    /// Number of channels that leave its router.
    width: usize,
    messages: Vec<MessageId>,
}

/// Paths of a message that share their first channel.
#[derive(Debug, Clone)]
struct Way {
    /// The index of the channel among those that leave the router; `None` if the path is empty.
    door: Option<u32>,
    paths: Range<u32>,
}

/// The channels and ports of a sender in use, by step.
struct Taken {
    width: usize,
    ports: u32,
    doors: Vec<bool>,
    sends: Vec<u32>,
}

impl Doors {
    pub fn new(genome: &ScatterGenome<'_>) -> Self {
        let problem = genome.problem;
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
            doors.list_ways(genome, message, out);
            doors.firsts.push(doors.ways.len() as u32);
        }
        doors
    }

    fn list_ways(&mut self, genome: &ScatterGenome<'_>, message: MessageId, out: &[ChannelId]) {
        let begin = self.ways.len();
        for path in 0..genome.messages[message.index()].path_count {
            let first = genome.path(message.index(), path).first();
            let door = first.and_then(|first| out.iter().position(|c| c == first));
            let door = door.map(|door| door as u32);
            // The path table is sorted by channels.
            match self.ways[begin..].last_mut() {
                Some(way) if way.door == door => way.paths.end = path + 1,
                _ => self.ways.push(Way { door, paths: path..path + 1 }),
            }
        }
    }

    fn ways(&self, message: MessageId) -> &[Way] {
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

impl Taken {
    fn is_free(&self, door: Option<u32>, step: u32) -> bool {
        let is_open = |door: u32| !self.doors[step as usize * self.width + door as usize];
        self.sends[step as usize] < self.ports && door.is_none_or(is_open)
    }

    fn take(&mut self, door: Option<u32>, step: u32) {
        self.sends[step as usize] += 1;
        if let Some(door) = door {
            self.doors[step as usize * self.width + door as usize] = true;
        }
    }
}

impl Scatter<'_> {
    /// Gives every sender's messages different first channels and steps, as far as possible.
    pub(super) fn spread_over_ports(&mut self, rng: &mut Rng) {
        let genome = self.genome;
        let doors = genome.doors.get_or_init(|| Doors::new(genome));
        for sender in &doors.senders {
            self.spread_one(doors, sender, rng);
        }
    }

    fn spread_one(&mut self, doors: &Doors, sender: &Sender, rng: &mut Rng) {
        let steps = self.genome.steps;
        let mut taken = Taken {
            width: sender.width,
            ports: sender.ports,
            doors: vec![false; sender.width * steps as usize],
            sends: vec![0; steps as usize],
        };
        // Messages with the fewest choices first, in random order among equals.
        let mut order = sender.messages.clone();
        rng.shuffle(&mut order);
        order.sort_by_key(|&message| doors.ways(message).len());
        order.retain(|&message| {
            let Gene { path, step } = self.genes[message.index()];
            let way = doors.ways(message).iter().find(|way| way.paths.contains(&path));
            let door = way.and_then(|way| way.door);
            let stays = taken.is_free(door, step);
            if stays {
                taken.take(door, step);
            }
            !stays
        });
        for message in order {
            let Some((way, step)) = free_place(doors.ways(message), &taken, steps, rng) else {
                continue;
            };
            taken.take(way.door, step);
            let path = way.paths.start + rng.below(way.paths.len()) as u32;
            self.replace(message.index(), Gene { path, step });
        }
    }
}

/// A random free combination of first channel and step.
fn free_place<'w>(
    ways: &'w [Way],
    taken: &Taken,
    steps: u32,
    rng: &mut Rng,
) -> Option<(&'w Way, u32)> {
    let places = || ways.iter().flat_map(|way| (0..steps).map(move |step| (way, step)));
    let free = || places().filter(|(way, step)| taken.is_free(way.door, *step));
    let count = free().count();
    if count == 0 {
        return None;
    }
    free().nth(rng.below(count))
}
