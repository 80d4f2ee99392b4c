//! The formula of k-synchronous schedules agrees with exhaustive search on tiny problems, its models are
//! schedules with these rounds, and the judge rejects a proof for another formula.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::formula::dpll::{self, Answer};
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Network, NetworkBuilder, Problem, Routing, Switching};
use pavane_verify::{
    Limits, MOST_BYTES, MOST_OPERATIONS, RoundsRefutationError, check_rounds_refutation,
    encode_rounds,
};
use std::collections::{BTreeMap, BTreeSet};

const LIMITS: Limits = Limits { operations: MOST_OPERATIONS, bytes: MOST_BYTES };
const MOST_LITERALS: usize = 1_000_000;
const MOST_DECISIONS: u64 = 50_000;

fn networks() -> Vec<Network> {
    let mut path = NetworkBuilder::new("path", 3);
    path.link(0, 1).link(1, 2).processor_on_each_router();
    let mut triangle = NetworkBuilder::new("triangle with a double link", 3);
    triangle.link(0, 1).link(0, 1).link(1, 2).link(2, 0).processor_on_each_router();
    let mut square = NetworkBuilder::new("square", 4);
    square.link(0, 1).link(1, 2).link(2, 3).link(3, 0).processor_on_each_router();
    [path, triangle, square].into_iter().map(|network| network.build().unwrap()).collect()
}

fn problem(network: &Network, name: &str, chunks: u32) -> Problem {
    let collective = collective::build(name, network, &Groups::default()).unwrap().remove(0);
    let model =
        Model { switching: Switching::StoreAndForward, routing: Routing::Any, ..Model::default() };
    Problem::new(network.clone(), collective.in_chunks(chunks), model).unwrap()
}

/// Exhaustive search over what every router holds after each step.
struct Holdings {
    /// Tail, head and number of channels.
    links: Vec<(usize, usize, usize)>,
    routers: usize,
    wanted: u64,
    start: u64,
}

impl Holdings {
    fn new(problem: &Problem) -> Self {
        let forward = problem.forward();
        let routers = forward.network().router_count();
        let mut links: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for channel in forward.network().channels() {
            *links.entry((channel.tail.index(), channel.head.index())).or_default() += 1;
        }
        let (mut wanted, mut start) = (0, 0);
        let messages = forward.messages();
        for message in messages.ids() {
            let bit = |router: usize| 1u64 << (message.index() * routers + router);
            start |= bit(forward.home(messages.origin(message)).index());
            for &to in messages.destinations(message) {
                wanted |= bit(forward.home(to).index());
            }
        }
        let links = links.into_iter().map(|((tail, head), count)| (tail, head, count)).collect();
        Self { links, routers, wanted, start }
    }

    /// Whether `steps` steps with at most `rounds` rounds are enough.
    fn is_possible(&self, steps: u32, rounds: u32) -> bool {
        self.from(&BTreeSet::from([self.start]), steps, rounds)
    }

    fn from(&self, states: &BTreeSet<u64>, steps: u32, rounds: u32) -> bool {
        if steps == 0 {
            return states.iter().any(|state| state & self.wanted == self.wanted);
        }
        (1..=rounds.saturating_sub(steps - 1)).any(|first| {
            let next = states.iter().flat_map(|&state| self.after(state, first as usize)).collect();
            self.from(&next, steps - 1, rounds - first)
        })
    }

    /// All states after a step. A link carries as much as it can, which never hurts.
    fn after(&self, state: u64, rounds: usize) -> BTreeSet<u64> {
        let mut states = BTreeSet::from([state]);
        for &(tail, head, channels) in &self.links {
            let bit = |message: usize, router: usize| 1u64 << (message * self.routers + router);
            let messages = 64 / self.routers;
            let useful: Vec<u64> = (0..messages)
                .filter(|&m| state & bit(m, tail) != 0 && state & bit(m, head) == 0)
                .map(|m| bit(m, head))
                .collect();
            let size = useful.len().min(channels * rounds) as u32;
            let sets = (0u32..1 << useful.len()).filter(|set| set.count_ones() == size);
            let sent: Vec<u64> = sets
                .map(|set| (0..useful.len()).filter(|i| set >> i & 1 == 1).map(|i| useful[i]).sum())
                .collect();
            states = states.iter().flat_map(|state| sent.iter().map(move |s| state | s)).collect();
        }
        states
    }
}

#[test]
fn the_formula_agrees_with_exhaustive_search() {
    let mut answers = [0, 0];
    for network in networks() {
        for (name, chunks) in [
            ("broadcast", 1),
            ("broadcast", 2),
            ("broadcast", 3),
            ("scatter", 1),
            ("reduce", 2),
            ("gather", 1),
            ("all-gather", 1),
        ] {
            let problem = problem(&network, name, chunks);
            let holdings = Holdings::new(&problem);
            for (steps, rounds) in [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (2, 4), (3, 4)] {
                let formula =
                    encode_rounds(&problem, steps, rounds, MOST_LITERALS, LIMITS).unwrap();
                let is_possible = match dpll::solve(&formula.cnf, MOST_DECISIONS) {
                    Answer::Undecided => continue,
                    Answer::Unsatisfiable => false,
                    Answer::Satisfiable(model) => {
                        let holds = |it: i32| model[it.unsigned_abs() as usize] == (it > 0);
                        assert!(formula.decode(&problem.forward(), holds).is_some());
                        true
                    }
                };
                let place = format!("{} {name} {chunks} {steps} {rounds}", network.name());
                assert_eq!(is_possible, holdings.is_possible(steps, rounds), "{place}");
                answers[usize::from(is_possible)] += 1;
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 30), "{answers:?}");
}

#[test]
fn an_empty_proof_refutes_nothing() {
    let problem = problem(&networks()[0], "broadcast", 2);
    let check = |steps, rounds, mut proof: &[u8]| {
        check_rounds_refutation(&problem, steps, rounds, &mut proof, LIMITS)
    };
    assert!(matches!(check(2, 3, b""), Err(RoundsRefutationError::Proof(_))));
    assert!(matches!(check(2, 4, b"1 0 1 0\n"), Err(RoundsRefutationError::Proof(_))));
}

#[test]
fn a_formula_that_is_too_large_is_refused() {
    let problem = problem(&networks()[2], "all-gather", 1);
    let refused = encode_rounds(&problem, 2, 2, 10, LIMITS);
    assert!(matches!(refused, Err(pavane_verify::OverLimit::Formula { .. })));
    let few = Limits { operations: 10, ..LIMITS };
    assert!(encode_rounds(&problem, 2, 2, MOST_LITERALS, few).is_err());
}
