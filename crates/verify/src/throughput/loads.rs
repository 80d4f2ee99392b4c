//! Loads: the weights that cross every channel, in all phases, and the time that they take.

use super::verdict::PlanJudgeError;
use super::view::View;
use pavane_model::{ChannelId, Fraction};

/// Adds the weights of the given routes, whose channels exist. A weight has 64 bits, so the sums fit.
pub(super) fn add(view: View<'_>, routes: &[usize], loads: &mut [u128]) {
    for &route in routes {
        let route = &view.phase.routes[route];
        for channel in &route.channels {
            loads[channel.index()] += u128::from(route.weight);
        }
    }
}

/// The time per byte and the first channel that takes it: the largest load divided by scale and
/// bandwidth.
pub(super) fn time(
    loads: &[u128],
    scale: u64,
    bandwidths: &[Fraction],
) -> Result<(Fraction, Option<ChannelId>), PlanJudgeError> {
    let mut most = (Fraction::ZERO, None);
    for ((channel, &load), &bandwidth) in (0..).map(ChannelId).zip(loads).zip(bandwidths) {
        let time = Fraction::new(load, scale.into()).and_then(|load| load.checked_div(bandwidth));
        let time = time.ok_or(PlanJudgeError::Arithmetic)?;
        if time > most.0 {
            most = (time, Some(channel));
        }
    }
    Ok(most)
}
