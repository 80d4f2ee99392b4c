//! Cut search for networks with too many cuts to try all: prefixes of router orders, halves on
//! either side of a link, minimum cuts, and local search that moves single routers across the best
//! cut.

use super::demand::CutDemand;
use super::flows;
use super::search::{CutSearch, LOOKS};
use super::side::Ratio;
use crate::bounds::halves;
use crate::budget::Interrupt;
use pavane_model::{Problem, RouterId};

/// Returns the best cut found before an interrupt. `routers` are the living routers.
pub fn best(
    problem: &Problem,
    demand: &CutDemand,
    routers: &[RouterId],
    interrupt: &Interrupt,
) -> (Ratio, Vec<RouterId>) {
    let network = problem.network();
    let mut search = CutSearch::new(problem, demand, routers, interrupt);
    search.try_beginnings(routers);
    if search.is_settled_out_of_one().is_some() {
        flows::try_single_routers(&mut search);
    }
    search.try_orders();
    search.improve();
    // Trying a set costs more if the demand is a long list.
    let looks = LOOKS / search.cost() * (network.router_count() + network.channel_count()) as u64;
    if !search.is_done() {
        halves::for_each(network, looks, interrupt, |is_inside| search.try_set(is_inside));
    }
    flows::try_least_cuts(&mut search);
    if search.is_settled_out_of_one().is_none() {
        flows::try_single_routers(&mut search);
    }
    search.improve();
    search.best()
}
