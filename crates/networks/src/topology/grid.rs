//! Grids with any number of sides, numbered with the last coordinate fastest. Mesh, torus and
//! HyperX differ only in which routers of a row are linked.

use super::error::TopologyError;
use super::names;
use super::parameters::{Parameters, Size};
use pavane_model::{Network, NetworkBuilder};

/// The links of a row.
#[derive(Debug, Clone, Copy)]
pub enum Row {
    /// Each router to the next.
    Path,
    /// Each router to the next and the last to the first; a row of two has one link, not two.
    Ring,
    /// Each router to every other.
    Complete,
}

impl Row {
    /// The number of links in a row.
    fn link_count(self, side: u128) -> u128 {
        match self {
            Self::Ring if side > 2 => side,
            Self::Path | Self::Ring => side - 1,
            Self::Complete => side.saturating_mul(side - 1) / 2,
        }
    }

    /// The positions in the row that the router at `at` is linked to; each link is listed at one
    /// end only.
    fn links(self, at: u32, side: u32) -> impl Iterator<Item = u32> {
        let wraps = matches!(self, Self::Ring) && side > 2 && at + 1 == side;
        let end = if matches!(self, Self::Complete) { side } else { side.min(at + 2) };
        (at + 1..end).chain(wraps.then_some(0))
    }
}

/// Builds the grid with these sides and one processor on every router.
pub fn build(
    parameters: &Parameters<'_>,
    sides: &[u64],
    row: Row,
) -> Result<Network, TopologyError> {
    let size = size(parameters, sides, row)?;
    let mut builder = parameters.start(size)?;
    add_links(&mut builder, sides, row);
    debug_assert_eq!(builder.channel_count() as u128, size.channels);
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// The size of a grid; fails for a single router.
pub fn size(parameters: &Parameters<'_>, sides: &[u64], row: Row) -> Result<Size, TopologyError> {
    let routers = sides.iter().fold(1u128, |all, &side| all.saturating_mul(side.into()));
    if routers < 2 {
        return Err(parameters.wrong("a network needs at least 2 routers".into()));
    }
    let channels = sides.iter().fold(0u128, |all, &side| {
        let rows = routers / u128::from(side);
        all.saturating_add(rows.saturating_mul(row.link_count(side.into())).saturating_mul(2))
    });
    Ok(Size::direct(routers, channels))
}

/// Links and names the routers of a grid whose size has been checked.
pub fn add_links(builder: &mut NetworkBuilder, sides: &[u64], row: Row) {
    let sides: Vec<u32> = sides.iter().map(|&side| side as u32).collect();
    let routers: u32 = sides.iter().product();
    for router in 0..routers {
        let mut stride = routers;
        for &side in &sides {
            stride /= side;
            let at = router / stride % side;
            for to in row.links(at, side) {
                builder.link(router, router - at * stride + to * stride);
            }
        }
    }
    names::by_coordinates(builder, &sides);
}
