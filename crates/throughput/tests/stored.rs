//! The limit of a plan from a file has the same reason, in the same words, as the limit that was computed.

use crate::all_reduce::{Style, judged, random_network};
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Network, Problem};
use pavane_networks::topology;
use pavane_throughput::answer::{Answer, Request, answer};
use pavane_throughput::explanation::{explanation, status};
use pavane_throughput::sizes::Sizes;

/// Compares an answer with that of its own plan.
fn compare(name: &str, network: &Network, sizes: Option<&[Vec<u64>]>) -> Option<()> {
    let phases = collective::build(name, network, &Groups::default()).ok()?;
    let problem = |phase| Problem::new(network.clone(), phase, Model::without_ports()).ok();
    let problems: Vec<Problem> = phases.into_iter().map(problem).collect::<Option<_>>()?;
    let sizes = sizes.map(|rows| Sizes::of_matrix(&problems, rows).expect("a matrix"));
    let sizes = sizes.map_or(Vec::new(), |sizes| sizes.relative);
    let request = Request { trees: None, sizes: &sizes, generators: &[], stop: &|| false };
    let found = answer(name, &problems, &request).ok()?;
    let verdict = judged(name, &found);
    let stored = Answer::of_plan(found.plan.clone(), verdict.time, verdict.proved).ok()?;
    let context = format!("{name} on {}", network.name());
    assert_eq!((stored.limit, stored.time), (found.limit, found.time), "{context}");
    assert_eq!(stored.is_optimal(), found.is_optimal(), "{context}");
    assert_eq!(stored.has_paths(), found.has_paths(), "{context}");
    assert_eq!(
        explanation(&problems, &stored, None),
        explanation(&problems, &found, None),
        "{context}"
    );
    assert_eq!(status(&stored, None), status(&found, None), "{context}");
    Some(())
}

const COLLECTIVES: &[&str] =
    &["all-gather", "broadcast", "reduce-scatter", "reduce", "all-reduce", "all-to-all", "gather"];

#[test]
fn machines_keep_their_reasons() {
    for network in ["dgx-1v", "dgx-a100:1", "ring:5", "hypercube:3", "path:2"] {
        let network = topology::build(network).unwrap();
        for name in COLLECTIVES {
            assert_eq!(compare(name, &network, None), Some(()), "{name} on {}", network.name());
        }
    }
    let sizes = [vec![0, 4096, 0], vec![0, 7, 8192], vec![0, 1024, 0]];
    assert_eq!(compare("all-to-all", &topology::build("path:3").unwrap(), Some(&sizes)), Some(()));
}

#[test]
fn random_networks_keep_their_reasons() {
    let mut compared = 0;
    for seed in 0..40 {
        for style in [Style::Symmetric, Style::TwoSpeeds, Style::Directed] {
            let network = random_network(seed, style, false);
            let done = COLLECTIVES.iter().filter_map(|name| compare(name, &network, None));
            compared += done.count();
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn a_plan_without_a_limit_has_no_reason() {
    let network = topology::build("ring:4").unwrap();
    let phase = collective::build("all-gather", &network, &Groups::default()).unwrap().remove(0);
    let problem = Problem::new(network, phase, Model::without_ports()).unwrap();
    let request = Request { trees: None, sizes: &[], generators: &[], stop: &|| false };
    let mut plan = answer("all-gather", &[problem], &request).unwrap().plan;
    plan.limit = None;
    let time = plan.ns_per_byte.unwrap();
    let stored = Answer::of_plan(plan, time, None).unwrap();
    assert!(stored.reason.is_none() && stored.limit.is_zero() && !stored.is_optimal());
}
