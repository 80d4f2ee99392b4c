//! Steady state: messages keep arriving, and the mean latency from arrival to delivery is measured
//! after a warm-up. The confidence interval comes from the means of batches, because
//! messages close in time are correlated. Messages stuck in a deadlock have no latency and are
//! counted separately.

use crate::error::TrafficError;
use crate::mission::{Arrivals, Mission, Pattern, Uniform};
use crate::policy::Policy;
use crate::simulator::{Memory, Simulator};
use crate::statistics::Estimate;
use crate::switching::SwitchingMethod;
use crate::ticks;
use crate::trend::grows;
use serde::{Deserialize, Serialize};

/// Parameters of a steady-state measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Arrival process.
    pub arrivals: Arrivals,
    /// Distribution of lengths; its other fields are ignored.
    pub uniform: Uniform,
    /// Messages that arrive before this time, in units, are not measured.
    pub warm_up: f64,
    /// Random seed.
    pub seed: u64,
}

/// Latency in a steady state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean over the delivered messages that arrived after the warm-up; `None` if there are none.
    /// It is the mean of all measured messages only if `unfinished` is 0.
    pub mean: Option<Estimate>,
    /// Number of messages that arrived after the warm-up and were never delivered because of a
    /// deadlock.
    pub unfinished: u64,
    /// Number of messages of the warm-up that were never delivered. They are not measured.
    pub unfinished_warm_up: u64,
    /// Whether there is no deadlock and latencies do not grow with time. If they do, more messages
    /// arrive than the network can carry, and the mean depends on the duration.
    pub is_steady: bool,
}

/// Number of batches, whose means show whether latencies grow.
pub(crate) const PARTS: u64 = 20;

/// Mean latency of the messages that arrive after the warm-up.
pub fn latency(
    steady: &Steady,
    simulator: &Simulator,
    switching: SwitchingMethod,
    policy: Policy,
) -> Result<Latency, TrafficError> {
    steady.arrivals.check(simulator.network())?;
    if !(0.0..steady.arrivals.duration).contains(&steady.warm_up) {
        return Err(TrafficError::OutOfRange {
            what: "the warm-up".to_owned(),
            value: steady.warm_up.to_string(),
            range: format!("from 0 and less than the duration, {}", steady.arrivals.duration),
        });
    }
    let mission = steady.arrivals.draw(simulator.network(), &steady.uniform, steady.seed, 0)?;
    let mut memory = Memory::default();
    simulator.route(&mission, steady.seed, &mut memory.routes)?;
    simulator.run(&mission, switching, policy.with_age(), &mut memory, &mut ())?;
    let first = ticks::from_units(steady.warm_up);
    let width = (ticks::from_units(steady.arrivals.duration) - first).div_ceil(PARTS).max(1);
    let mut sums = vec![(0u128, 0u64); PARTS as usize];
    for (message, &end) in mission.messages().iter().zip(&memory.state.completions) {
        if message.arrival >= first && end != u64::MAX {
            let part = ((message.arrival - first) / width).min(PARTS - 1) as usize;
            sums[part].0 += u128::from(end - message.arrival);
            sums[part].1 += 1;
        }
    }
    let ends = mission.messages().iter().zip(&memory.state.completions);
    let stuck = ends.filter(|(_, end)| **end == u64::MAX);
    let (late, early): (Vec<_>, Vec<_>) = stuck.partition(|(message, _)| message.arrival >= first);
    let latency = Latency {
        mean: Estimate::of_batches(&sums),
        unfinished: late.len() as u64,
        unfinished_warm_up: early.len() as u64,
        is_steady: late.is_empty()
            && early.is_empty()
            && !grows(&sums)
            && !is_overloaded(steady, simulator, &mission),
    };
    if latency.mean.is_none() && latency.unfinished == 0 {
        let (warm_up, duration) = (steady.warm_up, steady.arrivals.duration);
        return Err(TrafficError::NothingMeasured { warm_up, duration });
    }
    Ok(latency)
}

