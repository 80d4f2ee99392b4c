//! De Bruijn digraph: the words of length `D` over `d` letters. Channels lead from x1…xD to x2…xD
//! y, or as numbers from `u` to (d·u + y) mod d^D. The loops at the `d` words of a single repeated
//! letter are left out.

use super::error::TopologyError;
use super::hypercube::power;
use super::names;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [degree, diameter] = parameters.numbers()?;
    parameters.at_least("d", degree, 2)?;
    parameters.at_least("D", diameter, 1)?;
    let routers = power(degree, diameter);
    let channels = routers.saturating_mul(degree.into()).saturating_sub(degree.into());
    let mut builder = parameters.start(Size::direct(routers, channels))?;
    let routers = routers as u64;
    for u in 0..routers {
        for v in (0..degree).map(|letter| (degree * u + letter) % routers).filter(|&v| v != u) {
            builder.channel(u as u32, v as u32);
        }
    }
    let bases = vec![degree as u32; diameter as usize];
    names::by_words(&mut builder, routers as u32, degree as u32, |u| names::digits(u, &bases));
    builder.processor_on_each_router();
    Ok(builder.build()?)
}
