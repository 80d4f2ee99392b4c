//! Several ranks search together: islands give the same schedule on any number of ranks, the other
//! engines share what they find, and a search resumes from its checkpoint. The ranks are threads
//! here; the tests of the program use processes.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_cluster::Cluster;
use pavane_evolution::catalogue;
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Problem, Schedule, Switching};
use pavane_networks::topology;
use pavane_search::synthesize::{Options, Outcome, Standing, Watcher, assist, synthesize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn problem(network: &str, name: &str, switching: Switching) -> Problem {
    let network = topology::build(network).unwrap();
    let collective = collective::build(name, &network, &Groups::default()).unwrap().remove(0);
    Problem::new(network, collective, Model { switching, ..Model::default() }).unwrap()
}

/// Searches that end at the bound must not end earlier on a busy machine.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Default options with all engines to choose from.
fn options() -> Options {
    Options { catalogue: catalogue(), ..Options::default() }
}

/// Rank 0 searches, the others assist.
fn on_ranks(ranks: usize, problem: &Problem, options: &Options) -> Outcome {
    std::thread::scope(|scope| {
        let mut clusters = Cluster::threads(ranks).into_iter();
        let first = clusters.next().unwrap();
        let helping: Vec<_> = clusters
            .map(|cluster| {
                let options = Options { cluster, ..options.clone() };
                scope.spawn(move || assist(problem, &options).unwrap())
            })
            .collect();
        let outcome = synthesize(problem, &Options { cluster: first, ..options.clone() }).unwrap();
        helping.into_iter().for_each(|helper| helper.join().unwrap());
        outcome
    })
}

fn schedule(outcome: &Outcome) -> (u64, Schedule) {
    let solution = outcome.solution.as_ref().unwrap();
    (outcome.evaluations, solution.checked.schedule().clone())
}

/// Network, collective, switching and further settings; one line for each encoding.
const ISLANDS: &[(&str, &str, Switching, &[&str])] = &[
    ("octagon:8", "aas", Switching::Wormhole, &["exchange=50"]),
    ("mesh:3x3", "oab", Switching::Wormhole, &["exchange=50"]),
    ("hypercube:3", "aab", Switching::StoreAndForward, &["trees=no", "exchange=300"]),
    ("hypercube:4", "aab", Switching::StoreAndForward, &["exchange=2500", "fitness=weighted"]),
];

#[test]
fn islands_give_the_same_schedule_on_any_number_of_ranks() {
    for &(network, collective, switching, settings) in ISLANDS {
        let problem = problem(network, collective, switching);
        for seed in 1..=3 {
            let settings = settings.iter().chain(&["islands=10"]).map(|it| it.to_string());
            let options = Options {
                engine: Some("hgsa".to_owned()),
                settings: settings.collect(),
                seed,
                evaluations: Some(4_000_000),
                ..options()
            };
            let alone = schedule(&synthesize(&problem, &options).unwrap());
            for ranks in [2, 3, 12] {
                let threads = ranks % 2 + 1;
                let together = on_ranks(ranks, &problem, &Options { threads, ..options.clone() });
                assert_eq!(alone, schedule(&together), "{network} {collective} {seed} {ranks}");
            }
        }
    }
}

#[test]
fn islands_that_do_not_wait_find_something_too() {
    let problem = problem("hypercube:4", "aab", Switching::StoreAndForward);
    let settings = ["asynchronous=yes", "islands=7", "exchange=500"].map(str::to_owned).to_vec();
    let engine = Some("hgsa".to_owned());
    let options = Options { engine, settings, ..options() };
    let alone = schedule(&synthesize(&problem, &options).unwrap());
    let waiting = Options { settings: options.settings[1..].to_vec(), ..options.clone() };
    assert_eq!(
        alone,
        schedule(&synthesize(&problem, &waiting).unwrap()),
        "one rank waits for no other"
    );
    for ranks in [2, 3] {
        let outcome = on_ranks(ranks, &problem, &options);
        assert_eq!(schedule(&outcome).1.step_count(), outcome.bounds.best.steps);
    }
}

#[test]
fn ranks_share_what_they_find() {
    // The first is solved before other ranks can help, the others are not.
    for (network, collective, steps) in
        [("hypercube:4", "aas", 8), ("mesh:4x4", "aab", 8), ("kautz:3,2", "aas", 7)]
    {
        let problem = problem(network, collective, Switching::Wormhole);
        for ranks in [1, 2, 5] {
            let engine = Some("annealing".to_owned());
            let options = Options { engine, patience: PATIENCE, ..options() };
            let outcome = on_ranks(ranks, &problem, &options);
            assert_eq!(schedule(&outcome).1.step_count(), steps, "{network} on {ranks} ranks");
            assert!(outcome.refusals.is_empty());
        }
    }
}

/// Problems whose search has to be cut short, and one that is solved on the way.
const CUT_SHORT: &[(&str, &str, Option<&str>, u64)] = &[
    ("random-regular:24,3,1", "aas", Some("ejection"), 1_000_000),
    ("hypercube:4", "aas", Some("annealing"), 300_000),
    ("torus:3x5", "aas", None, 700_000),
    ("mesh:3x3", "aab", None, 500_000),
];

#[test]
fn evaluations_decide_the_answer_whatever_the_number_of_workers() {
    for &(network, collective, engine, evaluations) in CUT_SHORT {
        let problem = problem(network, collective, Switching::Wormhole);
        let options = Options {
            engine: engine.map(str::to_owned),
            evaluations: Some(evaluations),
            ..options()
        };
        let alone = schedule(&synthesize(&problem, &options).unwrap());
        for threads in [2, 7] {
            let options = Options { threads, ..options.clone() };
            assert_eq!(
                alone,
                schedule(&synthesize(&problem, &options).unwrap()),
                "{network} {threads}"
            );
        }
        for ranks in [2, 3] {
            assert_eq!(
                alone,
                schedule(&on_ranks(ranks, &problem, &options)),
                "{network} {ranks} ranks"
            );
        }
    }
}

#[test]
fn a_search_resumes_from_its_checkpoint() {
    let problem = problem("hypercube:4", "aas", Switching::Wormhole);
    let engine = Some("annealing".to_owned());
    let whole = Options { engine, seed: 3, patience: PATIENCE, ..options() };
    let standings = Arc::new(Mutex::new(Vec::<Standing>::new()));
    let noted = standings.clone();
    let watcher = Watcher(Arc::new(move |standing| noted.lock().unwrap().push(standing.clone())));
    let watched = Options { watcher: Some(watcher), ..whole.clone() };
    let (evaluations, found) = schedule(&synthesize(&problem, &watched).unwrap());
    let standings = standings.lock().unwrap();
    assert!(standings.len() > 1, "too easy to be interrupted");
    for standing in standings.iter() {
        let resumed = Options { resumed: Some(Arc::new(standing.clone())), ..whole.clone() };
        let (all, again) = schedule(&synthesize(&problem, &resumed).unwrap());
        assert_eq!(again.step_count(), found.step_count());
        assert!(all >= standing.evaluations && evaluations >= standing.evaluations);
    }
    let last = standings.last().unwrap();
    let resumed = Options { resumed: Some(Arc::new(last.clone())), ..whole };
    let outcome = synthesize(&problem, &resumed).unwrap();
    assert_eq!(schedule(&outcome), (last.evaluations, found), "nothing was left to do");
}
