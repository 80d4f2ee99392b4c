use super::*;
use crate::flow::Flow;
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports};
use pavane_networks::topology;
use pavane_verify::verify;

fn broadcast(name: &str, model: Model) -> Problem {
    let network = topology::build(name).unwrap();
    let all = collective::build("broadcast", &network, &Groups::default()).unwrap().remove(0);
    Problem::new(network, all, model).unwrap()
}

fn with_ports(ports: Ports) -> Model {
    Model { switching: Switching::StoreAndForward, ports, ..Model::default() }
}

/// Network, ports, steps: a bound that is reached.
const REACHED: &[(&str, u32, u32)] = &[
    ("random-regular:100,4,7", 1, 7),
    ("random-regular:256,4,1", 1, 9),
    ("random-regular:200,6,3", 2, 5),
    ("hypercube:8", 1, 8),
    ("kautz:3,3", 1, 6),
    ("path:21", 1, 20),
    ("star:5", 2, 2),
];

#[test]
fn the_bound_is_reached() {
    for &(name, ports, steps) in REACHED {
        for duplex in [Duplex::Full, Duplex::Half] {
            let problem = broadcast(name, Model { duplex, ..with_ports(Ports::Limited(ports)) });
            assert!(CallOrders.takes(&problem), "{name}");
            let context = Context::new(problem.clone());
            let mut budget = Budget::evaluations(60_000_000);
            let found = CallOrders.attempt(&context, steps, &mut budget, &mut Rng::seeded(1));
            let Attempt::Found(schedule) = found else { panic!("{name}: {found:?}") };
            assert_eq!(schedule.step_count(), steps, "{name}");
            assert!(verify(problem, schedule).is_ok(), "{name}");
        }
    }
}

#[test]
fn other_problems_are_refused() {
    for (name, model) in [
        ("mesh:4x4", with_ports(Ports::All)),
        ("mesh:4x4@2", with_ports(Ports::Limited(1))),
        ("mesh:4x4", Model { ports: Ports::Limited(1), ..Model::default() }),
    ] {
        assert!(!CallOrders.takes(&broadcast(name, model)), "{name}");
    }
}

#[test]
fn a_change_can_be_taken_back() {
    for ports in 1..=2 {
        let problem = broadcast("random-regular:60,5,2", with_ports(Ports::Limited(ports)));
        let graph = CallGraph::new(&OneMessage::new(&problem));
        let rng = &mut Rng::seeded(1);
        let mut calls = Calls::new(&graph, 5, rng);
        let list = |calls: &Calls<'_>| -> Vec<Vec<(u32, u32)>> {
            calls.by_step().map(Iterator::collect).collect()
        };
        let mut changed = 0;
        for _ in 0..1000 {
            let before = list(&calls);
            calls.change(rng);
            let after = list(&calls);
            // The steps that were repeated are those of a simulation from the start.
            calls.simulate_all();
            assert_eq!(list(&calls), after);
            calls.undo();
            assert_eq!(list(&calls), before);
            changed += u32::from(before != after);
            calls.change(rng);
        }
        assert!(changed > 100);
    }
}

#[test]
fn the_last_step_calls_as_many_as_possible() {
    for ports in 1..=2 {
        let problem = broadcast("random-regular:100,4,7", with_ports(Ports::Limited(ports)));
        let graph = CallGraph::new(&OneMessage::new(&problem));
        let rng = &mut Rng::seeded(1);
        let (mut calls, mut last) = (Calls::new(&graph, 6 - ports, rng), LastStep::new(&graph));
        for _ in 0..500 {
            let missing = last.missing(&calls, usize::MAX).unwrap();
            let open = graph.others.iter().filter(|other| !calls.is_holder(**other)).count();
            assert_eq!(open - missing, most_calls(&graph, &calls), "{ports}");
            assert_eq!(last.calls().count(), open - missing);
            assert!(missing == 0 || last.missing(&calls, missing - 1).is_none());
            assert_eq!(last.missing(&calls, missing), Some(missing));
            last.keep();
            calls.change(rng);
        }
    }
}

/// The most calls of a step, by a maximum flow.
fn most_calls(graph: &CallGraph, calls: &Calls<'_>) -> usize {
    let count = graph.ports.len() as u32;
    let (source, sink) = (2 * count, 2 * count + 1);
    let mut arcs: Vec<(u32, u32, u32)> = Vec::new();
    for caller in (0..count).filter(|&caller| calls.is_holder(caller)) {
        arcs.push((source, caller, graph.ports[caller as usize]));
        let open = graph.targets[caller as usize].iter().filter(|to| !calls.is_holder(**to));
        arcs.extend(open.map(|to| (caller, count + to, 1)));
    }
    arcs.extend((0..count).map(|to| (count + to, sink, 1)));
    Flow::new(2 * count as usize + 2, &arcs).push(source as usize, sink as usize, u64::MAX) as usize
}
