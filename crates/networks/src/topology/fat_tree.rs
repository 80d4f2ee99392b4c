//! Three-tier fat tree of `k`-port switches with `k` pods: Al-Fares, Loukissas and Vahdat, SIGCOMM
//! 2008. Each of the k³/4 processors has its own router with one link to its edge switch. These
//! routers are numbered first, then the edge, aggregation and core switches.

use super::error::TopologyError;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [ports] = parameters.numbers()?;
    parameters.at_least("k", ports, 2)?;
    if ports % 2 == 1 {
        return Err(parameters.wrong(format!("k is {ports}, but must be even")));
    }
    let half = u128::from(ports) / 2;
    let hosts = half.saturating_mul(half).saturating_mul(2 * half);
    let switches = half.saturating_mul(half).saturating_mul(5);
    let size = Size {
        routers: hosts.saturating_add(switches),
        channels: hosts.saturating_mul(6),
        processors: hosts,
    };
    let mut builder = parameters.start(size)?;
    let (hosts, half, pods) = (hosts as u32, half as u32, ports as u32);
    let edge = |pod: u32, i: u32| hosts + pod * half + i;
    let aggregation = |pod: u32, i: u32| hosts + pods * half + pod * half + i;
    let core = |i: u32, j: u32| hosts + 2 * pods * half + i * half + j;
    for host in 0..hosts {
        builder.link(host, hosts + host / half).processor(Some(host));
    }
    for pod in 0..pods {
        for i in 0..half {
            for j in 0..half {
                builder.link(edge(pod, i), aggregation(pod, j));
            }
        }
        for i in 0..half {
            for j in 0..half {
                builder.link(aggregation(pod, i), core(i, j));
            }
        }
    }
    Ok(builder.build()?)
}
