//! Estimates the size of a formula and the cost of building it.

use super::MOST_LITERALS;
use crate::certificates::independent_set::exchange_cost;
use crate::cost::{Cost, Limits, Size, neighbours};
use crate::distance::Neighbours;
use pavane_model::{Channel, Problem, Routing, Switching};

/// Operations to write a literal and to check it in proofs.
const OPERATIONS_PER_LITERAL: u64 = 250;

/// Memory of a literal in the formula, in the journeys and in the proof checker.
const BYTES_PER_LITERAL: u64 = 60;

/// Rough upper bound on the number of literals of the formula for a forward problem. Fast at any
/// size.
pub fn estimate(problem: &Problem, steps: u32) -> u64 {
    let (network, messages) = (problem.network(), problem.messages());
    let processors = network.living_processors().count() as u64;
    let channels = network.channel_count() as u64;
    let is_stored = problem.model().switching == Switching::StoreAndForward;
    let personalised = messages.ids().filter(|&m| messages.is_personalised(m)).count() as u64;
    let shared = messages.len() as u64 - personalised;
    let paths = if is_stored {
        shared * channels
    } else {
        (shared * processors).saturating_mul(channels + processors)
    };
    let is_minimal = problem.model().routing == Routing::Minimal;
    let looks = personalised * channels.max(network.router_count() as u64);
    let personalised = if is_minimal && looks <= MOST_COUNTED {
        shortest_paths(problem)
    } else {
        personalised * (channels + processors)
    };
    paths.saturating_add(personalised).saturating_mul(10 * u64::from(steps))
}

/// Up to this many pairs of a personalised message and a channel or router, the channels on
/// shortest paths are counted exactly.
const MOST_COUNTED: u64 = 4_000_000;

/// Sum over all personalised messages of the number of channels on their shortest paths, plus one
/// for the message itself.
fn shortest_paths(problem: &Problem) -> u64 {
    let (network, messages) = (problem.network(), problem.messages());
    let (along, against) = (Neighbours::along(network), Neighbours::against(network));
    let mut from = vec![None; network.router_count()];
    let mut to = vec![None; network.router_count()];
    let mut count = 0;
    for message in messages.ids().filter(|&message| messages.is_personalised(message)) {
        let start = problem.home(messages.origin(message));
        let from: &Vec<u32> = from[start.index()].get_or_insert_with(|| along.distances([start]));
        for &destination in messages.destinations(message) {
            let end = problem.home(destination);
            let to: &Vec<u32> = to[end.index()].get_or_insert_with(|| against.distances([end]));
            let length = u64::from(from[end.index()]);
            let is_on_way = |channel: &&Channel| {
                let (before, after) = (from[channel.tail.index()], to[channel.head.index()]);
                u64::from(before) + 1 + u64::from(after) == length
            };
            count += 1 + network.channels().iter().filter(is_on_way).count() as u64;
        }
    }
    count
}

/// Upper bound on the cost of building the formula for a forward problem and keeping it while a
/// proof is read. The cost of the proof itself is counted while it is read.
pub fn cost(problem: &Problem, steps: u32) -> Cost {
    let size = Size::of(problem);
    let messages = problem.messages();
    let personalised =
        messages.ids().filter(|&message| messages.is_personalised(message)).count() as u64;
    // The estimate is rough and high.
    let literals = estimate(problem, steps) / 4;
    let lists = (size.channels + 2 * size.processors).saturating_mul(u64::from(steps) + 1);
    let distances = size.routers * size.routers;
    let written = literals.min(MOST_LITERALS as u64) * BYTES_PER_LITERAL;
    let mut operations = literals
        .saturating_mul(OPERATIONS_PER_LITERAL)
        .saturating_add(lists.saturating_mul(4))
        .saturating_add(size.routers.saturating_mul(size.search()))
        .saturating_add(size.neighbours())
        .saturating_add(2 * size.messages * size.processors)
        .saturating_add(size.traffic());
    let mut bytes = lists
        .saturating_mul(24)
        .saturating_add(distances.saturating_mul(4))
        .saturating_add(written);
    match problem.model().switching {
        Switching::Wormhole => {
            let shared = (size.messages - personalised).saturating_mul(size.processors);
            let of_journey = size.processors + 10 * size.channels + 2 * size.routers;
            let ways = shared.saturating_add(personalised).saturating_mul(of_journey);
            operations = operations.saturating_add(ways);
        }
        Switching::StoreAndForward => {
            let ways = sender_pairs(problem).saturating_add(size.search());
            operations = operations.saturating_add(size.messages.saturating_mul(8 * ways));
            let living = problem.network().living_processors();
            let exchange = exchange_cost(&size, neighbours(problem, living));
            operations = operations.saturating_add(exchange.operations.saturating_mul(2));
            bytes = bytes.saturating_add(exchange.bytes);
        }
    }
    Cost { operations, bytes }
}

/// Under store-and-forward, number of pairs of a processor and another that may send to it: on the
/// same router, or over a channel.
fn sender_pairs(problem: &Problem) -> u64 {
    let network = problem.network();
    let residents = |router| network.residents(router).len() as u64;
    let over_channels = network.channels().iter().map(|c| residents(c.tail) * residents(c.head));
    let within = network.routers().map(|router| residents(router) * residents(router));
    over_channels.chain(within).fold(0, u64::saturating_add)
}

/// Whether the formula for a forward problem can be built within the default limits.
pub fn is_affordable(problem: &Problem, steps: u32) -> bool {
    Limits::of(problem).check(cost(problem, steps)).is_ok()
}
