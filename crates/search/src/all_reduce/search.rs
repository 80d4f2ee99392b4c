//! The search for the trees of all sums within a number of steps: sums that do not fit push out
//! others, which are then placed again.

use super::folded::Folded;
use super::slots::StepSlots;
use super::trees::{Grower, SumTrees};
use crate::budget::Budget;
use crate::rng::Rng;

/// Tries to find a place for a sum in the free slots.
const TRIES: u32 = 12;

/// The trees of sums, of which some may be missing.
pub(super) struct Placing<'a> {
    folded: &'a Folded,
    /// The root of every sum.
    roots: &'a [usize],
    /// The least number of steps for the reduce and the broadcast of every sum.
    least: &'a [(usize, usize)],
    slots: StepSlots,
    trees: Vec<Option<SumTrees>>,
    grower: Grower,
}

impl<'a> Placing<'a> {
    /// Nothing is placed.
    pub fn new(
        folded: &'a Folded,
        roots: &'a [usize],
        least: &'a [(usize, usize)],
        steps: u32,
    ) -> Self {
        let trees = vec![None; roots.len()];
        Self {
            folded,
            roots,
            least,
            slots: StepSlots::new(folded, steps),
            trees,
            grower: Grower::default(),
        }
    }

    /// Places the trees that end within the steps.
    pub fn start_from(&mut self, trees: &[SumTrees]) {
        for (sum, trees) in trees.iter().enumerate() {
            if trees.end() <= self.slots.steps() {
                self.put_back(sum, trees.clone());
            }
        }
    }

    /// Places all sums. `None` if the budget is over before.
    pub fn complete(mut self, budget: &mut Budget, rng: &mut Rng) -> Option<Vec<SumTrees>> {
        let mut open: Vec<usize> =
            (0..self.roots.len()).filter(|&sum| self.trees[sum].is_none()).collect();
        rng.shuffle(&mut open);
        let mut cost = (self.folded.routers * 4) as u64;
        open.retain(|&sum| !self.place(sum, rng));
        let mut quiet = 0usize;
        while !open.is_empty() {
            if !budget.spend(cost) {
                return None;
            }
            let (removed, order) = self.ruin(&open, quiet, rng);
            cost = (order.len() * self.folded.routers * 4) as u64;
            let mut left: Vec<usize> = Vec::new();
            for &sum in &order {
                if left.len() > open.len() || !self.place(sum, rng) {
                    left.push(sum);
                }
            }
            if left.len() <= open.len() {
                quiet = if left.len() < open.len() { 0 } else { quiet + 1 };
                open = left;
                continue;
            }
            quiet += 1;
            for &sum in &order {
                self.remove(sum);
            }
            for (sum, trees) in removed {
                self.put_back(sum, trees);
            }
        }
        Some(self.trees.into_iter().flatten().collect())
    }

    /// Removes some sums. Returns them with their trees, and all sums to place, in order: first those
    /// that are open.
    fn ruin(
        &mut self,
        open: &[usize],
        quiet: usize,
        rng: &mut Rng,
    ) -> (Vec<(usize, SumTrees)>, Vec<usize>) {
        let mut order = open.to_vec();
        rng.shuffle(&mut order);
        let placed: Vec<usize> =
            (0..self.roots.len()).filter(|&sum| self.trees[sum].is_some()).collect();
        let most = (2 + (quiet / 64).min(6)).min(placed.len());
        let count = if most == 0 { 0 } else { 1 + rng.below(most) };
        let mut chosen = placed;
        if rng.chance(0.5) {
            rng.shuffle(&mut chosen);
        } else {
            // Sums that are complete at about the same time compete for the same slots.
            let about = rng.below(self.slots.steps().max(1));
            let complete = |sum: usize| self.trees[sum].as_ref().map_or(0, |trees| trees.complete);
            let mut keyed: Vec<(usize, u64, usize)> = chosen
                .iter()
                .map(|&sum| (complete(sum).abs_diff(about), rng.bits(), sum))
                .collect();
            keyed.sort_unstable();
            chosen = keyed.into_iter().map(|(.., sum)| sum).collect();
        }
        chosen.truncate(count);
        let mut removed = Vec::new();
        for sum in chosen {
            if let Some(trees) = self.remove(sum) {
                removed.push((sum, trees));
                order.push(sum);
            }
        }
        (removed, order)
    }

    fn remove(&mut self, sum: usize) -> Option<SumTrees> {
        let trees = self.trees[sum].take()?;
        for carried in trees.carried() {
            self.slots.free(self.folded, carried);
        }
        Some(trees)
    }

    fn put_back(&mut self, sum: usize, trees: SumTrees) {
        for carried in trees.carried() {
            self.slots.take(self.folded, carried);
        }
        self.trees[sum] = Some(trees);
    }

    /// Places a sum, complete at a random time, if a few tries find a place.
    fn place(&mut self, sum: usize, rng: &mut Rng) -> bool {
        let (reduce, broadcast) = self.least[sum];
        let Some(last) = self.slots.steps().checked_sub(broadcast) else { return false };
        let (mut low, mut high) = (reduce, last);
        for _ in 0..TRIES {
            if low > high {
                break;
            }
            let complete = low + rng.below(high - low + 1);
            let at = (self.roots[sum], complete);
            let Some(reduce) = self.grower.reduce(self.folded, &mut self.slots, at, rng) else {
                low = complete + 1;
                continue;
            };
            let Some(broadcast) = self.grower.broadcast(self.folded, &mut self.slots, at, rng)
            else {
                reduce.iter().for_each(|&carried| self.slots.free(self.folded, carried));
                high = complete.saturating_sub(1);
                continue;
            };
            self.trees[sum] = Some(SumTrees { complete, reduce, broadcast });
            return true;
        }
        false
    }
}
