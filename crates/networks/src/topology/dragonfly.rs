//! Dragonfly: a·h + 1 groups of `a` routers; every router has `p` processors and `h` links to other
//! groups. The routers of a group are completely linked, and so are the groups, with one link per
//! pair. Kim, Dally, Scott and Abts, ISCA 2008; a balanced network has a = 2p = 2h. The links of a
//! group are sorted by the group they lead to: the first `h` start at its first router, the next
//! `h` at its second, and so on.

use super::error::TopologyError;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [processors, per_group, links_out] = parameters.numbers()?;
    parameters.at_least("p", processors, 1)?;
    parameters.at_least("a", per_group, 1)?;
    parameters.at_least("h", links_out, 1)?;
    let [p, a, h] = [processors, per_group, links_out].map(u128::from);
    let groups = a * h + 1;
    let routers = groups.saturating_mul(a);
    let size = Size {
        routers,
        channels: routers.saturating_mul(a - 1 + h),
        processors: routers.saturating_mul(p),
    };
    let mut builder = parameters.start(size)?;
    let [groups, a, h] = [groups as u32, a as u32, h as u32];
    for group in 0..groups {
        for one in 0..a {
            for other in one + 1..a {
                builder.link(group * a + one, group * a + other);
            }
        }
    }
    // The router of a group that is linked to another group.
    let gate = |group: u32, to: u32| group * a + (if to < group { to } else { to - 1 }) / h;
    for group in 0..groups {
        for to in group + 1..groups {
            builder.link(gate(group, to), gate(to, group));
        }
    }
    for router in 0..groups * a {
        for _ in 0..processors {
            builder.processor(Some(router));
        }
    }
    Ok(builder.build()?)
}
