//! Faults: which are equivalent, what they cost, and how schedules are repaired after them.

#[path = "common/tiny.rs"]
mod tiny;

use pavane_engine::fault::{
    Answer, Changes, FaultSets, Job, Keep, Part, Parts, RepairError, Repaired, Selection, Terms,
    answer, classes, repair,
};
use pavane_engine::synthesize::{Options, synthesize};
use pavane_model::collective::Groups;
use pavane_model::{
    Fault, MessageId, Model, Network, NetworkBuilder, Ports, Problem, ProcessorId, Request,
    RouterId, Routing, Schedule, Switching, Transfer,
};
use pavane_networks::topology;
use pavane_verify::{CheckedSchedule, verify};
use proptest::prelude::*;

fn request(collective: &str, root: Option<&str>, routing: Routing) -> Request {
    let (collective, switching) = match collective.strip_suffix("@sf") {
        Some(collective) => (collective, Switching::StoreAndForward),
        None => (collective, Switching::Wormhole),
    };
    Request {
        collective: collective.to_owned(),
        groups: Groups { root: root.map(str::to_owned), ..Groups::default() },
        model: Model { switching, routing, ..Model::default() },
        limit: 100_000,
    }
}

fn sets(parts: &Parts, count: u32) -> FaultSets {
    let selection = Selection { count, sample: None, seed: 1 };
    FaultSets::new("net", parts.faults().len(), selection).expect("there are so many")
}

/// A path of three routers with its first link doubled.
fn doubled() -> Network {
    let mut builder = NetworkBuilder::new("doubled", 3);
    builder.link(0, 1).link(0, 1).link(1, 2).processor_on_each_router();
    builder.build().expect("it is a network")
}

/// A star of four routers; three channels to the centre run parallel to its first link.
fn mixed() -> Network {
    let mut builder = NetworkBuilder::new("mixed", 4);
    builder.link(0, 1).link(0, 2).link(0, 3).channel(1, 0).channel(1, 0).channel(1, 0);
    builder.processor_on_each_router();
    builder.build().expect("it is a network")
}

/// Sizes of the classes of faults.
#[test]
fn faults_that_look_alike_are_one_class() {
    let named = |name: &str| topology::build(name).unwrap();
    for (network, collective, root, kind, count, expected) in [
        (named("hypercube:4"), "aas", None, Part::Links, 1, vec![32]),
        (named("hypercube:4"), "oab", None, Part::Links, 1, vec![4, 12, 12, 4]),
        (named("hypercube:3"), "aas", None, Part::Channels, 1, vec![24]),
        (named("ring:6"), "aas", None, Part::Links, 2, vec![6, 6, 3]),
        (named("ring:6"), "shift:1", None, Part::Links, 1, vec![6]),
        (named("ring:6"), "shift:1", None, Part::Routers, 2, vec![6, 6, 3]),
        (named("ring:4"), "shift:1", None, Part::Routers, 1, vec![4]),
        (named("torus:4x4"), "shift:1", None, Part::Links, 1, vec![4; 8]),
        (named("torus:4x4"), "transpose", None, Part::Routers, 1, vec![4, 4, 8]),
        (named("hypercube:4"), "bit-reversal", None, Part::Routers, 1, vec![4, 8, 4]),
        (named("mesh:4x4"), "aab", None, Part::Routers, 1, vec![4, 8, 4]),
        (named("mesh:4x4"), "aas", None, Part::Links, 1, vec![8, 8, 4, 4]),
        (named("mesh:3x3"), "gather", Some("4"), Part::Links, 1, vec![8, 4]),
        (named("kautz:3,2"), "aas", None, Part::Channels, 1, vec![12, 24]),
        (doubled(), "aas", None, Part::Links, 1, vec![2, 1]),
        (doubled(), "aas", None, Part::Links, 2, vec![1, 2]),
        (doubled(), "aas", None, Part::Channels, 1, vec![2, 2, 1, 1]),
        (mixed(), "aas", None, Part::Links, 1, vec![1, 2]),
        (mixed(), "aas", None, Part::Channels, 1, vec![1, 4, 2, 2]),
    ] {
        let parts = Parts::new(&network, &[kind]);
        let phases = request(collective, root, Routing::Minimal).on(&network, &network).unwrap();
        let found = classes(&phases.phases, &parts, &sets(&parts, count).sets);
        let mut sizes: Vec<usize> = found.classes.iter().map(|c| c.members.len()).collect();
        let mut expected = expected;
        sizes.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sizes, expected, "{} {collective} {kind:?} {count}", network.name());
    }
}

