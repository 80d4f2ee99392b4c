//! Broadcasts and reductions as whole collectives: switches that do not copy may get less than they
//! could send, so that cuts alone prove too little.

use crate::all_reduce::{Style, judged, random_network};
use pavane_model::collective::{self, Groups};
use pavane_model::network::Timing;
use pavane_model::{Model, Network, NetworkBuilder, Problem};
use pavane_throughput::answer::{self, Answer, Reason, Request, answer};

fn problem(network: &Network, name: &str) -> Option<Problem> {
    let phase = collective::build(name, network, &Groups::default()).ok()?.remove(0);
    Problem::new(network.clone(), phase, Model::without_ports()).ok()
}

/// The answer and the limit alone, which must agree.
fn solved(name: &str, problem: &Problem) -> Option<Answer> {
    let request = Request { trees: None, sizes: &[], generators: &[], stop: &|| false };
    let found = answer(name, std::slice::from_ref(problem), &request).ok()?;
    assert_eq!(answer::limit(problem, &|| false), Ok(found.limit), "{name}");
    Some(found)
}

/// A switch with four processors, 10 GB/s to the switch and 40 GB/s from it.
fn star() -> Network {
    let mut builder = NetworkBuilder::new("star", 5);
    for processor in 1..5 {
        let speed = |speed| Timing { bandwidth_gbytes: Some(speed), latency_ns: None };
        builder.channel(processor, 0).timing(speed(10.0)).channel(0, processor).timing(speed(40.0));
        builder.processor(Some(processor));
    }
    builder.build().expect("the network is valid")
}

#[test]
fn a_switch_sends_no_more_than_it_gets() {
    for name in ["all-gather", "reduce-scatter"] {
        let problem = problem(&star(), name).expect("the problem is valid");
        let found = solved(name, &problem).expect("a plan");
        assert!(judged(name, &found).is_optimal(), "{name}");
        // Each of the four sends its message three times through the switch, with 10 GB/s, or gets
        // three sums.
        assert_eq!(found.limit.to_string(), "3/10", "{name}");
    }
}

#[test]
fn random_networks_have_optimal_plans() {
    let mut weighted = 0;
    for style in [Style::Symmetric, Style::TwoSpeeds, Style::Directed] {
        let mut cases = 0;
        for seed in 0..800 {
            let network = random_network(seed, style, false);
            let name = ["all-gather", "reduce-scatter", "broadcast", "reduce"][seed as usize % 4];
            let Some(problem) = problem(&network, name) else { continue };
            let Some(found) = solved(name, &problem) else { continue };
            let name = format!("{style:?} {seed} {name}");
            judged(&name, &found);
            assert!(found.is_optimal(), "{name}: {} above {}", found.time, found.limit);
            cases += 1;
            weighted += u32::from(matches!(found.reason, Some(Reason::Cuts(_))));
        }
        assert!(cases >= 20, "{style:?}: {cases} cases");
    }
    assert!(weighted >= 3, "{weighted} with weighted cuts");
}
