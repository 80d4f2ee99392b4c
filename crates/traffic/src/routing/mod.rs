//! Routing: which channels a message takes. Most ways of routing are a table that says for every router
//! and destination the next channel; one file each, and one line of [`TABLES`]. The adaptive ones choose

mod adaptive;
mod central;
mod deadlock_free;
mod dependencies;
mod dimension_order;
mod link_order;
mod routes;
mod shortest;
mod table;
mod up_down;

pub(crate) use adaptive::Search;
pub use adaptive::{Adaptive, Reach};
pub use central::central_paths;
pub use deadlock_free::{Minimal, minimal_table};
pub use dependencies::Dependencies;
pub use link_order::LinkOrder;
pub(crate) use link_order::{Chains, Hop, NO_PLACE};
pub use routes::Routes;
pub use table::{RoutingTable, parse_table, read_table, write_table};

use crate::error::TrafficError;
use pavane_model::Network;

/// A way to fill a routing table.
#[derive(Debug)]
pub struct TableMaker {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub description: &'static str,
    make: fn(&Network) -> Result<RoutingTable, TrafficError>,
}

/// Every way there is to fill a routing table.
pub static TABLES: &[TableMaker] = &[
    TableMaker {
        name: "e-cube",
        aliases: &["dimension-order", "ecube", "xy"],
        description: "the lowest dimension that differs first",
        make: dimension_order::make,
    },
    TableMaker {
        name: "shortest",
        aliases: &["shortest-path"],
        description: "a shortest path, the channel with the lowest number first",
        make: shortest::make,
    },
    TableMaker {
        name: "up-down",
        aliases: &["updown", "up*/down*"],
        description: "up towards a root, then down: never a deadlock, not always a shortest path",
        make: up_down::make,
    },
    TableMaker {
        name: "deadlock-free",
        aliases: &[],
        description: "shortest paths that cannot deadlock where there are such, else up-down",
        make: deadlock_free::make,
    },
];

impl TableMaker {
    /// The maker of that name or alias.
    pub fn find(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|maker| maker.name == name || maker.aliases.contains(&name))
    }

    /// The table for a network.
    pub fn table(&self, network: &Network) -> Result<RoutingTable, TrafficError> {
        (self.make)(network)
    }
}