/// All permutations of some numbers.
fn orders(numbers: &[u32]) -> Vec<Vec<u32>> {
    let Some((&last, others)) = numbers.split_last() else { return vec![Vec::new()] };
    let with_last = |order: &Vec<u32>, at: usize| {
        let mut order = order.clone();
        order.insert(at, last);
        order
    };
    let shorter = orders(others);
    shorter.iter().flat_map(|order| (0..=order.len()).map(|at| with_last(order, at))).collect()
}

/// After a renumbering of routers and processors: the channels with their ends and whether they
/// belong to links, the messages, and the homes of the processors.
fn renumbered(problem: &Problem, routers: &[u32], processors: &[u32]) -> [Vec<Vec<u32>>; 3] {
    let (network, messages) = (problem.network(), problem.messages());
    let router = |id: RouterId| routers[id.index()];
    let processor = |id: ProcessorId| processors[id.index()];
    let channel = |(at, channel): (u32, &pavane_model::Channel)| {
        let is_linked = network.opposite(pavane_model::ChannelId(at)).is_some();
        vec![router(channel.tail), router(channel.head), u32::from(is_linked)]
    };
    let message = |id: MessageId| {
        let mut to: Vec<u32> = messages.destinations(id).iter().map(|&p| processor(p)).collect();
        to.sort_unstable();
        to.insert(0, processor(messages.origin(id)));
        to
    };
    let homes = network.routers().flat_map(|home| {
        network.residents(home).iter().map(move |&id| vec![processor(id), router(home)])
    });
    let mut all = [
        (0..).zip(network.channels()).map(channel).collect::<Vec<_>>(),
        messages.ids().map(message).collect(),
        homes.collect(),
    ];
    all.iter_mut().for_each(|rows| rows.sort_unstable());
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// Compares with every renumbering of routers and processors.
    #[test]
    fn classes_are_the_orbits_of_all_automorphisms(problem in tiny::problem()) {
        let network = problem.network();
        let parts = Parts::new(network, &[Part::Links, Part::Channels, Part::Routers]);
        let count = parts.faults().len();
        let mut class: Vec<usize> = (0..count).collect();
        let mut join = |one: u32, other: u32| {
            let (one, other) = (class[one as usize], class[other as usize]);
            class.iter_mut().filter(|c| **c == other).for_each(|c| *c = one);
        };
        let (routers, processors) = (network.router_count() as u32, network.processor_count() as u32);
        let numbers = |count: u32| (0..count).collect::<Vec<_>>();
        let all = |count: u32| orders(&numbers(count));
        let same = renumbered(&problem, &numbers(routers), &numbers(processors));
        for routers in all(routers) {
            let images: Vec<RouterId> = routers.iter().map(|&router| RouterId(router)).collect();
            let keeps = |processors: &Vec<u32>| renumbered(&problem, &routers, processors) == same;
            if all(processors).iter().any(keeps) {
                (0..).zip(parts.images(network, &images)).for_each(|(one, other)| join(one, other));
            }
        }
        parts.swaps().into_iter().for_each(|(one, other)| join(one, other));
        let sets: Vec<Vec<u32>> = (0..count as u32).map(|part| vec![part]).collect();
        let found = classes(std::slice::from_ref(&problem), &parts, &sets).class_of;
        for one in 0..count {
            for other in 0..one {
                prop_assert_eq!(class[one] == class[other], found[one] == found[other]);
            }
        }
    }
}

/// The kinds of parts that `pavane faults` breaks together.
const KINDS: [&[Part]; 5] = [
    &[Part::Links],
    &[Part::Channels],
    &[Part::Routers],
    &[Part::Links, Part::Routers],
    &[Part::Channels, Part::Routers],
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Results for the first member of a class are applied to all members, so each member must
    /// equal the first up to renumbering: network, links, homes and messages.
    #[test]
    fn members_of_a_class_differ_in_numbers_only(
        problem in tiny::problem(),
        kinds in 0..KINDS.len(),
        count in 1..=2u32,
    ) {
        let network = problem.network();
        let parts = Parts::new(network, KINDS[kinds]);
        prop_assume!(parts.faults().len() >= count as usize);
        let sets = sets(&parts, count).sets;
        let found = classes(std::slice::from_ref(&problem), &parts, &sets);
        for class in &found.classes {
            let left = |at: usize| {
                let broken = network.without(&parts.set(&sets[class.members[at].set])).ok()?;
                let collective = problem.collective().left_in(&broken);
                Some((Problem::new(broken.clone(), collective, problem.model()).ok(), broken))
            };
            let first = left(0);
            for at in 1..class.members.len() {
                let image = found.renumbering(class, at, network);
                let (Some((from, first)), Some((to, other))) = (&first, left(at)) else {
                    prop_assert!(first.is_none() && left(at).is_none());
                    continue;
                };
                prop_assert!(image.maps(first, &other), "{:?} {:?}", first.faults(), other.faults());
                prop_assert_eq!(from.is_some(), to.is_some());
                if let (Some(from), Some(to)) = (from, &to) {
                    prop_assert!(image.schedule(from, &Schedule::new(), to).is_some());
                }
            }
        }
    }
}

