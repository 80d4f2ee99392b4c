//! Repairs of plans after faults: both plans are accepted by the judge, and the best one is as fast as
//! one that is computed from scratch.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::collective::{self, Groups};
use pavane_model::network::Timing;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::{
    Fault, Fraction, Model, Network, NetworkBuilder, Problem, ProcessorId, RouterId,
};
use pavane_networks::topology;
use pavane_throughput::answer::{Answer, Request, answer};
use pavane_throughput::repair::{Mended, PlanRepairError, RepairedPlan, repair};
use pavane_verify::judge_plan_within;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn problems(network: &Network, collective: &str) -> Vec<Problem> {
    let phases = collective::build(collective, network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::without_ports()).unwrap();
    phases.into_iter().map(problem).collect()
}

fn planned(name: &str, problems: &[Problem], sizes: &[u64]) -> Answer {
    let request = Request { trees: None, sizes, generators: &[], stop: &|| false };
    answer(name, problems, &request).unwrap()
}

fn judge(plan: &ThroughputPlan, time: Fraction, what: &str) {
    let verdict = judge_plan_within(plan, Some(u64::MAX)).unwrap();
    let first = verdict.violations.first().map(ToString::to_string);
    assert_eq!(first, None, "{what}");
    assert_eq!(verdict.limit_error, None, "{what}");
    assert_eq!(verdict.time, time, "{what}");
}

/// Repairs a plan in both ways and checks everything that must hold.
fn check(
    before: &Answer,
    faults: &[Fault],
    what: &str,
) -> Result<RepairedPlan, Box<PlanRepairError>> {
    let fastest = repair(&before.plan, faults, 0.0, &|| false)?;
    let keeping = repair(&before.plan, faults, 1.0, &|| false)?;
    for RepairedPlan { chosen, other, best, .. } in [&fastest, &keeping] {
        judge(&best.plan, best.time, what);
        for Mended { plan, time, changes } in [Some(chosen), other.as_ref()].into_iter().flatten() {
            judge(plan, *time, what);
            assert!(*time >= best.limit, "{what}");
            assert!(changes.kept <= changes.valid && changes.kept_weight <= changes.valid_weight);
            assert_eq!(changes.before, changes.kept + changes.rerouted + changes.dropped, "{what}");
        }
    }
    assert!(fastest.chosen.time <= keeping.chosen.time, "{what}");
    assert!(fastest.chosen.time <= fastest.best.time, "{what}");
    assert_eq!(keeping.chosen.changes.kept_share(), 1.0, "{what}");
    assert_eq!(keeping.chosen.changes.kept, keeping.chosen.changes.valid, "{what}");
    // The same limit from scratch.
    let healthy = before.plan.phases[0].problem.network();
    let broken = healthy.without(faults).unwrap();
    let phase = |phase: &Problem| {
        Problem::new(broken.clone(), phase.collective().left_in(&broken), Model::without_ports())
            .unwrap()
    };
    let rest: Vec<Problem> = before.plan.phases.iter().map(|one| phase(&one.problem)).collect();
    let sizes = &fastest.best.plan.phases[0].sizes;
    assert_eq!(planned(&before.plan.name, &rest, sizes).limit, fastest.best.limit, "{what}");
    Ok(fastest)
}

/// A connected network of processors and switches, some of which copy.
fn random_network(random: &mut Xoshiro256PlusPlus) -> Network {
    let routers = random.random_range(3..=7);
    let mut builder = NetworkBuilder::new("random", routers);
    let mut copying = Vec::new();
    let mut ends: Vec<(u32, u32)> =
        (1..routers).map(|router| (random.random_range(0..router), router)).collect();
    for _ in 0..random.random_range(1..=routers) {
        let (a, b) = (random.random_range(0..routers), random.random_range(0..routers));
        if a != b {
            ends.push((a, b));
        }
    }
    for &(a, b) in &ends {
        let bandwidth_gbytes = Some(f64::from(random.random_range(1..=4)));
        builder.link(a, b).timing(Timing { bandwidth_gbytes, latency_ns: None });
    }
    for router in 0..routers {
        let is_switch = router > 1 && random.random_range(0..3) == 0;
        if !is_switch {
            let processors = if random.random_range(0..6) == 0 { 2 } else { 1 };
            (0..processors).for_each(|_| _ = builder.processor(Some(router)));
        } else if random.random_range(0..3) == 0 {
            copying.push(router);
        }
    }
    builder.multicast(copying);
    builder.build().unwrap()
}

