//! Butterfly: `d + 1` ranks of 2^d routers; (r, x), numbered r·2^d + x, is linked to (r + 1, x) and
//! (r + 1, x ⊕ 2^r). The routers of rank 0 have one processor each, all others none.

use super::error::TopologyError;
use super::hypercube::power;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [dimension] = parameters.numbers()?;
    parameters.at_least("d", dimension, 1)?;
    let columns = power(2, dimension);
    let size = Size {
        routers: columns.saturating_mul(u128::from(dimension) + 1),
        channels: columns.saturating_mul(dimension.into()).saturating_mul(4),
        processors: columns,
    };
    let mut builder = parameters.start(size)?;
    let columns = columns as u32;
    for rank in 0..dimension as u32 {
        for x in 0..columns {
            builder.link(rank * columns + x, (rank + 1) * columns + x);
            builder.link(rank * columns + x, (rank + 1) * columns + (x ^ 1 << rank));
        }
    }
    for x in 0..columns {
        builder.processor(Some(x));
    }
    Ok(builder.build()?)
}
