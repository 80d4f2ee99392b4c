//! All-gather on fat nodes with all ports: a run by single hops between routers (`spreading`) decides
//! which messages enter every router in which step. The processor that receives a message passes it
//! on to the others of its router in the next step, and from the step after that all of them can
//! send it to other routers.
//!
//! A channel into a router always leads to the same processor, and these are shared out evenly. So a
//! processor receives at most as many messages as the router has channels: those that enter the
//! router for it, and those that entered it for the others in the step before. Under half duplex,
//! the two directions of a link take turns.
//!
//! A message that enters a router in the last step is too late to be passed on. Under full duplex
//! it enters over as many channels as the router has processors, once for each of them.

use super::builder::{self, Builder};
use super::log::Log;
use super::possession::Possession;
use super::rotation;
use super::spreading::Spreading;
use crate::attempt::Context;
use crate::budget::Budget;
use crate::rng::Rng;
use crate::routers::{residents_per_router, slim};
use pavane_model::{
    ChannelId, Collective, Duplex, ListedMessage, MessageId, Model, Network, Ports, Problem,
    ProcessorId, RouterId, Schedule, Switching, Transfer,
};
use std::collections::HashMap;

/// Starts of a search for a run that fits.
const STARTS: u32 = 3;

/// Whether the method applies: an all-gather of all processors, several of them on every router, and
/// enough ports.
pub(super) fn applies(problem: &Problem) -> bool {
    let network = problem.network();
    let Some(per_router) = residents_per_router(network).filter(|&count| count > 1) else {
        return false;
    };
    let living = network.living_processors().count();
    let is_whole = problem.messages().len() == living && rotation::message_of(problem).is_some();
    problem.model().ports == Ports::All
        && is_whole
        && network.routers().filter(|&router| !network.is_lost(router)).all(|router| {
            let into = network.in_channels(router).len();
            let out = network.out_channels(router).len();
            let (passing, own) = (per_router - 1, into.div_ceil(per_router));
            !network.residents(router).is_empty()
                && into <= out
                && passing * own <= out
                && passing + own <= into
                && passing + out.div_ceil(per_router) <= out
        })
}

/// Builds a schedule with as many steps as it takes; `None` if the budget runs out.
pub(super) fn construct(problem: &Problem, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let reduced = reduced(problem)?;
    let mut run = RouterRun::new(problem, &reduced);
    run.begin(0, rng);
    let is_complete = run.advance(u32::MAX, budget, rng) == 0;
    is_complete.then(|| expand(problem, &run))?
}

/// Searches for a schedule of at most `steps` steps.
pub(super) fn find(
    context: &Context,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let problem = context.problem();
    // The last messages to enter a router are passed on in a further step.
    let between = match problem.model().duplex {
        Duplex::Full => steps.checked_sub(1)?,
        Duplex::Half => steps.checked_sub(1)? / 2,
    };
    let reduced = reduced(problem)?;
    let mut run = RouterRun::new(problem, &reduced);
    let is_found = builder::find(&mut run, between, 0..STARTS, budget, rng);
    let schedule = is_found.then(|| expand(problem, &run))??;
    // The first step between routers is always there.
    (schedule.step_count() <= steps).then_some(schedule)
}

/// The problem between routers: every message goes to all other routers, by single hops.
fn reduced(problem: &Problem) -> Option<Problem> {
    let network = slim(problem.network())?;
    let mut at_router = vec![None; network.router_count()];
    for processor in network.living_processors() {
        at_router[network.home(processor)?.index()] = Some(processor);
    }
    let messages = problem.messages();
    let list: Option<Vec<ListedMessage>> = messages
        .ids()
        .map(|message| {
            let from = at_router[problem.home(messages.origin(message)).index()]?;
            let to = network.living_processors().filter(|&other| other != from).collect();
            Some(ListedMessage { from, to })
        })
        .collect();
    let model = Model { switching: Switching::StoreAndForward, ..Model::default() };
    Problem::with_limit(network, Collective::listed("between routers", list?), model, u64::MAX).ok()
}

/// A run between routers whose first step gives every channel out of a router a message of another
/// of its processors, because at first no processor has the messages of the others.
struct RouterRun<'a> {
    inner: Spreading<'a>,
    network: &'a Network,
    first: Log,
    /// Whether messages may enter a router in the last step.
    may_come_late: bool,
    /// The messages that do, with the channels over which they come.
    late: Vec<(usize, ChannelId)>,
}

impl<'a> RouterRun<'a> {
    fn new(problem: &'a Problem, reduced: &'a Problem) -> Self {
        let network = problem.network();
        let mut of_processor = vec![0; network.processor_count()];
        for message in problem.messages().ids() {
            of_processor[problem.messages().origin(message).index()] = message.index();
        }
        let resident = |router: RouterId| reduced.network().residents(router)[0].index();
        let mut first = Log::default();
        first.start_step();
        for router in network.routers().filter(|&router| !network.is_lost(router)) {
            let residents = network.residents(router);
            let mut told: Vec<(RouterId, usize)> = Vec::new();
            for (at, &channel) in network.out_channels(router).iter().enumerate() {
                let head = network.channel(channel).head;
                let message = of_processor[residents[at % residents.len()].index()];
                // Parallel channels must not bring the same message.
                if !told.contains(&(head, message)) {
                    told.push((head, message));
                    first.push(message, resident(router), resident(head), &[channel]);
                }
            }
        }
        Self {
            inner: Spreading::with_delay(reduced, 1),
            network,
            first,
            may_come_late: problem.model().duplex == Duplex::Full,
            late: Vec::new(),
        }
    }

