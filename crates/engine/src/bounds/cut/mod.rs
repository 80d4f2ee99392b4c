//! Cut bound: the messages that must leave a set of routers, over the channels that leave it. All
//! sets are tried in a small network, promising ones in a large one.

mod demand;
mod every;
mod flows;
mod orders;
mod routing;
mod search;
mod side;
#[cfg(test)]
mod tests;

use super::{Finding, words};
use crate::budget::Interrupt;
use demand::Demand;
use pavane_model::{Certificate, Duplex, Problem, RouterId};

/// The best cut that was found.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let network = problem.network();
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let (ratio, set) = if routers.len() <= every::MOST_ROUTERS {
        every::best(problem, &routers)
    } else {
        match Demand::new(problem) {
            Ok(demand) => search::best(problem, &demand, &routers, interrupt),
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
        "{} must {verb} {} over {}: {}",
        words::counted(ratio.messages, "message"),
        words::routers(network, &set),
        words::counted(ratio.channels, channel),
        ratio.steps(),
    );
    Finding::proved(ratio.steps(), Certificate::Cut { routers: set }, explanation)
}
