//! What the broadcast engines need to know about a problem with one message, and the conversion of
//! sends into a schedule.

use crate::ports;
use pavane_model::Transfer;
use pavane_model::{
    ChannelId, MessageId, Network, Problem, ProcessorId, RouterId, Routing, Schedule,
};

/// Most channels visited by `OneMessage::allows`: one search of all channels per sender.
const MOST_LOOKS: usize = 200_000_000;

/// The one message of a problem, and the processors that may hold it.
#[derive(Debug)]
pub(super) struct OneMessage<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its network.
    pub network: &'a Network,
    /// The processor that has the message at the start.
    pub origin: ProcessorId,
    /// The processors that want it.
    pub destinations: &'a [ProcessorId],
    /// By processor: whether it wants the message.
    pub is_destination: Vec<bool>,
    /// All processors that the message can reach, without the origin: destinations first, then
    /// intermediate processors, which can only pass it on.
    pub candidates: Vec<ProcessorId>,
    /// By processor: how many it can send to in one step; 0 for a lost processor.
    pub ports: Vec<u32>,
    /// By processor: whether it is a candidate.
    is_candidate: Vec<bool>,
}

/// One copy of the message, sent along a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Send {
    pub from: ProcessorId,
    pub to: ProcessorId,
    pub path: Vec<ChannelId>,
}

/// Whether the problem is one message with several destinations.
pub(super) fn is_one_message(problem: &Problem) -> bool {
    let messages = problem.messages();
    messages.len() == 1 && !messages.is_personalised(MessageId(0))
}

impl<'a> OneMessage<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let network = problem.network();
        let origin = problem.messages().origin(MessageId(0));
        let destinations = problem.messages().destinations(MessageId(0));
        let mut is_destination = vec![false; network.processor_count()];
        for &to in destinations {
            is_destination[to.index()] = true;
        }
        let distance = network.distances_from(problem.home(origin));
        let ports = ports::by_processor(problem, Problem::send_ports);
        let can_relay = |p: &ProcessorId| {
            !is_destination[p.index()]
                && *p != origin
                && ports[p.index()] > 0
                && problem.receive_ports(*p) > 0
                && distance[problem.home(*p).index()] != u32::MAX
        };
        let relays = network.living_processors().filter(can_relay);
        let candidates: Vec<ProcessorId> = destinations.iter().copied().chain(relays).collect();
        let mut is_candidate = vec![false; network.processor_count()];
        for &candidate in &candidates {
            is_candidate[candidate.index()] = true;
        }
        Self {
            problem,
            network,
            origin,
            destinations,
            is_destination,
            candidates,
            ports,
            is_candidate,
        }
    }

    /// The router that a processor is attached to.
    pub fn home(&self, processor: ProcessorId) -> RouterId {
        self.problem.home(processor)
    }

    /// Whether the message can reach this processor and it wants the message or could pass it on.
    pub fn can_hold(&self, processor: ProcessorId) -> bool {
        self.is_candidate[processor.index()]
    }

    /// Whether all paths of a schedule are as short as the routing requires. Returns false if
    /// checking would take too long.
    pub fn allows(&self, schedule: &Schedule) -> bool {
        let more = match self.problem.model().routing {
            Routing::Any => return true,
            Routing::Minimal => 0,
            Routing::Detour(more) => more,
        };
        let mut lengths: Vec<(RouterId, RouterId, u32)> = Vec::new();
        for step in 0..schedule.step_count() {
            let ends = |t: Transfer<'_>| (self.home(t.from), self.home(t.to), t.path.len() as u32);
            lengths.extend(schedule.step(step).map(ends));
        }
        lengths.sort_unstable();
        let senders = lengths.chunk_by(|a, b| a.0 == b.0);
        if senders.clone().count() * self.network.channel_count() > MOST_LOOKS {
            return false;
        }
        senders.into_iter().all(|of_one| {
            let distance = self.network.distances_from(of_one[0].0);
            of_one.iter().all(|&(_, to, length)| length <= distance[to.index()] + more)
        })
    }

    /// The schedule of these sends, step by step. Drops empty steps and sends to processors that
    /// already have the message or neither want it nor pass it on.
    pub fn schedule(&self, mut steps: Vec<Vec<Send>>) -> Schedule {
        let mut has_message = vec![false; self.is_destination.len()];
        for sends in &mut steps {
            sends.retain(|send| !std::mem::replace(&mut has_message[send.to.index()], true));
        }
        let mut is_needed = self.is_destination.clone();
        for sends in steps.iter_mut().rev() {
            sends.retain(|send| is_needed[send.to.index()]);
            for send in sends {
                is_needed[send.from.index()] = true;
            }
        }
        let mut schedule = Schedule::new();
        for sends in steps.iter().filter(|sends| !sends.is_empty()) {
            schedule.start_step();
            for Send { from, to, path } in sends {
                schedule.push(Transfer { message: MessageId(0), from: *from, to: *to, path });
            }
        }
        schedule
    }
}
