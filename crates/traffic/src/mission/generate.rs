//! Random missions as in the paper: for every pair of processors, with probability `density`, a
//! message of normally distributed length. Negative lengths become zero; empty messages are
//! dropped.

use super::{Message, Mission, Permutation, check_count};
use crate::error::{MOST_MESSAGES, TrafficError};
use crate::rng::TrafficRng;
use crate::ticks;
use pavane_model::{Network, ProcessorId, quantity};

/// Which processors send to which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// All to all.
    All,
    /// All to this many random processors.
    HotSpots(u32),
    /// Each to one other processor.
    Permutation(Permutation),
}

/// Distribution of random missions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    /// Which processors send to which.
    pub pattern: Pattern,
    /// Probability of a message between two processors.
    pub density: f64,
    /// Mean length, in units.
    pub mean: f64,
    /// Standard deviation of lengths, in units.
    pub sigma: f64,
    /// Arrivals are uniform over this many units; if 0, all messages arrive at once.
    pub window: f64,
}

impl Default for Uniform {
    fn default() -> Self {
        Self { pattern: Pattern::All, density: 0.95, mean: 10.0, sigma: 5.0, window: 0.0 }
    }
}

impl Uniform {
    /// Checks the ranges of the parameters and the size of the missions.
    pub fn check(&self, network: &Network) -> Result<(), TrafficError> {
        let checks = [
            ("density", self.density, 0.0, 1.0),
            ("the mean length", self.mean, 0.0, ticks::LONGEST / 8.0),
            ("the deviation of lengths", self.sigma, 0.0, ticks::LONGEST / 80.0),
            ("the window of arrivals", self.window, 0.0, ticks::LATEST),
        ];
        if self.density == 0.0 || (self.mean == 0.0 && self.sigma == 0.0) {
            return Err(TrafficError::Empty);
        }
        for (what, value, least, most) in checks {
            if !(least..=most).contains(&value) {
                return Err(TrafficError::OutOfRange {
                    what: what.to_owned(),
                    value: quantity::shown(value),
                    range: format!("from {least} to {most}"),
                });
            }
        }
        let processors = network.living_processors().count() as u64;
        let pairs = match self.pattern {
            Pattern::All => processors * processors.saturating_sub(1),
            Pattern::HotSpots(spots) => processors * u64::from(spots),
            Pattern::Permutation(permutation) => {
                permutation.images(network)?;
                processors
            }
        };
        if let Pattern::HotSpots(spots) = self.pattern
            && (spots == 0 || u64::from(spots) > processors)
        {
            return Err(TrafficError::OutOfRange {
                what: "the number of hot spots".to_owned(),
                value: spots.to_string(),
                range: format!("from 1 to {processors}, the processors"),
            });
        }
        let expected = (pairs as f64 * self.density) as u64;
        if expected > MOST_MESSAGES {
            Err(TrafficError::TooManyMessages { count: expected })
        } else {
            Ok(())
        }
    }

    /// The mission with number `index` of a seed. The parameters must have been checked.
    pub fn draw(&self, network: &Network, seed: u64, index: u64) -> Result<Mission, TrafficError> {
        let mut mission = Mission::default();
        self.draw_into(network, seed, index, &mut mission);
        check_count(mission.len() as u64)?;
        mission.check_clock(network)?;
        Ok(mission)
    }

    /// Like [`draw`](Self::draw), but reuses the memory of a mission. The result may be empty.
    pub(crate) fn draw_into(
        &self,
        network: &Network,
        seed: u64,
        index: u64,
        mission: &mut Mission,
    ) {
        let mut rng = TrafficRng::stream(seed, index);
        mission.messages.clear();
        mission.followers.clear();
        mission.waits_for.clear();
        let processors: Vec<ProcessorId> = network.living_processors().collect();
        let targets = self.targets(network, &processors, &mut rng);
        for (at, &source) in processors.iter().enumerate() {
            let targets = match self.pattern {
                Pattern::Permutation(_) => &targets[at..=at],
                _ => &targets[..],
            };
            for &destination in targets {
                if source != destination
                    && rng.unit() < self.density
                    && let Some(length) = self.length(&mut rng)
                {
                    let arrival = self.arrival(&mut rng);
                    mission.messages.push(Message { arrival, length, source, destination });
                }
            }
        }
    }

