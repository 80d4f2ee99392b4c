//! The exact engine decides tiny problems correctly, and the judge accepts its proofs on others.

use crate::common::{brute_force, tiny};
use pavane_model::collective::{self, Groups};
use pavane_model::faults::Fault;
use pavane_model::{Duplex, Model, Ports, Problem, Switching};
use pavane_networks::import;
use pavane_search::exact::Exact;
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{Attempt, Budget, Context, Engine, Rng};
use pavane_verify::exact::check_refutation;
use pavane_verify::verify;
use proptest::prelude::*;

fn attempt(problem: &Problem, steps: u32) -> Attempt {
    let context = Context::new(problem.forward());
    let mut budget = Budget::evaluations(2_000_000_000);
    Exact.attempt(&context, steps, &mut budget, &mut Rng::seeded(1))
}

/// Whether the engine finds a schedule; otherwise it must find a proof. The judge must accept
/// either.
fn is_possible(problem: &Problem, steps: u32) -> bool {
    match attempt(problem, steps) {
        Attempt::Found(schedule) => {
            assert!(schedule.step_count() <= steps);
            let is_backward = problem.is_backward();
            let schedule = if is_backward { schedule.reversed() } else { schedule };
            verify(problem.clone(), schedule).expect("the judge accepts what was found");
            true
        }
        Attempt::Impossible(proof) => {
            assert_eq!(proof.steps, steps);
            let checked = check_refutation(problem, steps, &mut &proof.lrat[..]);
            checked.expect("the judge accepts the proof");
            false
        }
        other => panic!("nothing was decided: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn it_agrees_with_brute_force(problem in tiny::problem()) {
        let Some(optimum) = brute_force::fewest_steps(&problem, 100_000) else {
            return Ok(());
        };
        prop_assert!(is_possible(&problem, optimum), "{optimum} steps are possible");
        prop_assert!(is_possible(&problem, optimum + 1), "one more than {optimum} as well");
        prop_assert!(!is_possible(&problem, optimum - 1), "one less than {optimum} is not");
    }
}

/// Network, fault, collective, ports (0 for all), whether under store-and-forward, and the fewest
/// steps: one step less is refuted. A collective may name its senders.
const KNOWN: &[(&str, &str, &str, u32, bool, u32)] = &[
    ("octagon:8", "", "aas", 0, false, 4),
    ("path:9", "", "aab", 1, true, 13),
    ("mesh:3x3", "", "aab", 1, true, 10),
    ("kautz:3,2", "10-02", "aas", 0, false, 9),
    ("tree:2,4", "", "oab", 0, false, 4),
    ("mesh:3x3", "", "mnb:0-2", 1, true, 5),
];

fn known(network: &str, fault: &str, collective: &str, ports: u32, is_stored: bool) -> Problem {
    let network = import::load(network).expect("the table is sound");
    let faults: Vec<Fault> = fault
        .split_whitespace()
        .map(|text| Fault::parse(&network, text).expect("the table is sound"))
        .collect();
    let network = network.without(&faults).expect("the table is sound");
    let (name, senders) = match collective.split_once(':') {
        Some((name, senders)) => (name, Some(senders.to_owned())),
        None => (collective, None),
    };
    let groups = Groups { senders, ..Groups::default() };
    let collective =
        collective::build(name, &network, &groups).expect("the table is sound").remove(0);
    let model = Model {
        ports: if ports == 0 { Ports::All } else { Ports::Limited(ports) },
        switching: if is_stored { Switching::StoreAndForward } else { Switching::Wormhole },
        ..Model::default()
    };
    Problem::new(network, collective, model).expect("the table is sound")
}

#[test]
fn one_step_fewer_is_refuted() {
    for &(network, fault, collective, ports, is_stored, steps) in KNOWN {
        let problem = known(network, fault, collective, ports, is_stored);
        assert!(is_possible(&problem, steps), "{network} {collective} in {steps}");
        assert!(!is_possible(&problem, steps - 1), "{network} {collective} in {}", steps - 1);
    }
}

#[test]
fn the_driver_proves_what_is_asked_for() {
    let run = |name: &str, steps, evaluations| {
        let problem = known(name, "", "aas", 0, false);
        let options = Options { steps, evaluations, prove: true, ..Options::default() };
        synthesize(&problem, &options).expect("it takes the problem")
    };
    // Below the bound only a proof is searched for, with or without a limit on evaluations.
    for evaluations in [None, Some(50_000_000)] {
        let outcome = run("octagon:8", Some(3), evaluations);
        assert!(outcome.solution.is_none() && outcome.refusals.is_empty());
        assert_eq!(outcome.proof.map(|proof| proof.steps), Some(3));
        assert_eq!(outcome.bounds.best.reason, "distance", "it needs no proof");
    }
    let outcome = run("octagon:8", Some(4), None);
    assert!(outcome.solution.is_some() && outcome.proof.is_none());
}

#[test]
fn spoilt_proofs_are_refused() {
    let problem = known("path:5", "", "aab", 1, true);
    let Attempt::Impossible(proof) = attempt(&problem, 6) else { panic!("6 steps are too few") };
    let text = String::from_utf8(proof.lrat).expect("a proof is text");
    let is_accepted =
        |proof: &str, steps| check_refutation(&problem, steps, &mut proof.as_bytes()).is_ok();
    assert!(is_accepted(&text, 6));
    assert!(!is_accepted(&text, 7) && !is_accepted(&text, 5), "it is about 6 steps");
    let lines: Vec<&str> = text.lines().collect();
    let is_addition = |line: &str| !line.contains('d');
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_addition(line)) {
        let with = |new: &str| {
            let before = lines[..index].iter().copied();
            let after = lines[index + 1..].iter().copied();
            before.chain([new]).chain(after).collect::<Vec<_>>().join("\n")
        };
        // Every clause of a proof is used later, and its last hint gives the contradiction.
        assert!(!is_accepted(&with(""), 6), "without line {index}");
        let words: Vec<&str> = line.split(' ').collect();
        let shorter = [&words[..words.len() - 2], &["0"]].concat().join(" ");
        assert!(!is_accepted(&with(&shorter), 6), "without the last hint of line {index}");
    }
}

/// Half duplex: network, collective, ports (0 for all), whether under store-and-forward, and the
/// fewest steps, which the other bounds do not prove.
const CLOSED: &[(&str, &str, u32, bool, u32)] = &[
    ("path:6", "aab", 0, false, 7),
    ("path:5", "aab", 1, true, 7),
    ("tree:2,2", "aab", 0, false, 8),
    ("tree:2,2", "aas", 1, true, 24),
];

#[test]
fn the_last_open_step_of_a_tiny_problem_is_closed_without_being_asked_for() {
    for &(network, collective, ports, is_stored, steps) in CLOSED {
        let problem = known(network, "", collective, ports, is_stored);
        let model = Model { duplex: Duplex::Half, ..problem.model() };
        let problem = problem.under(model).expect("the duplex mode does not change the messages");
        let options =
            Options { evaluations: Some(2_000_000_000), threads: 2, ..Options::default() };
        let outcome = synthesize(&problem, &options).expect("engines take it");
        let found = outcome.solution.map(|found| found.checked.schedule().step_count());
        assert_eq!(found, Some(steps), "{network} {collective}");
        assert_eq!(outcome.bounds.best.steps, steps, "{network} {collective}");
    }
}