const COLLECTIVES: &[&str] = &[
    "all-gather",
    "broadcast",
    "reduce-scatter",
    "reduce",
    "all-reduce",
    "all-to-all",
    "scatter",
    "gather",
    "shift:1",
];

#[test]
fn random_plans_are_repaired() {
    let (mut repaired, mut kept, mut refused) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let network = random_network(&mut random);
        let name = COLLECTIVES[seed as usize % COLLECTIVES.len()];
        let problems = problems(&network, name);
        let sizes: Vec<u64> = if name == "all-to-all" && random.random_range(0..2) == 0 {
            problems[0].messages().ids().map(|_| random.random_range(0..4)).collect()
        } else {
            Vec::new()
        };
        let before = planned(name, &problems, &sizes);
        let channel = network.channels()[random.random_range(0..network.channel_count())];
        let fault = match random.random_range(0..4) {
            0 => Fault::Router(channel.tail),
            1 => Fault::Channel(channel.tail, channel.head),
            _ => Fault::Link(channel.tail, channel.head),
        };
        match check(&before, &[fault], &format!("seed {seed}, {name}, {fault:?}"))
            .map_err(|error| *error)
        {
            Ok(found) => {
                repaired += 1;
                kept += u32::from(found.chosen.changes.kept == found.chosen.changes.valid);
            }
            Err(PlanRepairError::Aftermath(_) | PlanRepairError::NoParticipants { .. }) => {
                refused += 1
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(repaired > 150 && kept > repaired / 3 && refused > 20, "{repaired} {kept} {refused}");
}

#[test]
fn machines_are_repaired() {
    for (name, collective, fault) in [
        ("dgx-1v", "all-gather", "0-1"),
        ("dgx-1v", "all-to-all", "0-3"),
        ("dgx-1v", "all-reduce", "0-1"),
        ("dgx-1v", "reduce-scatter", "5"),
        ("dgx-a100:2", "all-gather", "box0/gpu0-box0/nic0"),
        ("dgx-a100:2", "all-to-all", "box0/gpu0-box0/nic0"),
        ("mi250:1", "all-gather", "0-8"),
        ("torus:4x4", "all-gather", "0,0-0,1"),
        ("torus:4x4", "all-to-all", "1,1"),
    ] {
        let network = topology::build(name).unwrap();
        let fault = Fault::parse(&network, fault).unwrap();
        let before = planned(collective, &problems(&network, collective), &[]);
        let what = format!("{name} {collective}");
        let found = check(&before, &[fault], &what).unwrap();
        let keeping = repair(&before.plan, &[fault], 1.0, &|| false).unwrap();
        let excess = keeping.chosen.time.to_f64() / found.best.limit.to_f64() - 1.0;
        assert_eq!(found.chosen.time, found.best.limit, "{what}");
        assert!(excess < 0.06, "{what}: keeping all takes {excess:.3} longer");
    }
}

#[test]
fn a_lost_processor_leaves_the_trees_valid() {
    let network = topology::build("complete:4").unwrap();
    let before = planned("all-gather", &problems(&network, "all-gather"), &[]);
    let fault = Fault::parse(&network, "3").unwrap();
    let found = check(&before, &[fault], "complete:4").unwrap();
    assert_eq!(found.missing, [ProcessorId(3)]);
    assert!(found.chosen.changes.dropped > 0);
}

#[test]
fn faults_that_leave_no_problem_are_errors() {
    let network = topology::build("path:3").unwrap();
    let parse = |text| Fault::parse(&network, text).unwrap();
    let before = planned("broadcast", &problems(&network, "broadcast"), &[]);
    let error = |fault| *check(&before, &[parse(fault)], fault).unwrap_err();
    assert!(matches!(error("1-2"), PlanRepairError::Aftermath(_)));
    assert!(
        matches!(error("0"), PlanRepairError::NoParticipants { missing } if missing.len() == 1)
    );
    let none = repair(&before.plan, &[Fault::Link(RouterId(0), RouterId(2))], 0.0, &|| false);
    assert!(matches!(none, Err(PlanRepairError::Fault(_))), "{none:?}");
}
