//! Routing: which channels a message takes. Most routings are tables that give the next channel for
//! every router and destination; each has one file and one line of [`TABLES`]. Adaptive routings
//! choose channels while the message travels.

mod adaptive;
mod balanced;
mod central;
mod dateline;
mod deadlock_free;
mod dependencies;
mod dimension_order;
mod escape;
mod link_order;
mod ordered_links;
mod reroute;
mod routes;
mod row;
mod shortest;
mod table;
mod two_forests;
mod up_down;

pub(crate) use adaptive::FreePathSearch;
pub use adaptive::{Adaptive, Reach};
pub use central::central_paths;
pub(crate) use deadlock_free::is_minimal;
pub use deadlock_free::{Minimal, minimal_table};
pub use dependencies::{Dependencies, VirtualChannel};
pub(crate) use dimension_order::{coordinates, has_coordinates};
pub use escape::EscapeRouting;
pub use link_order::LinkOrder;
pub(crate) use link_order::{Chains, Hop, NO_PLACE};
pub(crate) use ordered_links::NAME as ORDERED_LINKS;
pub use reroute::reroute;
pub use routes::Routes;
pub use table::{RoutingTable, parse_table, read_table, write_table};

use crate::error::TrafficError;
use pavane_model::Network;

/// A method to fill a routing table.
#[derive(Debug)]
pub struct TableMaker {
    /// Its name.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// One-line description.
    pub description: &'static str,
    make: fn(&Network) -> Result<RoutingTable, TrafficError>,
}

/// All methods to fill a routing table.
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
        name: "balanced",
        aliases: &[],
        description: "shortest paths, chosen so that no channel carries more than necessary",
        make: balanced::make,
    },
    TableMaker {
        name: "dateline",
        aliases: &[],
        description: "dimension order on tori and rings with two classes of virtual channels",
        make: dateline::make,
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
        description: "shortest paths that cannot deadlock if they exist, otherwise up-down",
        make: deadlock_free::make,
    },
    TableMaker {
        name: ordered_links::NAME,
        aliases: &[],
        description: "all messages take links in one order: no deadlock under half duplex either",
        make: ordered_links::make,
    },
];

impl TableMaker {
    /// The method with this name or alias.
    pub fn find(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|maker| maker.name == name || maker.aliases.contains(&name))
    }

    /// Builds the table for a network.
    pub fn table(&self, network: &Network) -> Result<RoutingTable, TrafficError> {
        (self.make)(network)
    }
}
