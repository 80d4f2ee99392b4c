//! Limits of published machines and of large networks.

use crate::common::{self, Machine};
use pavane_throughput::Ratio;
use pavane_throughput::limit::{BroadcastError, limit};

fn all_gather(machine: &Machine) -> Ratio {
    let found = limit(&machine.graph, &machine.processors, &machine.processors)
        .expect("all receivers can be reached");
    let inside = |router: &u32| found.cut.binary_search(router).is_ok();
    let count = machine.processors.iter().filter(|router| inside(router)).count();
    let leaving = machine.graph.links.iter().filter(|l| inside(&l.tail) && !inside(&l.head));
    let bandwidth: u64 = leaving.map(|link| link.bandwidth).sum();
    assert!(!machine.processors.iter().all(inside));
    assert_eq!(found.time, Ratio::new(count as u128, u128::from(bandwidth)));
    found.time
}

#[test]
fn published_machines_have_the_published_limits() {
    let machines = [
        ("dgx-a100:1", common::dgx_a100(1), (7, 300)),
        ("dgx-a100:2", common::dgx_a100(2), (3, 65)),
        ("dgx-a100:4", common::dgx_a100(4), (3, 25)),
        ("mi250:1", common::mi250(1), (7, 150)),
        ("mi250:2", common::mi250(2), (15, 166)),
        ("mi250:4", common::mi250(4), (3, 16)),
        ("dgx-1v", common::dgx_1v(), (7, 150)),
        // 16 shards at 25.00 GB/s, 32 at 16.67, 32 at 129.03; bandwidths are in 0.5 GB/s.
        ("ndv2:2", common::ndv2(2), (16, 50)),
        ("ndv2:4", common::ndv2(4), (24, 25)),
        ("dgx2:2", common::dgx2(), (31, 250)),
    ];
    for (name, machine, (count, bandwidth)) in machines {
        assert_eq!(all_gather(&machine), Ratio::new(count, bandwidth), "{name}");
    }
}

#[test]
fn large_networks_are_bounded_by_their_processors() {
    let machines = [
        ("torus 32x32", common::torus(32, 1)),
        ("random-regular 1024, 4", common::random_regular(1024, 4, 2)),
        ("fat tree of 16 ports (1,344 routers)", common::fat_tree(16)),
    ];
    for (name, machine) in machines {
        let into = |router: u32| -> u64 {
            machine.graph.links.iter().filter(|link| link.head == router).map(|l| l.bandwidth).sum()
        };
        let slowest = machine.processors.iter().map(|&home| into(home)).min().unwrap();
        let messages = machine.processors.len() as u128 - 1;
        assert!(all_gather(&machine) >= Ratio::new(messages, slowest.into()), "{name}");
    }
}

#[test]
fn unreachable_receivers_are_named() {
    let mut machine = Machine::new();
    let [a, b, c, d] = [(); 4].map(|()| machine.gpu());
    machine.link(a, b, 1);
    machine.link(c, d, 1);
    machine.channel(c, a, 5);
    let found = limit(&machine.graph, &[c, b], &[a, d]);
    assert_eq!(found, Err(BroadcastError::Unreachable { sender: b, receiver: d }));
    let found = limit(&machine.graph, &[a], &[9]);
    assert_eq!(found, Err(BroadcastError::NoSuchRouter { router: 9, routers: 4 }));
    assert_eq!(limit(&machine.graph, &[c], &[c]).unwrap().time, Ratio::new(0, 1));
    assert_eq!(limit(&machine.graph, &[], &[c]).unwrap().time, Ratio::new(0, 1));
    assert_eq!(limit(&machine.graph, &[c], &[]).unwrap().time, Ratio::new(0, 1));
    assert_eq!(limit(&machine.graph, &[c, c], &[b]).unwrap().time, Ratio::new(2, 1));
}
