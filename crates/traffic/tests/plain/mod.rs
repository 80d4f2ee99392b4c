//! A second simulator, simple and slow: at every instant it scans all messages. It shares no code
//! with the simulators of the crate and implements the rules and keys of docs/traffic.md.

mod cube;

use pavane_model::{ChannelId, Duplex, Network};
use pavane_traffic::{Hold, Message, SwitchingMethod};

/// Which channels messages take.
#[derive(Debug, Clone)]
pub enum Paths {
    /// A path for every message.
    Given(Vec<Vec<ChannelId>>),
    /// Adaptive, on a hypercube: channels that lead closer, lowest dimension first; under
    /// depth-first routing, others after them.
    Cube { has_detours: bool },
}

/// State of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Coming,
    Waiting,
    /// Wormhole: it holds its whole path but is not being carried yet.
    Ready,
    Moving {
        until: u64,
    },
    Done,
}

/// A message in the simulation.
#[derive(Debug, Clone)]
struct Traveller {
    message: Message,
    stage: Stage,
    path: Vec<ChannelId>,
    /// Number of channels of the path that it has taken.
    hops: usize,
    at: u32,
    to: u32,
    /// Channels that it holds, each with the start time.
    held: Vec<(ChannelId, u64)>,
    /// Its number among all messages that joined a queue.
    turn: usize,
    /// Routers that it has left.
    seen: Vec<u32>,
}

/// The simulator.
#[derive(Debug)]
pub struct Plain<'a> {
    network: &'a Network,
    duplex: Duplex,
    policy: &'a str,
    is_edd: bool,
    cube: Option<bool>,
    all: Vec<Traveller>,
    turns: usize,
    holds: Vec<Hold>,
}

