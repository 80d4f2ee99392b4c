//! Continuous traffic as in the paper's Figures 7 to 9: messages arrive at every processor by a
//! Poisson process, each for a destination chosen uniformly among the other processors.

use super::{Message, Mission, Uniform, check_count};
use crate::error::{MOST_MESSAGES, TrafficError};
use crate::rng::TrafficRng;
use crate::ticks;
use pavane_model::{Network, ProcessorId, quantity};

/// Arrival process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrivals {
    /// Mean time between arrivals at a processor, in units.
    pub interval: f64,
    /// End of arrivals, in units.
    pub duration: f64,
}

impl Arrivals {
    /// Checks the ranges of the parameters and the size of the mission.
    pub fn check(&self, network: &Network) -> Result<(), TrafficError> {
        let checks =
            [("the time between arrivals", self.interval), ("the duration", self.duration)];
        for (what, value) in checks {
            if !(value > 0.0 && value <= ticks::LATEST) {
                return Err(TrafficError::OutOfRange {
                    what: what.to_owned(),
                    value: quantity::shown(value),
                    range: format!("more than 0 and at most {}", ticks::LATEST),
                });
            }
        }
        let processors = network.living_processors().count();
        let expected = processors as f64 * self.duration / self.interval;
        if expected > MOST_MESSAGES as f64 {
            Err(TrafficError::TooManyMessages { count: expected as u64 })
        } else {
            Ok(())
        }
    }

    /// The mission with number `index` of a seed, with lengths drawn from `uniform`.
    pub fn draw(
        &self,
        network: &Network,
        uniform: &Uniform,
        seed: u64,
        index: u64,
    ) -> Result<Mission, TrafficError> {
        let mut rng = TrafficRng::stream(seed, index);
        let processors: Vec<ProcessorId> = network.living_processors().collect();
        let mut messages = Vec::new();
        for (at, &source) in processors.iter().enumerate() {
            let mut time = self.interval * rng.exponential();
            while time < self.duration && processors.len() > 1 {
                let other = rng.below(processors.len() - 1);
                let destination = processors[if other < at { other } else { other + 1 }];
                if let Some(length) = uniform.length(&mut rng) {
                    let arrival = ticks::from_units(time);
                    messages.push(Message { arrival, length, source, destination });
                }
                time += self.interval * rng.exponential();
            }
        }
        // Sequence numbers follow arrival times.
        messages.sort_by_key(|message| (message.arrival, message.source, message.destination));
        check_count(messages.len() as u64)?;
        let mission = Mission { messages, ..Mission::default() };
        mission.check_clock(network)?;
        Ok(mission)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn arrivals_come_at_their_rate_and_in_order() {
        let network = topology::build("hypercube:4").unwrap();
        let arrivals = Arrivals { interval: 50.0, duration: 20_000.0 };
        let mission = arrivals.draw(&network, &Uniform::default(), 1, 0).unwrap();
        // 16 processors with 400 arrivals each, of which 2.3 % are dropped for a negative length.
        assert!((6000..6500).contains(&mission.len()), "{}", mission.len());
        assert!(mission.messages().is_sorted_by_key(|message| message.arrival));
        assert!(mission.messages().iter().all(|m| m.source != m.destination));
        assert!(Arrivals { interval: 0.0, duration: 1.0 }.check(&network).is_err());
        assert!(Arrivals { interval: 1e-9, duration: 1e9 }.check(&network).is_err());
    }
}
