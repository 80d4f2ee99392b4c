//! The throughput limit under the rules of schedules with steps: every channel carries one chunk per
//! step, and a processor can receive on a limited number of ports.

use crate::answer::limit;
use crate::personalised::is_personalised;
use crate::reached::ThroughputError;
use pavane_model::{Duplex, Fraction, Ports, Problem};
use std::cell::Cell;

/// The most routers for personalised messages.
const MOST_ROUTERS: usize = 64;

/// How often the computation for personalised messages may ask whether to go on.
const PATIENCE: u32 = 1000;

/// Why [`limit_in_steps`] computes no limit, if it does not.
pub fn why_no_limit(problem: &Problem) -> Option<&'static str> {
    let is_large = problem.network().router_count() > MOST_ROUTERS;
    if problem.model().duplex == Duplex::Half {
        Some("under half duplex the directions of a link share its bandwidth")
    } else if is_personalised(problem) && is_large {
        Some("for personalised messages it takes long on more than 64 routers")
    } else {
        None
    }
}

/// Steps per message that no schedule can undercut, whatever the number of chunks. A message counts
/// as whole even if the problem cuts it into chunks. `None` if there is a reason not to compute it.
pub fn limit_in_steps(problem: &Problem) -> Result<Option<Fraction>, ThroughputError> {
    if why_no_limit(problem).is_some() {
        return Ok(None);
    }
    let collective = problem.collective().whole();
    let network = problem.network().clone().with_timing(Some(Fraction::ONE), None);
    let network = network.map_err(crate::network::ScaleError::from)?;
    let whole = Problem::with_limit(network, collective, problem.model(), u64::MAX);
    let whole = whole.map_err(ThroughputError::Problem)?;
    let asked = Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) >= PATIENCE;
    Ok(Some(limit(&whole, &stop)?.max(port_limit(&whole))))
}

/// Messages that a processor must receive, or send if it runs backwards, divided by its ports.
fn port_limit(problem: &Problem) -> Fraction {
    let Ports::Limited(ports) = problem.model().ports else { return Fraction::ZERO };
    let messages = problem.messages();
    let mut wanted = vec![0u64; problem.network().processor_count()];
    let mut sent = wanted.clone();
    for message in messages.ids() {
        sent[messages.origin(message).index()] += 1;
        for &to in messages.destinations(message) {
            wanted[to.index()] += 1;
        }
    }
    let most = wanted.into_iter().chain(sent).max().unwrap_or(0);
    Fraction::new(most.into(), ports.into()).unwrap_or(Fraction::ZERO)
}
