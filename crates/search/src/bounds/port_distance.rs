//! Port-distance bound: under store-and-forward every hop of a message uses a send port of one
//! processor and a receive port of another. All hops together need that many ports.

use super::finding::Finding;
use super::{hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, Switching};

/// Divides the transfers of all messages by the ports available in one step.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let messages = problem.messages();
    let mut transfers = 0;
    let searched = hops::from_origins(problem, interrupt, |_, group, distance| {
        for &message in group {
            // One transfer into every destination, and at least the hops to the furthest.
            let to = messages.destinations(message);
            let furthest = to.iter().map(|&to| distance[problem.home(to).index()]).max();
            transfers += u64::from(furthest.unwrap_or(0)).max(to.len() as u64);
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: Certificate::PortDistance.reason(), why };
    }
    let (mut sends, mut receives) = (0, 0);
    for processor in problem.network().living_processors() {
        sends += u64::from(problem.send_ports(processor));
        receives += u64::from(problem.receive_ports(processor));
    }
    let ports = sends.min(receives);
    if ports == 0 {
        return Finding::NotApplicable;
    }
    let steps = transfers.div_ceil(ports);
    let explanation = format!(
        "delivering {} takes {} and a step has {}, so at least {}",
        words::counted(messages.len(), "message"),
        words::counted(transfers, "transfer"),
        words::counted(ports, "port"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::PortDistance, explanation)
}
