//! Builds a simple schedule for any problem in one pass over its paths. Every message follows the
//! shortest-path tree of its origin, and each transfer takes the earliest step from which its
//! channels and ports stay free. The driver falls back on it if the deadline comes before any
//! engine has built a schedule.

use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::bounds::hops;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{
    ChannelId, Duplex, MessageId, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};
use std::time::Duration;

/// Largest total size of the trees of all origins; larger problems get no schedule.
const MOST_ENTRIES: usize = 1 << 26;

/// Approximate time to build and check a transfer, and each of its channels.
const OF_TRANSFER: Duration = Duration::from_nanos(150);
const OF_CHANNEL: Duration = Duration::from_nanos(15);

/// Rounds of messages between two polls of the interrupt.
const ROUNDS_PER_POLL: usize = 64;

/// The entry of a router that no channel leads to, such as the root.
const NONE: u32 = u32::MAX;

/// Sends the messages on shortest paths, one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Suitability for Plain {
    fn takes(&self, _: &Problem) -> bool {
        true
    }
}

impl Engine for Plain {
    fn describe(&self) -> Traits {
        Traits {
            name: "plain",
            purpose: "one pass over shortest paths, for when no time is left; any problem",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        build(context.problem(), budget.interrupt())
    }

    fn attempt(&self, _: &Context, _: u32, _: &mut Budget, _: &mut Rng) -> Attempt {
        Attempt::OutOfBudget
    }
}

/// Approximate time to build and check a plain schedule; `None` after an interrupt, or if
/// estimating it takes too long.
pub(crate) fn time_needed(problem: &Problem, interrupt: &Interrupt) -> Option<Duration> {
    let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
    let messages = problem.messages();
    let (mut transfers, mut channels) = (0, 0);
    let count = |_, group: &[MessageId], distance: &[u32]| {
        for &message in group {
            let (deliveries, hops) = match messages.destinations(message) {
                [to] => (1, u64::from(distance[problem.home(*to).index()])),
                several => (several.len() as u64, several.len() as u64),
            };
            transfers += if is_store_and_forward { hops } else { deliveries };
            channels += hops;
        }
    };
    hops::from_origins(problem, interrupt, count).ok()?;
    let times = |time: Duration, count: u64| {
        Duration::from_nanos(count.saturating_mul(time.as_nanos() as u64))
    };
    Some(times(OF_TRANSFER, transfers) + times(OF_CHANNEL, channels))
}

fn build(problem: &Problem, interrupt: &Interrupt) -> Option<Schedule> {
    let mut pass = Pass::new(problem, Budget::unlimited(interrupt));
    for message in order(problem, interrupt)? {
        pass.deliver(message)?;
    }
    pass.schedule()
}

/// The messages in rounds with one message of every origin each: first the one for the next
/// processor by number, then the one for the processor after it. `None` after an interrupt.
fn order(problem: &Problem, interrupt: &Interrupt) -> Option<Vec<MessageId>> {
    let messages = problem.messages();
    let mut of_origin = vec![Vec::new(); problem.network().processor_count()];
    for message in messages.ids() {
        of_origin[messages.origin(message).index()].push(message);
    }
    for (origin, own) in (0..).map(ProcessorId).zip(&mut of_origin) {
        let is_before = |message: &&MessageId| messages.destinations(**message)[0] < origin;
        let first = own.iter().filter(is_before).count();
        own.rotate_left(first);
    }
    let mut order = Vec::with_capacity(messages.len());
    for round in 0.. {
        // Origins without a further message are not visited again.
        of_origin.retain(|own| round < own.len());
        if of_origin.is_empty() {
            break;
        }
        if round % ROUNDS_PER_POLL == 0 && interrupt.is_raised() {
            return None;
        }
        order.extend(of_origin.iter().map(|own| own[round]));
    }
    Some(order)
}

/// A transfer with its step. Its path ends at index `end` of the list of all channels.
struct Planned {
    step: u32,
    message: MessageId,
    from: ProcessorId,
    to: ProcessorId,
    end: usize,
}

/// The last step in which ports of a processor are in use, and how many are.
#[derive(Clone, Copy, Default)]
struct PortUse {
    step: u32,
    used: u32,
}

impl PortUse {
    /// The first step in which a port is free.
    fn first_free(self, ports: u32) -> u32 {
        if self.used < ports { self.step } else { self.step + 1 }
    }

