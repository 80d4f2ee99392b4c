//! Known points: those of the DGX-1 in the paper of SCCL, and small networks by hand.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::collective::{self, Groups};
use pavane_model::{Fraction, Problem};
use pavane_pareto::{
    Fewer, Front, FrontError, FrontRequest, check_routers, find, in_rounds, rules,
};
use pavane_search::Interrupt;

fn front(
    network: &str,
    name: &str,
    max_chunks: u32,
    limit: Option<Fraction>,
    interrupt: Interrupt,
) -> Front {
    let network = pavane_networks::topology::build(network).unwrap();
    let phases = collective::build(name, &network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, rules()).unwrap();
    let problems: Vec<Problem> = phases.into_iter().map(problem).collect();
    let request = FrontRequest {
        max_chunks,
        max_steps: None,
        limits: &vec![limit; problems.len()],
        seed: 1,
        evaluations: 500_000_000,
        max_deliveries: 1_000_000,
        interrupt,
        progress: &|_, _, _| {},
    };
    find(&problems, &request).unwrap()
}

/// Chunks per message, steps and rounds of all points.
fn points(front: &Front) -> Vec<(u32, u32, u32)> {
    front.points.iter().map(|it| (it.chunks, it.steps(), it.round_count())).collect()
}

#[test]
fn all_gather_of_the_dgx_1() {
    let front = front("dgx-1v", "all-gather", 4, Fraction::new(7, 6), Interrupt::never());
    assert_eq!(
        points(&front),
        [
            (1, 2, 2),
            (2, 2, 3),
            (2, 3, 3),
            (3, 2, 5),
            (3, 3, 4),
            (3, 4, 4),
            (4, 2, 6),
            (4, 3, 5),
            (4, 4, 5),
            (4, 5, 5),
        ]
    );
    // (3, 2, 4) and (4, 2, 5) are refuted by proofs.
    for point in front.points.iter().filter(|it| it.chunks >= 3 && it.steps() == 2) {
        assert!(matches!(&point.fewer, Fewer::Proof(lrat) if !lrat.is_empty()));
    }
    assert!(front.points.iter().all(|point| point.fewer != Fewer::Open));
    let best = front.points.iter().filter(|point| point.is_on_front);
    assert_eq!(best.map(|it| (it.chunks, it.steps())).collect::<Vec<_>>(), [(2, 2), (4, 3)]);
}

#[test]
fn all_to_all_of_the_dgx_1() {
    let front = front("dgx-1v", "all-to-all", 3, Fraction::new(8, 3), Interrupt::never());
    let points = points(&front);
    for point in [(1, 2, 3), (1, 3, 3), (3, 3, 8)] {
        assert!(points.contains(&point), "{point:?}");
    }
}

#[test]
fn phases_run_one_after_the_other() {
    let front = front("ring:4", "all-reduce", 2, Fraction::new(3, 2), Interrupt::never());
    // Two steps each; three messages over two links take two rounds.
    assert_eq!(points(&front)[0], (1, 4, 4));
    assert!(front.points.iter().all(|it| it.phases.len() == 2 && it.fewer == Fewer::Phases));
}

#[test]
fn every_kind_of_collective_has_points() {
    for name in ["broadcast", "scatter", "gather", "reduce", "reduce-scatter", "shift:1"] {
        let front = front("ring:5", name, 3, None, Interrupt::never());
        assert!(!front.points.is_empty() && !front.is_stopped, "{name}");
        for chunks in 1..=3 {
            assert!(front.points.iter().any(|point| point.chunks == chunks), "{name}");
        }
    }
}

#[test]
fn an_interrupted_search_has_points() {
    let front = front("dgx-1v", "all-gather", 6, Fraction::new(7, 6), Interrupt::after_polls(0));
    assert!(front.is_stopped);
    assert_eq!(front.points[0].chunks, 1);
}

#[test]
fn faster_channels_count_several_times() {
    let network = pavane_networks::topology::build("ndv2:2").unwrap();
    let phases = collective::build("all-gather", &network, &Groups::default()).unwrap();
    let problem = Problem::new(network, phases[0].clone(), rules()).unwrap();
    // In every box 8 double links count 4 times and 8 single ones twice, in both directions.
    let counted = in_rounds(&problem, None).unwrap();
    assert_eq!(counted.network().channel_count(), 2 * (2 * (8 * 4 + 8 * 2) + 1));
    assert!(counted.network().channels().iter().all(|ends| ends.tail != ends.head));
    let unit = Fraction::from(25);
    assert!(matches!(in_rounds(&problem, Some(unit)), Err(FrontError::TooSlow { .. })));
    let tiny = Fraction::new(1, 1_000_000);
    assert!(matches!(in_rounds(&problem, tiny), Err(FrontError::TooFine { .. })));
    let plain = in_rounds(&counted, None).unwrap();
    assert!(plain.network().is_same_as(counted.network()), "all count once now");
}

#[test]
fn networks_with_switches_are_refused() {
    let network = pavane_networks::topology::build("dgx-a100:1").unwrap();
    assert!(matches!(check_routers(&network), Err(FrontError::Switch(_))));
}
