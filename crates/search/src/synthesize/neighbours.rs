//! One step for messages between neighbours, each over a channel of its own, as in an all-to-all on a
//! complete network. On large networks, the facts that engines need would take longer than the time limit.

use super::options::Options;
use super::outcome::{Outcome, Solution, SynthesisError};
use crate::attempt::Engine;
use crate::bounds;
use crate::budget::Interrupt;
use crate::plain::Plain;
use pavane_model::{
    ChannelId, Duplex, MessageId, Problem, ProcessorId, RouterId, Schedule, Transfer,
};
use pavane_verify::verify_unless;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

/// The judged schedule of one step, with the bounds that need no distances. `None` if the problem has no such
/// schedule, or the options ask for something else.
pub(super) fn in_one_step(
    problem: &Problem,
    options: &Options,
) -> Result<Option<Outcome>, SynthesisError> {
    let is_free = options.engine.is_none()
        && options.preset.is_none()
        && options.settings.is_empty()
        && options.start.is_none()
        && options.resumed.is_none()
        && options.steps != Some(0);
    let Some(schedule) = is_free.then(|| direct(&problem.forward())).flatten() else {
        return Ok(None);
    };
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    let interrupt = Interrupt::never().unless(options.stop.clone());
    let judged = verify_unless(problem.clone(), schedule, &|| interrupt.is_raised());
    let Some(Ok(checked)) = judged else { return Ok(None) };
    options.progress.best.store(checked.schedule().step_count(), Ordering::Relaxed);
    let solution = Some(Solution { checked, engine: Plain.name() });
    let bounds = bounds::immediate(problem, &interrupt)?;
    Ok(Some(Outcome { solution, bounds, proof: None, evaluations: 0, refusals: Vec::new() }))
}

/// All messages in one step, over the channels between their routers; `None` if there are not enough
/// channels or ports.
fn direct(problem: &Problem) -> Option<Schedule> {
    let (network, messages) = (problem.network(), problem.messages());
    let is_personalised = messages.delivery_count() == messages.len();
    // Every message needs a port and, unless its processors share a router, a channel.
    if !is_personalised || !has_ports(problem) {
        return None;
    }
    let mut free: FxHashMap<(RouterId, RouterId), Vec<ChannelId>> = FxHashMap::default();
    for (id, channel) in (0..).map(ChannelId).zip(network.channels()) {
        free.entry((channel.tail, channel.head)).or_default().push(id);
    }
    let mut is_used = vec![false; network.channel_count()];
    let mut schedule = Schedule::new();
    schedule.start_step();
    for message in messages.ids() {
        let (from, to) = ends(problem, message);
        let (tail, head) = (problem.home(from), problem.home(to));
        let path = if tail == head {
            Vec::new()
        } else {
            let is_half = problem.model().duplex == Duplex::Half;
            let channel = loop {
                let channel = free.get_mut(&(tail, head))?.pop()?;
                let other = network.opposite(channel).filter(|_| is_half);
                if other.is_none_or(|other| !is_used[other.index()]) {
                    break channel;
                }
            };
            is_used[channel.index()] = true;
            vec![channel]
        };
        schedule.push(Transfer { message, from, to, path: &path });
    }
    Some(schedule)
}

/// Whether every processor has a port for each of its messages.
fn has_ports(problem: &Problem) -> bool {
    let processors = problem.network().processor_count();
    let (mut sends, mut receives) = (vec![0; processors], vec![0; processors]);
    problem.messages().ids().all(|message| {
        let (from, to) = ends(problem, message);
        sends[from.index()] += 1;
        receives[to.index()] += 1;
        sends[from.index()] <= problem.send_ports(from)
            && receives[to.index()] <= problem.receive_ports(to)
    })
}

fn ends(problem: &Problem, message: MessageId) -> (ProcessorId, ProcessorId) {
    let messages = problem.messages();
    (messages.origin(message), messages.destinations(message)[0])
}

#[cfg(test)]
mod tests;
