//! Shares of a message that travel on different routes: TE-CCL says how much of a chunk travels, and
//! this decides which bytes.

use super::flow::Flow;
use crate::import::ImportedError;
use pavane_model::RouterId;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a message: shares are whole numbers of these.
pub(super) const WHOLE: u64 = 1_000_000_000;

/// Shares that differ by at most this come from rounding: volumes have six digits.
const ROUNDING: u64 = 20_000;

/// A range of parts.
type Range = (u64, u64);

/// Reads a volume between 0 and 1.
pub(super) fn parse(volume: &str) -> Option<u64> {
    let volume: f64 = volume.trim().parse().ok()?;
    let parts = (volume * WHOLE as f64).round();
    (parts >= 0.0 && parts <= (WHOLE + ROUNDING) as f64).then_some((parts as u64).min(WHOLE))
}

/// The byte at which a part starts.
pub(super) fn bytes(part: u64, size: u64) -> u64 {
    ((u128::from(part) * u128::from(size) + u128::from(WHOLE / 2)) / u128::from(WHOLE)) as u64
}

/// What the flows of a message carry.
pub(super) struct Split {
    /// The ranges that each flow carries.
    pub carried: Vec<Vec<Range>>,
    /// What every router has at the end.
    held: BTreeMap<RouterId, Vec<Range>>,
}

impl Split {
    /// How much a router has at the end.
    pub fn at(&self, router: RouterId) -> u64 {
        self.held.get(&router).map_or(0, |ranges| total(ranges))
    }

    /// The pieces that are never divided; together they are the message.
    pub fn pieces(&self) -> Vec<Range> {
        let ends = self.carried.iter().flatten().flat_map(|&(from, to)| [from, to]);
        let cuts: BTreeSet<u64> = ends.chain([0, WHOLE]).collect();
        let cuts: Vec<u64> = cuts.into_iter().collect();
        cuts.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }
}

fn total(ranges: &[Range]) -> u64 {
    ranges.iter().map(|(from, to)| to - from).sum()
}

/// Decides which range of a message every flow carries: what a router received first, it sends first.
/// A flow that carries more than its router has carries the first bytes of the message again, which
/// the judge refuses.
pub(super) fn split(
    flows: &[&Flow],
    origin: RouterId,
    router: &dyn Fn(u32) -> Result<RouterId, ImportedError>,
) -> Result<Split, ImportedError> {
    let mut held = BTreeMap::from([(origin, vec![(0, WHOLE)])]);
    let mut left: BTreeMap<u32, usize> = BTreeMap::new();
    flows.iter().for_each(|flow| *left.entry(flow.from).or_default() += 1);
    let mut carried = Vec::with_capacity(flows.len());
    for flow in flows {
        let (from, to) = (router(flow.from)?, router(flow.to)?);
        let wanted = flow.volume.unwrap_or(WHOLE);
        let is_last = left.get_mut(&flow.from).is_some_and(|left| {
            *left -= 1;
            *left == 0
        });
        let here = held.entry(from).or_default();
        let rest = total(here).saturating_sub(wanted);
        let amount = if is_last && rest <= ROUNDING { total(here) } else { wanted };
        let mut taken = take(here, amount);
        let missing = amount.saturating_sub(total(&taken));
        if missing > ROUNDING {
            taken.push((0, missing));
        }
        held.entry(to).or_default().extend(&taken);
        carried.push(taken);
    }
    Ok(Split { carried, held })
}

/// Takes parts from the front.
fn take(held: &mut Vec<Range>, mut amount: u64) -> Vec<Range> {
    let mut taken = Vec::new();
    while amount > 0 && !held.is_empty() {
        let (from, to) = held[0];
        let size = amount.min(to - from);
        taken.push((from, from + size));
        amount -= size;
        if from + size == to {
            held.remove(0);
        } else {
            held[0].0 += size;
        }
    }
    taken
}
