//! Routers as tiles of a grid, and the sides at which channels leave them. Formats of grids name
//! tiles by column and row; routers are named `row,column`.

use pavane_model::{ChannelId, Network, ProcessorId, RouterId};
use std::collections::BTreeSet;

/// The size of a grid. Tiles are numbered row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    pub width: u32,
    pub height: u32,
}

/// A side of a tile. North is the row with the next smaller number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    North,
    South,
    East,
    West,
}

impl Side {
    pub fn letter(self) -> char {
        match self {
            Self::North => 'N',
            Self::South => 'S',
            Self::East => 'E',
            Self::West => 'W',
        }
    }

    /// The side at which a channel enters that leaves at this one.
    pub fn opposite(self) -> Self {
        match self {
            Self::North => Self::South,
            Self::South => Self::North,
            Self::East => Self::West,
            Self::West => Self::East,
        }
    }
}

impl Grid {
    /// The grid of a network whose routers are named by two coordinates, row by row.
    pub fn of(network: &Network) -> Option<Self> {
        let last = network.routers().next_back().filter(|_| network.has_router_names())?;
        let (row, column) = coordinates(&network.router_name(last))?;
        let grid = Self { width: column.checked_add(1)?, height: row.checked_add(1)? };
        let tiles = u64::from(grid.width) * u64::from(grid.height);
        let is_named = |router: RouterId| {
            let (x, y) = grid.place(router);
            coordinates(&network.router_name(router)) == Some((y, x))
        };
        (tiles == network.router_count() as u64 && network.routers().all(is_named)).then_some(grid)
    }

    /// Column and row of a router.
    pub fn place(&self, router: RouterId) -> (u32, u32) {
        (router.0 % self.width, router.0 / self.width)
    }

    /// A place as `(column,row)`.
    pub fn name(&self, router: RouterId) -> String {
        let (x, y) = self.place(router);
        format!("({x},{y})")
    }

    /// The router at a column and row.
    pub fn router(&self, (x, y): (u32, u32)) -> Option<RouterId> {
        (x < self.width && y < self.height).then(|| RouterId(y * self.width + x))
    }

    /// The side at which every channel leaves its tile. `None` if a channel does not lead to a
    /// neighbouring tile, or two leave at one side.
    pub fn sides(&self, network: &Network) -> Option<Vec<Side>> {
        let mut taken = BTreeSet::new();
        let channels = (0..network.channel_count() as u32).map(ChannelId);
        let side = |channel: ChannelId| {
            let ends = network.channel(channel);
            // Of two parallel channels the second one is the long way round, on a row of two tiles.
            let possible = self.between(ends.tail, ends.head);
            possible.into_iter().flatten().find(|&side| taken.insert((ends.tail, side)))
        };
        channels.map(side).collect()
    }

    /// The sides of `tail` at which a channel to `head` may leave, the short way first.
    fn between(&self, tail: RouterId, head: RouterId) -> [Option<Side>; 2] {
        let ((x, y), (to_x, to_y)) = (self.place(tail), self.place(head));
        let ahead = |from: u32, to: u32| to == from + 1;
        let around = |from: u32, to: u32, side: u32| side > 1 && from + 1 == side && to == 0;
        let along = |from: u32, to: u32, side: u32, [up, down]: [Side; 2]| {
            let short = if ahead(from, to) { Some(up) } else { ahead(to, from).then_some(down) };
            let long = if around(from, to, side) {
                Some(up)
            } else {
                around(to, from, side).then_some(down)
            };
            [short, long]
        };
        if y == to_y {
            along(x, to_x, self.width, [Side::East, Side::West])
        } else if x == to_x {
            along(y, to_y, self.height, [Side::South, Side::North])
        } else {
            [None, None]
        }
    }
}

/// The only processor of a router.
pub(super) fn only_resident(network: &Network, router: RouterId) -> Option<ProcessorId> {
    match network.residents(router) {
        &[only] => Some(only),
        _ => None,
    }
}

fn coordinates(name: &str) -> Option<(u32, u32)> {
    let (row, column) = name.split_once(',')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::NetworkBuilder;
    use pavane_networks::topology;

    fn sides(name: &str) -> Option<String> {
        let network = topology::build(name).unwrap();
        let sides = Grid::of(&network)?.sides(&network)?;
        Some(sides.into_iter().map(Side::letter).collect())
    }

    #[test]
    fn channels_leave_at_sides() {
        // In the order of the family: every router to the next row, then to the next column.
        assert_eq!(sides("mesh:2x2").as_deref(), Some("SNEWSNEW"));
        assert_eq!(sides("unidirectional-torus:2x3").as_deref(), Some("SESESENENENE"));
        assert!(sides("torus:3x4").is_some());
        for name in ["ring:6", "hyperx:4x4", "mesh:2x2x2", "hypercube:4"] {
            assert_eq!(sides(name), None, "{name}");
        }
    }

    #[test]
    fn the_second_of_two_parallel_channels_goes_around() {
        let mut builder = NetworkBuilder::new("pair", 2);
        builder.link(0, 1).link(0, 1).processor_on_each_router();
        builder.router_names(vec!["0,0".into(), "0,1".into()]);
        let pair = builder.build().unwrap();
        let sides = Grid::of(&pair).unwrap().sides(&pair).unwrap();
        assert_eq!(sides, [Side::East, Side::West, Side::West, Side::East]);
    }
}