    /// Finds channels for the messages that every router still misses, one for each of its
    /// processors; returns the number of messages that lack channels.
    fn place_late(&mut self) -> usize {
        let possession = self.inner.possession();
        let mut lacking = 0;
        for router in self.network.routers() {
            let residents = self.network.residents(router).len();
            let missing = possession.missing_at(router);
            let carriers: Vec<(ChannelId, usize)> = self
                .network
                .in_channels(router)
                .iter()
                .filter_map(|&channel| {
                    let tail = self.network.channel(channel).tail;
                    Some((channel, possession.first_resident(tail)?))
                })
                .collect();
            // By channel, the message that it brings.
            let mut brought: Vec<Option<usize>> = vec![None; carriers.len()];
            for message in missing {
                let is_placed = (0..residents).all(|_| {
                    let mut is_asked = vec![false; carriers.len()];
                    bring(message, &carriers, possession, &mut brought, &mut is_asked)
                });
                lacking += usize::from(!is_placed);
            }
            let with_channel = brought.iter().zip(&carriers);
            self.late.extend(with_channel.filter_map(|(m, &(channel, _))| Some(((*m)?, channel))));
        }
        lacking
    }
}

/// Finds a channel for one more copy of a message. Other messages, each channel asked once, change
/// to other channels if necessary.
fn bring(
    message: usize,
    carriers: &[(ChannelId, usize)],
    possession: &Possession,
    brought: &mut [Option<usize>],
    is_asked: &mut [bool],
) -> bool {
    for at in 0..carriers.len() {
        let can_bring = possession.held.has(carriers[at].1, message);
        if !can_bring || is_asked[at] || brought[at] == Some(message) {
            continue;
        }
        is_asked[at] = true;
        let is_free = match brought[at] {
            None => true,
            Some(other) => bring(other, carriers, possession, brought, is_asked),
        };
        if is_free {
            brought[at] = Some(message);
            return true;
        }
    }
    false
}

impl Builder for RouterRun<'_> {
    fn begin(&mut self, number: u32, rng: &mut Rng) {
        self.inner.begin(number, rng);
        self.inner.rewind(&self.first, 1);
    }

    fn rewind(&mut self, log: &Log, steps: usize) {
        self.inner.rewind(log, steps.max(1));
    }

    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize {
        self.late.clear();
        let missing = self.inner.advance(steps, budget, rng);
        let is_full = self.log().step_count() == steps as usize;
        if missing > 0 && is_full && self.may_come_late { self.place_late() } else { missing }
    }

    fn log(&self) -> &Log {
        self.inner.log()
    }
}

/// Expands the steps between routers to all processors; `None` if a processor lacks ports.
fn expand(problem: &Problem, run: &RouterRun<'_>) -> Option<Schedule> {
    let mut expansion = Expansion::new(problem);
    let log = run.log();
    for step in 0..log.step_count() {
        match problem.model().duplex {
            Duplex::Full => expansion.step(log.step(step))?,
            Duplex::Half => {
                let network = problem.network();
                let is_second = |transfer: &Transfer<'_>| {
                    let channel = transfer.path[0];
                    network.opposite(channel).is_some_and(|other| other < channel)
                };
                expansion.step(log.step(step).filter(|transfer| !is_second(transfer)))?;
                expansion.step(log.step(step).filter(is_second))?;
            }
        }
    }
    expansion.last_step(&run.late)?;
    Some(expansion.schedule)
}

/// A schedule for all processors under construction.
struct Expansion<'a> {
    network: &'a Network,
    problem: &'a Problem,
    /// Per channel, the processor that it leads to.
    receiver: Vec<ProcessorId>,
    /// The messages that were received in the last step, with their receivers.
    fresh: Vec<(MessageId, ProcessorId)>,
    /// Free send ports of every processor in the current step.
    free: Vec<u32>,
    schedule: Schedule,
}

impl<'a> Expansion<'a> {
    fn new(problem: &'a Problem) -> Self {
        let network = problem.network();
        let mut receiver = vec![ProcessorId(0); network.channel_count()];
        for router in network.routers() {
            let residents = network.residents(router);
            for (at, channel) in network.in_channels(router).iter().enumerate() {
                receiver[channel.index()] = residents[at % residents.len()];
            }
        }
        let messages = problem.messages();
        Self {
            network,
            problem,
            receiver,
            fresh: messages.ids().map(|message| (message, messages.origin(message))).collect(),
            free: vec![0; network.processor_count()],
            schedule: Schedule::new(),
        }
    }

