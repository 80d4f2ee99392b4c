//! Cut bound: the messages that must leave a set of routers, divided by the channels that leave it.
//! Tries all sets of a small network and promising ones of a large network.

mod best;
mod demand;
mod every;
mod flows;
mod orders;
mod routing;
mod search;
mod side;
#[cfg(test)]
mod tests;

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use demand::CutDemand;
use pavane_model::{Certificate, Duplex, Problem, RouterId};

/// Finds the best cut.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let network = problem.network();
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let (ratio, set) = if routers.len() <= every::MOST_ROUTERS {
        every::best(problem, &routers)
    } else {
        match CutDemand::new(problem) {
            Ok(demand) => best::best(problem, &demand, &routers, interrupt),
            Err(why) => return Finding::Skipped { reason: "cut", why },
        }
    };
    if ratio.messages == 0 {
        return Finding::without_result("cut", "some of the cuts", interrupt);
    }
    let (verb, channel) = match problem.model().duplex {
        Duplex::Full => ("leave", "channel"),
        Duplex::Half => ("leave or enter", "link"),
    };
    let explanation = format!(
        "{} must {verb} {} over {}, so at least {}",
        words::counted(ratio.messages, "message"),
        words::routers(network, &set),
        words::counted(ratio.channels, channel),
        words::steps(ratio.steps()),
    );
    Finding::proved(ratio.steps(), Certificate::Cut { routers: set }, explanation)
}
