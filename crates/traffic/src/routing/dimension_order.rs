//! Dimension-order routing: a message first corrects the lowest coordinate that differs from its
//! destination's, along a shortest path within that row. On a hypercube this is the e-cube routing
//! of the paper, lowest bit first. Coordinates come from the names of the routers (`1,2`, the last
//! being the lowest) or, if every channel flips one bit of the router number, from these bits.

use super::RoutingTable;
use crate::error::TrafficError;
use pavane_model::{ChannelId, Network, RouterId};

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    let coordinates = coordinates(network)?;
    let rows = Rows::new(network, &coordinates, false);
    RoutingTable::new("dimension order", network, |at, to| {
        let (here, there) = (&coordinates[at.index()], &coordinates[to.index()]);
        let dimension = here.iter().zip(there).position(|(here, there)| here != there)?;
        rows.next(at, dimension, there[dimension])
    })
}

/// The coordinates of every router, lowest dimension first. Every channel changes exactly one of
/// them.
pub(crate) fn coordinates(network: &Network) -> Result<Vec<Vec<u32>>, TrafficError> {
    let unfit = |reason: String| TrafficError::DoesNotFit {
        routing: "dimension order",
        network: network.name().to_owned(),
        reason,
        advice: "try balanced or deadlock-free routing",
    };
    let named = |router: RouterId| -> Option<Vec<u32>> {
        let name = network.router_name(router);
        let parts: Option<Vec<u32>> = name.rsplit(',').map(|part| part.parse().ok()).collect();
        parts.filter(|parts| parts.len() > 1)
    };
    let bits = u32::BITS - (network.router_count() as u32 - 1).leading_zeros();
    let by_bits =
        |router: RouterId| Some((0..bits).map(|bit| router.0 >> bit & 1).collect::<Vec<u32>>());
    let found: Option<Vec<Vec<u32>>> = if network.has_router_names() {
        network.routers().map(named).collect()
    } else {
        network.routers().map(by_bits).collect()
    };
    let found = found.ok_or_else(|| unfit("its routers have no coordinates".to_owned()))?;
    let count = found.first().map_or(0, Vec::len);
    if found.iter().any(|coordinates| coordinates.len() != count) {
        return Err(unfit("its routers have no coordinates".to_owned()));
    }
    let is_straight = |tail: RouterId, head: RouterId| {
        let pairs = found[tail.index()].iter().zip(&found[head.index()]);
        pairs.filter(|(tail, head)| tail != head).count() == 1
    };
    match network.channels().iter().find(|channel| !is_straight(channel.tail, channel.head)) {
        // The bits of numbers are coordinates only in a hypercube.
        Some(_) if !network.has_router_names() => {
            Err(unfit("its routers have no coordinates".to_owned()))
        }
        Some(channel) => Err(unfit(format!(
            "the channel from {} to {} changes more than one coordinate",
            network.router_name(channel.tail),
            network.router_name(channel.head)
        ))),
        None => Ok(found),
    }
}

/// Whether every channel changes exactly one coordinate of its router.
pub fn has_coordinates(network: &Network) -> bool {
    coordinates(network).is_ok()
}

/// The dimension of every channel; empty if the network has no coordinates.
pub(super) fn dimensions(network: &Network) -> Vec<u32> {
    let Ok(coordinates) = coordinates(network) else { return Vec::new() };
    let dimension = |tail: RouterId, head: RouterId| {
        let mut pairs = coordinates[tail.index()].iter().zip(&coordinates[head.index()]);
        pairs.position(|(tail, head)| tail != head).unwrap_or(0) as u32
    };
    network.channels().iter().map(|channel| dimension(channel.tail, channel.head)).collect()
}

/// For every router, dimension and coordinate, the next channel within the row.
pub(super) struct Rows {
    /// Index of the first coordinate of each dimension among those of all dimensions.
    starts: Vec<usize>,
    width: usize,
    next: Vec<Option<ChannelId>>,
    /// Whether routers take different ones of equally short paths.
    spreads: bool,
}