    /// The possible destinations; under a permutation, that of each processor.
    pub(crate) fn targets(
        &self,
        network: &Network,
        processors: &[ProcessorId],
        rng: &mut TrafficRng,
    ) -> Vec<ProcessorId> {
        if let Pattern::Permutation(permutation) = self.pattern
            && let Ok(Some(images)) = permutation.images(network)
        {
            return images;
        }
        let mut targets = processors.to_vec();
        match self.pattern {
            Pattern::All => {}
            // A permutation without fixed points; on average every third to fourth one is.
            Pattern::Permutation(_) => loop {
                rng.shuffle(&mut targets);
                let is_fixed = |(from, to): (&ProcessorId, &ProcessorId)| from == to;
                if processors.len() < 2 || !processors.iter().zip(&targets).any(is_fixed) {
                    break;
                }
            },
            Pattern::HotSpots(spots) => {
                rng.shuffle(&mut targets);
                targets.truncate(spots as usize);
                targets.sort_unstable();
            }
        }
        targets
    }

    /// A random length in ticks; `None` if it is not positive.
    pub(super) fn length(&self, rng: &mut TrafficRng) -> Option<u64> {
        let length = match self.sigma {
            0.0 => self.mean,
            sigma => self.mean + sigma * rng.normal(),
        };
        (length > 0.0).then(|| ticks::from_units(length))
    }

    fn arrival(&self, rng: &mut TrafficRng) -> u64 {
        match self.window {
            0.0 => 0,
            window => ticks::from_units(window * rng.unit()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn a_mission_has_the_size_and_lengths_that_were_asked_for() {
        let network = topology::build("hypercube:6").unwrap();
        let uniform = Uniform::default();
        let mission = uniform.draw(&network, 1, 0).unwrap();
        // 64 * 63 pairs, 95 % of them with a message, of which 2.3 % are dropped for a negative
        // length.
        assert!((3650..3830).contains(&mission.len()), "{}", mission.len());
        let total: u64 = mission.messages().iter().map(|message| message.length).sum();
        let mean = ticks::to_units(total) / mission.len() as f64;
        assert!((10.0..10.6).contains(&mean), "{mean}");
        assert_eq!(mission, uniform.draw(&network, 1, 0).unwrap());
        assert_ne!(mission, uniform.draw(&network, 1, 1).unwrap());
    }

    #[test]
    fn patterns_choose_the_destinations() {
        let network = topology::build("torus:4x4").unwrap();
        let draw = |pattern| {
            let uniform = Uniform { pattern, density: 1.0, sigma: 0.0, ..Uniform::default() };
            uniform.draw(&network, 7, 3).unwrap()
        };
        assert_eq!(draw(Pattern::All).len(), 240);
        let hot = draw(Pattern::HotSpots(3));
        assert_eq!(hot.len(), 45);
        let mut spots: Vec<u32> = hot.messages().iter().map(|m| m.destination.0).collect();
        spots.sort_unstable();
        spots.dedup();
        assert_eq!(spots.len(), 3);
        let mut targets: Vec<u32> = draw(Pattern::Permutation(Permutation::Random))
            .messages()
            .iter()
            .map(|m| m.destination.0)
            .collect();
        // Every processor sends to another one, and no two to the same.
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), 16);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let network = topology::build("hypercube:4").unwrap();
        let base = Uniform::default();
        let wrong = [
            Uniform { density: 1.5, ..base },
            Uniform { density: -0.1, ..base },
            Uniform { density: f64::NAN, ..base },
            Uniform { density: 0.0, ..base },
            Uniform { mean: 0.0, sigma: 0.0, ..base },
            Uniform { mean: -1.0, ..base },
            Uniform { sigma: f64::INFINITY, ..base },
            Uniform { pattern: Pattern::HotSpots(17), ..base },
            Uniform { pattern: Pattern::HotSpots(0), ..base },
        ];
        for uniform in wrong {
            assert!(uniform.check(&network).is_err(), "{uniform:?}");
        }
        let large = topology::build("hypercube:15").unwrap();
        assert!(matches!(base.check(&large), Err(TrafficError::TooManyMessages { .. })));
    }
}
