//! All-reduces: phases one by one, other roots, and what the search promises.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::collective::{self, Groups};
use pavane_model::timed::BufferSize;
use pavane_model::{Duplex, Fraction, Model, Problem};
use pavane_timed::{TimedAnswer, TimedRequest, solve};
use pavane_verify::judge_timed;
use std::sync::atomic::{AtomicU64, Ordering};

/// A network with a latency, and a size.
#[derive(Clone, Copy)]
struct Case(&'static str, Option<u64>, u64);

fn answer(case: Case, name: &str, request: &TimedRequest<'_>) -> TimedAnswer {
    let Case(network, latency, _) = case;
    let network = pavane_networks::topology::build(network).unwrap();
    let network = network.with_timing(None, latency.map(Fraction::from)).unwrap();
    let phases = collective::build(name, &network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::without_ports()).unwrap();
    let problems: Vec<Problem> = phases.into_iter().map(problem).collect();
    let found = solve(name, &problems, request).unwrap();
    let verdict = judge_timed(&found.schedule).unwrap();
    assert!(verdict.is_fine(), "{}: {:?}", network.name(), verdict.violations);
    assert_eq!(verdict.time_ns, found.time_ns);
    assert!(found.bound_ns <= found.time_ns);
    found
}

fn request(size: &BufferSize, rounds: u64) -> TimedRequest<'_> {
    TimedRequest {
        size,
        duplex: Duplex::Full,
        chunks: None,
        seed: 1,
        rounds: Some(rounds),
        threads: 2,
        known: &[],
        stop: &|| false,
    }
}

#[test]
fn small_sums_have_one_root_in_the_middle() {
    for (case, most) in
        [(Case("mesh:5", Some(1000), 1000), 5030), (Case("star:6", Some(1000), 20), 2022)]
    {
        let size = BufferSize::Bytes(case.2);
        let found = answer(case, "all-reduce", &request(&size, 0));
        let roots = found.schedule.phases[0].problem.messages().len();
        assert!(found.time_ns <= Fraction::from(most), "{}: {} ns", case.0, found.time_ns);
        assert_eq!(roots, 1, "{}", case.0);
    }
}

#[test]
fn an_all_reduce_is_no_slower_than_its_phases_one_after_the_other() {
    for case in [
        Case("hypercube:3", Some(500), 1_000_000),
        Case("dgx-1v", Some(700), 1_000_000),
        Case("ring:4", Some(100), 4000),
        Case("mesh:2x3", Some(100), 100),
    ] {
        let size = BufferSize::Bytes(case.2);
        let [whole, reduce, gather] = ["all-reduce", "reduce-scatter", "all-gather"]
            .map(|name| answer(case, name, &request(&size, 24)).time_ns);
        let sum = reduce.checked_add(gather).unwrap();
        assert!(whole <= sum, "{}: {whole} ns, one after the other {sum} ns", case.0);
    }
}

/// The search is stopped after more and more polls, as a longer time limit does.
#[test]
fn more_time_never_gives_a_slower_schedule() {
    let case = Case("ring:5", Some(300), 5000);
    let size = BufferSize::Bytes(case.2);
    let mut last: Option<Fraction> = None;
    for most in [0, 100, 1000, 10_000, 50_000] {
        let polls = AtomicU64::new(0);
        let stop = || polls.fetch_add(1, Ordering::Relaxed) >= most;
        let wanted = TimedRequest { rounds: None, threads: 1, stop: &stop, ..request(&size, 0) };
        let time = answer(case, "all-reduce", &wanted).time_ns;
        assert!(
            last.is_none_or(|last| time <= last),
            "{most} polls: {time} ns, before {last:?} ns"
        );
        last = Some(time);
    }
}

#[test]
fn more_chunks_never_give_a_slower_schedule() {
    let case = Case("ring:4", Some(10), 0);
    // A matrix without its diagonal.
    let size = BufferSize::Each(vec![5, 0, 7, 1, 0, 0, 0, 0, 100, 3, 3, 3]);
    let time = |chunks| {
        let wanted = TimedRequest { chunks: Some(chunks), ..request(&size, 0) };
        let found = answer(case, "all-to-all", &wanted);
        let of_message = |message: u32| {
            let chunks = &found.schedule.phases[0].chunks;
            chunks.iter().filter(|chunk| chunk.message.0 == message).count() as u64
        };
        assert!((0..12).all(|message| of_message(message) <= chunks), "{chunks} chunks");
        found.time_ns
    };
    let one = time(1);
    assert!((2..6).all(|chunks| time(chunks) <= one), "1 chunk: {one} ns");
}

#[test]
fn bounds_count_what_leaves_the_root_and_what_links_share() {
    for (network, latency, name, duplex, bound) in [
        ("ring:4", 500, "scatter", Duplex::Full, 2000),
        ("complete:4", 500, "scatter", Duplex::Full, 1500),
        ("ring:4", 500, "gather", Duplex::Full, 2000),
        ("ring:4", 50, "all-gather", Duplex::Half, 3050),
        ("ring:4", 50, "reduce-scatter", Duplex::Half, 3050),
    ] {
        let size = BufferSize::Bytes(4000);
        let wanted = TimedRequest { duplex, ..request(&size, 24) };
        let found = answer(Case(network, Some(latency), 4000), name, &wanted);
        assert_eq!(found.bound_ns, Fraction::from(bound), "{network} {name}");
    }
}
