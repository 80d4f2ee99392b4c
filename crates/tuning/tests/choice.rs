//! Ranges cover all sizes, tuned times are never below the bound, and an interrupt keeps what is done.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_interop::timed::NotInSteps;
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Fraction, Model, Network, Problem};
use pavane_tuning::{Tuning, TuningRequest, TuningTimes, ranges, tune};

fn tuned(network: &str, name: &str, sizes: &[u64], is_stopped: bool) -> Tuning {
    let network = pavane_networks::topology::build(network).unwrap();
    let network = network.with_timing(None, Some(Fraction::from(1000))).unwrap();
    tuned_on(&network, name, sizes, is_stopped)
}

fn tuned_on(network: &Network, name: &str, sizes: &[u64], is_stopped: bool) -> Tuning {
    tuned_with(network, name, sizes, Duplex::Full, is_stopped)
}

fn tuned_with(
    network: &Network,
    name: &str,
    sizes: &[u64],
    duplex: Duplex,
    is_stopped: bool,
) -> Tuning {
    let phases = collective::build(name, network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::default()).unwrap();
    let problems: Vec<Problem> = phases.into_iter().map(problem).collect();
    tune(&TuningRequest {
        collective: name,
        problems: &problems,
        sizes,
        duplex,
        seed: 1,
        rounds: Some(1),
        threads: 1,
        times: &TuningTimes::unlimited(),
        is_stopped: &|| is_stopped,
        is_exportable: &|_| true,
        progress: &|_| {},
    })
    .unwrap()
}

#[test]
fn every_size_has_a_schedule_and_ranges_have_no_gaps() {
    for (network, name) in
        [("ring:4", "all-gather"), ("ring:4", "all-reduce"), ("dgx-a100:1", "all-to-all")]
    {
        let sizes = [40, 200, 400];
        let found = tuned(network, name, &sizes, false);
        assert_eq!(found.sizes.len(), 3, "{network} {name}");
        for size in &found.sizes {
            let (schedule, time) = size.best.unwrap();
            assert!(time >= size.bound_ns && schedule < found.schedules.len(), "{network} {name}");
        }
        let ranges = ranges(&found);
        assert_eq!(ranges[0].least, 0);
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].most + 1, pair[1].least);
        }
    }
}

/// The blocks of 7 bytes have 1 or 2 bytes. A limit that is proved there must not be applied as if all had 1.
#[test]
fn bounds_are_not_raised_above_schedules() {
    let network = pavane_networks::topology::build("ring:4").unwrap();
    let network = network.with_timing(None, None).unwrap();
    let found = tuned_on(&network, "all-reduce", &[7, 1_000_000], false);
    for size in &found.sizes {
        assert!(size.bound_ns <= size.timed.time_ns(), "{} bytes", size.bytes);
    }
}

#[test]
fn small_messages_take_few_steps_and_large_ones_many_chunks() {
    let found = tuned("ring:4", "all-gather", &[100, 100_000_000], false);
    let chunks = |at: usize| {
        let (schedule, _) = found.sizes[at].best.unwrap();
        found.schedules[schedule].1[0].problem().collective().chunk_count()
    };
    assert!(chunks(0) < chunks(1) || chunks(1) > 1, "{} {}", chunks(0), chunks(1));
}

#[test]
fn an_interrupt_keeps_the_sizes_that_are_done() {
    let found = tuned("ring:4", "all-gather", &[1000, 2000, 4000], true);
    assert!(found.is_stopped && found.sizes.len() == 1);
    assert!(found.sizes[0].best.is_some());
    // Nothing is said about larger sizes.
    let ranges = ranges(&found);
    assert_eq!((ranges.len(), ranges[0].least, ranges[0].most), (1, 0, 1000));
}

/// A timed schedule does not say which processor of a router sends, and the tuning says so.
#[test]
fn a_tuning_without_plans_has_a_reason() {
    let found = tuned("ring:3@2", "all-gather", &[600], false);
    assert!(found.schedules.is_empty() && ranges(&found).is_empty());
    let is_reason = |(_, why): &(String, NotInSteps)| matches!(why, NotInSteps::Processors { .. });
    assert!(!found.refused.is_empty() && found.refused.iter().all(is_reason));
}

#[test]
fn half_duplex_is_never_quicker() {
    let network = pavane_networks::topology::build("ring:4").unwrap();
    let network = network.with_timing(None, Some(Fraction::from(1000))).unwrap();
    let times: Vec<Fraction> = [Duplex::Full, Duplex::Half]
        .map(|duplex| {
            let found = tuned_with(&network, "all-gather", &[40_000], duplex, false);
            found.sizes[0].best.unwrap().1
        })
        .to_vec();
    assert!(times[0] < times[1], "{times:?}");
}
