//! The formula of the exact engine agrees with the definition: it has a model for S steps exactly
//! if brute force finds a schedule of at most S steps, and the model decodes to a schedule that
//! passes the rules. The formula is decided by the small solver in `dpll`.

#[path = "../../../search/tests/common/brute_force.rs"]
mod brute_force;
pub mod dpll;
#[path = "../../../search/tests/common/tiny.rs"]
mod tiny;

use dpll::Answer;
use pavane_model::{
    Collective, Duplex, Fault, Kind, ListedMessage, Model, Network, NetworkBuilder, Ports, Problem,
    ProcessorId, RouterId, Routing, Switching,
};
use pavane_verify::exact::{MOST_LITERALS, encode};
use pavane_verify::verify;
use proptest::prelude::*;

const MOST_DECISIONS: u64 = 100_000;
const EFFORT: u64 = 100_000;

/// Whether the formula for this many steps has a model. The schedule of a model must pass the
/// judge. `None` if the solver gives up.
fn has_model(problem: &Problem, steps: u32) -> Option<bool> {
    let forward = problem.forward();
    let encoding = encode(&forward, steps, MOST_LITERALS).expect("a tiny formula is affordable");
    let model = match dpll::solve(&encoding.cnf, MOST_DECISIONS) {
        Answer::Satisfiable(model) => model,
        Answer::Unsatisfiable => return Some(false),
        Answer::Undecided => return None,
    };
    let is_true = |literal: i32| model[literal.unsigned_abs() as usize] == (literal > 0);
    for clause in encoding.cnf.clauses() {
        assert!(clause.iter().any(|&literal| is_true(literal)), "the solver violates {clause:?}");
    }
    let schedule = encoding.decode(&forward, is_true);
    assert!(schedule.step_count() <= steps);
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    verify(problem.clone(), schedule).expect("the schedule of a model is valid");
    Some(true)
}

/// Compares the formula with brute force for all numbers of steps up to one more than needed.
/// Returns whether everything was decided.
fn agrees(problem: &Problem) -> bool {
    let Some(optimum) = brute_force::fewest_steps(problem, EFFORT) else { return false };
    let mut is_decided = true;
    for steps in 0..=optimum + 1 {
        match has_model(problem, steps) {
            Some(answer) => {
                let (network, model) = (problem.network().name(), problem.model());
                let collective = problem.collective();
                assert_eq!(
                    answer,
                    steps >= optimum,
                    "{steps} steps, and brute force needs {optimum}: {network} {collective:?} \
                     {model:?}"
                );
            }
            None => is_decided = false,
        }
    }
    is_decided
}

fn linked(name: &str, routers: u32, links: &[(u32, u32)]) -> Network {
    let mut builder = NetworkBuilder::new(name, routers);
    for &(a, b) in links {
        builder.link(a, b);
    }
    builder.processor_on_each_router();
    builder.build().expect("the table is sound")
}

/// Direct, directed, fat, indirect and faulty networks.
fn networks() -> Vec<Network> {
    let ring = linked("ring", 4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    let mut one_way = NetworkBuilder::new("one-way ring", 3);
    one_way.channel(0, 1).channel(1, 2).channel(2, 0).processor_on_each_router();
    let mut star = NetworkBuilder::new("star with a switch", 4);
    star.link(0, 3).link(1, 3).link(2, 3);
    star.processor(Some(0)).processor(Some(1)).processor(Some(2));
    let mut parallel = NetworkBuilder::new("parallel links", 3);
    parallel.link(0, 1).link(0, 1).link(1, 2).processor_on_each_router();
    let pair = linked("pair", 2, &[(0, 1)]).with_fat_nodes(2).expect("the table is sound");
    let lose = |fault| ring.without(&[fault]).expect("the table is sound").named("broken ring");
    vec![
        linked("path", 3, &[(0, 1), (1, 2)]),
        linked("triangle", 3, &[(0, 1), (1, 2), (2, 0)]),
        one_way.build().expect("the table is sound"),
        star.build().expect("the table is sound"),
        parallel.build().expect("the table is sound"),
        pair,
        lose(Fault::Link(RouterId(3), RouterId(0))),
        lose(Fault::Channel(RouterId(0), RouterId(1))),
        lose(Fault::Router(RouterId(2))),
        ring,
    ]
}

/// Broadcasts and personalised messages, from one processor, from all, and to one.
fn collectives(network: &Network) -> Vec<Collective> {
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let one = vec![all[0]];
    let between = |kind, senders: &[ProcessorId], receivers: &[ProcessorId]| {
        Collective::between(kind, "test", senders.to_vec(), receivers.to_vec())
    };
    let message = |from: ProcessorId, to: &[ProcessorId]| ListedMessage { from, to: to.to_vec() };
    vec![
        between(Kind::Broadcast, &one, &all),
        between(Kind::Broadcast, &all[..2], &all),
        between(Kind::Scatter, &one, &all),
        between(Kind::Scatter, &all[..2], &all),
        between(Kind::Gather, &all, &one),
        between(Kind::Reduce, &all, &one),
        Collective::listed(
            "test",
            vec![
                message(all[0], &all[1..]),
                message(all[1], &[all[2]]),
                message(all[2], &[all[1]]),
            ],
        ),
    ]
}

fn models() -> Vec<Model> {
    let mut models = Vec::new();
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        for routing in [Routing::Minimal, Routing::Detour(1), Routing::Any] {
            for duplex in [Duplex::Full, Duplex::Half] {
                for ports in [Ports::Limited(1), Ports::Limited(2), Ports::All] {
                    models.push(Model { switching, routing, duplex, ports });
                }
            }
        }
    }
    models
}

#[test]
fn a_model_exists_exactly_if_a_schedule_does_under_all_rules() {
    let (mut problems, mut decided) = (0, 0);
    for network in networks() {
        for collective in collectives(&network) {
            for model in models() {
                // A network with switches has no schedules under store-and-forward.
                let problem = Problem::new(network.clone(), collective.clone(), model);
                let Ok(problem) = problem else { continue };
                problems += 1;
                decided += u32::from(agrees(&problem));
            }
        }
    }
    assert!(problems > 2_000, "only {problems} problems");
    assert!(decided * 100 >= problems * 99, "only {decided} of {problems} were decided");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_model_exists_exactly_if_a_schedule_does_on_random_networks(problem in tiny::problem()) {
        agrees(&problem);
    }
}
