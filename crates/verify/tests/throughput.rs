//! Throughput plans: the corpus, random valid plans, and mutants of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::network::Timing;
use pavane_model::throughput::{
    LimitCertificate, PhaseCut, PhaseSwitch, PlanPhase, Route, ThroughputLimit, ThroughputPlan,
    read, read_file, write,
};
use pavane_model::{
    ChannelId, Collective, Fraction, Kind, Model, Network, NetworkBuilder, Problem, ProcessorId,
    RouterId,
};
use pavane_verify::{LimitError, ThroughputVerdict, judge_plan, judge_plan_within};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/throughput").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let named =
        |entry: std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    let mut files: Vec<_> = entries.map(|entry| named(entry.unwrap())).collect();
    files.sort();
    files
}

fn judged(path: &Path) -> (ThroughputPlan, ThroughputVerdict) {
    let plan = read_file(path, 1000).unwrap_or_else(|error| panic!("{error}"));
    let verdict = judge_plan(&plan).unwrap();
    (plan, verdict)
}

#[test]
fn valid_plans_are_valid_and_written_as_read() {
    let files = files("valid");
    assert!(files.len() >= 12);
    for (name, path) in files {
        let (plan, verdict) = judged(&path);
        assert_eq!(verdict.violations, [], "{name}");
        assert_eq!(verdict.limit_error, None, "{name}");
        assert_eq!(verdict.is_optimal(), name != "not-at-the-limit.json", "{name}");
        let mut bytes = Vec::new();
        write(&mut bytes, &plan, &Default::default()).unwrap();
        assert_eq!(read(&bytes[..], &name, 1000).unwrap(), plan);
        let folder = tempfile::tempdir().unwrap();
        let zipped = folder.path().join("plan.json.gz");
        pavane_model::throughput::write_file(&zipped, &plan, &Default::default()).unwrap();
        assert_eq!(read_file(&zipped, 1000).unwrap(), plan);
    }
}

#[test]
fn invalid_plans_break_the_rule_that_they_are_named_after() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for (name, path) in files("invalid") {
        let prefix = name.split('-').next().unwrap().to_owned();
        let (_, verdict) = judged(&path);
        assert!(!verdict.is_fine() && !verdict.is_optimal(), "{name}");
        match prefix.as_str() {
            "limit" => assert!(verdict.is_valid() && verdict.limit_error.is_some(), "{name}"),
            rule => {
                let broken: BTreeSet<String> =
                    verdict.violations.iter().map(|it| it.rule().to_string()).collect();
                assert_eq!(broken, BTreeSet::from([rule.to_owned()]), "{name}");
            }
        }
        *count.entry(prefix).or_default() += 1;
    }
    let rules = ["delivery", "limit", "order", "paths", "switches", "time", "weights"];
    assert_eq!(count.keys().collect::<Vec<_>>(), rules);
}

#[test]
fn a_certificate_that_costs_too_much_is_not_judged() {
    let (_, path) = files("valid").remove(0);
    let plan = read_file(&path, 1000).unwrap();
    let verdict = judge_plan_within(&plan, Some(3)).unwrap();
    assert!(verdict.is_valid() && !verdict.is_fine() && !verdict.is_optimal());
    assert!(matches!(verdict.limit_error, Some(LimitError::OverLimit(_))));
    assert!(verdict.over_limit().is_some_and(|over| over.is_about_operations()));
}

#[test]
fn numbers_at_their_limits_do_not_overflow() {
    let (_, path) = files("valid").remove(0);
    let mut plan = read_file(&path, 1000).unwrap();
    plan.scale = u64::MAX;
    plan.phases[0].sizes = vec![u64::MAX; 3];
    for route in &mut plan.phases[0].routes {
        route.weight = u64::MAX;
    }
    let network = plan.phases[0].problem.network().clone();
    let certificates = [
        LimitCertificate::Prices { prices: vec![u64::MAX; network.channel_count()] },
        LimitCertificate::Cut { routers: vec![RouterId(1)] },
        LimitCertificate::Cuts {
            cuts: vec![PhaseCut { phase: 0, weight: u64::MAX, routers: vec![RouterId(1)] }; 9],
            switches: Vec::new(),
        },
        LimitCertificate::Cuts {
            cuts: vec![PhaseCut { phase: 0, weight: u64::MAX, routers: vec![RouterId(1)] }],
            switches: vec![PhaseSwitch { phase: 0, weight: i64::MIN, router: RouterId(3) }; 9],
        },
    ];
    for certificate in certificates {
        plan.limit = Some(ThroughputLimit { ns_per_byte: Fraction::ZERO, certificate });
        let verdict = judge_plan(&plan).unwrap();
        assert!(!verdict.is_valid() && !verdict.is_optimal());
    }
    plan.phases[0].routes[0].message.0 = 99;
    plan.phases[0].routes[1].channels[0].0 = 99;
    plan.phases[0].sizes.pop();
    let rules: Vec<String> =
        judge_plan(&plan).unwrap().violations.iter().map(|v| v.rule().to_string()).collect();
    assert_eq!(rules.iter().filter(|rule| *rule == "names").count(), 3);
    plan.scale = 0;
    assert!(judge_plan(&plan).is_err());
    plan.phases.clear();
    assert!(judge_plan(&plan).is_err());
}

