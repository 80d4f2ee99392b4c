//! Lower bounds on the period, each with a certificate that the judge derives again. One file per kind.

mod ascent;
mod capacity;
mod cut;
mod offsets;
mod ports;
mod prices;
mod residue;
mod words;

pub(crate) use prices::{bound_of as bound_of_prices, channel_prices};
pub use words::in_words;

use pavane_model::TdmProblem;
use pavane_model::tdm::{TdmBound, TdmCertificate, TdmMessage};
use pavane_search::Interrupt;

/// The bounds of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct TdmBounds {
    /// The largest bound; of several equal ones, the one that is easiest to understand.
    pub best: TdmBound,
    /// One bound per kind of proof that applies.
    pub all: Vec<TdmBound>,
}

impl TdmBounds {
    /// Adds a bound by prices if it is larger than all others.
    pub(crate) fn add_prices(&mut self, bound: Option<TdmBound>) {
        let Some(bound) = bound.filter(|bound| bound.period > self.best.period) else { return };
        self.all.retain(|other| !matches!(other.certificate, TdmCertificate::Prices { .. }));
        self.all.push(bound);
        self.best = best(&self.all);
    }

    /// The largest bound that needs no file with a proof.
    pub fn without_proof(&self) -> &TdmBound {
        let plain = |bound: &&TdmBound| !matches!(bound.certificate, TdmCertificate::Exact(_));
        // The last one of several maxima would be the hardest to understand.
        let largest = self.all.iter().filter(plain).rev().max_by_key(|bound| bound.period);
        largest.unwrap_or(&self.best)
    }
}

/// Computes all bounds. The interrupt stops the slow ones early; the others are always computed.
pub fn bounds(problem: &TdmProblem, interrupt: &Interrupt) -> TdmBounds {
    let mut bounds = quick_bounds(problem, interrupt);
    add_slow_bounds(problem, &mut bounds, interrupt);
    bounds
}

/// The bounds that take little time.
pub(crate) fn quick_bounds(problem: &TdmProblem, interrupt: &Interrupt) -> TdmBounds {
    let distances = distances(problem);
    let ports = ports::bound(problem, &distances);
    let others = [
        residue::bound(problem, &distances),
        offsets::bound(problem, &distances),
        capacity::bound(problem, &distances),
        cut::bound(problem, interrupt),
    ];
    let mut all = vec![ports];
    all.extend(others.into_iter().flatten());
    TdmBounds { best: best(&all), all }
}

/// Adds the bounds that take long.
pub(crate) fn add_slow_bounds(problem: &TdmProblem, bounds: &mut TdmBounds, interrupt: &Interrupt) {
    bounds.add_prices(slow_bound(problem, bounds.best.period, interrupt));
}

/// The bound that takes long, if it is above `enough`, which other bounds prove.
pub(crate) fn slow_bound(
    problem: &TdmProblem,
    enough: u32,
    interrupt: &Interrupt,
) -> Option<TdmBound> {
    prices::bound(problem, enough, interrupt)
}

/// The largest bound. The first one wins a tie: ports are easiest to understand, prices hardest.
fn best(all: &[TdmBound]) -> TdmBound {
    let largest = all.iter().map(|bound| bound.period).max();
    all.iter().find(|bound| Some(bound.period) == largest).unwrap_or(&all[0]).clone()
}

/// The hops between the processors of every message.
fn distances(problem: &TdmProblem) -> Vec<u32> {
    let network = problem.network();
    let mut all = Vec::with_capacity(problem.messages().len());
    for group in problem.messages().chunk_by(|one, other| one.from == other.from) {
        let from = network.home(group[0].from).map(|home| network.distances_from(home));
        let distance = |message: &TdmMessage| {
            let to = network.home(message.to);
            from.as_ref().zip(to).map_or(0, |(from, to)| from[to.index()])
        };
        all.extend(group.iter().map(distance));
    }
    all
}

/// The period for a load on channels: `uses` over `channels`, in slots. Channels are idle in the first
/// and the last `depth` slots if words may not wrap.
fn period_of_load(problem: &TdmProblem, uses: u128, channels: u128) -> Option<u32> {
    let rules = problem.rules();
    let slots = uses.checked_mul(rules.phits.into())?.div_ceil(channels);
    let idle = if rules.wraps || slots == 0 { 0 } else { 2 * u128::from(rules.depth) };
    u32::try_from(slots + idle).ok()
}

/// The words per channel that a period has slots for, the inverse of [`period_of_load`].
fn load_of_period(problem: &TdmProblem, period: u32) -> f64 {
    let rules = problem.rules();
    let idle = if rules.wraps { 0 } else { rules.depth.saturating_mul(2) };
    f64::from(period.saturating_sub(idle)) / f64::from(rules.phits)
}
