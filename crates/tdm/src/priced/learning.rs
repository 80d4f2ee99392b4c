//! Prices that learn: which word is placed next, and which placed words are cheap to eject because they have
//! another free place.

use super::PricedSearch;
use crate::loose::LooseWords;

/// The part of all words that are left to be placed when loose words are looked for.
const FEW_LEFT: usize = 5;

impl PricedSearch<'_> {
    /// A word from the queue, or another one of it that is dearer. Prices that learn begin with the hardest words.
    pub fn dearer(&mut self, word: u32) -> u32 {
        if self.pricing.step <= 0.0 || self.queue.is_empty() {
            return word;
        }
        let at = self.rng.below(self.queue.len());
        let price = |word: u32| self.placed[word as usize].price;
        if price(self.queue[at]) > price(word) {
            std::mem::replace(&mut self.queue[at], word)
        } else {
            word
        }
    }

    /// Tests whether some words have other free places, once few words are left.
    pub fn test_words(&mut self) {
        let is_late = self.queue.len() < self.placed.len() / FEW_LEFT;
        if self.loose.is_none() && is_late && self.pricing.tested > 0 && self.late.is_none() {
            self.loose = Some(LooseWords::new(self.instance, &self.owners));
        }
        let Some(mut loose) = self.loose.take() else { return };
        for _ in 0..self.pricing.tested {
            let word = loose.turn();
            let is_placed = !self.placed[word as usize].edges.is_empty();
            let item = self.instance.items[word as usize];
            if is_placed && loose.test(word, self.routes(word), item) {
                self.reprice(word, loose.is_loose(word));
            }
        }
        self.loose = Some(loose);
    }

    /// Enters what ejecting a placed word costs.
    fn reprice(&mut self, word: u32, is_loose: bool) {
        let part = if is_loose { self.pricing.loose } else { 1.0 };
        let price = ((f64::from(self.placed[word as usize].price) * part) as i16).max(1);
        let (routes, placed) = (self.routes(word), &self.placed[word as usize]);
        for &edge in &placed.edges {
            let (row, slot) = self.use_of(routes, edge, placed.start as usize);
            self.table.prices.put(row, slot, price);
        }
    }
}
