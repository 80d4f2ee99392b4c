//! Repair of schedules after faults.

use super::{options, request, tiny};
use pavane_model::{
    CollectiveRequest, Fault, MessageId, Network, Ports, Problem, ProcessorId, RouterId, Routing,
    Schedule, Transfer,
};
use pavane_networks::topology;
use pavane_search::fault::{Changes, Keep, Part, Parts, RepairError, Repaired, Terms, repair};
use pavane_search::synthesize::synthesize;
use pavane_verify::{CheckedSchedule, verify};
use proptest::prelude::*;

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

fn handmade(
    request: &CollectiveRequest,
    network: &str,
    transfers: &[(u32, [u32; 3])],
) -> CheckedSchedule {
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
