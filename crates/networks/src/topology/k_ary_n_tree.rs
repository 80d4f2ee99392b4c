//! k-ary n-tree: `n` levels of k^(n−1) switches and k^n processors. Petrini and Vanneschi, IPPS
//! 1997. Each processor has its own router with one link. These routers are numbered first, then
//! the switches, starting with the level next to the processors. A switch is a word of n − 1
//! digits. Switches of levels m and m + 1 are linked if their words agree in all digits except the
//! one of weight k^m.

use super::error::TopologyError;
use super::hypercube::power;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [arity, levels] = parameters.numbers()?;
    parameters.at_least("k", arity, 2)?;
    parameters.at_least("n", levels, 1)?;
    let width = power(arity, levels - 1);
    let hosts = power(arity, levels);
    let size = Size {
        routers: hosts.saturating_add(width.saturating_mul(levels.into())),
        channels: hosts.saturating_mul(levels.into()).saturating_mul(2),
        processors: hosts,
    };
    let mut builder = parameters.start(size)?;
    let (hosts, width, arity) = (hosts as u32, width as u32, arity as u32);
    for host in 0..hosts {
        builder.link(host, hosts + host / arity).processor(Some(host));
    }
    let mut place = 1;
    for level in 0..levels as u32 - 1 {
        for word in 0..width {
            let digit = word / place % arity;
            for other in 0..arity {
                let upper = word - digit * place + other * place;
                builder.link(hosts + level * width + word, hosts + (level + 1) * width + upper);
            }
        }
        place *= arity;
    }
    Ok(builder.build()?)
}
