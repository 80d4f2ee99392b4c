//! Which placed words could be placed elsewhere without ejecting another one. Ejecting such a *loose* word costs
//! little. One after the other is tested again, because free places come and go.

use crate::instance::{Instance, Item, Routes};
use crate::reach::Reach;
use crate::table::NONE;

#[derive(Debug)]
pub(crate) struct LooseWords {
    period: usize,
    stride: usize,
    /// The slots that each row stores: a period more than once.
    stored: usize,
    /// Per row, the slots in use.
    bits: Vec<u64>,
    reach: Reach,
    is_loose: Vec<bool>,
    /// The word that is tested next.
    next: usize,
}

impl LooseWords {
    /// `owners` are the words that use each slot of each row. For words of one phit.
    pub fn new(instance: &Instance, owners: &[u32]) -> Self {
        let period = instance.period as usize;
        let rows = instance.moduli.len();
        let mut words = Self {
            period,
            stride: instance.stride,
            stored: period + 64 * instance.blocks,
            bits: vec![0; rows * instance.stride],
            reach: Reach::new(instance.blocks, instance.period),
            is_loose: vec![false; instance.items.len()],
            next: 0,
        };
        for (at, _) in owners.iter().enumerate().filter(|(_, owner)| **owner != NONE) {
            words.mark(at / period, at % period, true);
        }
        words
    }

    /// Marks a slot as used or free.
    #[inline]
    pub fn mark(&mut self, row: usize, slot: usize, is_used: bool) {
        for bit in (slot..self.stored).step_by(self.period) {
            let block = &mut self.bits[row * self.stride + bit / 64];
            let mask = 1 << (bit % 64);
            *block = if is_used { *block | mask } else { *block & !mask };
        }
    }

    /// Whether a word was loose when it was tested, since it was placed.
    #[inline]
    pub fn is_loose(&self, word: u32) -> bool {
        self.is_loose[word as usize]
    }

    /// A word was placed anew.
    #[inline]
    pub fn forget(&mut self, word: u32) {
        self.is_loose[word as usize] = false;
    }

    /// The word whose turn it is to be tested.
    #[inline]
    pub fn turn(&mut self) -> u32 {
        let word = self.next;
        self.next = if word + 1 == self.is_loose.len() { 0 } else { word + 1 };
        word as u32
    }

    /// Tests a placed word. Returns whether the result has changed.
    pub fn test(&mut self, word: u32, routes: &Routes, item: Item) -> bool {
        let is_loose = self.reach.has_free_start(routes, item, &self.bits);
        std::mem::replace(&mut self.is_loose[word as usize], is_loose) != is_loose
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::symmetry::Symmetry;
    use pavane_model::TdmProblem;
    use pavane_model::tdm::{TdmDemand, TdmRules};
    use pavane_search::Interrupt;

    #[test]
    fn words_are_loose_as_long_as_a_route_is_free() {
        let network = pavane_networks::topology::build("path:2").unwrap();
        let rules = TdmRules::default();
        let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10).unwrap();
        let symmetry = Symmetry::trivial(&problem);
        let instance = Instance::new(&problem, &symmetry, 5, &Interrupt::never()).unwrap();
        let routes = &instance.routes[0];
        // All slots of the only channel are used but slot 3.
        let row = routes.edges[1].block as usize / instance.stride;
        let mut owners = vec![NONE; instance.moduli.len() * 5];
        for slot in [0, 1, 2, 4] {
            owners[row * 5 + slot] = 1;
        }
        let mut loose = LooseWords::new(&instance, &owners);
        assert_eq!([loose.turn(), loose.turn(), loose.turn()], [0, 1, 0]);
        assert!(loose.test(0, routes, instance.items[0]) && loose.is_loose(0));
        loose.mark(row, 3, true);
        assert!(loose.test(0, routes, instance.items[0]) && !loose.is_loose(0));
        loose.mark(row, 0, false);
        assert!(loose.test(0, routes, instance.items[0]) && loose.is_loose(0));
        assert!(!loose.test(0, routes, instance.items[0]));
        loose.forget(0);
        assert!(!loose.is_loose(0));
    }
}
