//! The destinations of every processor in a steady state.

use crate::mission::{Pattern, Uniform};
use crate::rng::TrafficRng;
use pavane_model::{Network, ProcessorId};
use std::sync::Arc;

/// A processor that sends, and its destinations, at least one.
pub(super) struct Destinations {
    pub processor: ProcessorId,
    /// Its place among the processors that are not broken.
    pub place: usize,
    /// Destinations, among which the processor itself may be.
    targets: Arc<[ProcessorId]>,
    /// Its place among them.
    own: Option<usize>,
}

impl Destinations {
    /// Those of all processors that have some.
    pub fn list(pattern: Pattern, network: &Network, seed: u64) -> Vec<Self> {
        let processors: Vec<ProcessorId> = network.living_processors().collect();
        let uniform = Uniform { pattern, ..Uniform::default() };
        let targets = uniform.targets(network, &processors, &mut TrafficRng::stream(seed, 0));
        let targets: Arc<[ProcessorId]> = targets.into();
        let of = |(place, &processor): (usize, &ProcessorId)| {
            let targets = match pattern {
                Pattern::Permutation(_) => Arc::from([targets[place]]),
                _ => Arc::clone(&targets),
            };
            let own = targets.iter().position(|target| *target == processor);
            Self { processor, place, targets, own }
        };
        let all = processors.iter().enumerate().map(of);
        all.filter(|destinations| destinations.count() > 0).collect()
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.targets.len() - usize::from(self.own.is_some())
    }

    /// A destination, from 0.
    pub fn target(&self, place: usize) -> ProcessorId {
        let is_behind = self.own.is_some_and(|own| place >= own);
        self.targets[place + usize::from(is_behind)]
    }
}
