//! The algorithms take the times of their textbook formulas, and all are valid on all networks.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_baselines::{Simulated, all, from_steps, simulate};
use pavane_model::collective::{self, Groups};
use pavane_model::timed::{BufferSize, StepsError};
use pavane_model::{
    ChannelId, Duplex, Fraction, MessageId, Model, Problem, ProcessorId, Schedule, Transfer,
};
use pavane_verify::verify;

/// The phases of a collective, with 100 ns unless the network has latencies.
fn phases(network: &str, name: &str) -> Vec<Problem> {
    let network = pavane_networks::topology::build(network).unwrap();
    let is_slow = network.latencies().is_ok_and(|all| all.iter().any(|it| !it.is_zero()));
    let latency = (!is_slow).then_some(Fraction::from(100));
    let network = network.with_timing(None, latency).unwrap();
    let phases = collective::build(name, &network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::default()).unwrap();
    phases.into_iter().map(problem).collect()
}

fn simulated(network: &str, name: &str, bytes: u64, is_short: bool) -> Vec<Simulated> {
    all(name, &phases(network, name), &BufferSize::Bytes(bytes), Duplex::Full, None, &|| is_short)
        .unwrap()
}

fn time(all: &[Simulated], name: &str) -> f64 {
    all.iter().find(|it| it.name == name).unwrap().time_ns().to_f64()
}

#[test]
fn textbook_formulas() {
    let (a, n) = (100.0, 8.0);
    let ring = simulated("ring:8", "all-gather", 8000, false);
    // Two rings of 500 bytes per rank; more slices save nothing but latency.
    let rounds = (n - 1.0) * (500.0 + a);
    assert!(time(&ring, "ring") <= rounds && time(&ring, "ring") >= (n - 1.0) * 500.0);
    let cube = simulated("hypercube:3", "all-gather", 8000, false);
    // Steps of 1000, 2000 and 4000 bytes; slices may overlap latencies.
    assert!(time(&cube, "recursive doubling") <= 7000.0 + 3.0 * a);
    let complete = simulated("complete:8", "all-to-all", 8000, false);
    assert_eq!(time(&complete, "direct").round(), 1100.0);
}

#[test]
fn every_algorithm_is_valid_on_every_network() {
    let mut names = std::collections::BTreeSet::new();
    for network in ["ring:5", "dgx-1v", "dgx-a100:2", "ndv2:2", "mesh:3x3", "star:5"] {
        for name in [
            "all-gather",
            "reduce-scatter",
            "all-reduce",
            "broadcast",
            "reduce",
            "all-to-all",
            "scatter",
            "gather",
        ] {
            for bytes in [5, 1_000_000] {
                // Errors would be rejections by the judge.
                let found = simulated(network, name, bytes, true);
                assert!(!found.is_empty(), "{network} {name}");
                names.extend(found.into_iter().map(|it| it.name));
            }
        }
    }
    assert_eq!(names.len(), 5, "{names:?}");
}

#[test]
fn schedules_with_steps_get_times() {
    let phases = phases("path:3", "broadcast");
    let transfer = |to: u32, path: &'static [ChannelId]| {
        let (message, from) = (MessageId(0), ProcessorId(to - 1));
        Transfer { message, from, to: ProcessorId(to), path }
    };
    let steps = [(0, transfer(1, &[ChannelId(0)])), (1, transfer(2, &[ChannelId(2)]))];
    let checked = verify(phases[0].clone(), Schedule::from_transfers(2, &steps)).unwrap();
    let size = BufferSize::Bytes(1000);
    let timed = from_steps("broadcast", &phases, &[&checked], &size).unwrap();
    let simulated = simulate("file", 1, timed).unwrap();
    assert_eq!(simulated.time_ns(), Fraction::from(2200));
    let other = self::phases("path:3", "scatter");
    let wrong = from_steps("scatter", &other, &[&checked], &size);
    assert_eq!(wrong, Err(StepsError::Collective));
    let other = self::phases("ring:3", "broadcast");
    let wrong = from_steps("broadcast", &other, &[&checked], &size);
    assert_eq!(wrong, Err(StepsError::Network));
}
