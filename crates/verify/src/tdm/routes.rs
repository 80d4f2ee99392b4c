//! Routes: from the home of the sender to the home of the receiver, no router twice, and no longer than
//! the routing allows.

use super::report::TdmViolations;
use super::verdict::name;
use super::violation::{TdmRule, TdmViolation};
use crate::distance::Neighbours;
use pavane_model::tdm::Word;
use pavane_model::{RouterId, Routing, TdmProblem};

/// Checks the routes of all words, whose channels exist.
pub(super) fn check(problem: &TdmProblem, words: &[(usize, &Word)], report: &mut TdmViolations) {
    let network = problem.network();
    let mut order: Vec<&(usize, &Word)> = words.iter().collect();
    order.sort_by_key(|(number, word)| (network.home(word.from), *number));
    let neighbours = Neighbours::along(network);
    let mut last: Option<(RouterId, Vec<u32>)> = None;
    let mut seen = vec![usize::MAX; network.router_count()];
    for &&(number, word) in &order {
        let (Some(from), Some(to)) = (network.home(word.from), network.home(word.to)) else {
            continue;
        };
        if !walk(problem, (number, word), from, to, &mut seen, report) {
            continue;
        }
        let distances = match &last {
            Some((source, distances)) if *source == from => distances,
            _ => &last.insert((from, neighbours.distances([from]))).1,
        };
        let shortest = u64::from(distances[to.index()]);
        let most = match problem.rules().routing {
            Routing::Minimal => shortest,
            Routing::Detour(more) => shortest + u64::from(more),
            Routing::Any => u64::MAX,
        };
        let hops = word.path.len();
        if hops as u64 > most {
            let word = name(number, word);
            report.add(TdmRule::Routes, || TdmViolation::TooLong { word, hops, most });
        }
    }
}

/// Follows a route. Returns whether it leads from its sender to its receiver.
fn walk(
    problem: &TdmProblem,
    (number, word): (usize, &Word),
    from: RouterId,
    to: RouterId,
    seen: &mut [usize],
    report: &mut TdmViolations,
) -> bool {
    let mut at = from;
    seen[at.index()] = number;
    for (entry, &channel) in word.path.iter().enumerate() {
        let ends = problem.network().channel(channel);
        if ends.tail != at {
            let (word, tail) = (name(number, word), ends.tail);
            report.add(TdmRule::Routes, || TdmViolation::Gap { word, channel, entry, tail, at });
            return false;
        }
        at = ends.head;
        if std::mem::replace(&mut seen[at.index()], number) == number {
            let (word, router) = (name(number, word), at);
            report.add(TdmRule::Routes, || TdmViolation::Loop { word, router });
            return false;
        }
    }
    if at != to {
        let word = name(number, word);
        report.add(TdmRule::Routes, || TdmViolation::EndsElsewhere { word, at, home: to });
    }
    at == to
}