/// Whether more arrives than the busiest link can carry, if the paths are fixed.
fn is_overloaded(steady: &Steady, simulator: &Simulator, mission: &Mission) -> bool {
    let processors = simulator.network().living_processors().count() as f64;
    let total: u128 = mission.messages().iter().map(|message| u128::from(message.length)).sum();
    let load = total as f64 / ticks::PER_UNIT / steady.arrivals.duration / processors;
    let limit = Pattern::All.limit(simulator, false, steady.seed);
    limit.is_some_and(|limit| load > limit.load)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::RoutingMethod;
    use pavane_model::Duplex;
    use pavane_networks::topology;

    #[test]
    fn a_busier_network_is_slower() {
        let network = topology::build("hypercube:4").unwrap();
        let routing = RoutingMethod::find("e-cube", &network).unwrap();
        let simulator = Simulator::new(network, Duplex::Half, routing);
        let latency = |interval| {
            let steady = Steady {
                arrivals: Arrivals { interval, duration: 20_000.0 },
                uniform: Uniform::default(),
                warm_up: 500.0,
                seed: 1,
            };
            let policy = Policy::find("lbf").unwrap();
            let latency =
                latency(&steady, &simulator, SwitchingMethod::StoreAndForward, policy).unwrap();
            assert_eq!(latency.unfinished, 0);
            latency.mean.unwrap().mean
        };
        let (idle, light, heavy) = (latency(1000.0), latency(40.0), latency(20.0));
        // In an idle network a message takes its length, 10.2, times 2.13 channels.
        assert!((18.0..28.0).contains(&idle), "{idle}");
        assert!(idle < light && light < heavy, "{idle} {light} {heavy}");
    }

    #[test]
    fn an_overloaded_network_has_no_steady_state() {
        let network = topology::build("mesh:4x4").unwrap();
        let fifo = Policy::find("fifo").unwrap();
        // (routing, interval, whether there is a steady state)
        let claims = [
            ("e-cube", 5.0, false),
            ("e-cube", 100.0, true),
            ("pa", 10.0, false),
            ("pa", 100.0, true),
        ];
        for (name, interval, is_steady) in claims {
            let routing = RoutingMethod::find(name, &network).unwrap();
            let simulator = Simulator::new(network.clone(), Duplex::Half, routing);
            let arrivals = Arrivals { interval, duration: 5_000.0 };
            let steady = Steady { arrivals, uniform: Uniform::default(), warm_up: 500.0, seed: 1 };
            let found = latency(&steady, &simulator, SwitchingMethod::StoreAndForward, fifo);
            assert_eq!(found.unwrap().is_steady, is_steady, "{name} {interval}");
        }
    }

    fn on_a_ring(warm_up: f64) -> Result<Latency, TrafficError> {
        let network = topology::build("ring:5").unwrap();
        let routing = RoutingMethod::find("shortest", &network).unwrap();
        let simulator = Simulator::new(network, Duplex::Half, routing);
        let arrivals = Arrivals { interval: 20.0, duration: 1000.0 };
        let steady = Steady { arrivals, uniform: Uniform::default(), warm_up, seed: 1 };
        latency(&steady, &simulator, SwitchingMethod::Wormhole(1), Policy::find("lbf").unwrap())
    }

    #[test]
    fn messages_in_a_deadlock_are_counted_and_have_no_latency() {
        let all = on_a_ring(0.0).unwrap();
        assert!(all.unfinished > 100 && all.mean.unwrap().count > 0, "{all:?}");
        assert_eq!(all.unfinished_warm_up, 0);
        // The deadlock begins in the first half of the time, so no later message is delivered.
        let later = on_a_ring(500.0).unwrap();
        assert_eq!(later.mean, None);
        assert_eq!(later.unfinished + later.unfinished_warm_up, all.unfinished);
        assert!(later.unfinished > 0 && later.unfinished_warm_up > 0, "{later:?}");
    }

    #[test]
    fn a_time_in_which_no_message_arrives_is_refused() {
        let network = topology::build("path:3").unwrap();
        let routing = RoutingMethod::find("shortest", &network).unwrap();
        let simulator = Simulator::new(network, Duplex::Half, routing);
        let arrivals = Arrivals { interval: 20.0, duration: 100.0 };
        let steady = Steady { arrivals, uniform: Uniform::default(), warm_up: 99.99, seed: 1 };
        let found = latency(
            &steady,
            &simulator,
            SwitchingMethod::StoreAndForward,
            Policy::find("lbf").unwrap(),
        );
        assert!(matches!(found, Err(TrafficError::NothingMeasured { .. })), "{found:?}");
    }
}
