//! Weighted cuts of single phases. If x is the load of a phase and Y the weight of its cuts that a
//! channel leaves, then the sum of weight times what must leave is at most the sum of Y·x. With the
//! price l of a channel, the largest Y of any phase, all phases together need at most the sum of l times
//! the load, which is at most the time times the sum of l times the bandwidth.

use super::cut::{leaving, must_leave, set};
use super::{LimitError, capacity, ratio};
use crate::throughput::view::View;
use pavane_model::Fraction;
use pavane_model::throughput::PhaseCut;

pub(super) fn derive(
    cuts: &[PhaseCut],
    views: &[View<'_>],
    bandwidths: &[Fraction],
) -> Result<Fraction, LimitError> {
    let network = views[0].phase.problem.network();
    let mut needed = 0u128;
    let mut of_phases = vec![vec![0u128; network.channel_count()]; views.len()];
    for cut in cuts {
        let phase = cut.phase as usize;
        let Some(&view) = views.get(phase) else {
            return Err(LimitError::Wrong(format!("there is no phase {}", cut.phase)));
        };
        let inside = set(network, &cut.routers)?;
        let part = must_leave(view, &inside).and_then(|part| part.checked_mul(cut.weight.into()));
        needed = part.and_then(|part| needed.checked_add(part)).ok_or(LimitError::Arithmetic)?;
        for (sum, is_leaving) in of_phases[phase].iter_mut().zip(leaving(network, &inside)) {
            // At most 2^25 cuts of 64 bits.
            *sum += if is_leaving { u128::from(cut.weight) } else { 0 };
        }
    }
    let mut prices = vec![0u128; network.channel_count()];
    for sums in &of_phases {
        for (price, &sum) in prices.iter_mut().zip(sums) {
            *price = sum.max(*price);
        }
    }
    ratio(needed, capacity(bandwidths, &prices)?)
}
