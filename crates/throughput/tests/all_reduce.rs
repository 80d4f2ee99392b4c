//! All-reduce: random networks and published machines. The judge derives the limit from the
//! certificate, so a plan that takes exactly this time is optimal.

use pavane_model::collective::{self, Groups};
use pavane_model::network::Timing;
use pavane_model::{Model, Network, NetworkBuilder, Problem};
use pavane_networks::import;
use pavane_throughput::answer::{Answer, Reason, Request, answer};
use pavane_throughput::reached::ThroughputError;
use pavane_verify::{ThroughputVerdict, judge_plan_within};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The phases of an all-reduce. None if some processor cannot be reached.
fn all_reduce(
    problems: &[Problem],
    trees: Option<u32>,
    stop: bool,
) -> Result<Answer, ThroughputError> {
    let request = Request { trees, sizes: &[], generators: &[], stop: &|| stop };
    answer("all-reduce", problems, &request)
}

fn problems(network: &Network, senders: Option<&str>) -> Option<Vec<Problem>> {
    let groups = Groups { senders: senders.map(str::to_owned), ..Groups::default() };
    let phases = collective::build("all-reduce", network, &groups).ok()?;
    let problem = |phase| Problem::new(network.clone(), phase, Model::without_ports()).ok();
    phases.into_iter().map(problem).collect()
}

/// The verdict, which must not contradict the answer.
pub(crate) fn judged(name: &str, found: &Answer) -> ThroughputVerdict {
    let verdict = judge_plan_within(&found.plan, Some(u64::MAX)).expect("the plan is judged");
    assert_eq!(verdict.violations, [], "{name}");
    assert_eq!(verdict.limit_error, None, "{name}");
    assert_eq!(verdict.time, found.time, "{name}");
    if found.reason.is_some() {
        assert_eq!(verdict.proved, Some(found.limit), "{name}");
    }
    verdict
}

/// What is special about a random network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Links that are equally fast in both directions.
    Symmetric,
    /// Links with two speeds.
    TwoSpeeds,
    /// Channels without opposite ones.
    Directed,
}

/// A network of 3 to 6 routers. Some have no processor, some two; `copies` switches may copy.
pub(crate) fn random_network(seed: u64, style: Style, copies: bool) -> Network {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
    let routers: u32 = random.random_range(3..=6);
    let speeds = [&[1.0][..], &[1.0, 2.0, 3.0], &[12.5, 25.0, 300.0, 7.25]];
    let speeds = speeds[random.random_range(0..3)];
    let mut builder = NetworkBuilder::new("random", routers);
    let mut ends: Vec<(u32, u32)> = (1..routers).map(|b| (random.random_range(0..b), b)).collect();
    for _ in 0..random.random_range(0..=routers + 2) {
        let (a, b) = (random.random_range(0..routers), random.random_range(0..routers));
        ends.extend((a != b).then_some((a, b)));
    }
    for (a, b) in ends {
        let [timing, other] = [(); 2].map(|()| {
            let bandwidth_gbytes = Some(speeds[random.random_range(0..speeds.len())]);
            Timing { bandwidth_gbytes, latency_ns: None }
        });
        let (tail, head) = if random.random_bool(0.5) { (a, b) } else { (b, a) };
        match style {
            Style::Symmetric => _ = builder.link(a, b).timing(timing),
            Style::TwoSpeeds => {
                builder.channel(a, b).timing(timing).channel(b, a).timing(other);
            }
            Style::Directed => _ = builder.channel(tail, head).timing(timing),
        }
    }
    let mut switches = Vec::new();
    for router in 0..routers {
        let processors = [0, 1, 1, 1, 2][random.random_range(0..5)].max(u32::from(router == 0));
        (0..processors).for_each(|_| _ = builder.processor(Some(router)));
        switches.extend((processors == 0).then_some(router));
    }
    if copies {
        builder.multicast(switches);
    }
    builder.build().expect("the network is valid")
}

#[test]
fn random_networks_have_optimal_plans() {
    for style in [Style::Symmetric, Style::TwoSpeeds, Style::Directed] {
        let (mut cases, mut divided) = (0, 0);
        for seed in 0.. {
            let network = random_network(seed, style, false);
            let Some(problems) = problems(&network, None) else { continue };
            let Ok(found) = all_reduce(&problems, None, false) else { continue };
            let name = format!("{style:?} {seed}");
            let verdict = judged(&name, &found);
            assert!(found.is_optimal(), "{name}: {} above {}", found.time, found.limit);
            assert_eq!(verdict.is_optimal(), found.reason.is_some(), "{name}");
            divided += u32::from(matches!(found.reason, Some(Reason::Cuts(_))));
            cases += 1;
            if cases == 200 {
                break;
            }
        }
        assert!(divided >= 10, "{style:?}: {divided} with weighted cuts");
    }
}

/// Switches that copy, and processors that only relay: the plan may miss the limit, because packing
/// trees that need not visit all routers is hard.
#[test]
fn plans_with_relays_are_valid() {
    let (mut cases, mut optimal) = (0, 0);
    for seed in 0..150 {
        let network = random_network(seed, Style::Symmetric, seed % 2 == 0);
        let group = if seed % 2 == 0 { None } else { Some("0-1") };
        let Some(problems) = problems(&network, group) else { continue };
        let Ok(found) = all_reduce(&problems, None, false) else { continue };
        judged(&format!("{seed}"), &found);
        cases += 1;
        optimal += u32::from(found.is_optimal());
    }
    assert!(cases >= 100 && 10 * optimal >= 9 * cases, "{optimal} of {cases}");
}

/// Machines with the limit of their all-reduce in nanoseconds per byte of a shard.
const MACHINES: &[(&str, &str)] = &[
    ("ring:3", "2"),
    ("ring:4", "3"),
    ("mesh:4x4", "10"),
    ("dgx-1v", "7/75"),
    ("dgx-a100:1", "7/150"),
    ("dgx-a100:2", "6/65"),
    ("dgx-h100:2", "3/50"),
    ("mi250:1", "7/75"),
    ("mi250:2", "15/83"),
    ("ndv2:2", "32/25"),
    ("ndv2:4", "96/25"),
    ("dgx2:2", "248/525"),
];

#[test]
fn published_machines_have_optimal_plans() {
    for (name, limit) in MACHINES {
        let network = import::load(name).expect("the network is known");
        let problems = problems(&network, None).expect("an all-reduce has phases");
        let found = all_reduce(&problems, None, false).expect("a plan");
        assert!(judged(name, &found).is_optimal(), "{name}: {} above {}", found.time, found.limit);
        assert_eq!(found.limit.to_string(), *limit, "{name}");
    }
}

#[test]
fn few_trees_have_the_same_limit() {
    let network = import::load("dgx-a100:1").expect("the network is known");
    let problems = problems(&network, None).expect("an all-reduce has phases");
    let found = all_reduce(&problems, Some(1), false).expect("a plan");
    judged("dgx-a100:1", &found);
    assert_eq!(found.limit.to_string(), "7/150");
    assert!(found.phases.iter().all(|phase| phase.plan.trees_per_sender() == 1));
}

#[test]
fn an_interrupt_leaves_a_valid_plan_and_limit() {
    let network = import::load("dgx-a100:2").expect("the network is known");
    let problems = problems(&network, None).expect("an all-reduce has phases");
    let found = all_reduce(&problems, None, true).expect("a plan");
    judged("dgx-a100:2", &found);
    assert!(found.phases.iter().all(|phase| phase.is_stopped));
}
