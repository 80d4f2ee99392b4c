//! Unidirectional torus: a grid whose rows are rings with channels in one direction, from every router
//! to the next one and from the last to the first. A row of one router has no channel.

use super::error::TopologyError;
use super::names;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let sides = parameters.sides()?;
    let routers = sides.iter().fold(1u128, |all, &side| all.saturating_mul(side.into()));
    if routers < 2 {
        return Err(parameters.wrong("a network needs at least 2 routers".into()));
    }
    let rings = sides.iter().filter(|&&side| side > 1).count() as u128;
    let mut builder = parameters.start(Size::direct(routers, routers.saturating_mul(rings)))?;
    let sides: Vec<u32> = sides.into_iter().map(|side| side as u32).collect();
    for router in 0..routers as u32 {
        let mut stride = routers as u32;
        for &side in &sides {
            stride /= side;
            let at = router / stride % side;
            if side > 1 {
                builder.channel(router, router - at * stride + (at + 1) % side * stride);
            }
        }
    }
    names::by_coordinates(&mut builder, &sides);
    builder.processor_on_each_router();
    Ok(builder.build()?)
}