    /// Starts a step: messages of the last step are passed on within their routers.
    fn start_step(&mut self) -> Option<()> {
        self.schedule.start_step();
        for processor in self.network.living_processors() {
            self.free[processor.index()] = self.problem.send_ports(processor);
        }
        for (message, from) in std::mem::take(&mut self.fresh) {
            for &to in self.network.residents(self.problem.home(from)) {
                if to != from {
                    self.send(message, from, to, &[])?;
                }
            }
        }
        Some(())
    }

    /// Adds a step with transfers from router to router.
    fn step<'t>(&mut self, transfers: impl Iterator<Item = Transfer<'t>>) -> Option<()> {
        let is_first = self.schedule.step_count() == 0;
        self.start_step()?;
        for transfer in transfers {
            let channel: ChannelId = transfer.path[0];
            let from = if is_first {
                self.problem.messages().origin(transfer.message)
            } else {
                self.sender(channel)?
            };
            let to = self.receiver[channel.index()];
            self.send(transfer.message, from, to, transfer.path)?;
            self.fresh.push((transfer.message, to));
        }
        Some(())
    }

    /// Adds the last step, in which late messages come for every processor of a router.
    fn last_step(&mut self, late: &[(usize, ChannelId)]) -> Option<()> {
        self.start_step()?;
        let mut copies: HashMap<(usize, RouterId), usize> = HashMap::new();
        for &(message, channel) in late {
            let head = self.network.channel(channel).head;
            let copy = copies.entry((message, head)).or_default();
            let to = *self.network.residents(head).get(*copy)?;
            *copy += 1;
            let from = self.sender(channel)?;
            self.send(MessageId(message as u32), from, to, &[channel])?;
        }
        Some(())
    }

    /// The processor at the tail of a channel that has the most free ports.
    fn sender(&self, channel: ChannelId) -> Option<ProcessorId> {
        let residents = self.network.residents(self.network.channel(channel).tail);
        residents.iter().copied().max_by_key(|processor| self.free[processor.index()])
    }

    fn send(
        &mut self,
        message: MessageId,
        from: ProcessorId,
        to: ProcessorId,
        path: &[ChannelId],
    ) -> Option<()> {
        let free = &mut self.free[from.index()];
        *free = free.checked_sub(1)?;
        self.schedule.push(Transfer { message, from, to, path });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::collective::{self, Groups};
    use pavane_networks::topology;
    use pavane_verify::verify;

    fn all_gather(name: &str, model: Model) -> Problem {
        let network = topology::build(name).unwrap();
        let all = collective::build("all-gather", &network, &Groups::default()).unwrap().remove(0);
        Problem::new(network, all, model).unwrap()
    }

    /// Network, and most steps under full and half duplex. The bounds of dragonfly:2,4,2 are 15 and
    /// 28.
    const FAT: &[(&str, u32, u32)] = &[
        ("dragonfly:2,4,2", 16, 31),
        ("hypercube:3@2", 8, 13),
        ("torus:4x4@4", 18, 35),
        ("torus:4x4@3", 13, 26),
        ("ring:6@2", 9, 15),
    ];

    #[test]
    fn processors_of_a_router_pass_messages_on() {
        for &(name, full, half) in FAT {
            for (duplex, most) in [(Duplex::Full, full), (Duplex::Half, half)] {
                for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                    let model = Model { switching, duplex, ..Model::default() };
                    let problem = all_gather(name, model);
                    assert!(applies(&problem), "{name}");
                    let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(1));
                    let built = construct(&problem, &mut budget, &mut rng).unwrap();
                    let steps = built.step_count();
                    assert!(verify(problem.clone(), built).is_ok(), "{name} {model}");
                    assert!(steps <= most, "{name} {model}: {steps}");
                    let context = Context::new(problem.clone());
                    let mut budget = Budget::evaluations(1_000_000);
                    let found = find(&context, steps, &mut budget, &mut rng).unwrap();
                    assert!(found.step_count() <= steps, "{name} {model}");
                    assert!(verify(problem, found).is_ok(), "{name} {model}");
                }
            }
        }
    }

    /// In eleven steps every router receives 44 of 45 messages. The last one comes in the twelfth
    /// step, over three channels for three processors.
    #[test]
    fn late_messages_come_for_every_processor() {
        for name in ["torus:4x4@3", "hypercube:4@3"] {
            let problem = all_gather(name, Model::default());
            let context = Context::new(problem.clone());
            let (mut budget, mut rng) = (Budget::evaluations(1_000_000), Rng::seeded(1));
            let found = find(&context, 12, &mut budget, &mut rng).unwrap();
            assert_eq!(found.step_count(), 12, "{name}");
            assert!(verify(problem, found).is_ok(), "{name}");
        }
    }

    #[test]
    fn it_needs_enough_ports_and_processors() {
        let one_port = Model { ports: Ports::Limited(1), ..Model::default() };
        for (name, model) in [
            ("ring:6@3", Model::default()),
            ("hypercube:3", Model::default()),
            ("fat-tree:4", Model::default()),
            ("hypercube:3@2", one_port),
        ] {
            assert!(!applies(&all_gather(name, model)), "{name} {model}");
        }
    }
}
