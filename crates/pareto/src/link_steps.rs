//! A k-synchronous schedule without its rounds: which chunk crosses which link in which step. The rounds
//! of a step follow from its loads.

use pavane_model::{ChannelId, Network, Problem, ProcessorId, RouterId, Schedule, Transfer};
use std::collections::BTreeMap;

/// A chunk crosses a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The message, before it was cut.
    pub message: u32,
    /// The number of the chunk in the message.
    pub chunk: u32,
    pub tail: RouterId,
    pub head: RouterId,
}

/// The hops of every step.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkSteps {
    pub steps: Vec<Vec<Hop>>,
}

/// The channels from one router to another, by both ends.
pub(crate) type Channels = BTreeMap<(RouterId, RouterId), Vec<ChannelId>>;

/// The channels of a network by their ends.
pub(crate) fn channels(network: &Network) -> Channels {
    let mut channels = Channels::new();
    for (number, channel) in (0..).zip(network.channels()) {
        channels.entry((channel.tail, channel.head)).or_default().push(ChannelId(number));
    }
    channels
}

impl LinkSteps {
    /// The rounds of every step: as many as its busiest link needs, and at least one.
    pub fn rounds(&self, channels: &Channels) -> Vec<u32> {
        let of_step = |hops: &Vec<Hop>| {
            let mut loads: BTreeMap<(RouterId, RouterId), usize> = BTreeMap::new();
            for hop in hops {
                *loads.entry((hop.tail, hop.head)).or_default() += 1;
            }
            let needed = loads.iter().map(|(ends, load)| load.div_ceil(channels[ends].len()));
            needed.max().unwrap_or(0).max(1) as u32
        };
        self.steps.iter().map(of_step).collect()
    }

    /// The number of rounds.
    pub fn round_count(&self, channels: &Channels) -> u32 {
        self.rounds(channels).iter().sum()
    }

    /// Both at once, with the chunks of `other` after those of this schedule, of which there are
    /// `chunks` per message.
    pub fn beside(&self, chunks: u32, other: &Self) -> Self {
        let mut steps = self.steps.clone();
        steps.resize(steps.len().max(other.steps.len()), Vec::new());
        for (step, hops) in steps.iter_mut().zip(&other.steps) {
            step.extend(hops.iter().map(|hop| Hop { chunk: hop.chunk + chunks, ..*hop }));
        }
        Self { steps }
    }

    /// The same with one step more and the same rounds: the first round of the longest step becomes a
    /// step of its own. `None` if all steps have one round.
    pub fn split(&self, channels: &Channels) -> Option<Self> {
        let rounds = self.rounds(channels);
        let longest = (0..rounds.len()).max_by_key(|&step| rounds[step])?;
        if rounds[longest] < 2 {
            return None;
        }
        let mut loads: BTreeMap<(RouterId, RouterId), usize> = BTreeMap::new();
        let is_first = |hop: &Hop| {
            let ends = (hop.tail, hop.head);
            let load = loads.entry(ends).or_default();
            *load += 1;
            *load <= channels[&ends].len()
        };
        let (first, rest) = self.steps[longest].iter().copied().partition(is_first);
        let mut steps = self.steps.clone();
        steps[longest] = first;
        steps.insert(longest + 1, rest);
        Some(Self { steps })
    }

    /// The schedule of a problem with `chunks` chunks per message, in the direction of the problem, with
    /// its rounds. Every router must have one processor.
    pub fn schedule(&self, problem: &Problem, forward: &Problem, chunks: u32) -> Schedule {
        let network = forward.network();
        let channels = channels(network);
        let rounds = self.rounds(&channels);
        let mut paths: Vec<(u32, u32, ProcessorId, ProcessorId, [ChannelId; 1])> = Vec::new();
        let mut first = 0;
        for (hops, count) in self.steps.iter().zip(&rounds) {
            let mut loads: BTreeMap<(RouterId, RouterId), usize> = BTreeMap::new();
            for hop in hops {
                let ends = (hop.tail, hop.head);
                let between = &channels[&ends];
                let load = loads.entry(ends).or_default();
                let round = first + (*load / between.len()) as u32;
                let channel = between[*load % between.len()];
                *load += 1;
                let message = hop.message * chunks + hop.chunk;
                let resident = |router: RouterId| network.residents(router)[0];
                paths.push((round, message, resident(hop.tail), resident(hop.head), [channel]));
            }
            first += count;
        }
        let transfers: Vec<(u32, Transfer<'_>)> = paths
            .iter()
            .map(|(round, message, from, to, path)| {
                let message = pavane_model::MessageId(*message);
                (*round, Transfer { message, from: *from, to: *to, path })
            })
            .collect();
        let schedule = Schedule::from_transfers(first, &transfers).with_rounds(rounds);
        if problem.is_backward() { schedule.reversed() } else { schedule }
    }
}
