//! Bounds that need no certificate: receive, send, growth, distance and eccentricity. The last
//! three are derived only if that is quick.

use super::distance::searches_cost;
use super::{check_store_and_forward, distance, for_each_origin, growth, ports};
use crate::cost::Size;
use pavane_model::{MessageId, Problem};

/// Limit on the operations to derive growth, and on those to derive distance and eccentricity.
const MOST_OPERATIONS: u64 = 1_000_000_000;

/// The best bound that needs no certificate, because any reader can derive it from the problem.
pub fn cheap_bound(problem: &Problem) -> u32 {
    let best = if problem.is_backward() { derive(&problem.forward()) } else { derive(problem) };
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
            // An argument that does not apply to the problem is ignored.
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

/// For every origin, its message with the most destinations, which takes the longest to grow.
/// Messages with one destination are left out.
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

/// Under store-and-forward, the longest distance from an origin to a destination of its messages.
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