    fn take(&mut self, step: u32) {
        self.used = if step == self.step { self.used + 1 } else { 1 };
        self.step = step;
    }
}

/// The processor that holds the current message on a router, and the first step in which it can
/// send it.
#[derive(Clone, Copy)]
struct Holder {
    processor: ProcessorId,
    from_step: u32,
}

struct Pass<'a> {
    problem: &'a Problem,
    pace: Budget,
    /// By origin router: for each router the channel that leads into it on a shortest path.
    trees: Vec<Vec<u32>>,
    /// By channel, the first step in which it is free. Under half duplex only the first channel of
    /// a link is used.
    free_from: Vec<u32>,
    sends: Vec<PortUse>,
    receives: Vec<PortUse>,
    /// By router: the processor that is to receive the current message, and the one that holds it.
    taker: Vec<Option<ProcessorId>>,
    holder: Vec<Option<Holder>>,
    /// The routers with an entry in either list.
    touched: Vec<RouterId>,
    /// The channels from a target back to a holder; and for each stop the number of channels before
    /// it in this list, the router and the receiver.
    back: Vec<ChannelId>,
    stops: Vec<(usize, RouterId, ProcessorId)>,
    planned: Vec<Planned>,
    channels: Vec<ChannelId>,
}

impl<'a> Pass<'a> {
    fn new(problem: &'a Problem, pace: Budget) -> Self {
        let network = problem.network();
        Self {
            problem,
            pace,
            trees: vec![Vec::new(); network.router_count()],
            free_from: vec![0; network.channel_count()],
            sends: vec![PortUse::default(); network.processor_count()],
            receives: vec![PortUse::default(); network.processor_count()],
            taker: vec![None; network.router_count()],
            holder: vec![None; network.router_count()],
            touched: Vec::new(),
            back: Vec::new(),
            stops: Vec::new(),
            planned: Vec::new(),
            channels: Vec::new(),
        }
    }

    /// Delivers a message to all its destinations; `None` after an interrupt.
    fn deliver(&mut self, message: MessageId) -> Option<()> {
        let messages = self.problem.messages();
        let (origin, destinations) = (messages.origin(message), messages.destinations(message));
        let start = self.problem.home(origin);
        self.grow_tree(start)?;
        self.touched.push(start);
        self.taker[start.index()] = Some(origin);
        self.holder[start.index()] = Some(Holder { processor: origin, from_step: 0 });
        for &to in destinations {
            let home = self.problem.home(to);
            if self.taker[home.index()].is_none() {
                self.taker[home.index()] = Some(to);
                self.touched.push(home);
            }
        }
        for &to in destinations {
            let home = self.problem.home(to);
            self.reach(message, start, home)?;
            let Holder { processor: from, from_step } = self.holder[home.index()]?;
            if from != to {
                self.plan(message, from, to, from_step)?;
            }
        }
        for router in self.touched.drain(..) {
            (self.taker[router.index()], self.holder[router.index()]) = (None, None);
        }
        Some(())
    }

    /// Brings a message to a router from the nearest router towards its origin that holds it. Stops
    /// at every router in between that is to receive it; under store-and-forward that is every one.
    fn reach(&mut self, message: MessageId, start: RouterId, target: RouterId) -> Option<()> {
        let network = self.problem.network();
        let is_store_and_forward = self.problem.model().switching == Switching::StoreAndForward;
        self.back.clear();
        self.stops.clear();
        let mut at = target;
        while self.holder[at.index()].is_none() {
            if is_store_and_forward && self.taker[at.index()].is_none() {
                self.taker[at.index()] = Some(*network.residents(at).first()?);
                self.touched.push(at);
            }
            if let Some(taker) = self.taker[at.index()] {
                self.stops.push((self.back.len(), at, taker));
            }
            let channel = ChannelId(self.trees[start.index()][at.index()]);
            self.back.push(channel);
            at = network.channel(channel).tail;
        }
        let mut first = self.back.len();
        while let Some((end, router, to)) = self.stops.pop() {
            let Holder { processor: from, from_step } = self.holder[at.index()]?;
            self.channels.extend(self.back[end..first].iter().rev());
            let step = self.plan(message, from, to, from_step)?;
            self.holder[router.index()] = Some(Holder { processor: to, from_step: step + 1 });
            (first, at) = (end, router);
        }
        Some(())
    }

    /// Plans a transfer over the last channels of the list, in step `earliest` or later; returns
    /// the step.
    fn plan(
        &mut self,
        message: MessageId,
        from: ProcessorId,
        to: ProcessorId,
        earliest: u32,
    ) -> Option<u32> {
        let problem = self.problem;
        let path = self.planned.last().map_or(0, |last| last.end)..self.channels.len();
        let (send_ports, receive_ports) = (problem.send_ports(from), problem.receive_ports(to));
        let has_room = self.channels.len() < u32::MAX as usize;
        if !self.pace.spend(1 + path.len() as u64)
            || send_ports.min(receive_ports) == 0
            || !has_room
        {
            return None;
        }
        let of_ports = self.sends[from.index()]
            .first_free(send_ports)
            .max(self.receives[to.index()].first_free(receive_ports));
        let lanes = self.channels[path].iter().map(|&channel| lane(problem, channel));
        let of_channels = lanes.clone().map(|lane| self.free_from[lane.index()]).max();
        let step = earliest.max(of_ports).max(of_channels.unwrap_or(0));
        lanes.for_each(|lane| self.free_from[lane.index()] = step + 1);
        self.sends[from.index()].take(step);
        self.receives[to.index()].take(step);
        self.planned.push(Planned { step, message, from, to, end: self.channels.len() });
        Some(step)
    }

