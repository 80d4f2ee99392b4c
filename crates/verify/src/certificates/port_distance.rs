//! Port distance: under store-and-forward a transfer moves a message one hop and takes a send port
//! and a receive port. A personalised message needs as many transfers as hops, and at least one. A
//! message with several destinations needs one transfer into each, and as many as hops to the
//! furthest.

use super::distance::searches_cost;
use super::{Argument, Claim, Refusal, check_store_and_forward, for_each_origin};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, Problem};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::PortDistance = claim.certificate else { return None };
    Some(Box::new(PortDistance))
}

struct PortDistance;

impl Argument for PortDistance {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        Cost::of(searches_cost(problem, size).saturating_add(2 * size.processors))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem)?)
    }
}

fn derive(problem: &Problem) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let messages = problem.messages();
    let mut transfers = 0u64;
    for_each_origin(problem, |_, group, hops| {
        for &message in group {
            let destinations = messages.destinations(message);
            let furthest = destinations.iter().map(|&to| hops[problem.home(to).index()]).max();
            transfers += u64::from(furthest.unwrap_or(0)).max(destinations.len() as u64);
        }
    });
    let living = problem.network().living_processors();
    let sends: u64 = living.clone().map(|p| u64::from(problem.send_ports(p))).sum();
    let receives: u64 = living.map(|p| u64::from(problem.receive_ports(p))).sum();
    match sends.min(receives) {
        0 => Err("no processor has a port".to_owned()),
        ports => Ok(transfers.div_ceil(ports)),
    }
}
