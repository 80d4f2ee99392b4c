//! Machines of K boxes by name, with published bandwidths and latencies. The GPUs of all boxes are
//! numbered first, box by box, so that processor p lives on router p; the switches and network
//! cards (NICs) of the boxes follow, then the switches between the boxes.
//!
//! `dgx-a100` and `mi250` are the machines of ForestColl, `ndv2` and `dgx2` those of TACCL (NSDI
//! 2023) and TE-CCL (SIGCOMM 2024). `dgx-h100` has one switch per rail below a spine.

use super::error::TopologyError;
use super::machines;
use super::parameters::{Parameters, Size};
use pavane_model::network::{Network, NetworkBuilder, Position, Timing};

/// The maximum number of boxes.
const MOST_BOXES: u64 = 1024;

/// Pairs of GPUs in an NDv2 box with two NVLinks, and with one.
const NDV2_DOUBLE: [(u32, u32); 8] =
    [(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)];
const NDV2_SINGLE: [(u32, u32); 8] =
    [(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)];

/// Pairs of dies in an MI250 box with four links, with two, and with one.
const MI250_FOURFOLD: [(u32, u32); 8] =
    [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 15)];
const MI250_DOUBLE: [(u32, u32); 4] = [(0, 4), (3, 7), (8, 12), (11, 15)];
const MI250_SINGLE: [(u32, u32); 16] = [
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

/// `dgx-a100`: one box with its six switches. `dgx-a100:K`: K boxes of 8 GPUs at one switch each;
/// if there are several, the NIC of each GPU leads to one of two switches, by its parity.
pub fn dgx_a100(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    if parameters.is_empty() {
        return machines::dgx_a100(parameters);
    }
    let boxes = count(parameters, MOST_BOXES)?;
    let fabric = if boxes > 1 { vec![("ib0".into(), 0), ("ib1".into(), 0)] } else { Vec::new() };
    let plan = Plan { boxes, gpus: 8, switches: 1, nics: if boxes > 1 { 8 } else { 0 }, fabric };
    let per_box = 16 + 4 * plan.nics;
    let mut builder = plan.start(parameters, per_box, 0)?;
    for at in 0..boxes {
        plan.join_switch(&mut builder, at, gbytes(300.0));
        for nic in 0..plan.nics {
            builder.link(plan.gpu(at, nic), plan.nic(at, nic)).timing(gbytes(25.0));
            builder.link(plan.nic(at, nic), plan.between(nic % 2)).timing(gbytes(25.0));
        }
    }
    Ok(builder.build()?)
}

/// `dgx-h100`: one box with its four switches. `dgx-h100:K`: K boxes of 8 GPUs at one switch each;
/// if there are several, the NICs of the GPUs with number b lead to the switch of rail b, and a
/// spine joins the rails with full bandwidth.
pub fn dgx_h100(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    if parameters.is_empty() {
        return machines::dgx_h100(parameters);
    }
    let boxes = count(parameters, MOST_BOXES)?;
    let (nics, fabric) = match boxes {
        1 => (0, Vec::new()),
        _ => {
            let rails = (0..8).map(|rail| (format!("rail{rail}"), 1));
            (8, rails.chain([("spine".to_owned(), 0)]).collect())
        }
    };
    let plan = Plan { boxes, gpus: 8, switches: 1, nics, fabric };
    let mut builder = plan.start(parameters, 16 + 4 * nics, 2 * nics)?;
    for at in 0..boxes {
        plan.join_switch(&mut builder, at, gbytes(450.0));
        for nic in 0..nics {
            builder.link(plan.gpu(at, nic), plan.nic(at, nic)).timing(gbytes(50.0));
            builder.link(plan.nic(at, nic), plan.between(nic)).timing(gbytes(50.0));
        }
    }
    for rail in 0..nics {
        let full = gbytes(50.0 * f64::from(boxes));
        builder.link(plan.between(rail), plan.between(nics)).timing(full);
    }
    Ok(builder.build()?)
}

/// `dgx2:K`: boxes of 16 GPUs at one switch. With two boxes, each odd GPU has a channel to the even
/// GPU before it in the other box.
pub fn dgx2(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let boxes = count(parameters, 2)?;
    let plan = Plan { boxes, gpus: 16, switches: 1, nics: 0, fabric: Vec::new() };
    let mut builder = plan.start(parameters, 32, if boxes > 1 { 16 } else { 0 })?;
    for at in 0..boxes {
        plan.join_switch(&mut builder, at, timed(125.0, 350.0));
    }
    for from in 0..boxes {
        for to in (0..boxes).filter(|&to| to != from) {
            for even in (0..16).step_by(2) {
                let (tail, head) = (plan.gpu(from, even + 1), plan.gpu(to, even));
                builder.channel(tail, head).timing(timed(12.5, 2600.0));
            }
        }
    }
    Ok(builder.build()?)
}

/// `ndv2:K`: boxes of 8 GPUs with NVLinks as in a DGX-1V. GPU 0 of a box sends to other boxes, GPU 1
/// receives: directly if there are two boxes, otherwise through one switch.
pub fn ndv2(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let boxes = count(parameters, MOST_BOXES)?;
    let fabric = if boxes > 2 { vec![("ib0".to_owned(), 0)] } else { Vec::new() };
    let plan = Plan { boxes, gpus: 8, switches: 0, nics: 0, fabric };
    let per_box = 32 + [0, 0, 1, 2][boxes.min(3) as usize];
    let mut builder = plan.start(parameters, per_box, 0)?;
    for at in 0..boxes {
        for (pairs, bandwidth) in [(NDV2_DOUBLE, 50.0), (NDV2_SINGLE, 25.0)] {
            for (a, b) in pairs {
                let link = builder.link(plan.gpu(at, a), plan.gpu(at, b));
                link.timing(timed(bandwidth, 700.0));
            }
        }
    }
    let remote = timed(12.5, 1300.0);
    for at in 0..boxes {
        match boxes {
            1 => {}
            2 => _ = builder.channel(plan.gpu(at, 0), plan.gpu(1 - at, 1)).timing(remote),
            _ => {
                builder.channel(plan.gpu(at, 0), plan.between(0)).timing(remote);
                builder.channel(plan.between(0), plan.gpu(at, 1)).timing(remote);
            }
        }
    }
    Ok(builder.build()?)
}

/// `mi250:K`: boxes of 16 dies with one to four links between two of them. With several boxes, every
/// die has a link to one switch.
pub fn mi250(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let boxes = count(parameters, MOST_BOXES)?;
    let fabric = if boxes > 1 { vec![("ib0".to_owned(), 0)] } else { Vec::new() };
    let plan = Plan { boxes, gpus: 16, switches: 0, nics: 0, fabric };
    let mut builder = plan.start(parameters, 112 + if boxes > 1 { 32 } else { 0 }, 0)?;
    for at in 0..boxes {
        for (pairs, links) in [(&MI250_FOURFOLD[..], 4), (&MI250_DOUBLE, 2), (&MI250_SINGLE, 1)] {
            for &(a, b) in pairs {
                for _ in 0..links {
                    builder.link(plan.gpu(at, a), plan.gpu(at, b)).timing(gbytes(50.0));
                }
            }
        }
        for die in (0..plan.gpus).filter(|_| boxes > 1) {
            builder.link(plan.gpu(at, die), plan.between(0)).timing(gbytes(16.0));
        }
    }
    Ok(builder.build()?)
}

/// A bandwidth in gigabytes per second, without a latency.
fn gbytes(bandwidth: f64) -> Timing {
    Timing { latency_ns: None, bandwidth_gbytes: Some(bandwidth) }
}

/// A bandwidth in gigabytes per second and a latency in nanoseconds.
fn timed(bandwidth: f64, latency: f64) -> Timing {
    Timing { latency_ns: Some(latency), bandwidth_gbytes: Some(bandwidth) }
}

fn count(parameters: &Parameters<'_>, most: u64) -> Result<u32, TopologyError> {
    let [boxes] = parameters.numbers()?;
    parameters.within("K", boxes, 1, most)?;
    Ok(boxes as u32)
}

/// The routers of a cluster of equal boxes.
struct Plan {
    boxes: u32,
    /// GPUs of a box.
    gpus: u32,
    /// Switches of a box: none or one.
    switches: u32,
    /// NICs of a box.
    nics: u32,
    /// The switches between the boxes: names, and rows in drawings from the top.
    fabric: Vec<(String, u32)>,
}

impl Plan {
    fn gpu(&self, at: u32, gpu: u32) -> u32 {
        at * self.gpus + gpu
    }

    fn inside(&self, at: u32, index: u32) -> u32 {
        self.boxes * self.gpus + at * (self.switches + self.nics) + index
    }

    fn switch(&self, at: u32) -> u32 {
        self.inside(at, 0)
    }

    fn nic(&self, at: u32, nic: u32) -> u32 {
        self.inside(at, self.switches + nic)
    }

    /// The number of a switch between the boxes.
    fn between(&self, index: u32) -> u32 {
        self.inside(self.boxes, index)
    }

    /// Links every GPU of a box to the switch of the box.
    fn join_switch(&self, builder: &mut NetworkBuilder, at: u32, timing: Timing) {
        for gpu in 0..self.gpus {
            builder.link(self.gpu(at, gpu), self.switch(at)).timing(timing);
        }
    }

    /// A builder with the routers, their names and positions, and a processor on every GPU.
    /// `per_box` and `others` count the channels of each box, and all others.
    fn start(
        &self,
        parameters: &Parameters<'_>,
        per_box: u32,
        others: u32,
    ) -> Result<NetworkBuilder, TopologyError> {
        let routers = self.between(self.fabric.len() as u32);
        let channels = u128::from(self.boxes) * u128::from(per_box) + u128::from(others);
        let processors = u128::from(self.boxes * self.gpus);
        let mut builder =
            parameters.start(Size { routers: routers.into(), channels, processors })?;
        let mut names = Vec::with_capacity(routers as usize);
        let mut positions: Vec<Position> = Vec::with_capacity(routers as usize);
        for at in 0..self.boxes {
            for gpu in 0..self.gpus {
                names.push(format!("box{at}/gpu{gpu}"));
                positions.push(self.gpu_position(at, gpu));
                builder.processor(Some(self.gpu(at, gpu)));
            }
        }
        for at in 0..self.boxes {
            let left = self.left(at);
            if self.switches > 0 {
                names.push(format!("box{at}/nvswitch"));
                positions.push((left + f64::from(self.gpus - 1) / 2.0, 5.0));
            }
            for nic in 0..self.nics {
                names.push(format!("box{at}/nic{nic}"));
                positions.push((left + f64::from(nic), 3.0));
            }
        }
        for (index, (name, row)) in self.fabric.iter().enumerate() {
            names.push(name.clone());
            positions.push((self.fabric_position(index, *row), f64::from(*row)));
        }
        builder.router_names(names).positions(positions);
        Ok(builder)
    }

    /// The left edge of a box in drawings. Boxes with a circle have room for their frames.
    fn left(&self, at: u32) -> f64 {
        f64::from(at * (self.gpus + self.gap()))
    }

    fn gap(&self) -> u32 {
        if self.switches > 0 { 1 } else { 2 }
    }

    /// GPUs at a switch are in a row, GPUs with links to each other on a circle.
    fn gpu_position(&self, at: u32, gpu: u32) -> Position {
        if self.switches > 0 {
            return (self.left(at) + f64::from(gpu), 4.0);
        }
        let radius = f64::from(self.gpus) / 2.5;
        let angle = std::f64::consts::TAU * f64::from(gpu) / f64::from(self.gpus);
        let middle = self.left(at) + f64::from(self.gpus - 1) / 2.0;
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        (rounded(middle - radius * angle.cos()), rounded(4.5 + radius - radius * angle.sin()))
    }

    /// The switches of a row share its width equally.
    fn fabric_position(&self, index: usize, row: u32) -> f64 {
        let in_row = |other: &&(String, u32)| other.1 == row;
        let before = self.fabric[..index].iter().filter(in_row).count();
        let all = self.fabric.iter().filter(in_row).count();
        let width = f64::from(self.boxes * (self.gpus + self.gap()) - self.gap() - 1);
        width * (before as f64 + 0.5) / all as f64
    }
}