/// A ring with shortcuts, parallel links, switches and different bandwidths.
fn network() -> impl Strategy<Value = Network> {
    (3u32..7, prop::collection::vec((0u32..7, 0u32..7), 0..6), any::<u64>()).prop_map(
        |(routers, extra, bits)| {
            let mut builder = NetworkBuilder::new("random", routers);
            let ring = (0..routers).map(|router| (router, (router + 1) % routers));
            let extra = extra.into_iter().map(|(a, b)| (a % routers, b % routers));
            for (at, (a, b)) in ring.chain(extra.filter(|(a, b)| a != b)).enumerate() {
                let bandwidth_gbytes =
                    Some([0.5, 1.0, 12.5, 25.0][(bits >> (2 * at) & 3) as usize]);
                builder.link(a, b).timing(Timing { latency_ns: None, bandwidth_gbytes });
            }
            let is_switch = |router: u32| router > 1 && bits >> (40 + router) & 1 == 1;
            for router in (0..routers).filter(|&router| !is_switch(router)) {
                builder.processor(Some(router));
                if bits >> (50 + router) & 3 == 3 {
                    builder.processor(Some(router));
                }
            }
            let copies = |router: &u32| is_switch(*router) && bits >> (30 + router) & 1 == 1;
            builder.multicast((0..routers).filter(copies).collect());
            builder.build().unwrap()
        },
    )
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Broadcast, Kind::Reduce, Kind::Scatter, Kind::Gather])
}

/// A valid plan: every message in one or two trees or paths, grown to the nearest receiver first.
fn plan() -> impl Strategy<Value = ThroughputPlan> {
    (network(), kinds(), any::<u64>()).prop_map(|(network, kind, bits)| {
        let all: Vec<ProcessorId> = network.living_processors().collect();
        let chosen = |shift: u32| -> Vec<ProcessorId> {
            let picked = all.iter().filter(|p| bits >> ((shift + p.0) % 64) & 1 == 1);
            let picked: Vec<_> = picked.copied().collect();
            if picked.len() < 2 { all.clone() } else { picked }
        };
        let collective = Collective::between(kind, "random", chosen(0), chosen(20));
        let problem = Problem::new(network, collective, Model::without_ports()).unwrap();
        let scale = 1 + bits % 5;
        let mut routes = Vec::new();
        for message in problem.messages().ids() {
            let first = 1 + (bits >> (message.0 % 60)) % scale;
            for (weight, start) in [(first, bits as usize), (scale - first, bits as usize / 7)] {
                if weight > 0 {
                    let forward = problem.forward();
                    let mut channels = grow(&forward, message, start);
                    if problem.is_backward() {
                        channels.reverse();
                    }
                    routes.push(Route { message, weight, channels });
                }
            }
        }
        let phases = vec![PlanPhase { problem, sizes: Vec::new(), routes }];
        ThroughputPlan { name: String::new(), phases, scale, ns_per_byte: None, limit: None }
    })
}

fn copies(network: &Network, router: RouterId) -> bool {
    !network.residents(router).is_empty() || network.is_multicast(router)
}

/// A tree of a forward problem: breadth-first searches from the routers that keep a copy.
fn grow(problem: &Problem, message: pavane_model::MessageId, start: usize) -> Vec<ChannelId> {
    let (network, messages) = (problem.network(), problem.messages());
    let root = problem.home(messages.origin(message));
    let mut wanted: BTreeSet<RouterId> =
        messages.destinations(message).iter().map(|&to| problem.home(to)).collect();
    wanted.remove(&root);
    let mut holding = BTreeSet::from([root]);
    let mut tree = Vec::new();
    while !wanted.is_empty() {
        let mut came: BTreeMap<RouterId, ChannelId> = BTreeMap::new();
        let mut queue: VecDeque<RouterId> = holding.iter().copied().collect();
        let count = queue.len();
        queue.rotate_left(start % count);
        let mut found = None;
        while let Some(router) = queue.pop_front() {
            if wanted.contains(&router) {
                found = Some(router);
                break;
            }
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                if !holding.contains(&head) && !came.contains_key(&head) {
                    came.insert(head, channel);
                    queue.push_back(head);
                }
            }
        }
        let mut at = found.expect("the network is connected");
        let mut path = Vec::new();
        while !holding.contains(&at) {
            path.push(came[&at]);
            at = network.channel(came[&at]).tail;
        }
        for &channel in path.iter().rev() {
            let head = network.channel(channel).head;
            wanted.remove(&head);
            if copies(network, head) {
                holding.insert(head);
            }
            tree.push(channel);
        }
    }
    tree
}

