//! Plans of published machines.

use crate::common::check::check;
use crate::common::{self, Machine};
use pavane_throughput::Ratio;
use pavane_throughput::limit::BroadcastError;
use pavane_throughput::trees::{Broadcasts, plan, plan_with_trees};

fn broadcasts<'a>(machine: &'a Machine, copying: &'a [bool]) -> Broadcasts<'a> {
    let Machine { graph, processors } = machine;
    Broadcasts { graph, copying, senders: processors, receivers: processors }
}

#[test]
fn published_machines_have_plans_at_the_limit() {
    let machines = [
        ("dgx-a100:1", common::dgx_a100(1), 1),
        ("dgx-a100:2", common::dgx_a100(2), 2),
        ("dgx-a100:4", common::dgx_a100(4), 3),
        ("mi250:1", common::mi250(1), 9),
        ("mi250:2", common::mi250(2), 11),
        ("dgx-1v", common::dgx_1v(), 2),
        ("ndv2:2", common::ndv2(2), 5),
        ("ndv2:4", common::ndv2(4), 6),
        ("dgx2:2", common::dgx2(), 3),
        ("dgx-h100:2", common::dgx_h100(2), 2),
        ("mi250:4", common::mi250(4), 13),
    ];
    for (name, machine, depth) in machines {
        let copying = machine.copying();
        let broadcasts = broadcasts(&machine, &copying);
        let plan = plan(&broadcasts, &|| false).unwrap();
        check(&broadcasts, &plan);
        assert!(plan.is_optimal(), "{name}");
        assert!(plan.depth() <= depth, "{name}");
    }
}

#[test]
fn one_tree_per_gpu_costs_a_hundredth() {
    let machine = common::dgx_a100(2);
    let copying = machine.copying();
    let broadcasts = broadcasts(&machine, &copying);
    let plan = plan_with_trees(&broadcasts, 1, &|| false).unwrap();
    check(&broadcasts, &plan);
    assert_eq!(plan.trees_per_sender(), 1);
    assert_eq!(plan.depth(), 2);
    assert!(plan.limit.time / plan.time >= Ratio::new(989, 1000));
}

#[test]
fn few_trees_cost_little() {
    let machines =
        [("dgx-1v", common::dgx_1v(), [2, 2, 3]), ("mi250:1", common::mi250(1), [9, 9, 9])];
    for (name, machine, depths) in machines {
        let copying = machine.copying();
        let broadcasts = broadcasts(&machine, &copying);
        for (most, depth) in [1, 2, 4].into_iter().zip(depths) {
            let plan = plan_with_trees(&broadcasts, most, &|| false).unwrap();
            check(&broadcasts, &plan);
            assert!(plan.trees_per_sender() <= most as usize);
            assert!(plan.depth() <= depth, "{name}");
            assert!(plan.limit.time / plan.time >= Ratio::new(3, 4), "{name}");
        }
    }
}

#[test]
fn groups_reach_the_limit() {
    let a100 = common::dgx_a100(4);
    let mi250 = common::mi250(2);
    let torus = common::torus(8, 1);
    let groups = [
        ("dgx-a100:4, broadcast", &a100, 0..1, 1..32),
        ("dgx-a100:4, box to box", &a100, 0..8, 8..16),
        ("dgx-a100:4, one GPU to a box", &a100, 0..1, 8..16),
        ("dgx-a100:4, across boxes", &a100, 5..11, 14..20),
        ("mi250:2, box to box", &mi250, 0..16, 16..32),
        ("torus 8x8, broadcast", &torus, 0..1, 0..64),
        ("torus 8x8, half to half", &torus, 0..32, 32..64),
    ];
    for (name, machine, senders, receivers) in groups {
        let (senders, receivers) = (&machine.processors[senders], &machine.processors[receivers]);
        let copying = machine.copying();
        for graph in [machine.graph.clone(), machine.graph.reversed()] {
            let broadcasts = Broadcasts { graph: &graph, copying: &copying, senders, receivers };
            let plan = plan(&broadcasts, &|| false).unwrap();
            check(&broadcasts, &plan);
            assert!(plan.is_optimal(), "{name}");
        }
    }
}

#[test]
fn a_relay_duplicates_where_it_must() {
    // One sender, a relay and two receivers: a switch in its place halves the rate.
    let mut machine = Machine::new();
    let [a, relay, b, c] = [(); 4].map(|()| machine.gpu());
    machine.channel(a, relay, 1);
    machine.channel(relay, b, 1);
    machine.channel(relay, c, 1);
    for (relays, time) in [(true, 1), (false, 2)] {
        let copying = [true, relays, true, true];
        let graph = &machine.graph;
        let broadcasts = Broadcasts { graph, copying: &copying, senders: &[a], receivers: &[b, c] };
        let plan = plan(&broadcasts, &|| false).unwrap();
        check(&broadcasts, &plan);
        assert_eq!(plan.time, Ratio::new(time, 1));
        assert_eq!(plan.is_optimal(), relays);
    }
}

#[test]
fn an_interrupt_ends_the_search() {
    let machine = common::dgx_a100(2);
    let copying = machine.copying();
    let found = plan(&broadcasts(&machine, &copying), &|| true);
    assert_eq!(found, Err(BroadcastError::Interrupted));
}
