//! Derives the limit that a certificate proves, in exact arithmetic.

mod cut;
mod cuts;
mod prices;

pub(crate) use prices::paid;

use super::view::View;
use crate::cost::{Cost, Limits, OverLimit};
use pavane_model::Fraction;
use pavane_model::throughput::{LimitCertificate, PhaseCut};

/// Why a claimed limit is not proved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The certificate proves a lower limit.
    #[error(
        "the plan claims a limit of {claimed} ns per byte, but the certificate proves {proved}"
    )]
    ProvesLess {
        /// The claimed limit.
        claimed: Fraction,
        /// The proved limit.
        proved: Fraction,
    },
    /// The certificate makes no sense.
    #[error("the certificate is wrong: {0}")]
    Wrong(String),
    /// Checking it takes too long.
    #[error("the limit is not judged: {0}")]
    OverLimit(#[from] OverLimit),
    /// Exact numbers with more than 128 bits.
    #[error("the certificate needs fractions of more than 128 bits")]
    Arithmetic,
}

/// The limit that a certificate proves for all plans with these phases.
pub(crate) fn derive(
    certificate: &LimitCertificate,
    views: &[View<'_>],
    bandwidths: &[Fraction],
    limits: Limits,
) -> Result<Fraction, LimitError> {
    match certificate {
        LimitCertificate::Cut { routers } => {
            limits.check(Cost::of(cut::cost(views)))?;
            cut::derive(routers, views, bandwidths)
        }
        LimitCertificate::Cuts { cuts, switches } => {
            let cost = cut::cost(views).saturating_mul(1 + cuts.len() as u64);
            limits.check(Cost::of(cost.saturating_add(switches.len() as u64)))?;
            cuts::derive(cuts, switches, views, bandwidths)
        }
        LimitCertificate::Prices { prices } => {
            limits.check(Cost::of(prices::cost(views)))?;
            prices::derive(prices, views, bandwidths)
        }
    }
}

/// The limit that a certificate proves for all all-reduces of the same bytes, whichever processors are
/// their roots and however the bytes are divided among them. What must be carried depends linearly on the
/// division, so it is least if one processor is the root of everything.
pub(crate) fn derive_for_any_roots(
    certificate: &LimitCertificate,
    views: &[View<'_>],
    bandwidths: &[Fraction],
    limits: Limits,
) -> Result<Fraction, LimitError> {
    let whole;
    let (cuts, switches) = match certificate {
        LimitCertificate::Cut { routers } => {
            let cut = |phase| PhaseCut { phase, weight: 1, routers: routers.clone() };
            whole = (0..views.len() as u32).map(cut).collect::<Vec<_>>();
            (&whole, &[][..])
        }
        LimitCertificate::Cuts { cuts, switches } => (cuts, &switches[..]),
        LimitCertificate::Prices { .. } => {
            return Err(LimitError::Wrong(
                "prices do not bound an all-reduce, whose roots are not given".to_owned(),
            ));
        }
    };
    let cost = cut::cost(views).saturating_mul(1 + cuts.len() as u64);
    limits.check(Cost::of(cost.saturating_add(switches.len() as u64)))?;
    cuts::derive_for_any_roots(cuts, switches, views, bandwidths)
}

/// The sum of bandwidth times price.
fn capacity(bandwidths: &[Fraction], prices: &[u128]) -> Result<Fraction, LimitError> {
    let mut sum = Fraction::ZERO;
    for (&bandwidth, &price) in bandwidths.iter().zip(prices).filter(|(_, price)| **price > 0) {
        let price = Fraction::new(price, 1);
        let part = price.and_then(|price| price.checked_mul(bandwidth));
        sum = part.and_then(|part| sum.checked_add(part)).ok_or(LimitError::Arithmetic)?;
    }
    Ok(sum)
}

/// What must be carried divided by what can be.
fn ratio(needed: u128, capacity: Fraction) -> Result<Fraction, LimitError> {
    if capacity.is_zero() {
        return Err(LimitError::Wrong("no channel leaves the set, or all prices are 0".to_owned()));
    }
    let needed = Fraction::new(needed, 1);
    needed.and_then(|needed| needed.checked_div(capacity)).ok_or(LimitError::Arithmetic)
}
