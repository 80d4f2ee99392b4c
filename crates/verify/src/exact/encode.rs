//! Builds a formula: the journeys of every message, then the exclusions within each step.

use super::cnf::{Cnf, Literal, TRUE};
use super::estimate::cost;
use super::journey::Journey;
use super::{lack, order};
use crate::cost::{Limits, Meter, OverLimit};
use crate::distance::{UNREACHABLE, all_distances};
use pavane_model::{
    ChannelId, Duplex, MessageId, Network, Ports, Problem, ProcessorId, RouterId, Routing,
    Switching, words,
};

/// Why no formula was built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// It would have too many literals.
    #[error("the formula for {} would have more than {limit} literals", words::steps(*.steps))]
    Literals {
        /// Number of steps requested.
        steps: u32,
        /// Maximum number of literals.
        limit: usize,
    },
    /// Building it would exceed a limit.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
}

/// A formula that is satisfiable if and only if there is a schedule of at most `steps` steps, and
/// the meaning of its variables.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The formula.
    pub cnf: Cnf,
    /// Number of steps.
    pub steps: u32,
    pub(super) journeys: Vec<Journey>,
}

/// Builds the formula for a forward problem (see [`Problem::forward`]), with at most `limit`
/// literals. The same arguments give the same formula on every machine.
pub fn encode(problem: &Problem, steps: u32, limit: usize) -> Result<Encoding, TooLarge> {
    encode_within(problem, steps, limit, Limits::of(problem))
}

/// Like [`encode`], with limits on the cost.
pub fn encode_within(
    problem: &Problem,
    steps: u32,
    limit: usize,
    limits: Limits,
) -> Result<Encoding, TooLarge> {
    write_formula(problem, steps, limit, limits, &|| false).expect("the callback never interrupts")
}

/// Like [`encode`]; `None` if `is_over` returns true before the formula is complete.
pub fn encode_unless(
    problem: &Problem,
    steps: u32,
    limit: usize,
    is_over: &dyn Fn() -> bool,
) -> Option<Result<Encoding, TooLarge>> {
    write_formula(problem, steps, limit, Limits::of(problem), is_over)
}

fn write_formula(
    problem: &Problem,
    steps: u32,
    limit: usize,
    limits: Limits,
    is_over: &dyn Fn() -> bool,
) -> Option<Result<Encoding, TooLarge>> {
    debug_assert!(!problem.is_backward(), "formulas exist for forward problems only");
    let go_on = || (!is_over()).then_some(());
    if let Err(over) = limits.check(cost(problem, steps)) {
        return Some(Err(over.into()));
    }
    go_on()?;
    let mut encoder = Encoder::new(problem, steps, limit);
    for message in problem.messages().ids() {
        go_on()?;
        encoder.add_message(message);
        if encoder.cnf.is_full() {
            return Some(Err(TooLarge::Literals { steps, limit }));
        }
    }
    encoder.add_exclusions();
    go_on()?;
    if let Err(over) = lack::add(&mut encoder, &mut Meter::new(limits.operations)) {
        return Some(Err(over.into()));
    }
    go_on()?;
    order::add(&mut encoder);
    Some(if encoder.cnf.is_full() {
        Err(TooLarge::Literals { steps, limit })
    } else {
        Ok(Encoding { cnf: encoder.cnf, steps, journeys: encoder.journeys })
    })
}

/// The journeys of a message. `journeys` is sorted by message.
pub(super) fn journeys_of(journeys: &[Journey], message: MessageId) -> &[Journey] {
    let start = journeys.partition_point(|journey| journey.message < message);
    let end = journeys.partition_point(|journey| journey.message <= message);
    &journeys[start..end]
}

/// State while the formula is built.
pub(super) struct Encoder<'a> {
    pub problem: &'a Problem,
    pub network: &'a Network,
    pub steps: u32,
    pub cnf: Cnf,
    pub journeys: Vec<Journey>,
    /// For the current message: the journey to each processor, and whether the processor wants it.
    journey_to: Vec<Option<usize>>,
    is_wanted: Vec<bool>,
    /// Distances between routers in hops.
    pub distance: Vec<Vec<u32>>,
    /// Literals that use each channel, send port and receive port, in one list per step.
    pub channel_uses: Vec<Vec<Vec<Literal>>>,
    pub sends: Vec<Vec<Vec<Literal>>>,
    pub receives: Vec<Vec<Vec<Literal>>>,
}

