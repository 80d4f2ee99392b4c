//! Steps that are filled at the same time, with messages on trails. Moves in one step see what the other steps have taken
//! as of the last exchange; if two steps take the same message, the first one keeps it.

mod cut;
mod lane;
mod stock;

use super::balance::LoadPrices;
use super::pairs::{NONE, PairTable};
use crate::budget::Budget;
use crate::rng::Rng;
use lane::Lane;
use rayon::prelude::*;
use stock::{DISTANCE, Stock, TAKEN, UNIT, VALUE};

/// The values of messages beside the prices of their paths, and the temperature of the moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Appeal {
    /// Bonus of long messages, which are difficult to place later, per squared length.
    pub long: f32,
    /// Malus of short messages, which fill gaps later. It shrinks by [`SHRINK`] with every channel.
    pub short: f32,
    /// A move that loses so much value is accepted with probability 1 / e.
    pub temperature: f32,
}

/// Where all channels have about the same load, every gap counts, and short messages are precious.
pub(super) const EVEN: Appeal = Appeal { long: 50.0, short: 150.0, temperature: 100.0 };

/// Where the loads differ, only the loaded channels have to be used well.
pub(super) const UNEVEN: Appeal = Appeal { long: 12.0, short: 85.0, temperature: 45.0 };

const SHRINK: f32 = 0.75;

/// Moves of a step between two exchanges, which also look for channels with waste.
const LOOK: u64 = 256;

/// Work of a move, in evaluations.
pub(super) const MOVE: u64 = 100;

/// Most steps that are filled at the same time, and the mean load for each.
const MOST_LANES: usize = 16;
const LOAD_OF_LANE: f32 = 4.0;

/// The messages left, and the steps that are filled with them.
pub(super) struct TrailPacking<'a> {
    stock: Stock<'a>,
    left: usize,
    lanes: Vec<Lane>,
}

impl<'a> TrailPacking<'a> {
    /// With all messages left.
    pub fn new(pairs: &'a PairTable, taste: Appeal) -> Self {
        let longest = pairs.distance.iter().copied().max().unwrap_or(0);
        let bonus = |length: u8| {
            let length = f32::from(length);
            taste.long * length * length - taste.short * SHRINK.powf(length - 1.0)
        };
        let is_message = |pair: usize| pairs.message[pair] != NONE && pairs.distance[pair] > 0;
        let entry =
            |pair: usize| u32::from(pairs.distance[pair]) << DISTANCE | u32::from(is_message(pair));
        let entry: Vec<u32> = (0..pairs.message.len()).map(entry).collect();
        Self {
            left: entry.iter().filter(|&&entry| entry & VALUE > 0).count(),
            stock: Stock {
                pairs,
                entry,
                bonus: (0..=longest).map(bonus).collect(),
                temperature: taste.temperature,
            },
            lanes: Vec::new(),
        }
    }

    /// Number of messages left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The messages left.
    pub fn messages_left(&self) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.stock.entry.iter().zip(&self.stock.pairs.message);
        pairs.filter(|(entry, _)| **entry & VALUE > 0).map(|(_, &message)| message)
    }

    /// Updates prices and values of the messages left; returns the work.
    pub fn reprice(&mut self, balance: &mut LoadPrices, steps: f32) -> u64 {
        let Stock { pairs, entry, bonus, .. } = &mut self.stock;
        balance.sweep(pairs, entry, steps, |entry, price| {
            if *entry & VALUE == 0 {
                return false;
            }
            let worth = UNIT * price + bonus[(*entry >> DISTANCE) as usize];
            *entry = *entry & !VALUE | (worth.max(1.0) as u32).min(VALUE);
            true
        })
    }

    /// How many steps are filled at the same time.
    pub fn lanes(balance: &LoadPrices) -> usize {
        ((balance.mean / LOAD_OF_LANE) as usize).clamp(1, MOST_LANES)
    }

    /// Fills steps, with so many moves in each. Returns the share of the prices of all channels that the
    /// messages of each step pay, or `None` if the budget ends first.
    pub fn fill(
        &mut self,
        balance: &LoadPrices,
        moves: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Vec<f32>> {
        let Self { stock, lanes, .. } = self;
        let (pairs, count) = (stock.pairs, Self::lanes(balance));
        lanes.resize_with(count, || Lane::new(pairs.channels()));
        let seed = rng.bits();
        let all = lanes.par_iter_mut().enumerate();
        all.for_each(|(at, lane)| lane.start(stock, Rng::stream(seed, at as u64)));
        lanes.iter_mut().for_each(|lane| lane.tell(stock));
        let mut done = 0;
        while done < moves {
            let some = LOOK.min(moves - done);
            if !budget.spend(some * MOVE * count as u64) {
                return None;
            }
            lanes.par_iter_mut().for_each(|lane| lane.run(stock, &balance.price, some));
            lanes.iter_mut().for_each(|lane| lane.tell(stock));
            done += some;
        }
        let paid = |lane: &Lane| {
            let mut paid = 0.0;
            lane.messages(pairs, |pair, path| {
                paid += stock.value(pair) as f32 - stock.bonus[path.len()];
            });
            paid / (UNIT * pairs.channels() as f32)
        };
        Some(lanes.iter().map(paid).collect())
    }

    /// Removes the messages of a step from those left, and passes them on with their paths.
    pub fn take(&mut self, step: usize, mut pass_on: impl FnMut(u32, &[u32])) {
        let Self { stock, left, lanes } = self;
        let pairs = stock.pairs;
        lanes[step].messages(pairs, |pair, path| {
            stock.entry[pair] &= !(VALUE | TAKEN);
            *left -= 1;
            pass_on(pairs.message[pair], path);
        });
    }
}