    /// Computes shortest paths from a router to all others, once; `None` if they need too much
    /// memory or time.
    fn grow_tree(&mut self, root: RouterId) -> Option<()> {
        let network = self.problem.network();
        if !self.trees[root.index()].is_empty() {
            return Some(());
        }
        let size = (network.router_count() + network.channel_count()) as u64;
        let grown = self.trees.iter().filter(|tree| !tree.is_empty()).count();
        if (grown + 1) * network.router_count() > MOST_ENTRIES || !self.pace.spend(size) {
            return None;
        }
        let mut tree = vec![NONE; network.router_count()];
        let mut reached = vec![root];
        let mut at = 0;
        while let Some(&router) = reached.get(at) {
            at += 1;
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                if head != root && tree[head.index()] == NONE {
                    tree[head.index()] = channel.0;
                    reached.push(head);
                }
            }
        }
        self.trees[root.index()] = tree;
        Some(())
    }

    /// The numbers of the transfers in the order of their steps, by a counting sort that polls the
    /// interrupt; `None` after an interrupt.
    fn by_step(&mut self) -> Option<Vec<u32>> {
        let steps = self.planned.iter().map(|planned| planned.step as usize + 1).max();
        // The place of the next transfer of every step.
        let mut next = vec![0u32; steps.unwrap_or(0) + 1];
        for planned in &self.planned {
            next[planned.step as usize + 1] += 1;
        }
        for step in 1..next.len() {
            next[step] += next[step - 1];
        }
        let mut order = vec![0; self.planned.len()];
        for (number, planned) in (0..).zip(&self.planned) {
            if !self.pace.spend(1) {
                return None;
            }
            let place = &mut next[planned.step as usize];
            order[*place as usize] = number;
            *place += 1;
        }
        Some(order)
    }

    /// Writes the transfers as a schedule.
    fn schedule(mut self) -> Option<Schedule> {
        let mut schedule = Schedule::new();
        for number in self.by_step()? {
            let Planned { step, message, from, to, end } = self.planned[number as usize];
            let start = match number {
                0 => 0,
                number => self.planned[number as usize - 1].end,
            };
            let path = &self.channels[start..end];
            if !self.pace.spend(1 + path.len() as u64) {
                return None;
            }
            while schedule.step_count() <= step {
                schedule.start_step();
            }
            schedule.push(Transfer { message, from, to, path });
        }
        Some(schedule)
    }
}

/// The channel that represents this one and its opposite, if they exclude each other.
fn lane(problem: &Problem, channel: ChannelId) -> ChannelId {
    match (problem.model().duplex, problem.network().opposite(channel)) {
        (Duplex::Half, Some(other)) => channel.min(other),
        _ => channel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{Model, Ports};
    use pavane_networks::topology;
    use pavane_verify::verify;

    const NETWORKS: &[&str] =
        &["path:7", "ring:8", "tree:2,3", "mesh:3x4", "mesh:3x3@2", "kautz:2,2", "dragonfly:2,2,1"];

    const COLLECTIVES: &[&str] =
        &["aas", "aab", "oab", "oas", "aog", "aar", "random-permutation:3"];

    fn problems() -> Vec<Problem> {
        let mut problems = Vec::new();
        for (name, collective) in
            NETWORKS.iter().flat_map(|name| COLLECTIVES.iter().map(move |c| (name, c)))
        {
            let network = topology::build(name).unwrap();
            let Ok(phases) = collective::build(collective, &network, &Groups::default()) else {
                continue;
            };
            for number in 0..8u32 {
                let model = Model {
                    switching: [Switching::Wormhole, Switching::StoreAndForward]
                        [number as usize % 2],
                    duplex: [Duplex::Full, Duplex::Half][number as usize / 2 % 2],
                    ports: [Ports::All, Ports::Limited(1)][number as usize / 4],
                    ..Model::default()
                };
                problems.extend(Problem::new(network.clone(), phases[0].clone(), model));
            }
        }
        problems
    }

    #[test]
    fn it_solves_any_problem_within_one_pass() {
        let problems = problems();
        assert!(problems.len() > 250, "only {} problems", problems.len());
        for problem in problems {
            let forward = problem.forward();
            let schedule = build(&forward, &Interrupt::never()).unwrap();
            let name = &problem.collective().name;
            let what = format!("{name} on {}, {}", problem.network().name(), problem.model());
            assert!(verify(forward, schedule).is_ok(), "{what}");
        }
    }

    #[test]
    fn an_interrupt_ends_it() {
        let problem = &problems()[0];
        assert!(build(problem, &Interrupt::after_polls(0)).is_none());
    }
}