/// Whether all routes are right, by sets of copies instead of counts. Weights are not checked.
fn is_right(plan: &ThroughputPlan) -> bool {
    let phase = &plan.phases[0];
    let forward = phase.problem.forward();
    let (network, messages) = (forward.network(), forward.messages());
    phase.routes.iter().all(|route| {
        let mut channels = route.channels.clone();
        if phase.problem.is_backward() {
            channels.reverse();
        }
        let root = forward.home(messages.origin(route.message));
        let wanted: BTreeSet<RouterId> =
            messages.destinations(route.message).iter().map(|&to| forward.home(to)).collect();
        if phase.has_paths() {
            let mut at = vec![root];
            let is_chain = channels.iter().all(|&channel| {
                let ends = network.channel(channel);
                let follows = at.last() == Some(&ends.tail) && !at.contains(&ends.head);
                at.push(ends.head);
                follows
            });
            return is_chain && at.last() == wanted.first();
        }
        // What is still to be sent on: true for a router that keeps its copy.
        let mut copies_at = vec![root];
        let mut unused: Vec<RouterId> = Vec::new();
        for &channel in &channels {
            let ends = network.channel(channel);
            let Some(place) = copies_at.iter().position(|&at| at == ends.tail) else {
                return false;
            };
            if !copies(network, ends.tail) {
                copies_at.remove(place);
            } else if copies_at.contains(&ends.head) && copies(network, ends.head) {
                return false;
            }
            if copies(network, ends.head) && copies_at.contains(&ends.head) {
                return false;
            }
            unused.retain(|&at| at != ends.tail);
            if copies(network, ends.head) && !wanted.contains(&ends.head) {
                unused.push(ends.head);
            }
            copies_at.push(ends.head);
        }
        unused.is_empty()
            && copies_at.iter().all(|&at| copies(network, at))
            && wanted.iter().all(|at| copies_at.contains(at))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn grown_plans_are_valid_and_no_limit_is_above_them(
        plan in plan(), sets in prop::collection::vec((any::<u8>(), 0u64..4), 1..4),
        prices in prop::collection::vec(0u64..5, 40), weights in prop::collection::vec(-4i64..5, 7)
    ) {
        let mut plan = plan;
        let verdict = judge_plan(&plan).unwrap();
        prop_assert_eq!(&verdict.violations, &vec![]);
        prop_assert!(is_right(&plan));
        plan.ns_per_byte = Some(verdict.time);
        let network = plan.phases[0].problem.network().clone();
        let routers = |set: u8| network.routers().filter(|r| set >> r.0 & 1 == 1).collect::<Vec<_>>();
        let cuts = sets.iter().map(|&(set, weight)| PhaseCut { phase: 0, weight, routers: routers(set) });
        let switches = network.routers().zip(weights).filter(|&(router, _)| !copies(&network, router));
        let switches = switches.map(|(router, weight)| PhaseSwitch { phase: 0, weight, router });
        for certificate in [
            LimitCertificate::Cut { routers: routers(sets[0].0) },
            LimitCertificate::Cuts { cuts: cuts.clone().collect(), switches: Vec::new() },
            LimitCertificate::Cuts { cuts: cuts.collect(), switches: switches.collect() },
            LimitCertificate::Prices { prices: prices[..network.channel_count()].to_vec() },
        ] {
            plan.limit = Some(ThroughputLimit { ns_per_byte: Fraction::ZERO, certificate });
            let verdict = judge_plan(&plan).unwrap();
            prop_assert!(verdict.is_valid());
            prop_assert!(verdict.proved.is_none_or(|proved| proved <= verdict.time));
            // A limit just above the time is never proved.
            let above = verdict.time.checked_add(Fraction::new(1, 1_000_000).unwrap()).unwrap();
            plan.limit.as_mut().unwrap().ns_per_byte = above;
            prop_assert!(!judge_plan(&plan).unwrap().is_fine());
        }
        let mut bytes = Vec::new();
        write(&mut bytes, &plan, &Default::default()).unwrap();
        prop_assert_eq!(&read(&bytes[..], "plan", 10_000).unwrap().phases, &plan.phases);
    }

    #[test]
    fn mutants_are_judged_as_by_the_other_check(
        plan in plan(), what in 0..6u32, place in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(), channel in any::<prop::sample::Index>()
    ) {
        let mut plan = plan;
        let channels = plan.phases[0].problem.network().channel_count();
        let routes = &mut plan.phases[0].routes;
        let route = place.index(routes.len());
        let length = routes[route].channels.len();
        if what == 0 {
            routes[route].weight += 1;
            prop_assert!(!judge_plan(&plan).unwrap().is_valid());
            return Ok(());
        }
        if what == 1 {
            let removed = routes.remove(route);
            let is_still_there = routes.iter().any(|other| other.message == removed.message);
            prop_assert!(!judge_plan(&plan).unwrap().is_valid() || removed.channels.is_empty() && !is_still_there);
            return Ok(());
        }
        prop_assume!(length > 0);
        let list = &mut routes[route].channels;
        let at = other.index(length);
        match what {
            2 => { list.remove(at); }
            3 => list.insert(at, list[at]),
            4 => list[at] = ChannelId(channel.index(channels) as u32),
            _ => list.swap(at, channel.index(length)),
        }
        let is_right = is_right(&plan);
        prop_assert_eq!(judge_plan(&plan).unwrap().is_valid(), is_right);
        if what == 2 || what == 3 {
            prop_assert!(!is_right);
        }
    }
}
