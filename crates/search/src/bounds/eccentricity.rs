//! Eccentricity bound: under store-and-forward a message advances one hop per step.

use super::finding::Finding;
use super::{hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, Switching};

/// Finds the largest distance from a message's origin to one of its destinations.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let mut furthest = (0, None);
    let searched = hops::from_origins(problem, interrupt, |_, group, distance| {
        for &message in group {
            for &to in problem.messages().destinations(message) {
                let hops = distance[problem.home(to).index()];
                if hops > furthest.0 {
                    furthest = (hops, Some((message, to)));
                }
            }
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: "eccentricity", why };
    }
    let (hops, Some((message, to))) = furthest else { return Finding::NotApplicable };
    let explanation = format!(
        "a message from {} to {} takes {}, so at least {}",
        words::processor(problem.network(), problem.messages().origin(message)),
        words::processor(problem.network(), to),
        words::counted(hops, "hop"),
        words::steps(hops),
    );
    Finding::proved(hops.into(), Certificate::Eccentricity { message, to }, explanation)
}
