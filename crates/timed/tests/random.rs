//! Schedules on random networks: the judge accepts every one, with its bound, and the same seed gives
//! the same schedule.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::collective::{self, Groups};
use pavane_model::network::Timing;
use pavane_model::timed::BufferSize;
use pavane_model::{ChannelId, Duplex, Fault, Model, Network, NetworkBuilder, Problem};
use pavane_timed::{TimedAnswer, TimedRepairRequest, TimedRequest, repair, solve};
use pavane_verify::judge_timed;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const COLLECTIVES: [&str; 8] = [
    "broadcast",
    "all-gather",
    "scatter",
    "gather",
    "all-to-all",
    "reduce",
    "reduce-scatter",
    "all-reduce",
];

/// A strongly connected network with random bandwidths, latencies, switches and channels.
fn network(rng: &mut Xoshiro256PlusPlus) -> Network {
    let routers = rng.random_range(2..7u32);
    let mut builder = NetworkBuilder::new("random", routers);
    let timing = |rng: &mut Xoshiro256PlusPlus| Timing {
        bandwidth_gbytes: Some([1.0, 2.0, 12.5, 25.0, 0.3][rng.random_range(0..5)]),
        latency_ns: Some([0.0, 1.0, 700.0, 0.5][rng.random_range(0..4)]),
    };
    for router in 1..routers {
        builder.link(rng.random_range(0..router), router).timing(timing(rng));
    }
    for _ in 0..rng.random_range(0..4) {
        let (tail, head) = (rng.random_range(0..routers), rng.random_range(0..routers));
        if tail != head {
            builder.channel(tail, head).timing(timing(rng));
        }
    }
    builder.processor(Some(0)).processor(Some(routers - 1));
    for router in 1..routers - 1 {
        if rng.random_range(0..4) > 0 {
            builder.processor(Some(router));
        } else if rng.random() {
            builder.multicast(vec![router]);
        }
    }
    builder.build().unwrap()
}

fn answer(network: &Network, name: &str, request: &TimedRequest<'_>) -> TimedAnswer {
    let phases = collective::build(name, network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::without_ports()).unwrap();
    let problems: Vec<Problem> = phases.into_iter().map(problem).collect();
    solve(name, &problems, request).unwrap()
}

#[test]
fn every_schedule_passes_the_judge() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for case in 0..400 {
        let network = network(&mut rng);
        let name = COLLECTIVES[case % COLLECTIVES.len()];
        let bytes = [10, 31, 100, 1000, 123_457][rng.random_range(0..5)];
        let request = TimedRequest {
            size: &BufferSize::Bytes(bytes),
            duplex: if rng.random() { Duplex::Half } else { Duplex::Full },
            chunks: [None, Some(1), Some(3)][rng.random_range(0..3)],
            seed: case as u64,
            rounds: Some(12),
            threads: 3,
            known: &[],
            stop: &|| false,
        };
        let found = answer(&network, name, &request);
        let verdict = judge_timed(&found.schedule).unwrap();
        assert_eq!(verdict.violations, [], "case {case}: {name}, {bytes} bytes");
        assert_eq!(verdict.bound_error, None, "case {case}: {name}, {bytes} bytes");
        assert_eq!(verdict.time_ns, found.time_ns);
        assert!(found.bound_ns <= found.time_ns, "case {case}");
        let alone = TimedRequest { threads: 1, ..request };
        assert_eq!(answer(&network, name, &alone), found, "case {case}: another schedule");
        if let Some(count) = request.chunks {
            let chunks = found.schedule.phases[0].chunks.len() as u64;
            let messages = found.schedule.phases[0].problem.messages().len() as u64;
            assert!(chunks <= count * messages, "case {case}: {chunks} chunks");
        }
    }
}

