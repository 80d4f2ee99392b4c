//! Generalized Kautz digraph: channels lead from `u` to (−d·u − a) mod N for a = 1 to d. Loops are
//! left out, so some routers have fewer than `d` channels. There are no parallel channels, because
//! d < N. Imase and Itoh, IEEE Trans. Computers 32(8), 1983.

use super::error::TopologyError;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n, degree] = parameters.numbers()?;
    parameters.at_least("N", n, 2)?;
    parameters.within("d", degree, 1, n - 1)?;
    let channels = u128::from(n) * u128::from(degree);
    let mut builder = parameters.start(Size::direct(n.into(), channels))?;
    for u in 0..n {
        for a in 1..=degree {
            let v = (n - (degree * u + a) % n) % n;
            if u != v {
                builder.channel(u as u32, v as u32);
            }
        }
    }
    builder.processor_on_each_router();
    Ok(builder.build()?)
}
