//! A journey: the possible transfer of one message to one processor.

use super::cnf::{Cnf, Literal, TRUE};
use super::encode::Encoder;
use crate::distance::UNREACHABLE;
use pavane_model::{ChannelId, MessageId, ProcessorId, RouterId};
use std::collections::BTreeMap;

/// The only transfer by which a message may reach a processor.
#[derive(Debug, Clone)]
pub(super) struct Journey {
    pub message: MessageId,
    pub to: ProcessorId,
    /// Whether the processor is a destination of the message.
    pub is_wanted: bool,
    /// First step (from 1) in which it may take place.
    pub earliest: u32,
    /// For each step from the earliest: whether it takes place then.
    pub happens: Vec<Literal>,
    /// For each step from the earliest: whether it has taken place by then.
    held: Vec<Literal>,
    /// Possible senders. The first whose literal is true sends it.
    pub senders: Vec<(ProcessorId, Literal)>,
    /// Channels that it may use. It follows those whose literals are true, from the sender's home.
    pub channels: Vec<(ChannelId, Literal)>,
}

impl Journey {
    /// A journey in one of the steps from `earliest` to `latest`.
    pub fn new(
        cnf: &mut Cnf,
        message: MessageId,
        to: ProcessorId,
        earliest: u32,
        latest: u32,
    ) -> Self {
        let happens = (earliest..=latest).map(|_| cnf.variable()).collect();
        let (held, senders, channels) = (Vec::new(), Vec::new(), Vec::new());
        Self { message, to, is_wanted: false, earliest, happens, held, senders, channels }
    }

    /// Defines when the processor holds the message: from the step of the journey on. The journey
    /// takes place at most once.
    pub fn add_possession(&mut self, cnf: &mut Cnf) {
        let mut before = -TRUE;
        for &happens in &self.happens {
            let held = cnf.variable();
            cnf.implies(&[before], &[held]);
            cnf.implies(&[happens], &[held]);
            cnf.implies(&[held], &[before, happens]);
            cnf.implies(&[happens], &[-before]);
            self.held.push(held);
            before = held;
        }
    }

    /// Whether the formula defines when the processor holds the message.
    pub fn tells_possession(&self) -> bool {
        !self.held.is_empty()
    }

    /// The literal that the processor holds the message after a step.
    pub fn holds_after(&self, step: u32) -> Literal {
        match step.checked_sub(self.earliest) {
            None => -TRUE,
            Some(index) => {
                let last = self.held.last().copied().unwrap_or(-TRUE);
                self.held.get(index as usize).copied().unwrap_or(last)
            }
        }
    }
}

/// Literals by router.
type OfRouters = BTreeMap<RouterId, Vec<Literal>>;

fn pick(literals: &OfRouters, router: RouterId) -> &[Literal] {
    literals.get(&router).map_or(&[], Vec::as_slice)
}