fn options(evaluations: u64, seed: u64) -> Options {
    Options { evaluations: Some(evaluations), seed, threads: 2, ..Options::default() }
}

fn answers(network: &Network, request: &Request, sets: &[Vec<Fault>]) -> Vec<Answer> {
    let solve = |faults: &Vec<Fault>| {
        let job = Job { request: request.clone(), faults: faults.clone() };
        answer(network, &job, &options(20_000_000, 1))
    };
    sets.iter().map(solve).collect()
}

/// The papers' tables of faults, as far as they hold: how many faults lead to how many steps, each
/// at the bound.
#[test]
fn every_fault_of_the_papers_is_solved_at_the_bound() {
    let (any, minimal) = (Routing::Any, Routing::Minimal);
    for (network, collective, root, routing, kind, expected) in [
        ("kautz:3,2", "oab", Some("01"), minimal, Part::Channels, vec![(2, 33), (3, 3)]),
        ("kautz:3,2", "aab@sf", None, minimal, Part::Channels, vec![(6, 36)]),
        ("kautz:3,2", "oas", Some("01"), minimal, Part::Channels, vec![(4, 31), (5, 2), (6, 3)]),
        ("kautz:3,2", "oas", Some("01"), any, Part::Channels, vec![(4, 33), (6, 3)]),
        ("kautz:3,2", "aas", None, minimal, Part::Channels, vec![(9, 36)]),
        ("kautz:3,2", "aas", None, any, Part::Channels, vec![(8, 36)]),
        ("mesh:4x4", "oab", None, minimal, Part::Links, vec![(3, 24)]),
        ("mesh:4x4", "aab@sf", None, minimal, Part::Links, vec![(8, 16), (15, 8)]),
        ("mesh:4x4", "oas", None, minimal, Part::Links, vec![(8, 22), (15, 2)]),
        ("mesh:4x4", "aas", None, minimal, Part::Links, vec![(16, 16), (22, 8)]),
        ("mesh:4x4", "aab@sf", None, minimal, Part::Routers, vec![(7, 8), (14, 8)]),
        ("mesh:4x4", "aas", None, any, Part::Routers, vec![(14, 4), (19, 12)]),
    ] {
        let healthy = topology::build(network).unwrap();
        let request = request(collective, root, routing);
        let parts = Parts::new(&healthy, &[kind]);
        let phases = request.on(&healthy, &healthy).unwrap().phases;
        let sets = sets(&parts, 1).sets;
        let found = classes(&phases, &parts, &sets);
        let first: Vec<Vec<Fault>> =
            found.classes.iter().map(|class| parts.set(&sets[class.members[0].set])).collect();
        let mut steps = std::collections::BTreeMap::new();
        for (class, answer) in found.classes.iter().zip(answers(&healthy, &request, &first)) {
            let Answer::Solved(solved) = answer else {
                panic!("{network} {collective}: {answer:?}")
            };
            assert_eq!(solved.steps(), solved.bound(), "{network} {collective} {routing}");
            *steps.entry(solved.steps()).or_insert(0) += class.members.len();
            // The schedule of the first member, renumbered, is valid for all members.
            for at in 0..class.members.len() {
                let image = found.renumbering(class, at, &healthy);
                let checked = &solved.phases[0].checked;
                let faults = parts.set(&sets[class.members[at].set]);
                let broken = healthy.without(&faults).unwrap();
                let collective = image.collective(checked.problem().collective()).unwrap();
                let problem = Problem::new(broken, collective, request.model).unwrap();
                let schedule =
                    image.schedule(checked.problem(), checked.schedule(), &problem).unwrap();
                assert!(verify(problem, schedule).is_ok(), "{network} {faults:?}");
            }
        }
        assert_eq!(steps.into_iter().collect::<Vec<_>>(), expected, "{network} {collective}");
    }
}

