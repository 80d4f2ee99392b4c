//! Channels that are of use only in a window of time.

use super::TimeBoundError;
use pavane_model::Fraction;

/// A channel that carries bytes only after its window opens, and for which everything must be over
/// some time before the end.
pub(super) struct Window {
    /// The time before which and after which it is of no use, together, in ticks.
    pub idle: u128,
    /// What it carries per nanosecond, times its price.
    pub rate: Fraction,
}

/// The smallest time in nanoseconds in which the windows carry this much.
pub(super) fn least_time(
    mut windows: Vec<Window>,
    needed: Fraction,
    ticks_per_ns: u128,
) -> Result<Fraction, TimeBoundError> {
    if needed.is_zero() {
        return Err(TimeBoundError::Wrong(
            "nothing has to cross the channels with prices".to_owned(),
        ));
    }
    let arithmetic = TimeBoundError::Arithmetic;
    windows.sort_by_key(|window| window.idle);
    let (mut rate, mut lost) = (Fraction::ZERO, Fraction::ZERO);
    for (at, window) in windows.iter().enumerate() {
        let idle = Fraction::new(window.idle, ticks_per_ns).ok_or(arithmetic.clone())?;
        let part = idle.checked_mul(window.rate).ok_or(arithmetic.clone())?;
        rate = rate.checked_add(window.rate).ok_or(arithmetic.clone())?;
        lost = lost.checked_add(part).ok_or(arithmetic.clone())?;
        let time = needed.checked_add(lost).and_then(|sum| sum.checked_div(rate));
        let time = time.ok_or(arithmetic.clone())?;
        let next = windows.get(at + 1).and_then(|next| Fraction::new(next.idle, ticks_per_ns));
        if next.is_none_or(|next| time <= next) {
            return Ok(time);
        }
    }
    Err(TimeBoundError::Wrong("no channel leaves the set, or all prices are 0".to_owned()))
}
