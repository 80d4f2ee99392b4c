//! The least number of steps in which each message of a broadcast can reach all its destinations if
//! nothing else is sent.

use crate::certificates::for_each_origin;
use pavane_model::{MessageId, Problem, ProcessorId, Switching};

/// A sum: its root, and its number among the sums of that root. Chunk c of a sum in the reduce is chunk c of
/// it in the broadcast.
pub(super) type Sum = (ProcessorId, u32);

/// The sum of each message.
pub(super) fn sums(problem: &Problem) -> Vec<Sum> {
    let messages = problem.messages();
    let mut counts = vec![0u32; problem.network().processor_count()];
    let sum = |message: MessageId| {
        let root = messages.origin(message);
        counts[root.index()] += 1;
        (root, counts[root.index()] - 1)
    };
    messages.ids().map(sum).collect()
}

/// For each message of a forward problem, steps that it needs: one per hop under store-and-forward, and
/// enough for the number of holders to grow.
pub(super) fn least_steps(problem: &Problem) -> Vec<u64> {
    let messages = problem.messages();
    let is_by_hops = problem.model().switching == Switching::StoreAndForward;
    let processors = problem.network().living_processors();
    let ports = processors.map(|p| u64::from(problem.send_ports(p))).max().unwrap_or(0);
    let mut least: Vec<u64> =
        messages.ids().map(|m| growth(messages.destinations(m).len() as u64, ports)).collect();
    if is_by_hops {
        for_each_origin(problem, |_, group, hops| {
            for &message in group {
                let homes = messages.destinations(message).iter().map(|&to| problem.home(to));
                let furthest = homes.map(|home| u64::from(hops[home.index()])).max();
                let least = &mut least[message.index()];
                *least = (*least).max(furthest.unwrap_or(0));
            }
        });
    }
    least
}

/// Steps until `wanted` processors besides the origin can hold a message, if each holder informs at most
/// `ports` more per step.
fn growth(wanted: u64, ports: u64) -> u64 {
    let (mut holders, mut steps) = (1u64, 0);
    while holders < wanted + 1 && ports > 0 {
        holders = holders.saturating_mul(1 + ports);
        steps += 1;
    }
    steps
}
