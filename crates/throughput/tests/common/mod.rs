//! Machines of the published comparisons, in GB/s, and random networks.
#![allow(dead_code, reason = "every test file uses a part")]

pub mod check;
pub mod check_paths;

use pavane_throughput::{Graph, Link};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A network with the routers that have a processor.
pub struct Machine {
    pub graph: Graph,
    pub processors: Vec<u32>,
}

impl Machine {
    pub fn new() -> Self {
        Machine { graph: Graph { routers: 0, links: Vec::new() }, processors: Vec::new() }
    }

    pub fn gpu(&mut self) -> u32 {
        let router = self.switch();
        self.processors.push(router);
        router
    }

    pub fn switch(&mut self) -> u32 {
        self.graph.routers += 1;
        self.graph.routers - 1
    }

    pub fn channel(&mut self, tail: u32, head: u32, bandwidth: u64) {
        self.graph.links.push(Link { tail, head, bandwidth });
    }

    pub fn link(&mut self, a: u32, b: u32, bandwidth: u64) {
        self.channel(a, b, bandwidth);
        self.channel(b, a, bandwidth);
    }

    /// Whether each router may duplicate.
    pub fn copying(&self) -> Vec<bool> {
        (0..self.graph.routers).map(|router| self.processors.contains(&router)).collect()
    }
}

pub fn dgx_a100(boxes: u32) -> Machine {
    let mut machine = Machine::new();
    let gpus: Vec<Vec<u32>> = (0..boxes).map(|_| (0..8).map(|_| machine.gpu()).collect()).collect();
    for gpus in &gpus {
        let switch = machine.switch();
        gpus.iter().for_each(|&gpu| machine.link(gpu, switch, 300));
    }
    if boxes > 1 {
        let fabric = [machine.switch(), machine.switch()];
        for (b, &gpu) in gpus.iter().flat_map(|gpus| gpus.iter().enumerate()) {
            let nic = machine.switch();
            machine.link(gpu, nic, 25);
            machine.link(nic, fabric[b % 2], 25);
        }
    }
    machine
}

pub fn dgx_h100(boxes: u32) -> Machine {
    let mut machine = Machine::new();
    let gpus: Vec<Vec<u32>> = (0..boxes).map(|_| (0..8).map(|_| machine.gpu()).collect()).collect();
    for gpus in &gpus {
        let switch = machine.switch();
        gpus.iter().for_each(|&gpu| machine.link(gpu, switch, 450));
    }
    let spine = machine.switch();
    let rails: Vec<u32> = (0..8).map(|_| machine.switch()).collect();
    rails.iter().for_each(|&rail| machine.link(rail, spine, 50 * u64::from(boxes)));
    for (b, &gpu) in gpus.iter().flat_map(|gpus| gpus.iter().enumerate()) {
        let nic = machine.switch();
        machine.link(gpu, nic, 50);
        machine.link(nic, rails[b], 50);
    }
    machine
}

pub fn mi250(boxes: u32) -> Machine {
    let four = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 15)];
    let two = [(0, 4), (3, 7), (8, 12), (11, 15)];
    let one = [
        (0, 8),
        (1, 5),
        (1, 9),
        (1, 10),
        (2, 6),
        (2, 9),
        (2, 10),
        (3, 11),
        (4, 6),
        (5, 6),
        (5, 7),
        (9, 13),
        (10, 14),
        (12, 14),
        (13, 14),
        (13, 15),
    ];
    let mut machine = Machine::new();
    for _ in 0..boxes {
        let base = machine.graph.routers;
        (0..16).for_each(|_| {
            machine.gpu();
        });
        for (pairs, times) in [(&four[..], 4), (&two, 2), (&one, 1)] {
            for &(a, b) in pairs {
                machine.link(base + a, base + b, 50 * times);
            }
        }
    }
    if boxes > 1 {
        let fabric = machine.switch();
        for gpu in machine.processors.clone() {
            machine.link(gpu, fabric, 16);
        }
    }
    machine
}

fn dgx_1v_box(machine: &mut Machine) -> u32 {
    let two = [(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)];
    let one = [(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)];
    let base = machine.graph.routers;
    (0..8).for_each(|_| {
        machine.gpu();
    });
    two.iter().for_each(|&(a, b)| machine.link(base + a, base + b, 50));
    one.iter().for_each(|&(a, b)| machine.link(base + a, base + b, 25));
    base
}

pub fn dgx_1v() -> Machine {
    let mut machine = Machine::new();
    dgx_1v_box(&mut machine);
    machine
}

/// Bandwidths in units of 0.5 GB/s.
pub fn ndv2(boxes: u32) -> Machine {
    let mut machine = Machine::new();
    let bases: Vec<u32> = (0..boxes).map(|_| dgx_1v_box(&mut machine)).collect();
    machine.graph.links.iter_mut().for_each(|link| link.bandwidth *= 2);
    if boxes == 2 {
        machine.channel(bases[0], bases[1] + 1, 25);
        machine.channel(bases[1], bases[0] + 1, 25);
    } else {
        let switch = machine.switch();
        for base in bases {
            machine.channel(base, switch, 25);
            machine.channel(switch, base + 1, 25);
        }
    }
    machine
}

/// Two boxes; bandwidths in units of 0.5 GB/s.
pub fn dgx2() -> Machine {
    let mut machine = Machine::new();
    let mut boxes = Vec::new();
    for _ in 0..2 {
        let gpus: Vec<u32> = (0..16).map(|_| machine.gpu()).collect();
        let switch = machine.switch();
        gpus.iter().for_each(|&gpu| machine.link(gpu, switch, 250));
        boxes.push(gpus);
    }
    for pair in 0..8 {
        machine.channel(boxes[0][2 * pair + 1], boxes[1][2 * pair], 25);
        machine.channel(boxes[1][2 * pair + 1], boxes[0][2 * pair], 25);
    }
    machine
}

/// A torus with random bandwidths from 1 to 100.
pub fn torus(side: u32, seed: u64) -> Machine {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut machine = Machine::new();
    (0..side * side).for_each(|_| {
        machine.gpu();
    });
    for router in 0..side * side {
        let (x, y) = (router % side, router / side);
        for other in [y * side + (x + 1) % side, (y + 1) % side * side + x] {
            machine.link(router, other, random.random_range(1..=100));
        }
    }
    machine
}

/// Every router has `degree` channels out and in.
pub fn random_regular(routers: u32, degree: u32, seed: u64) -> Machine {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut machine = Machine::new();
    (0..routers).for_each(|_| {
        machine.gpu();
    });
    for _ in 0..degree {
        let mut order: Vec<u32> = (0..routers).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.random_range(0..=last));
        }
        (0..order.len())
            .for_each(|at| machine.channel(order[at], order[(at + 1) % order.len()], 1));
    }
    machine
}

/// The fat tree of switches with `arity` ports.
pub fn fat_tree(arity: u32) -> Machine {
    let mut machine = Machine::new();
    let half = arity / 2;
    let core: Vec<u32> = (0..half * half).map(|_| machine.switch()).collect();
    for _ in 0..arity {
        let top: Vec<u32> = (0..half).map(|_| machine.switch()).collect();
        for (at, &switch) in core.iter().enumerate() {
            machine.link(top[at / half as usize], switch, 100);
        }
        for _ in 0..half {
            let edge = machine.switch();
            top.iter().for_each(|&top| machine.link(top, edge, 100));
            for _ in 0..half {
                let gpu = machine.gpu();
                machine.link(gpu, edge, 100);
            }
        }
    }
    machine
}
