//! Steady state: messages keep arriving, and the mean time from arrival to delivery is measured after a
//! warm-up. Its confidence is that of the means of twenty parts of the time, since messages near each
//! other wait for the same things.

use crate::error::TrafficError;
use crate::mission::{Arrivals, Uniform};
use crate::policy::Policy;
use crate::simulator::{Memory, Simulator};
use crate::statistics::Estimate;
use crate::switching::Switching;
use crate::ticks;

/// How a steady state is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// How messages arrive.
    pub arrivals: Arrivals,
    /// How long they are; nothing else of it counts.
    pub uniform: Uniform,
    /// Messages that arrive earlier, in units, do not count.
    pub warm_up: f64,
    /// Where chance starts.
    pub seed: u64,
}

/// Parts of the time whose means are taken for independent.
const PARTS: u64 = 20;

/// The mean latency of the messages that arrive after the warm-up.
pub fn latency(
    steady: &Steady,
    simulator: &Simulator,
    switching: Switching,
    policy: Policy,
) -> Result<Estimate, TrafficError> {
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
    let counted = sums.iter().filter(|(_, count)| *count > 0);
    let means = counted.clone().map(|&(sum, count)| (sum / u128::from(count)) as u64);
    let (total, count) = counted.fold((0, 0), |all, part| (all.0 + part.0, all.1 + part.1));
    let parts = Estimate::of(means);
    let mean = total as f64 / count.max(1) as f64 / ticks::PER_UNIT;
    Ok(Estimate { mean, half_width: parts.half_width, count: count as usize })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Routing;
    use pavane_model::{Duplex, topology};

    #[test]
    fn a_busier_network_is_slower() {
        let network = topology::build("hypercube:4").unwrap();
        let routing = Routing::find("e-cube", &network).unwrap();
        let simulator = Simulator::new(network, Duplex::Half, routing);
        let latency = |interval| {
            let steady = Steady {
                arrivals: Arrivals { interval, duration: 20_000.0 },
                uniform: Uniform::default(),
                warm_up: 500.0,
                seed: 1,
            };
            let policy = Policy::find("lbf").unwrap();
            latency(&steady, &simulator, Switching::Message, policy).unwrap().mean
        };
        let (idle, light, heavy) = (latency(1000.0), latency(40.0), latency(20.0));
        // Alone, a message takes its length, 10.2, times 2.13 channels.
        assert!((18.0..28.0).contains(&idle), "{idle}");
        assert!(idle < light && light < heavy, "{idle} {light} {heavy}");
    }
}
