//! Weighted cuts of single phases. If x is the load of a phase and Y the weight of its cuts that a
//! channel leaves, then the sum of weight times what must leave is at most the sum of Y·x. With the
//! price l of a channel, the largest Y of any phase, all phases together need at most the sum of l times
//! the load, which is at most the time times the sum of l times the bandwidth.
//!
//! A switch that does not copy sends out as much as comes in. The sum of Y·x therefore stays the
//! same if Y rises by some weight on all channels into the switch and falls by it on all channels from
//! the switch.

use super::cut::{leaving, must_leave, set};
use super::{LimitError, capacity, ratio};
use crate::throughput::view::View;
use pavane_model::throughput::{PhaseCut, PhaseSwitch};
use pavane_model::{Fraction, RouterId};

pub(super) fn derive(
    cuts: &[PhaseCut],
    switches: &[PhaseSwitch],
    views: &[View<'_>],
    bandwidths: &[Fraction],
) -> Result<Fraction, LimitError> {
    let mut needed = 0u128;
    for cut in cuts {
        let view = view(views, cut.phase)?;
        let inside = set(view.phase.problem.network(), &cut.routers)?;
        let part = must_leave(view, &inside).and_then(|part| part.checked_mul(cut.weight.into()));
        needed = part.and_then(|part| needed.checked_add(part)).ok_or(LimitError::Arithmetic)?;
    }
    ratio(needed, capacity(bandwidths, &prices(cuts, switches, views)?)?)
}

/// The same for an all-reduce with any roots: the least that must leave if one participant is the root
/// of all bytes.
pub(super) fn derive_for_any_roots(
    cuts: &[PhaseCut],
    switches: &[PhaseSwitch],
    views: &[View<'_>],
    bandwidths: &[Fraction],
) -> Result<Fraction, LimitError> {
    let problem = &views[0].phase.problem;
    let mut homes = Vec::new();
    let mut bytes = 0u128;
    for message in problem.messages().ids() {
        bytes += u128::from(views[0].phase.size(message));
    }
    for view in views {
        let collective = view.phase.problem.collective();
        let group = collective.senders.iter().chain(&collective.receivers);
        homes.extend(group.map(|&processor| problem.home(processor)));
    }
    homes.sort_unstable();
    homes.dedup();
    // The weight of the cuts that all bytes must cross, for every router with a participant as root.
    let mut weights = vec![0u128; homes.len()];
    for cut in cuts {
        let view = view(views, cut.phase)?;
        let inside = set(problem.network(), &cut.routers)?;
        let is_inside = |home: &RouterId| inside[home.index()];
        if homes.iter().all(is_inside) || !homes.iter().any(is_inside) {
            continue;
        }
        for (weight, home) in weights.iter_mut().zip(&homes) {
            // Forwards sums leave their root, backwards contributions go there.
            if is_inside(home) != view.is_backward() {
                *weight += u128::from(cut.weight);
            }
        }
    }
    let least = weights.into_iter().min().unwrap_or(0);
    let needed = least.checked_mul(bytes).ok_or(LimitError::Arithmetic)?;
    ratio(needed, capacity(bandwidths, &prices(cuts, switches, views)?)?)
}

/// The price of every channel: the largest weight that the cuts of any phase give it.
fn prices(
    cuts: &[PhaseCut],
    switches: &[PhaseSwitch],
    views: &[View<'_>],
) -> Result<Vec<u128>, LimitError> {
    let network = views[0].phase.problem.network();
    // At most 2^25 cuts and switches of 64 bits, so the sums fit.
    let mut of_phases = vec![vec![0i128; network.channel_count()]; views.len()];
    for cut in cuts {
        view(views, cut.phase)?;
        let inside = set(network, &cut.routers)?;
        let sums = &mut of_phases[cut.phase as usize];
        for (sum, is_leaving) in sums.iter_mut().zip(leaving(network, &inside)) {
            *sum += if is_leaving { i128::from(cut.weight) } else { 0 };
        }
    }
    let weights = switch_weights(switches, views)?;
    for (sums, weights) in of_phases.iter_mut().zip(weights) {
        for (sum, ends) in sums.iter_mut().zip(network.channels()) {
            *sum += weights[ends.head.index()] - weights[ends.tail.index()];
        }
    }
    let price = |channel: usize| of_phases.iter().map(|sums| sums[channel]).max();
    Ok((0..network.channel_count())
        .map(|channel| price(channel).map_or(0, |price| price.max(0).unsigned_abs()))
        .collect())
}

fn view<'a>(views: &[View<'a>], phase: u32) -> Result<View<'a>, LimitError> {
    let view = views.get(phase as usize).copied();
    view.ok_or_else(|| LimitError::Wrong(format!("there is no phase {phase}")))
}

/// The sum of the weights of every router in every phase. Only switches that do not copy may have one.
fn switch_weights(
    switches: &[PhaseSwitch],
    views: &[View<'_>],
) -> Result<Vec<Vec<i128>>, LimitError> {
    let routers = views[0].phase.problem.network().router_count();
    let mut weights = vec![vec![0i128; routers]; views.len()];
    for &PhaseSwitch { phase, weight, router } in switches {
        let view = view(views, phase)?;
        if router.index() >= routers {
            return Err(LimitError::Wrong(format!("there is no router {router}")));
        }
        if view.is_copying(router) {
            let reason = format!("router {router} may copy, so it cannot have a weight");
            return Err(LimitError::Wrong(reason));
        }
        weights[phase as usize][router.index()] += i128::from(weight);
    }
    Ok(weights)
}
