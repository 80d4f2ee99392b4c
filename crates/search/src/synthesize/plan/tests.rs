//! Which numbers of steps a plan tries, in which order, and how it is restored from a checkpoint.

use super::*;
use crate::attempt::{Engine, ProofLimits};
use crate::scatter::wormhole::{Ejection, Orbits, Packing};
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Problem};
use pavane_networks::topology;

/// Calls `check` with the roster of one engine, and a plan whose constructions are over.
pub fn with_plan(check: impl FnOnce(Plan, &Roster<'_>)) {
    let network = topology::build("torus:3x5").unwrap();
    let collective = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
    let problem = Problem::new(network, collective, Model::default()).unwrap();
    let roster = Roster {
        problem: &problem,
        is_personalised: true,
        has_start: false,
        engines: &[&Ejection],
        searching: 1,
        room: u32::MAX,
        steps: None,
        evaluations: None,
        prove: false,
        limits: ProofLimits::default(),
        workers: 1,
    };
    let mut plan = Plan::new(8);
    plan.end_constructions();
    plan.results.best = Some(20);
    check(plan, &roster);
}

/// The step counts of the first `count` tasks, if all of them fail.
fn steps(mut plan: Plan, count: usize, roster: &Roster<'_>) -> Vec<u32> {
    let mut next = || {
        let task = plan.next(roster)?;
        plan.assume(&task, None, roster);
        match task.goal {
            Goal::Steps(steps) => Some(steps),
            Goal::Construct => None,
        }
    };
    (0..count).filter_map(|_| next()).collect()
}

#[test]
fn the_sequence_goes_on_for_as_long_as_tasks_fail() {
    with_plan(|plan, roster| {
        let steps = steps(plan, 1000, roster);
        assert_eq!(steps.len(), 1000);
        assert_eq!(steps[..8], [8, 8, 8, 8, 16, 16, 16, 16]);
        assert!(steps.iter().all(|steps| (8..20).contains(steps)));
    });
}

#[test]
fn engines_have_equal_shares_of_the_work() {
    with_plan(|mut plan, roster| {
        let engines: &[&dyn Engine] = &[&Orbits, &Packing, &Ejection];
        let roster = &Roster { engines, searching: engines.len(), ..*roster };
        plan.results.best = Some(9);
        for _ in 0..400 {
            let task = plan.next(roster).unwrap();
            plan.assume(&task, None, roster);
        }
        let (least, most) = (plan.work.iter().min().unwrap(), plan.work.iter().max().unwrap());
        assert!(most / least <= 2, "the shares are {:?}", plan.work);
    });
}

#[test]
fn a_success_below_failed_steps_is_continued() {
    with_plan(|mut plan, roster| {
        for _ in 0..8 {
            let task = plan.next(roster).unwrap();
            plan.assume(&task, None, roster);
        }
        assert_eq!(plan.failed, Some(16));
        // A task that was no longer next has found it.
        plan.results.best = Some(12);
        assert!(steps(plan, 100, roster).iter().all(|steps| (8..12).contains(steps)));
    });
}

#[test]
fn the_next_task_stays_the_same_until_the_plan_advances() {
    with_plan(|mut plan, roster| {
        let task = plan.next(roster);
        assert_eq!(plan.next(roster), task);
    });
}

#[test]
fn a_restored_plan_continues_with_the_same_tasks() {
    with_plan(|mut plan, roster| {
        for _ in 0..100 {
            let mut restored = Plan::new(8);
            restored.restore(plan.position());
            restored.results = plan.results;
            restored.drop_unfit(roster);
            assert_eq!(restored, plan);
            let task = plan.next(roster).unwrap();
            plan.assume(&task, None, roster);
        }
    });
}

#[test]
fn a_damaged_position_is_reduced_to_values_that_fit() {
    let stages = [
        Stage::Construct { next: usize::MAX, with_prices: true },
        Stage::Construct { next: usize::MAX, with_prices: false },
        Stage::Bounds,
        Stage::AimAtBound,
        Stage::AimHigh { doublings: 0 },
        Stage::AimHigh { doublings: u32::MAX },
        Stage::Search,
        Stage::Refute,
    ];
    let round = |steps: u32, member: usize, at: usize| Round {
        steps,
        members: vec![(member, u64::MAX); 3],
        at,
    };
    let rounds = [round(u32::MAX, 0, 0), round(9, usize::MAX, 0), round(9, 0, usize::MAX - 1)];
    for stage in stages {
        for (best, round) in rounds.iter().flat_map(|round| [(None, round), (Some(20), round)]) {
            with_plan(|mut plan, roster| {
                let (rounds, effort, failed) = (u64::MAX, u64::MAX, Some(u32::MAX));
                let (round, is_begun) = (Some(round.clone()), true);
                let damaged =
                    Plan { stage, round, rounds, effort, failed, is_begun, ..plan.clone() };
                plan.restore(damaged.position());
                plan.results.best = best;
                plan.drop_unfit(roster);
                plan.continue_with_prices(roster);
                plan.end_constructions();
                assert!(steps(plan, 20, roster).iter().all(|&steps| steps < 1 << 20));
            });
        }
    }
}
