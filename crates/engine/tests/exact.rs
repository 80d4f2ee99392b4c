//! The exact engine is right about tiny problems, and its proofs about others are accepted.

mod common;

use common::{brute_force, tiny};
use pavane_engine::exact::Exact;
use pavane_engine::{Attempt, Budget, Context, Engine, Rng};
use pavane_model::collective::{self, Groups};
use pavane_model::faults::Fault;
use pavane_model::{Model, Ports, Problem, Switching, import};
use pavane_verify::exact::check_refutation;
use pavane_verify::verify;
use proptest::prelude::*;

fn attempt(problem: &Problem, steps: u32) -> Attempt {
    let context = Context::new(problem.forward());
    let mut budget = Budget::evaluations(2_000_000_000);
    Exact.attempt(&context, steps, &mut budget, &mut Rng::seeded(1))
}

/// Whether it finds a schedule that the judge accepts, or else a proof that he does.
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
/// steps: one less is refuted.
const KNOWN: &[(&str, &str, &str, u32, bool, u32)] = &[
    ("octagon:8", "", "aas", 0, false, 4),
    ("path:9", "", "aab", 1, true, 13),
    ("mesh:3x3", "", "aab", 1, true, 10),
    ("kautz:3,2", "10-02", "aas", 0, false, 9),
];

fn known(network: &str, fault: &str, collective: &str, ports: u32, is_stored: bool) -> Problem {
    let network = import::load(network).expect("the table is sound");
    let faults: Vec<Fault> = fault
        .split_whitespace()
        .map(|text| Fault::parse(&network, text).expect("the table is sound"))
        .collect();
    let network = network.without(&faults).expect("the table is sound");
    let groups = Groups { root: None, senders: None, receivers: None };
    let collective =
        collective::build(collective, &network, &groups).expect("the table is sound").remove(0);
    let model = Model {
        ports: if ports == 0 { Ports::All } else { Ports::Limited(ports) },
        switching: if is_stored { Switching::StoreAndForward } else { Switching::Wormhole },
        ..Model::default()
    };
    Problem::new(network, collective, model).expect("the table is sound")
}

#[test]
fn one_less_is_refuted() {
    for &(network, fault, collective, ports, is_stored, steps) in KNOWN {
        let problem = known(network, fault, collective, ports, is_stored);
        assert!(is_possible(&problem, steps), "{network} {collective} in {steps}");
        assert!(!is_possible(&problem, steps - 1), "{network} {collective} in {}", steps - 1);
    }
}