#[test]
fn every_repair_passes_the_judge() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut repaired = 0;
    for case in 0..160 {
        let network = network(&mut rng);
        let name = COLLECTIVES[case % COLLECTIVES.len()];
        let request = TimedRequest {
            size: &BufferSize::Bytes(1000),
            duplex: if rng.random() { Duplex::Half } else { Duplex::Full },
            chunks: [None, Some(2)][case % 2],
            seed: 1,
            rounds: Some(4),
            threads: 1,
            known: &[],
            stop: &|| false,
        };
        let before = answer(&network, name, &request);
        let ends = network.channel(ChannelId(rng.random_range(0..network.channel_count() as u32)));
        let text = match rng.random_range(0..3) {
            0 => format!("r{}", ends.tail.0),
            _ => format!("r{}-r{}", ends.tail.0, ends.head.0),
        };
        let Ok(fault) = Fault::parse(&network, &text) else { continue };
        let wanted = TimedRepairRequest {
            keep: None,
            seed: 1,
            rounds: Some(4),
            threads: 1,
            stop: &|| false,
        };
        let Ok(found) = repair(&before.schedule, &[fault], &wanted) else { continue };
        repaired += 1;
        if let Some(other) = &found.other {
            let (one, two) = (&found.chosen, other);
            let is_dominated = two.answer.time_ns <= one.answer.time_ns
                && two.changes.kept >= one.changes.kept
                && (two.answer.time_ns, two.changes.kept) != (one.answer.time_ns, one.changes.kept);
            assert!(!is_dominated, "case {case}: {name}, {text} lost: the other one is better");
        }
        for mended in [Some(&found.chosen), found.other.as_ref()].into_iter().flatten() {
            let verdict = judge_timed(&mended.answer.schedule).unwrap();
            assert_eq!(verdict.violations, [], "case {case}: {name}, {text} lost");
            assert_eq!(verdict.bound_error, None, "case {case}: {name}, {text} lost");
            assert_eq!(verdict.time_ns, mended.answer.time_ns, "case {case}");
            let sends: usize =
                mended.answer.schedule.phases.iter().map(|phase| phase.sends.len()).sum();
            assert_eq!(mended.changes.kept + mended.changes.new, sends, "case {case}");
        }
    }
    assert!(repaired > 40, "only {repaired} problems have a schedule after the fault");
}

/// GPUs without a network card spread what others receive: without them, this takes 10.9 µs.
#[test]
fn helpers_spread_what_enters_a_box() {
    let network = pavane_networks::topology::build("dgx2:2").unwrap();
    let request = TimedRequest {
        size: &BufferSize::Bytes(1_000_000),
        duplex: Duplex::Full,
        chunks: Some(12),
        seed: 1,
        rounds: Some(4),
        threads: 2,
        known: &[],
        stop: &|| false,
    };
    let found = answer(&network, "all-gather", &request);
    assert!(judge_timed(&found.schedule).unwrap().is_fine());
    assert!(found.time_ns.to_f64() < 9400.0, "{} ns", found.time_ns);
}

#[test]
fn machines_come_close_to_their_bounds() {
    for (name, bytes, most_percent) in
        [("ndv2:2", 1_000_000, 0.5), ("ndv2:2", 1_000_000_000, 0.5), ("dgx-1v", 1_000_000_000, 0.5)]
    {
        let network = pavane_networks::topology::build(name).unwrap();
        let request = TimedRequest {
            size: &BufferSize::Bytes(bytes),
            duplex: Duplex::Full,
            chunks: None,
            seed: 1,
            rounds: Some(0),
            threads: 1,
            known: &[],
            stop: &|| false,
        };
        let found = answer(&network, "all-gather", &request);
        let verdict = judge_timed(&found.schedule).unwrap();
        assert!(verdict.is_fine());
        let gap = 100.0 * (found.time_ns.to_f64() / found.bound_ns.to_f64() - 1.0);
        assert!(gap < most_percent, "{name}, {bytes} bytes: {gap} % above the bound");
    }
}

/// A directed ring with one slow channel: a single root takes one round trip, and equal shares of all
/// roots take longer.
#[test]
fn the_bound_of_an_all_reduce_holds_for_any_roots() {
    let mut builder = NetworkBuilder::new("ring", 4);
    for (router, speed) in [(0, 0.1), (1, 1.0), (2, 1.0), (3, 1.0)] {
        let timing = Timing { bandwidth_gbytes: Some(speed), latency_ns: Some(0.0) };
        builder.channel(router, (router + 1) % 4).timing(timing);
    }
    builder.processor_on_each_router();
    let network = builder.build().unwrap();
    let request = TimedRequest {
        size: &BufferSize::Bytes(4000),
        duplex: Duplex::Full,
        chunks: None,
        seed: 1,
        rounds: Some(1),
        threads: 1,
        known: &[],
        stop: &|| false,
    };
    let answer = answer(&network, "all-reduce", &request);
    let verdict = judge_timed(&answer.schedule).unwrap();
    // All 4000 bytes cross the slow channel at least once.
    assert_eq!(verdict.proved_ns.map(|bound| bound.to_f64()), Some(40_000.0));
}
