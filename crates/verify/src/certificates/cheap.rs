//! The bounds that need no certificate: receive, send, growth, distance and eccentricity, the last
//! three where that is quick.

use super::distance::searches_cost;
use super::{check_store_and_forward, distance, for_each_origin, growth, ports};
use crate::cost::Size;
use pavane_model::{MessageId, Problem};

/// Operations up to which growth, distance and eccentricity are each derived.
const MOST_OPERATIONS: u64 = 1_000_000_000;

/// The best of the bounds that need no certificate: what any reader can derive from the problem.
pub fn cheap_bound(problem: &Problem) -> u32 {
    let best = match problem.is_backward() {
        true => derive(&problem.forward()),
        false => derive(problem),
    };
    u32::try_from(best).unwrap_or(u32::MAX)
}

fn derive(problem: &Problem) -> u64 {
    let size = Size::of(problem);
    let mut best = ports::Counts::of(problem).most_steps(problem);
    let widest = widest(problem);
    let curves = growth::curve_cost(&size).saturating_mul(widest.len() as u64);
    if curves <= MOST_OPERATIONS {
        for message in widest {
            let origin = problem.messages().origin(message);
            let wanted = problem.messages().destinations(message).len() as u64;
            // An argument that does not fit the problem says nothing.
            let others = growth::others_after(problem, origin, wanted);
            best = others.map_or(best, |others| best.max(others.len() as u64 - 1));
        }
    }
    if searches_cost(problem, &size) <= MOST_OPERATIONS {
        let others = [distance::derive(problem), furthest(problem)];
        best = others.into_iter().flatten().fold(best, u64::max);
    }
    best
}

/// For every origin the message with the most destinations, which grows the longest, if it has
/// several.
fn widest(problem: &Problem) -> Vec<MessageId> {
    let messages = problem.messages();
    let width = |message| messages.destinations(message).len();
    let mut widest: Vec<Option<MessageId>> = vec![None; problem.network().processor_count()];
    for message in messages.ids() {
        let entry = &mut widest[messages.origin(message).index()];
        if entry.is_none_or(|other| width(other) < width(message)) {
            *entry = Some(message);
        }
    }
    widest.into_iter().flatten().filter(|&message| width(message) > 1).collect()
}

/// Under store-and-forward, the most hops from an origin to a destination, over all messages.
fn furthest(problem: &Problem) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let mut furthest = 0;
    for_each_origin(problem, |_, group, hops| {
        for &message in group {
            for &to in problem.messages().destinations(message) {
                furthest = furthest.max(hops[problem.home(to).index()]);
            }
        }
    });
    Ok(u64::from(furthest))
}