impl Encoder<'_> {
    /// Encodes the sender and path of a journey, and the channels and ports that it uses in its
    /// step.
    pub(super) fn add_way(&mut self, index: usize) {
        let Journey { message, to, earliest, .. } = self.journeys[index];
        let senders: Vec<(ProcessorId, Literal)> = match &self.senders(message, to)[..] {
            [only] => vec![(*only, TRUE)],
            several => several.iter().map(|&from| (from, self.cnf.variable())).collect(),
        };
        let happens = self.journeys[index].happens.clone();
        if senders.is_empty() {
            happens.iter().for_each(|&happens| self.cnf.clause(&[-happens]));
            return;
        }
        let literals: Vec<Literal> = senders.iter().map(|&(_, literal)| literal).collect();
        self.cnf.clause(&literals);
        let channels = self.channels(message, to, &senders);
        self.add_path(to, &senders, &channels);
        for (happens, step) in happens.into_iter().zip(earliest..) {
            let slot = step as usize - 1;
            self.receives[to.index()][slot].push(happens);
            // Under store-and-forward, sending and using the channel often have the same literal.
            let mut known: BTreeMap<Literal, Literal> = BTreeMap::new();
            for &(from, literal) in &senders {
                let held = self.holds_before(message, from, step);
                self.cnf.implies(&[happens, literal], &[held]);
                if self.are_ports_counted(from) {
                    let sends = self.cnf.both(happens, literal);
                    self.sends[from.index()][slot].push(sends);
                    known.entry(literal).or_insert(sends);
                }
            }
            for &(channel, literal) in &channels {
                let takes = match known.get(&literal) {
                    Some(&takes) => takes,
                    None => self.cnf.both(happens, literal),
                };
                self.channel_uses[channel.index()][slot].push(takes);
            }
        }
        self.journeys[index].senders = senders;
        self.journeys[index].channels = channels;
    }

    /// The channels that a journey may use, each with its literal.
    fn channels(
        &mut self,
        message: MessageId,
        to: ProcessorId,
        senders: &[(ProcessorId, Literal)],
    ) -> Vec<(ChannelId, Literal)> {
        let end = self.problem.home(to);
        let is_personalised = self.problem.messages().is_personalised(message);
        let all = (0..self.network.channel_count() as u32).map(ChannelId);
        let allowed: Vec<ChannelId> = match (self.is_stored(), is_personalised) {
            (true, _) => self.channels_into(message, end).collect(),
            (false, true) => all.filter(|&c| self.is_on_the_way(message, c)).collect(),
            (false, false) => all.filter(|&c| self.leads_to(c, end)).collect(),
        };
        let tails = allowed.iter().map(|&channel| self.network.channel(channel).tail);
        // Number of these channels that leave each router, and that leave each distance from the
        // first sender.
        let (mut of_router, mut of_level) = (BTreeMap::new(), BTreeMap::new());
        let start = self.problem.home(senders[0].0);
        let level = |tail: RouterId| self.distance[start.index()][tail.index()];
        for tail in tails {
            *of_router.entry(tail).or_insert(0u32) += 1;
            *of_level.entry(level(tail)).or_insert(0u32) += 1;
        }
        let mut senders_at = OfRouters::new();
        for &(from, sends) in senders {
            senders_at.entry(self.problem.home(from)).or_default().push(sends);
        }
        let is_minimal = is_personalised && self.most_extra() == Some(0);
        let literal_of = |channel: ChannelId| {
            let tail = self.network.channel(channel).tail;
            match pick(&senders_at, tail) {
                // The sender has no other channel.
                &[sends] if self.is_stored() && of_router[&tail] == 1 => Some(sends),
                // Every shortest path has one channel at each distance from its start.
                _ if !self.is_stored() && is_minimal && of_level[&level(tail)] == 1 => Some(TRUE),
                _ => None,
            }
        };
        let literals: Vec<Option<Literal>> = allowed.iter().map(|&c| literal_of(c)).collect();
        let named = allowed.into_iter().zip(literals);
        named.map(|(c, literal)| (c, literal.unwrap_or_else(|| self.cnf.variable()))).collect()
    }

    /// Whether a path to `end` from any router may use a channel.
    fn leads_to(&self, channel: ChannelId, end: RouterId) -> bool {
        let ends = self.network.channel(channel);
        let before = u64::from(self.distance[ends.tail.index()][end.index()]);
        let after = u64::from(self.distance[ends.head.index()][end.index()]);
        let is_possible = ends.tail != end && after < u64::from(UNREACHABLE);
        is_possible && self.most_extra().is_none_or(|extra| after < before + u64::from(extra))
    }

    /// The channels in use lead from the sender's home to the receiver's: one leaves the start, and
    /// wherever one enters a router, one leaves it. Paths that need not be shortest could contain
    /// cycles. There, at most one channel enters each router and none enters the start, so a walk
    /// from the start never meets itself and ends at the receiver's home.
    fn add_path(
        &mut self,
        to: ProcessorId,
        senders: &[(ProcessorId, Literal)],
        channels: &[(ChannelId, Literal)],
    ) {
        let end = self.problem.home(to);
        let network = self.network;
        // Literals of the channels that leave, and that enter, each router.
        let (mut leaving, mut entering) = (OfRouters::new(), OfRouters::new());
        for &(channel, literal) in channels {
            let ends = network.channel(channel);
            leaving.entry(ends.tail).or_default().push(literal);
            entering.entry(ends.head).or_default().push(literal);
        }
        for &(from, sends) in senders {
            let start = self.problem.home(from);
            if start != end {
                self.cnf.implies(&[sends], pick(&leaving, start));
            }
        }
        for &(channel, taken) in channels {
            let head = network.channel(channel).head;
            if head != end {
                self.cnf.implies(&[taken], pick(&leaving, head));
            }
        }
        if self.is_stored() || self.most_extra() == Some(0) {
            return;
        }
        for (_, literals) in entering.iter().filter(|(router, _)| **router != end) {
            self.cnf.at_most(1, literals);
        }
        for &(from, sends) in senders {
            for &taken in pick(&entering, self.problem.home(from)) {
                self.cnf.implies(&[sends], &[-taken]);
            }
        }
        if let Some(extra) = self.most_extra() {
            let all: Vec<Literal> = channels.iter().map(|&(_, literal)| literal).collect();
            self.add_length(to, senders, &all, extra);
        }
    }

    /// A path has at most `extra` channels more than a shortest path from its sender.
    fn add_length(
        &mut self,
        to: ProcessorId,
        senders: &[(ProcessorId, Literal)],
        channels: &[Literal],
        extra: u32,
    ) {
        let most = |encoder: &Self, from| encoder.hops(from, to).saturating_add(extra) as usize;
        let longest = senders.iter().map(|&(from, _)| most(self, from)).max().unwrap_or(0);
        let counts = self.cnf.count(longest.min(channels.len()), channels);
        for &(from, sends) in senders {
            if let Some(&too_many) = counts.get(most(self, from)) {
                self.cnf.implies(&[sends], &[-too_many]);
            }
        }
    }

    /// Under store-and-forward the hops of a personalised message form one path: it makes at most
    /// one hop per step, enters each router at most once, and takes no longer detour than allowed.
    pub(super) fn add_chain(&mut self, message: MessageId, first: usize) {
        let journeys = first..self.journeys.len();
        for step in 1..=self.steps {
            let hops: Vec<Literal> = self.journeys[journeys.clone()]
                .iter()
                .filter_map(|journey| {
                    let index = step.checked_sub(journey.earliest)?;
                    journey.happens.get(index as usize).copied()
                })
                .collect();
            self.cnf.at_most(1, &hops);
        }
        if self.most_extra() == Some(0) {
            return;
        }
        let mut entries: Vec<Literal> = Vec::new();
        let mut entries_of = OfRouters::new();
        for index in journeys {
            let enters = self.cnf.variable();
            let journey = &self.journeys[index];
            for &happens in &journey.happens {
                for &(_, taken) in &journey.channels {
                    self.cnf.implies(&[happens, taken], &[enters]);
                }
            }
            entries.push(enters);
            entries_of.entry(self.problem.home(journey.to)).or_default().push(enters);
        }
        for here in entries_of.values() {
            self.cnf.at_most(1, here);
        }
        if let Some(extra) = self.most_extra() {
            let messages = self.problem.messages();
            let to = messages.destinations(message)[0];
            let most = self.hops(messages.origin(message), to).saturating_add(extra) as usize;
            self.cnf.at_most(most, &entries);
        }
    }
}