#[test]
fn faults_that_separate_name_every_pair() {
    let path = topology::build("path:4").unwrap();
    let cut = Fault::parse(&path, "1-2").unwrap();
    let all = answers(&path, &request("aas", None, Routing::Minimal), &[vec![cut], vec![]]);
    let Answer::Separated(separated) = &all[0] else { panic!("{:?}", all[0]) };
    assert_eq!(separated.pairs.len(), 8);
    assert!(matches!(all[1], Answer::Solved(_)));
}

fn solved(problem: &Problem, seed: u64) -> Option<CheckedSchedule> {
    let outcome = synthesize(problem, &options(30_000, seed)).expect("some engine takes it");
    assert!(outcome.refusals.is_empty(), "{:?}", outcome.refusals);
    outcome.solution.map(|solution| solution.checked)
}

/// Every transfer is counted once.
fn check_counts(changes: Changes, after: &CheckedSchedule) {
    let Changes { before, kept, moved, rerouted, new, dropped, untouched } = changes;
    assert_eq!(kept + moved + rerouted + dropped, before, "{changes:?}");
    assert_eq!(kept + moved + rerouted + new, after.schedule().transfer_count(), "{changes:?}");
    assert!(kept <= untouched && untouched <= before, "{changes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 100_000, ..Default::default() })]

    /// For any problem and any faults, the judge accepts the repaired schedule, or processors are
    /// lost or cut off.
    #[test]
    fn any_schedule_is_repaired(
        problem in tiny::problem(),
        faults in proptest::collection::vec((0usize..100, 0usize..3), 1..3),
        seed in 0u64..1000,
    ) {
        let network = problem.network();
        let kinds = [Part::Links, Part::Channels, Part::Routers];
        let part = |&(at, kind): &(usize, usize)| {
            let parts = Parts::new(network, &[kinds[kind]]);
            parts.faults().get(at % parts.faults().len().max(1)).copied()
        };
        let faults: Vec<Fault> = faults.iter().filter_map(part).collect();
        let Some(before) = solved(&problem, seed) else { return Ok(()) };
        match repair(&before, &faults, Terms::default(), &options(30_000, seed)) {
            Ok(repaired) => {
                check_counts(repaired.changes, &repaired.checked);
                prop_assert_eq!(repaired.steps_before, before.schedule().step_count());
                let steps = repaired.checked.schedule().step_count();
                prop_assert!(repaired.bound.steps <= steps);
                // With all ports, a fault also removes ports.
                let is_whole = repaired.changes.untouched == repaired.changes.before
                    && problem.model().ports != Ports::All;
                if is_whole {
                    prop_assert!(steps <= before.schedule().step_count());
                }
                match repair(&before, &faults, Terms { keep_steps: true, ..Terms::default() }, &options(30_000, seed)) {
                    Ok(same) => prop_assert!(
                        same.checked.schedule().step_count() <= before.schedule().step_count()
                    ),
                    Err(RepairError::TooFewSteps { steps, bound }) => {
                        prop_assert!(bound.steps > steps);
                    }
                    Err(error) => prop_assert!(
                        matches!(error, RepairError::NotFound { .. }), "{}", error
                    ),
                }
            }
            Err(error) => prop_assert!(
                matches!(
                    error,
                    RepairError::Fault(_)
                        | RepairError::Aftermath(_)
                        | RepairError::NoParticipants { .. }
                ),
                "{}", error
            ),
        }
    }
}

/// Network, collective, fault, and the steps after the repair. If steps were added, at least four
/// fifths of the transfers that the fault did not touch stay in place.
#[test]
fn known_schedules_are_repaired_at_the_bound() {
    for (network, collective, fault, steps) in [
        ("mesh:4x4", "aas", "r1-r2", 22),
        ("mesh:4x4", "aas", "r0-r1", 16),
        ("mesh:4x4", "aas", "r5", 19),
        ("mesh:4x4", "aab@sf", "r0-r1", 15),
        ("mesh:4x4", "aab@sf", "r5-r6", 8),
        ("mesh:4x4", "oab", "r5-r6", 3),
        ("kautz:3,2", "aab@sf", "01-10", 6),
        ("hypercube:4", "aas", "r0-r1", 10),
        ("hypercube:4", "aab@sf", "r0-r1", 5),
        ("hypercube:4", "aas@sf", "r0-r1", 10),
        ("torus:4x4", "aar", "r3", 5),
        ("octagon:8", "gather", "r1", 3),
    ] {
        let healthy = topology::build(network).unwrap();
        let request = request(collective, None, Routing::Minimal);
        let problem = request.on(&healthy, &healthy).unwrap().phases.remove(0);
        let options = options(20_000_000, 1);
        let before = synthesize(&problem, &options).unwrap().solution.unwrap().checked;
        let fault = Fault::parse(&healthy, fault).unwrap();
        let terms = Terms { keep: Keep::Prefer(0.0), ..Terms::default() };
        let repaired = repair(&before, &[fault], terms, &options).unwrap();
        check_counts(repaired.changes, &repaired.checked);
        let found = repaired.checked.schedule().step_count();
        assert_eq!(
            (found, repaired.bound.steps),
            (steps, steps),
            "{network} {collective} {fault:?}"
        );
        if steps > repaired.steps_before {
            let Changes { kept, untouched, .. } = repaired.changes;
            assert!(10 * kept >= 8 * untouched, "{network} {collective}: {:?}", repaired.changes);
        }
    }
}

/// Without a step to spare many transfers must move; one more step leaves most of them in place.
#[test]
fn one_step_more_keeps_four_fifths() {
    let healthy = topology::build("mesh:4x4").unwrap();
    let request = request("aas", None, Routing::Minimal);
    let problem = request.on(&healthy, &healthy).unwrap().phases.remove(0);
    let options = options(20_000_000, 1);
    let before = synthesize(&problem, &options).unwrap().solution.unwrap().checked;
    for link in ["r0-r1", "r2-r3", "r14-r15", "r5-r9"] {
        let fault = [Fault::parse(&healthy, link).unwrap()];
        let mend = |terms| repair(&before, &fault, terms, &options).unwrap();
        let steps = |repaired: &Repaired| repaired.checked.schedule().step_count();
        let shortest = mend(Terms { keep: Keep::Prefer(0.0), ..Terms::default() });
        assert_eq!(steps(&shortest), shortest.bound.steps, "{link}");
        let kept = mend(Terms::default());
        assert!(steps(&kept) <= kept.bound.steps + 1, "{link}");
        let Changes { kept: count, untouched, .. } = kept.changes;
        assert!(10 * count >= 8 * untouched, "{link}: {:?}", kept.changes);
        check_counts(kept.changes, &kept.checked);
        if steps(&kept) > kept.bound.steps {
            let (shorter, changes) = kept.shorter.unwrap();
            assert!(shorter < steps(&kept) && 10 * changes.kept < 8 * untouched, "{link}");
        }
        let fixed =
            repair(&before, &fault, Terms { keep_steps: true, keep: Keep::Prefer(1.0) }, &options);
        assert!(fixed.is_err() || steps(&fixed.unwrap()) <= 16, "{link}");
    }
}

/// A preferred share may be missed. A required share is kept, with more steps if necessary, or the
/// repair fails.
#[test]
fn a_demanded_share_is_kept_or_refused() {
    let options = options(2_000_000, 1);
    let before = |network: &Network, collective: &str| {
        let request = request(collective, None, Routing::Minimal);
        let problem = request.on(network, network).unwrap().phases.remove(0);
        synthesize(&problem, &options).unwrap().solution.unwrap().checked
    };
    let mend = |network: &Network, before: &CheckedSchedule, keep: Keep| {
        let fault = [Fault::parse(network, "r0-r1").unwrap()];
        repair(before, &fault, Terms { keep, ..Terms::default() }, &options)
    };
    let mesh = topology::build("mesh:4x4").unwrap();
    let old = before(&mesh, "aas");
    let aimed = mend(&mesh, &old, Keep::Prefer(0.97)).unwrap();
    assert!(aimed.changes.kept_share() < 0.97, "{:?}", aimed.changes);
    let demanded = mend(&mesh, &old, Keep::AtLeast(0.97)).unwrap();
    assert!(demanded.changes.kept_share() >= 0.97, "{:?}", demanded.changes);
    check_counts(demanded.changes, &demanded.checked);
    let steps = |repaired: &Repaired| repaired.checked.schedule().step_count();
    assert!(steps(&demanded) > steps(&aimed));
    assert!(demanded.shorter.is_some_and(|(shorter, _)| shorter < steps(&demanded)));
    // On a cut ring all hops of a message go the other way, including those that the fault did not
    // touch.
    let ring = topology::build("ring:8").unwrap();
    let old = before(&ring, "aas@sf");
    let aimed = mend(&ring, &old, Keep::Prefer(0.8)).unwrap();
    match mend(&ring, &old, Keep::AtLeast(0.8)) {
        Err(RepairError::KeepsTooLittle { asked, kept, steps: best }) => {
            assert!(asked == 0.8 && kept < 0.8 && kept >= aimed.changes.kept_share());
            assert!(best >= steps(&aimed));
        }
        other => panic!("{other:?}"),
    }
}

fn handmade(request: &Request, network: &str, transfers: &[(u32, [u32; 3])]) -> CheckedSchedule {
    let network = topology::build(network).expect("it is a network");
    let problem = request.on(&network, &network).expect("all are there").phases.remove(0);
    let last = transfers.iter().map(|(step, _)| step + 1).max().expect("there are some");
    let mut schedule = Schedule::new();
    for step in 0..last {
        schedule.start_step();
        for (_, [message, from, to]) in transfers.iter().filter(|(at, _)| *at == step) {
            let channel = network.channels_between(RouterId(*from), RouterId(*to)).next();
            schedule.push(Transfer {
                message: MessageId(*message),
                from: ProcessorId(*from),
                to: ProcessorId(*to),
                path: &[channel.expect("they are neighbours")],
            });
        }
    }
    verify(problem, schedule).expect("it was valid before")
}

/// A forwarded message that has one destination left becomes personalised and goes straight to it.
#[test]
fn a_message_for_the_last_of_its_receivers_goes_straight() {
    for (network, collective, senders, receivers, transfers, fault) in [
        // From 0 to 2 through 1, which does not want it; the message of 1 still has two receivers.
        (
            "path:4",
            "mnb",
            "0,1",
            "0,2,3",
            &[
                (0, [0, 0, 1]),
                (0, [1, 1, 0]),
                (0, [1, 1, 2]),
                (1, [0, 1, 2]),
                (1, [1, 2, 3]),
                (2, [0, 2, 3]),
            ][..],
            "3",
        ),
        // From 0 to 2 over four hops, two more than necessary.
        (
            "mesh:3x3",
            "mnb@sf",
            "r0",
            "r2,r6",
            &[(0, [0, 0, 3]), (1, [0, 3, 4]), (1, [0, 3, 6]), (2, [0, 4, 5]), (3, [0, 5, 2])],
            "r6",
        ),
    ] {
        let mut request = request(collective, None, Routing::Minimal);
        request.groups.senders = Some(senders.to_owned());
        request.groups.receivers = Some(receivers.to_owned());
        let before = handmade(&request, network, transfers);
        let fault = Fault::parse(before.problem().network(), fault).unwrap();
        let repaired = repair(&before, &[fault], Terms::default(), &options(100_000, 1)).unwrap();
        check_counts(repaired.changes, &repaired.checked);
        let steps = repaired.checked.schedule().step_count();
        assert!(steps <= repaired.bound.steps + 1, "{network}: {steps} steps");
    }
}

/// If a lost receiver leaves a step empty, the step is removed, even if the schedule only must not
/// get longer.
#[test]
fn no_step_is_idle_after_a_repair() {
    for (network, collective, ports, fault, steps) in [
        ("path:5", "gather", Ports::All, "r4", 3),
        ("star:5", "oas", Ports::Limited(1), "r3", 3),
        ("mesh:3x3", "oas", Ports::Limited(1), "r4", 7),
    ] {
        let healthy = topology::build(network).unwrap();
        let mut request = request(collective, None, Routing::Minimal);
        request.model.ports = ports;
        let problem = request.on(&healthy, &healthy).unwrap().phases.remove(0);
        let before = solved(&problem, 1).unwrap();
        let fault = [Fault::parse(&healthy, fault).unwrap()];
        for terms in [(false, 0.0), (false, 0.8), (true, 0.0), (true, 0.8)] {
            let terms = Terms { keep_steps: terms.0, keep: Keep::Prefer(terms.1) };
            let repaired = repair(&before, &fault, terms, &options(100_000, 1)).unwrap();
            let found = repaired.checked.schedule().step_count();
            assert_eq!(found, steps, "{network} {collective} {terms:?}");
            check_counts(repaired.changes, &repaired.checked);
        }
    }
}
