//! Places movements in steps: each goes to the first step in which its sender holds the message and
//! a path and ports are free. This gives a plan without steps a schedule that keeps its order.

use super::{ImportedError, Movement};
use pavane_model::{
    ChannelId, Duplex, MessageId, Network, Problem, ProcessorId, RouterId, Routing, Schedule,
    Switching, Transfer,
};
use std::collections::BTreeMap;

/// Channels and ports in use in a step.
#[derive(Clone)]
struct StepUse {
    is_used: Vec<bool>,
    sends: Vec<u32>,
    receives: Vec<u32>,
}

/// Builds the schedule of the movements in their order. A sender waits for all earlier arrivals of
/// the message, as a reduce requires.
pub(crate) fn place(problem: &Problem, movements: &[Movement]) -> Result<Schedule, ImportedError> {
    let network = problem.network();
    let empty = StepUse {
        is_used: vec![false; network.channel_count()],
        sends: vec![0; network.processor_count()],
        receives: vec![0; network.processor_count()],
    };
    let mut steps: Vec<StepUse> = Vec::new();
    let mut arrived: BTreeMap<(MessageId, ProcessorId), usize> = BTreeMap::new();
    let mut placed: Vec<(u32, Movement, Vec<ChannelId>)> = Vec::new();
    for &(message, from, to) in movements {
        let mut at = arrived.get(&(message, from)).map_or(0, |step| step + 1);
        let path = loop {
            if at == steps.len() {
                steps.push(empty.clone());
            }
            if let Some(path) = free_path(problem, &steps[at], from, to) {
                break path;
            }
            let is_empty = steps[at].sends.iter().all(|&count| count == 0);
            if is_empty {
                return Err(ImportedError::DoesNotFit(format!(
                    "processor {from} sends to processor {to}, but the rules allow no path between \
                     them in {}; try another network, wormhole switching or any routing",
                    network.name()
                )));
            }
            at += 1;
        };
        take(problem, &mut steps[at], from, to, &path);
        let known = arrived.entry((message, to)).or_insert(at);
        *known = (*known).max(at);
        placed.push((at as u32, (message, from, to), path));
    }
    let transfers: Vec<(u32, Transfer<'_>)> = placed
        .iter()
        .map(|(step, (message, from, to), path)| {
            (*step, Transfer { message: *message, from: *from, to: *to, path })
        })
        .collect();
    Ok(Schedule::from_transfers(steps.len() as u32, &transfers))
}

fn take(
    problem: &Problem,
    step: &mut StepUse,
    from: ProcessorId,
    to: ProcessorId,
    path: &[ChannelId],
) {
    step.sends[from.index()] += 1;
    step.receives[to.index()] += 1;
    for &channel in path {
        step.is_used[channel.index()] = true;
        if let (Duplex::Half, Some(other)) =
            (problem.model().duplex, problem.network().opposite(channel))
        {
            step.is_used[other.index()] = true;
        }
    }
}

/// A shortest path over free channels, if there is one that the rules allow and the ports are free.
fn free_path(
    problem: &Problem,
    step: &StepUse,
    from: ProcessorId,
    to: ProcessorId,
) -> Option<Vec<ChannelId>> {
    let network = problem.network();
    // The file may name processors that do not exist.
    let (start, end) = (network.home(from)?, network.home(to)?);
    let has_ports = step.sends[from.index()] < problem.send_ports(from)
        && step.receives[to.index()] < problem.receive_ports(to);
    if !has_ports {
        return None;
    }
    let path = search(network, step, start, end)?;
    let length = path.len() as u32;
    let shortest = || network.distances_from(start)[end.index()];
    let is_allowed = match (problem.model().switching, problem.model().routing) {
        (Switching::StoreAndForward, _) => length <= 1,
        (_, Routing::Any) => true,
        (_, Routing::Minimal) => length == shortest(),
        (_, Routing::Detour(more)) => length <= shortest().saturating_add(more),
    };
    is_allowed.then_some(path)
}

fn search(
    network: &Network,
    step: &StepUse,
    start: RouterId,
    end: RouterId,
) -> Option<Vec<ChannelId>> {
    let mut came: Vec<Option<ChannelId>> = vec![None; network.router_count()];
    let mut queue = vec![start];
    let mut next = 0;
    while let Some(&router) = queue.get(next) {
        next += 1;
        if router == end {
            let mut path = Vec::new();
            let mut at = end;
            while at != start {
                let channel = came[at.index()]?;
                path.push(channel);
                at = network.channel(channel).tail;
            }
            path.reverse();
            return Some(path);
        }
        for &channel in network.out_channels(router) {
            let head = network.channel(channel).head;
            if !step.is_used[channel.index()] && came[head.index()].is_none() && head != start {
                came[head.index()] = Some(channel);
                queue.push(head);
            }
        }
    }
    None
}
