//! Machines by name: accelerators linked directly or through switches. Accelerators are routers
//! with one processor each; switches follow them. Bandwidths are per link and direction.

use super::error::TopologyError;
use super::grid::{self, Row};
use super::parameters::{Parameters, Size};
use pavane_model::network::{Network, Timing};

/// Number of links between the GPUs of a DGX-1 with V100, by rows.
const DGX_1V: [&str; 8] = [
    "02112000", "20120100", "11020020", "12200001", "20000211", "01002012", "00201102", "00011220",
];

/// NVLink 2, 3 and 4: 25 gigabytes per second.
const NVLINK: Timing = Timing { latency_ns: None, bandwidth_gbytes: Some(25.0) };
/// NVLink 5: 50 gigabytes per second.
const NVLINK_5: Timing = Timing { latency_ns: None, bandwidth_gbytes: Some(50.0) };
/// Infinity Fabric between MI300X: 64 gigabytes per second.
const INFINITY_FABRIC: Timing = Timing { latency_ns: None, bandwidth_gbytes: Some(64.0) };

/// DGX-1 with V100: eight GPUs with six links each, some of them parallel.
pub fn dgx_1v(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    parameters.none()?;
    let mut builder = parameters.start(Size::direct(8, 48))?;
    for (a, row) in (0..).zip(DGX_1V) {
        for (b, count) in (0..).zip(row.bytes()).filter(|&(b, _)| a < b) {
            for _ in b'0'..count {
                builder.link(a, b).timing(NVLINK);
            }
        }
    }
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// DGX A100: eight GPUs with two links to each of six switches.
pub fn dgx_a100(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    switched(parameters, 8, &[2; 6], NVLINK)
}

/// DGX H100: eight GPUs with 5, 4, 4 and 5 links to four switches.
pub fn dgx_h100(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    switched(parameters, 8, &[5, 4, 4, 5], NVLINK)
}

/// NVL72: 72 GPUs with one link to each of 18 switches.
pub fn nvl72(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    switched(parameters, 72, &[1; 18], NVLINK_5)
}

/// MI300X: up to eight accelerators, all pairs linked.
pub fn mi300x(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let parameters = parameters.or("8");
    let [n] = parameters.numbers()?;
    // An accelerator has seven links to others.
    parameters.within("n", n, 2, 8)?;
    let mut builder = parameters.start(Size::direct(n.into(), u128::from(n * (n - 1))))?;
    for a in 0..n as u32 {
        for b in a + 1..n as u32 {
            builder.link(a, b).timing(INFINITY_FABRIC);
        }
    }
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// A slice of a TPU pod: a torus with three sides.
pub fn tpu(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let sides = parameters.sides()?;
    match sides.len() {
        3 => grid::build(parameters, &sides, Row::Ring),
        count => Err(parameters.wrong(format!("3 sides are required, not {count}"))),
    }
}

/// GPUs that each have `links[i]` links to switch `i`.
fn switched(
    parameters: &Parameters<'_>,
    gpus: u32,
    links: &[u32],
    timing: Timing,
) -> Result<Network, TopologyError> {
    parameters.none()?;
    let per_gpu: u32 = links.iter().sum();
    let size = Size {
        routers: u128::from(gpus) + links.len() as u128,
        channels: u128::from(2 * gpus * per_gpu),
        processors: gpus.into(),
    };
    let mut builder = parameters.start(size)?;
    for gpu in 0..gpus {
        builder.processor(Some(gpu));
        for (switch, &count) in (gpus..).zip(links) {
            for _ in 0..count {
                builder.link(gpu, switch).timing(timing);
            }
        }
    }
    Ok(builder.build()?)
}
