//! How often each channel of a mesh carries a message in an all-gather where some messages go along
//! their row first and then along all columns, the others along their column first and then along
//! all rows, in the ratio that loads rows and columns alike. On a square mesh one half each, after
//! which every link carries exactly as many messages as the distance bound has steps.

use super::rotation;
use pavane_model::{ChannelId, Duplex, Network, Ports, Problem, RouterId, Switching};
use std::cmp::Ordering;

/// Largest number of routers: a run has a table entry for each router and message.
const MOST_ROUTERS: usize = 1024;

/// A mesh whose routers are numbered row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mesh {
    rows: usize,
    columns: usize,
}

impl Mesh {
    /// The mesh of an all-gather under half duplex with all ports and one processor per router.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let (network, model) = (problem.network(), problem.model());
        let is_meant = network.router_count() <= MOST_ROUTERS
            && model.duplex == Duplex::Half
            && model.ports == Ports::All
            && model.switching == Switching::StoreAndForward
            && network.routers().all(|router| network.residents(router).len() == 1)
            && problem.messages().len() == network.router_count()
            && rotation::message_of(problem).is_some();
        if is_meant { Self::find(network) } else { None }
    }

    fn find(network: &Network) -> Option<Self> {
        let routers = network.router_count();
        let is_divisor = |columns: &usize| routers.is_multiple_of(*columns);
        let sizes = (2..=routers / 2).filter(is_divisor);
        let mut meshes = sizes.map(|columns| Self { rows: routers / columns, columns });
        meshes.find(|mesh| mesh.is(network))
    }

    fn is(self, network: &Network) -> bool {
        let Self { rows, columns } = self;
        let links = rows * (columns - 1) + columns * (rows - 1);
        network.channel_count() == 2 * links
            && (0..network.channel_count() as u32).all(|channel| {
                let ends = network.channel(ChannelId(channel));
                let (low, high) =
                    (ends.tail.min(ends.head).index(), ends.tail.max(ends.head).index());
                let is_across = high == low + 1 && !high.is_multiple_of(columns);
                // Each pair of neighbours has one link, so that the number of links is right only
                // if all pairs have one.
                (is_across || high == low + columns)
                    && network.opposite(ChannelId(channel)).is_some()
                    && network.channels_between(ends.tail, ends.head).count() == 1
            })
    }

    fn place(self, router: usize) -> (usize, usize) {
        (router / self.columns, router % self.columns)
    }

    /// Whether the message of a router goes along its row first.
    fn is_along_row_first(self, router: usize) -> bool {
        let Self { rows, columns } = self;
        let share = rows * columns - rows;
        let whole = 2 * rows * columns - rows - columns;
        let (row, column) = self.place(router);
        let diagonal = row + column;
        (diagonal + 1) * share / whole > diagonal * share / whole
    }

    /// The router from which another one receives the message of `origin` as planned.
    fn before(self, origin: usize, is_row_first: bool, to: usize) -> usize {
        let ((row, column), (own_row, own_column)) = (self.place(to), self.place(origin));
        let is_along_row = if is_row_first { row == own_row } else { column != own_column };
        match (is_along_row, column > own_column, row > own_row) {
            (true, true, _) => to - 1,
            (true, false, _) => to + 1,
            (false, _, true) => to - self.columns,
            (false, _, false) => to + self.columns,
        }
    }

    /// The hops that the message of `origin` still makes as planned from a router that it reaches.
    pub(super) fn hops_after(self, origin: usize, at: usize) -> usize {
        let ((row, column), (own_row, own_column)) = (self.place(at), self.place(origin));
        let after = |at: usize, own: usize, last: usize| match at.cmp(&own) {
            Ordering::Less => at,
            Ordering::Equal => at.max(last - at),
            Ordering::Greater => last - at,
        };
        let along_column = after(row, own_row, self.rows - 1);
        let along_row = after(column, own_column, self.columns - 1);
        let is_row_first = self.is_along_row_first(origin);
        if is_row_first && row != own_row {
            along_column
        } else if !is_row_first && column != own_column {
            along_row
        } else {
            along_row + along_column
        }
    }

    /// By channel: the messages that it carries as planned.
    pub(super) fn loads(self, network: &Network) -> Vec<u32> {
        let mut loads = vec![0; network.channel_count()];
        for origin in 0..network.router_count() {
            let is_row_first = self.is_along_row_first(origin);
            for to in (0..network.router_count()).filter(|&to| to != origin) {
                let from = RouterId(self.before(origin, is_row_first, to) as u32);
                for channel in network.channels_between(from, RouterId(to as u32)) {
                    loads[channel.index()] += 1;
                }
            }
        }
        loads
    }
}
