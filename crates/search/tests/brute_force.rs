//! The brute-force search that the bounds are compared with gives the results known by hand.

use crate::common::{brute_force, tiny};
use pavane_model::{
    Collective, Duplex, Kind, Model, Network, NetworkBuilder, Ports, Problem, ProcessorId, Routing,
    Switching,
};
use proptest::prelude::*;

fn linked(routers: u32, links: &[(u32, u32)], processors_each: u32) -> Network {
    let mut builder = NetworkBuilder::new("by hand", routers);
    for &(a, b) in links {
        builder.link(a, b);
    }
    builder.processor_on_each_router();
    let slim = builder.build().expect("the table is sound");
    slim.with_fat_nodes(processors_each).expect("the table is sound")
}

fn optimum(network: Network, kind: Kind, senders: u32, model: Model) -> Option<u32> {
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let senders = all[..senders as usize].to_vec();
    let collective = Collective::between(kind, "by hand", senders, all);
    let problem = Problem::new(network, collective, model).expect("the table is sound");
    brute_force::fewest_steps(&problem, 5_000_000)
}

#[test]
fn known_by_hand() {
    let wormhole = Model::default();
    let stored = Model { switching: Switching::StoreAndForward, ..wormhole };
    let half = Model { duplex: Duplex::Half, ..wormhole };
    let one_port = |model: Model| Model { ports: Ports::Limited(1), ..model };
    let any = |model: Model| Model { routing: Routing::Any, ..model };
    let detour = |model: Model, extra| Model { routing: Routing::Detour(extra), ..model };
    let ring = || linked(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], 1);
    let triangle = || linked(3, &[(0, 1), (1, 2), (2, 0)], 1);
    let path = || linked(3, &[(0, 1), (1, 2)], 1);
    let pair = |processors_each| linked(2, &[(0, 1)], processors_each);
    use Kind::{Broadcast, Gather, Reduce, Scatter};
    let known = [
        // A ring of four: first both neighbours, then one of them informs the last.
        ("ring oab", ring(), Broadcast, 1, wormhole, 2),
        ("ring oab one port", ring(), Broadcast, 1, one_port(wormhole), 2),
        ("ring aab stored", ring(), Broadcast, 4, stored, 2),
        ("ring aab stored one port", ring(), Broadcast, 4, one_port(stored), 3),
        ("ring oas", ring(), Scatter, 1, wormhole, 2),
        ("ring oas one port", ring(), Scatter, 1, one_port(wormhole), 3),
        ("ring aas", ring(), Scatter, 4, wormhole, 2),
        ("ring aog", ring(), Gather, 4, wormhole, 2),
        // The message for the far processor leaves first, each neighbour's own message second.
        ("ring oas stored", ring(), Scatter, 1, stored, 2),
        // A path: two messages cross each end link in each direction.
        ("path aas", path(), Scatter, 3, wormhole, 2),
        ("path aas half duplex", path(), Scatter, 3, half, 4),
        ("path oas stored from an end", path(), Scatter, 1, stored, 2),
        ("path oab stored from an end", path(), Broadcast, 1, stored, 2),
        ("path reduce", path(), Reduce, 3, wormhole, 2),
        // A triangle: both personalised messages go directly, in one step.
        ("triangle oas", triangle(), Scatter, 1, wormhole, 1),
        // Six messages over three links.
        ("triangle aas half duplex", triangle(), Scatter, 3, half, 2),
        // Two processors on each of two routers: each pair exchanges over one link in 4 steps.
        ("fat pair aas one port", pair(2), Scatter, 4, one_port(wormhole), 4),
        ("fat pair oab", pair(2), Broadcast, 1, wormhole, 2),
    ];
    for (name, network, kind, senders, model, steps) in known {
        assert_eq!(optimum(network, kind, senders, model), Some(steps), "{name}");
    }
    // Two messages from 0 to router 1 of a triangle, which has two processors: the second may take
    // the way through 2.
    let fat_end = || {
        let mut builder = NetworkBuilder::new("by hand", 3);
        builder.link(0, 1).link(1, 2).link(2, 0);
        builder.processor(Some(0)).processor(Some(1)).processor(Some(1)).processor(Some(2));
        builder.build().unwrap()
    };
    for (model, steps) in [
        (wormhole, 2),
        (any(wormhole), 2),
        (detour(wormhole, 0), 2),
        (detour(wormhole, 1), 2),
        (stored, 2),
        (any(stored), 2),
    ] {
        assert_eq!(optimum(fat_end(), Scatter, 1, model), Some(steps), "{model:?}");
    }
    let to_the_fat_end = |model| {
        let receivers = vec![ProcessorId(1), ProcessorId(2)];
        let collective = Collective::between(Scatter, "by hand", vec![ProcessorId(0)], receivers);
        brute_force::fewest_steps(&Problem::new(fat_end(), collective, model).unwrap(), 100_000)
    };
    let steps =
        [wormhole, any(wormhole), detour(wormhole, 1), stored, any(stored)].map(to_the_fat_end);
    assert_eq!(steps, [Some(2), Some(1), Some(1), Some(2), Some(2)]);
}

proptest! {
    #[test]
    fn more_freedom_never_costs_steps(problem in tiny::problem()) {
        let model = problem.model();
        let mut freer = vec![
            Model { routing: Routing::Any, ..model },
            Model { duplex: Duplex::Full, ..model },
            Model { ports: Ports::Limited(9), ..model },
        ];
        // Under wormhole switching a personalised message must travel its whole path in one step,
        // so that is not always freer.
        if !problem.messages().ids().any(|m| problem.messages().is_personalised(m)) {
            freer.push(Model { switching: Switching::Wormhole, ..model });
        }
        let Some(steps) = brute_force::fewest_steps(&problem, 100_000) else { return Ok(()) };
        for model in freer {
            let freer = problem.under(model).unwrap();
            if let Some(fewer) = brute_force::fewest_steps(&freer, 100_000) {
                prop_assert!(fewer <= steps, "{fewer} > {steps} under {model:?}");
            }
        }
    }
}
