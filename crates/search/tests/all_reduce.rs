//! All-reduce as one problem: its bounds hold, and its schedules are valid and never longer than one phase
//! after the other.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::whole_brute_force;
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Network, NetworkBuilder, Ports, Problem, Switching};
use pavane_networks::topology;
use pavane_search::all_reduce::{FoundWhole, WholeOptions, overlap};
use pavane_search::budget::Interrupt;
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{Rng, bounds};
use pavane_verify::{CheckedSchedule, Limits, check_whole_bound};

fn phases(network: &Network, model: Model) -> [Problem; 2] {
    let phases = collective::build("all-reduce", network, &Groups::default()).unwrap();
    let problem = |at: usize| Problem::new(network.clone(), phases[at].clone(), model).unwrap();
    [problem(0), problem(1)]
}

fn models() -> Vec<Model> {
    let mut models = Vec::new();
    for switching in [Switching::StoreAndForward, Switching::Wormhole] {
        for duplex in [Duplex::Full, Duplex::Half] {
            for ports in [Ports::All, Ports::Limited(1)] {
                models.push(Model { switching, duplex, ports, ..Model::default() });
            }
        }
    }
    models
}

/// Random networks of three routers, and some of four.
fn networks() -> Vec<Network> {
    let mut networks: Vec<Network> = ["path:2", "path:3", "ring:3", "star:4", "path:4"]
        .map(|name| topology::build(name).unwrap())
        .into();
    let mut rng = Rng::seeded(1);
    for _ in 0..12 {
        let mut builder = NetworkBuilder::new("tiny", 3);
        (0..3).for_each(|router| _ = builder.channel(router, (router + 1) % 3));
        for _ in 0..rng.below(3) {
            let (a, b) = (rng.below(3) as u32, rng.below(3) as u32);
            if a != b && rng.chance(0.5) {
                builder.link(a, b);
            } else if a != b {
                builder.channel(a, b);
            }
        }
        builder.processor_on_each_router();
        networks.push(builder.build().unwrap());
    }
    networks
}

#[test]
fn no_bound_of_the_whole_exceeds_the_optimum() {
    let (mut solved, mut reached) = (0, 0);
    for network in networks() {
        for model in models() {
            let [reduce, broadcast] = phases(&network, model);
            let Some(optimum) = whole_brute_force::fewest_steps(&broadcast, 3_000_000) else {
                continue;
            };
            let proved = [&reduce, &broadcast].map(|one| bounds::all(one).unwrap().best.steps);
            let problems = [&reduce, &broadcast];
            let bound = bounds::of_whole(problems, proved, &Interrupt::never()).unwrap();
            assert!(
                bound.steps <= optimum,
                "{optimum} steps are enough, but {bound:?}: {model} {network:?}"
            );
            let limits = Limits::of(&broadcast);
            assert_eq!(check_whole_bound(problems, proved, &bound, limits), Ok(bound.steps));
            let found = found(&solve(&reduce), &solve(&broadcast), bound.steps, 1);
            assert!(found.checked.steps() >= optimum, "{model} {network:?}");
            solved += 1;
            reached += usize::from(found.checked.steps() == optimum);
        }
    }
    assert!(solved > 60 && 10 * reached > 9 * solved, "{reached} of {solved}");
}

fn solve(problem: &Problem) -> CheckedSchedule {
    let options = Options { evaluations: Some(20_000), ..Options::default() };
    synthesize(problem, &options).unwrap().solution.unwrap().checked
}

fn found(
    reduce: &CheckedSchedule,
    broadcast: &CheckedSchedule,
    bound: u32,
    threads: usize,
) -> FoundWhole {
    let interrupt = Interrupt::never();
    let options = WholeOptions { seed: 1, threads, evaluations: 600_000, interrupt };
    overlap(reduce, broadcast, bound, &options).unwrap()
}

#[test]
fn the_whole_is_never_longer_than_its_phases() {
    for name in [
        "mesh:3x4",
        "star:6",
        "ring:5",
        "kautz:2,2",
        "tree:2,2",
        "mesh:2x2@2",
        "fat-tree:4",
        "mesh:4x4",
    ] {
        let network = topology::build(name).unwrap();
        for model in models() {
            if model.switching == Switching::StoreAndForward && network.first_switch().is_some() {
                continue;
            }
            let [reduce, broadcast] = phases(&network, model);
            let (reduce, broadcast) = (solve(&reduce), solve(&broadcast));
            let sum = reduce.schedule().step_count() + broadcast.schedule().step_count();
            let one = found(&reduce, &broadcast, 0, 1);
            assert!(one.checked.steps() <= sum, "{name} {model}");
            // The result depends on the seed, not on the number of threads.
            let other = found(&reduce, &broadcast, 0, 2);
            assert_eq!(
                (one.checked, one.evaluations),
                (other.checked, other.evaluations),
                "{name}"
            );
        }
    }
}

/// Network and the steps reached under store-and-forward with all ports, where one phase after the other takes
/// more.
const SHORTER: &[(&str, u32, u32)] = &[("mesh:4x4", 14, 16), ("star:8", 12, 14)];

#[test]
fn phases_overlap_under_store_and_forward() {
    for &(name, steps, sum) in SHORTER {
        let network = topology::build(name).unwrap();
        let model = Model { switching: Switching::StoreAndForward, ..Model::default() };
        let [reduce, broadcast] = phases(&network, model).map(|problem| solve(&problem));
        assert_eq!(
            reduce.schedule().step_count() + broadcast.schedule().step_count(),
            sum,
            "{name}"
        );
        let interrupt = Interrupt::never();
        let options = WholeOptions { seed: 1, threads: 1, evaluations: 10_000_000, interrupt };
        let whole = overlap(&reduce, &broadcast, steps, &options).unwrap().checked;
        assert_eq!(whole.steps(), steps, "{name}");
    }
}
