//! A first schedule with the fewest steps: every chunk takes a tree of shortest paths, and enters each
//! router over the least loaded link.

use crate::link_steps::{Channels, Hop, LinkSteps};
use pavane_model::{Problem, RouterId};
use std::collections::BTreeMap;

/// A number that most numbers of parallel channels divide.
const LOAD_SCALE: u64 = 840;

/// The largest distance from an origin to a destination of its message.
pub(crate) fn fewest_steps(forward: &Problem) -> u32 {
    let messages = forward.messages();
    let farthest = |message| {
        let distances = forward.network().distances_from(forward.home(messages.origin(message)));
        let homes = messages.destinations(message).iter().map(|&to| forward.home(to));
        homes.map(|home| distances[home.index()]).max().unwrap_or(0)
    };
    messages.ids().map(farthest).max().unwrap_or(0)
}

/// The schedule of a forward problem with `chunks` chunks per message.
pub(crate) fn shortest_trees(forward: &Problem, chunks: u32, channels: &Channels) -> LinkSteps {
    let network = forward.network();
    let messages = forward.messages();
    let mut steps: Vec<Vec<Hop>> = vec![Vec::new(); fewest_steps(forward) as usize];
    let mut loads: BTreeMap<(RouterId, RouterId, u32), u64> = BTreeMap::new();
    for message in messages.ids() {
        let origin = forward.home(messages.origin(message));
        let distances = network.distances_from(origin);
        let mut is_reached = vec![false; network.router_count()];
        is_reached[origin.index()] = true;
        for &to in messages.destinations(message) {
            let mut head = forward.home(to);
            while !is_reached[head.index()] {
                is_reached[head.index()] = true;
                let step = distances[head.index()] - 1;
                let load = |tail: RouterId| {
                    let load = loads.get(&(tail, head, step)).copied().unwrap_or(0);
                    // Loads per channel are compared without fractions.
                    load * LOAD_SCALE / channels[&(tail, head)].len() as u64
                };
                let tails = network.predecessors(head).iter().copied();
                let nearer = tails.filter(|tail| distances[tail.index()] == step);
                let Some(tail) = nearer.min_by_key(|&tail| load(tail)) else { break };
                *loads.entry((tail, head, step)).or_default() += 1;
                let (message, chunk) = (message.0 / chunks, message.0 % chunks);
                steps[step as usize].push(Hop { message, chunk, tail, head });
                head = tail;
            }
        }
    }
    LinkSteps { steps }
}