impl Rows {
    pub(super) fn new(network: &Network, coordinates: &[Vec<u32>], spreads: bool) -> Self {
        let dimensions = coordinates.first().map_or(0, Vec::len);
        let mut starts = vec![0];
        for dimension in 0..dimensions {
            let largest = coordinates.iter().map(|c| c[dimension]).max().unwrap_or(0);
            starts.push(starts[dimension] + largest as usize + 1);
        }
        let width = starts[dimensions];
        let next = vec![None; width * coordinates.len()];
        let mut rows = Self { starts, width, next, spreads };
        for target in network.routers() {
            for dimension in 0..dimensions {
                rows.fill(network, coordinates, target, dimension);
            }
        }
        rows
    }

    /// Breadth-first search from a router backwards through its row. Of several shortest paths,
    /// prefers the channel with the lowest number at the current router or, if loads are spread,
    /// the one upwards at routers with an even sum of coordinates and the one downwards at others.
    fn fill(
        &mut self,
        network: &Network,
        coordinates: &[Vec<u32>],
        target: RouterId,
        dimension: usize,
    ) {
        let column = self.starts[dimension] + coordinates[target.index()][dimension] as usize;
        let in_row = |a: RouterId, b: RouterId| {
            coordinates[a.index()][dimension] != coordinates[b.index()][dimension]
        };
        let mut level = vec![target];
        let mut seen = vec![target];
        while !level.is_empty() {
            let mut following: Vec<RouterId> = Vec::new();
            for &router in &level {
                for &channel in network.in_channels(router) {
                    let tail = network.channel(channel).tail;
                    if !in_row(tail, router) || seen.contains(&tail) {
                        continue;
                    }
                    let entry = &mut self.next[tail.index() * self.width + column];
                    *entry = Some(match *entry {
                        None => channel,
                        Some(other) if self.spreads => {
                            let is_odd = coordinates[tail.index()].iter().sum::<u32>() % 2 == 1;
                            let [here, there] =
                                [tail, router].map(|router| coordinates[router.index()][dimension]);
                            // A step over the end of the row goes up from the last router.
                            let is_up = (there > here) == (here.abs_diff(there) == 1);
                            if is_up == is_odd { other } else { channel }
                        }
                        Some(other) => other.min(channel),
                    });
                    if !following.contains(&tail) {
                        following.push(tail);
                    }
                }
            }
            seen.extend(&following);
            level = following;
        }
    }

    pub(super) fn next(
        &self,
        at: RouterId,
        dimension: usize,
        coordinate: u32,
    ) -> Option<ChannelId> {
        self.next[at.index() * self.width + self.starts[dimension] + coordinate as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableMaker;
    use pavane_model::RouterId;
    use pavane_networks::topology;

    /// The routers that a message visits after its source.
    fn visited(network: &str, from: &str, to: &str) -> String {
        let network = topology::build(network).unwrap();
        let table = TableMaker::find("dimension-order").unwrap().table(&network).unwrap();
        let find = |name| -> RouterId { network.find_router(name).unwrap() };
        let mut path = Vec::new();
        table.path(&network, find(from), find(to), &mut path);
        let names = path.iter().map(|&channel| network.router_name(network.channel(channel).head));
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_lowest_dimension_is_corrected_first() {
        assert_eq!(visited("hypercube:4", "0", "13"), "1 5 13");
        assert_eq!(visited("hypercube:4", "13", "0"), "12 8 0");
        assert_eq!(visited("mesh:3x4", "0,0", "2,2"), "0,1 0,2 1,2 2,2");
        assert_eq!(visited("torus:5x5", "0,0", "1,4"), "0,4 1,4");
        assert_eq!(visited("hyperx:4x4", "0,0", "3,3"), "0,3 3,3");
    }

    #[test]
    fn networks_without_coordinates_are_refused() {
        for name in ["petersen", "kautz:3,2", "octagon:8", "tree:2,3"] {
            let network = topology::build(name).unwrap();
            let error = TableMaker::find("e-cube").unwrap().table(&network).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "dimension order does not fit {name}: its routers have no coordinates; try balanced or deadlock-free routing"
                )
            );
        }
    }
}