impl<'a> Plain<'a> {
    /// A mission under a policy, optionally combined with earliest due date.
    pub fn new(
        network: &'a Network,
        duplex: Duplex,
        messages: &[Message],
        paths: &Paths,
        (policy, is_edd): (&'a str, bool),
    ) -> Self {
        let home = |processor| network.home(processor).expect("it has a router").0;
        let traveller = |(number, &message): (usize, &Message)| Traveller {
            message,
            stage: Stage::Coming,
            path: match paths {
                Paths::Given(paths) => paths[number].clone(),
                Paths::Cube { .. } => Vec::new(),
            },
            hops: 0,
            at: home(message.source),
            to: home(message.destination),
            held: Vec::new(),
            turn: 0,
            seen: Vec::new(),
        };
        let cube = match paths {
            Paths::Given(_) => None,
            Paths::Cube { has_detours } => Some(*has_detours),
        };
        let all = messages.iter().enumerate().map(traveller).collect();
        Self { network, duplex, policy, is_edd, cube, all, turns: 0, holds: Vec::new() }
    }

    /// Runs the mission. Returns the holds of completed hops, by message and then by hop.
    pub fn run(mut self, switching: SwitchingMethod) -> Vec<Hold> {
        while let Some(now) = self.next_instant() {
            let (released, joined) = self.take_in(now);
            match (switching, self.cube) {
                (SwitchingMethod::StoreAndForward, None) => self.give_links(now, false),
                (SwitchingMethod::CutThrough, None) => self.give_links(now, true),
                (SwitchingMethod::Circuit, None) => self.start_circuits(now),
                (SwitchingMethod::Flits(_), _) => panic!("this simulator has no flits"),
                (SwitchingMethod::Wormhole(lanes), None) => {
                    self.advance_headers(now, lanes as usize, released, &joined);
                    self.carry(now);
                }
                (SwitchingMethod::StoreAndForward, Some(has_detours)) => {
                    self.give_closer_links(now, false);
                    if has_detours {
                        self.give_detours(now, &joined);
                    }
                }
                (SwitchingMethod::CutThrough, Some(false)) => self.give_closer_links(now, true),
                (_, Some(has_detours)) => self.start_free_paths(now, has_detours),
            }
        }
        self.holds.sort_by_key(|hold| hold.message);
        self.holds
    }

    fn next_instant(&self) -> Option<u64> {
        let time = |one: &Traveller| match one.stage {
            Stage::Coming => Some(one.message.arrival),
            Stage::Moving { until } => Some(until),
            _ => None,
        };
        self.all.iter().filter_map(time).min()
    }

    /// Processes all ends and arrivals. Returns the links released and the messages that now wait.
    fn take_in(&mut self, now: u64) -> (Vec<usize>, Vec<usize>) {
        let (mut released, mut joined) = (Vec::new(), Vec::new());
        for number in 0..self.all.len() {
            let one = &mut self.all[number];
            let is_due = match one.stage {
                Stage::Coming => one.message.arrival == now,
                Stage::Moving { until } => until == now,
                _ => false,
            };
            if !is_due {
                continue;
            }
            let (held, is_there) = (std::mem::take(&mut one.held), one.at == one.to);
            one.stage = if is_there { Stage::Done } else { Stage::Waiting };
            for (channel, start) in held {
                released.push(self.link(channel));
                self.holds.push(Hold { message: number as u32, channel, start, end: now });
            }
            if !is_there {
                self.join(number);
                joined.push(number);
            }
        }
        (released, joined)
    }

    fn join(&mut self, number: usize) {
        self.turns += 1;
        self.all[number].turn = self.turns;
    }

    /// The number of a link: its lower channel, or the channel itself under full duplex.
    fn link(&self, channel: ChannelId) -> usize {
        let opposite = self.network.opposite(channel).filter(|_| self.duplex == Duplex::Half);
        opposite.map_or(channel, |other| other.min(channel)).index()
    }

    /// Number of messages that hold a link.
    fn holders(&self, link: usize) -> usize {
        let holds =
            |one: &&Traveller| one.held.iter().any(|&(channel, _)| self.link(channel) == link);
        self.all.iter().filter(holds).count()
    }

    fn is_free(&self, channel: ChannelId) -> bool {
        self.holders(self.link(channel)) == 0
    }

    fn left(&self, number: usize) -> usize {
        let one = &self.all[number];
        match self.cube {
            None => one.path.len() - one.hops,
            Some(_) => (one.at ^ one.to).count_ones() as usize,
        }
    }

    /// The key of a message with `left` remaining channels, in ticks; the highest goes first.
    fn key(&self, number: usize, left: usize) -> i128 {
        const TICKS_PER_UNIT: i128 = 1_048_576;
        let message = self.all[number].message;
        let (length, left) = (i128::from(message.length), left as i128);
        let key = match self.policy {
            "fifo" => 0,
            "lf" => length,
            "smallest-first" => -length,
            "ff" => left * TICKS_PER_UNIT,
            "nf" => -left * TICKS_PER_UNIT,
            "lbf" => length * left,
            "sbf" => -length * left,
            other => panic!("{other} has no key here"),
        };
        if self.is_edd { key - i128::from(message.arrival) } else { key }
    }

    /// The messages in a stage, in order of keys, then of turns.
    fn by_turn(&self, stage: Stage) -> Vec<usize> {
        let mut list: Vec<usize> =
            (0..self.all.len()).filter(|&one| self.all[one].stage == stage).collect();
        list.sort_by_key(|&one| (-self.key(one, self.left(one)), self.all[one].turn));
        list
    }

    /// The messages in a stage, in order of their initial keys, then arrivals, then numbers.
    fn by_rank(&self, stage: Stage) -> Vec<usize> {
        let whole = |one: usize| match self.cube {
            None => self.all[one].path.len(),
            Some(_) => self.left(one),
        };
        let mut list: Vec<usize> =
            (0..self.all.len()).filter(|&one| self.all[one].stage == stage).collect();
        list.sort_by_key(|&one| (-self.key(one, whole(one)), self.all[one].message.arrival, one));
        list
    }

    /// The next channel of a message with a given path.
    fn next(&self, number: usize) -> Option<ChannelId> {
        self.all[number].path.get(self.all[number].hops).copied()
    }

    /// The messages that wait for a link, in order.
    fn queue(&self, link: usize) -> Vec<usize> {
        let waits = |&one: &usize| self.next(one).is_some_and(|next| self.link(next) == link);
        self.by_turn(Stage::Waiting).into_iter().filter(waits).collect()
    }

    /// Lets a message take a channel; it moves until its length has passed.
    fn take(&mut self, number: usize, channel: ChannelId, now: u64) {
        let one = &mut self.all[number];
        one.held.push((channel, now));
        one.hops += 1;
        one.seen.push(one.at);
        one.at = self.network.channel(channel).head.0;
        one.stage = Stage::Moving { until: now + one.message.length };
    }

    /// Message switching and cut-through: every free link, by number, is assigned to the first of
    /// its queue.
    fn give_links(&mut self, now: u64, cuts_through: bool) {
        for link in 0..self.network.channel_count() {
            if self.holders(link) > 0 {
                continue;
            }
            let Some(&number) = self.queue(link).first() else { continue };
            while let Some(channel) = self.next(number) {
                self.take(number, channel, now);
                let goes_on = self.next(number).is_some_and(|next| {
                    self.is_free(next) && self.queue(self.link(next)).is_empty()
                });
                if !(cuts_through && goes_on) {
                    break;
                }
            }
        }
    }

    /// Circuit switching: every message whose whole path is free starts.
    fn start_circuits(&mut self, now: u64) {
        for number in self.by_rank(Stage::Waiting) {
            let path = self.all[number].path.clone();
            if path.iter().all(|&channel| self.is_free(channel)) {
                path.iter().for_each(|&channel| self.take(number, channel, now));
            }
        }
    }

    /// Wormhole: links that were released or have a new header, by number, then those that headers
    /// reach.
    fn advance_headers(&mut self, now: u64, lanes: usize, mut open: Vec<usize>, joined: &[usize]) {
        open.extend(joined.iter().filter_map(|&one| self.next(one)).map(|next| self.link(next)));
        open.sort_unstable();
        let mut place = 0;
        while place < open.len() {
            let link = open[place];
            place += 1;
            while self.holders(link) < lanes
                && let Some(&number) = self.queue(link).first()
                && let Some(channel) = self.next(number)
            {
                self.take(number, channel, now);
                self.all[number].stage = match self.next(number) {
                    Some(next) => {
                        self.join(number);
                        open.push(self.link(next));
                        Stage::Waiting
                    }
                    None => Stage::Ready,
                };
            }
        }
    }

    /// Wormhole: a message that holds its whole path is carried if its links carry no other
    /// message.
    fn carry(&mut self, now: u64) {
        for number in self.by_rank(Stage::Ready) {
            let mine: Vec<usize> =
                self.all[number].held.iter().map(|&(channel, _)| self.link(channel)).collect();
            let is_in_the_way = |one: &Traveller| {
                matches!(one.stage, Stage::Moving { .. })
                    && one.held.iter().any(|&(channel, _)| mine.contains(&self.link(channel)))
            };
            if !self.all.iter().any(is_in_the_way) {
                let until = now + self.all[number].message.length;
                self.all[number].stage = Stage::Moving { until };
            }
        }
    }
}