impl<'a> Encoder<'a> {
    fn new(problem: &'a Problem, steps: u32, limit: usize) -> Self {
        let network = problem.network();
        let lists = |count: usize| vec![vec![Vec::new(); steps as usize]; count];
        Self {
            problem,
            network,
            steps,
            cnf: Cnf::new(limit),
            journeys: Vec::new(),
            journey_to: vec![None; network.processor_count()],
            is_wanted: vec![false; network.processor_count()],
            distance: all_distances(network),
            channel_uses: lists(network.channel_count()),
            sends: lists(network.processor_count()),
            receives: lists(network.processor_count()),
        }
    }

    /// The journeys of a message.
    pub fn journeys_of(&self, message: MessageId) -> &[Journey] {
        journeys_of(&self.journeys, message)
    }

    /// Distance between the homes of two processors.
    pub fn hops(&self, from: ProcessorId, to: ProcessorId) -> u32 {
        self.distance[self.problem.home(from).index()][self.problem.home(to).index()]
    }

    /// Minimum number of steps from one processor to another under store-and-forward.
    fn stops(&self, from: ProcessorId, to: ProcessorId) -> u32 {
        if from == to { 0 } else { self.hops(from, to).max(1) }
    }

    pub fn is_stored(&self) -> bool {
        self.problem.model().switching == Switching::StoreAndForward
    }

    /// Maximum number of hops of a path beyond the shortest; `None` if unlimited.
    pub fn most_extra(&self) -> Option<u32> {
        match self.problem.model().routing {
            Routing::Minimal => Some(0),
            Routing::Detour(extra) => Some(extra),
            Routing::Any => None,
        }
    }

    /// Whether a personalised message may use a channel on its path.
    pub fn is_on_the_way(&self, message: MessageId, channel: ChannelId) -> bool {
        let messages = self.problem.messages();
        let start = self.problem.home(messages.origin(message));
        let end = self.problem.home(messages.destinations(message)[0]);
        let ends = self.network.channel(channel);
        let before = self.distance[start.index()][ends.tail.index()];
        let after = self.distance[ends.head.index()][end.index()];
        if before == UNREACHABLE || after == UNREACHABLE || ends.head == start || ends.tail == end {
            return false;
        }
        let most = self
            .most_extra()
            .map(|extra| u64::from(self.distance[start.index()][end.index()]) + u64::from(extra));
        most.is_none_or(|most| u64::from(before) + 1 + u64::from(after) <= most)
    }

    /// Adds the journeys of a message: only to its destination, or to every processor that may
    /// forward it.
    fn add_message(&mut self, message: MessageId) {
        let messages = self.problem.messages();
        let is_straight = messages.is_personalised(message) && !self.is_stored();
        let first = self.journeys.len();
        self.journey_to.fill(None);
        self.is_wanted.fill(false);
        for to in messages.destinations(message) {
            self.is_wanted[to.index()] = true;
        }
        for to in self.network.living_processors() {
            let is_wanted = self.is_wanted[to.index()];
            let (earliest, latest) = self.window(message, to, is_wanted);
            if !is_wanted && (is_straight || earliest > latest) {
                continue;
            }
            let mut journey = Journey::new(&mut self.cnf, message, to, earliest, latest);
            journey.is_wanted = is_wanted;
            if is_wanted {
                self.cnf.clause(&journey.happens);
            }
            if !is_straight {
                journey.add_possession(&mut self.cnf);
            }
            self.journey_to[to.index()] = Some(self.journeys.len());
            self.journeys.push(journey);
        }
        for index in first..self.journeys.len() {
            self.add_way(index);
            if self.cnf.is_full() {
                return;
            }
        }
        if messages.is_personalised(message) && self.is_stored() {
            self.add_chain(message, first);
        }
    }

    /// First and last step (from 1) in which a message may usefully reach a processor. If there is
    /// none, the first is after the last.
    fn window(&self, message: MessageId, to: ProcessorId, is_wanted: bool) -> (u32, u32) {
        let messages = self.problem.messages();
        let origin = messages.origin(message);
        if to == origin || self.hops(origin, to) == UNREACHABLE {
            return (1, 0);
        }
        let earliest = if self.is_stored() { self.stops(origin, to) } else { 1 };
        let rest = match (is_wanted, messages.is_personalised(message) && self.is_stored()) {
            (true, _) => 0,
            (false, true) => self.stops(to, messages.destinations(message)[0]),
            (false, false) => 1,
        };
        (earliest, self.steps.saturating_sub(rest))
    }

