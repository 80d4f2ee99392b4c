//! Re-routes what the faults have broken: every broken tree is completed within the bandwidth that the
//! valid routes leave in a given time, in several parts if no way can carry all of it.

use super::carried::Carried;
use super::search::{Part, complete};
use super::trimmed::Side;
use pavane_model::ChannelId;

/// The most parts into which the weight of a broken tree is split.
const MOST_PARTS: usize = 16;

/// How often another order of the broken trees is tried.
const MOST_ORDERS: usize = 8;

/// A part of a broken tree with the channels that complete it, from the root outwards.
pub(super) struct Piece {
    pub weight: u64,
    pub added: Vec<ChannelId>,
}

/// A broken tree: its phase and its index there.
pub(super) type Broken = (usize, usize);

/// The broken trees with the loads around them.
pub(super) struct Fill<'a> {
    pub carried: &'a Carried,
    pub sides: Vec<Side<'a>>,
    /// The factor from the weights before to those of pieces.
    pub factor: u64,
    /// The load of each channel without the pieces, in the weights of pieces.
    pub loads: Vec<u128>,
    pub broken: Vec<Broken>,
}

impl Fill<'_> {
    /// The pieces of every broken tree, if the channels can carry these loads. A tree for which there
    /// is no room goes first in the next attempt.
    pub fn within(
        &self,
        capacities: &[u128],
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<(Broken, Vec<Piece>)>> {
        let mut spare = Vec::with_capacity(capacities.len());
        for (&capacity, &load) in capacities.iter().zip(&self.loads) {
            spare.push(capacity.checked_sub(load)?);
        }
        let mut order = self.broken.clone();
        for _ in 0..MOST_ORDERS {
            match self.in_order(&order, spare.clone()) {
                Ok(pieces) => return Some(pieces),
                Err(0) => return None,
                Err(at) => order[..=at].rotate_right(1),
            }
            if stop() {
                return None;
            }
        }
        None
    }

    /// Places the trees in this order. Fails with the place of the first one without room.
    fn in_order(
        &self,
        order: &[Broken],
        mut spare: Vec<u128>,
    ) -> Result<Vec<(Broken, Vec<Piece>)>, usize> {
        let mut all = Vec::new();
        for (at, &broken) in order.iter().enumerate() {
            let pieces = self.pieces(broken, &mut spare).ok_or(at)?;
            all.push((broken, pieces));
        }
        Ok(all)
    }

    fn pieces(&self, (phase, index): Broken, spare: &mut [u128]) -> Option<Vec<Piece>> {
        let (side, tree) = (&self.sides[phase], &self.carried.phases[phase].routes[index]);
        let mut rest = u128::from(tree.weight) * u128::from(self.factor);
        let mut pieces = Vec::new();
        while rest > 0 {
            if pieces.len() == MOST_PARTS {
                return None;
            }
            let whole = complete(side, tree, rest, Part::Whole, spare);
            let found = whole.or_else(|| complete(side, tree, rest, Part::Any, spare));
            let (added, amount) = found?;
            for channel in &added {
                spare[channel.index()] -= amount;
            }
            rest -= amount;
            pieces.push(Piece { weight: amount.try_into().ok()?, added });
        }
        Some(pieces)
    }
}
