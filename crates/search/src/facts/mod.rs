//! Facts about a problem that several engines use, each computed on first use. This module is below
//! all engines: facts whose type belongs to an engine are kept by their type ([`Facts::of`]).

mod by_type;
mod known;

pub use known::Known;

use crate::budget::Interrupt;
use crate::prices::prices;
use crate::rng::Rng;
use crate::symmetry::{
    FreeGroup, Freedom, find_abelian_group, find_even_group, problem_symmetries,
};
use by_type::ByType;
use pavane_model::Problem;
use pavane_networks::symmetry::Symmetries;
use std::any::Any;
use std::sync::Arc;

/// Work limit for computing prices, in edges visited. Search needs less precise prices than bounds.
pub(crate) const PRICE_EFFORT: u64 = 50_000_000;

/// A problem and the facts about it.
#[derive(Debug)]
pub struct Facts {
    problem: Problem,
    prices: Known<Vec<f64>>,
    symmetries: Known<Option<Symmetries>>,
    free_group: Known<Option<FreeGroup>>,
    abelian_group: Known<Option<FreeGroup>>,
    of_engines: ByType,
}

impl Facts {
    /// No facts are known yet.
    pub fn new(problem: Problem) -> Self {
        Self {
            problem,
            prices: Known::default(),
            symmetries: Known::default(),
            free_group: Known::default(),
            abelian_group: Known::default(),
            of_engines: ByType::default(),
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Facts of a type that an engine defines. They start as its default; all engines that use the type
    /// share them.
    pub fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.of_engines.get()
    }

    /// Sets the prices, unless they are known already.
    pub fn set_prices(&self, prices: Vec<f64>) {
        self.prices.set(prices);
    }

    /// The price of each channel, 1 on average. The channels that limit every schedule have the highest
    /// prices. `None` at an interrupt.
    pub fn prices(&self, interrupt: &Interrupt) -> Option<&[f64]> {
        let find = || prices(&self.problem, PRICE_EFFORT, interrupt).map(|found| found.per_channel);
        self.prices.get(find).map(Vec::as_slice)
    }

    /// The automorphisms of the network that keep how much every router's processors send and
    /// receive; `None` if there are none but the identity, if they are not found in a second, or at
    /// an interrupt.
    pub fn symmetries(&self, interrupt: &Interrupt) -> Option<&Symmetries> {
        let find = || problem_symmetries(&self.problem, interrupt);
        self.symmetries.get_until(interrupt, find)?.as_ref()
    }

    /// A large group of them that moves every processor, always the same one; `None` if there is
    /// none, or at an interrupt. [`crate::symmetry::find_free_group`] finds others.
    pub fn free_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem.network(), &mut Rng::seeded(0));
            let symmetries = self.symmetries(interrupt)?;
            let group = find_even_group(network, symmetries, Freedom::Processors, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.free_group.get_until(interrupt, find)?.as_ref()
    }

    /// The same for abelian groups.
    pub fn abelian_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem.network(), &mut Rng::seeded(0));
            let group = find_abelian_group(network, self.symmetries(interrupt)?, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.abelian_group.get_until(interrupt, find)?.as_ref()
    }
}