    /// Processors that may send a message to `to`: its origin, and processors that it may have
    /// reached.
    pub fn senders(&self, message: MessageId, to: ProcessorId) -> Vec<ProcessorId> {
        let origin = self.problem.messages().origin(message);
        if !self.is_stored() && self.problem.messages().is_personalised(message) {
            return vec![origin];
        }
        let has_it = |from: ProcessorId| from == origin || self.journey_to[from.index()].is_some();
        let candidates = if self.is_stored() {
            self.near(message, self.problem.home(to))
        } else {
            self.network.living_processors().collect()
        };
        let others = candidates.into_iter().filter(|&from| from != to);
        others.filter(|&from| has_it(from) && self.hops(from, to) != UNREACHABLE).collect()
    }

    /// Under store-and-forward, the processors from which a message may reach a router: those on
    /// it, and those one channel away.
    fn near(&self, message: MessageId, router: RouterId) -> Vec<ProcessorId> {
        let channels = self.channels_into(message, router);
        let mut routers: Vec<RouterId> =
            channels.map(|channel| self.network.channel(channel).tail).chain([router]).collect();
        routers.sort_unstable();
        routers.dedup();
        let residents = routers.iter().flat_map(|&router| self.network.residents(router));
        let mut near: Vec<ProcessorId> = residents.copied().collect();
        near.sort_unstable();
        near
    }

    /// Under store-and-forward, the channels over which a message may reach a router.
    pub fn channels_into(
        &self,
        message: MessageId,
        router: RouterId,
    ) -> impl Iterator<Item = ChannelId> {
        let is_personalised = self.problem.messages().is_personalised(message);
        let channels = self.network.in_channels(router).iter().copied();
        channels.filter(move |&channel| !is_personalised || self.is_on_the_way(message, channel))
    }

    /// In a step, no channel (half duplex: no link) is used twice, and no more ports than there
    /// are.
    fn add_exclusions(&mut self) {
        let channel_uses = std::mem::take(&mut self.channel_uses);
        let is_half = self.problem.model().duplex == Duplex::Half;
        for (index, uses) in channel_uses.iter().enumerate() {
            let channel = ChannelId(index as u32);
            let opposite = self.network.opposite(channel).filter(|_| is_half);
            if opposite.is_some_and(|opposite| opposite < channel) {
                continue;
            }
            for step in 0..self.steps as usize {
                if self.cnf.is_full() {
                    return;
                }
                let mut users = uses[step].clone();
                users.extend(opposite.iter().flat_map(|o| &channel_uses[o.index()][step]));
                self.cnf.at_most(1, &users);
            }
        }
        for processor in self.network.living_processors() {
            if !self.are_ports_counted(processor) {
                continue;
            }
            let sends = std::mem::take(&mut self.sends[processor.index()]);
            let receives = std::mem::take(&mut self.receives[processor.index()]);
            for step in 0..self.steps as usize {
                if self.cnf.is_full() {
                    return;
                }
                let most = self.problem.send_ports(processor) as usize;
                self.cnf.at_most(most, &sends[step]);
                let most = self.problem.receive_ports(processor) as usize;
                self.cnf.at_most(most, &receives[step]);
            }
        }
    }

    /// Whether the port limits constrain more than the channels do. With all ports, every transfer
    /// already takes its own channel out of and into a home, except between processors of one
    /// router.
    pub fn are_ports_counted(&self, processor: ProcessorId) -> bool {
        match self.problem.model().ports {
            Ports::Limited(_) => true,
            Ports::All => self.network.residents(self.problem.home(processor)).len() > 1,
        }
    }

    /// The literal that a processor holds the message before a step (from 1).
    pub fn holds_before(&self, message: MessageId, by: ProcessorId, step: u32) -> Literal {
        if by == self.problem.messages().origin(message) {
            return TRUE;
        }
        let journey = self.journey_to[by.index()].map(|index| &self.journeys[index]);
        journey.map_or(-TRUE, |journey| journey.holds_after(step - 1))
    }
}
