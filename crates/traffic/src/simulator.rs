//! A network, a duplex rule and a routing, made ready to run missions.

use crate::error::TrafficError;
use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::routing::{
    Adaptive, LinkOrder, Reach, Routes, RoutingTable, TABLES, TableMaker, central_paths, read_table,
};
use crate::switching::{AdaptiveCase, Case, Record, Run, State, Switching};
use pavane_model::{Duplex, Network};
use std::path::Path;

/// Which channels messages take.
#[derive(Debug, Clone)]
pub enum Routing {
    /// Those of a table.
    Table(RoutingTable),
    /// Those that are free: progressive adaptive or depth first.
    Adaptive(Adaptive),
    /// Those that a central annealer picks for all messages of a mission.
    Central(Adaptive),
    /// Those given for every message.
    Given(Routes),
}

/// Names of the routings that are no tables.
const OTHERS: &[&str] = &["pa", "dfs", "cps"];

impl Routing {
    /// The routing of a name, or of a file with a table.
    pub fn find(name: &str, network: &Network) -> Result<Self, TrafficError> {
        if let Some(maker) = TableMaker::find(name) {
            return Ok(Self::Table(maker.table(network)?));
        }
        match name {
            "pa" => Ok(Self::Adaptive(Adaptive::new(network, Reach::Closer)?)),
            "dfs" => Ok(Self::Adaptive(Adaptive::new(network, Reach::Detours)?)),
            "cps" => Ok(Self::Central(Adaptive::new(network, Reach::Closer)?)),
            _ if Path::new(name).extension().is_some() || Path::new(name).is_file() => {
                Ok(Self::Table(read_table(Path::new(name), network)?))
            }
            _ => Err(TrafficError::Unknown {
                what: "routing",
                name: name.to_owned(),
                known: format!("{}, or a file with a table", Self::names().join(", ")),
            }),
        }
    }

    /// The names of all routings.
    pub fn names() -> Vec<&'static str> {
        TABLES.iter().map(|maker| maker.name).chain(OTHERS.iter().copied()).collect()
    }
}

/// A network ready to run missions.
#[derive(Debug, Clone)]
pub struct Simulator {
    network: Network,
    links: Links,
    routing: Routing,
    order: Option<LinkOrder>,
}

/// Memory that is used again for the next mission.
#[derive(Debug, Default)]
pub struct Memory {
    /// That of the simulator; it has the completions of the last run.
    pub state: State,
    /// The paths of the last mission.
    pub routes: Routes,
}

impl Simulator {
    /// Makes ready.
    pub fn new(network: Network, duplex: Duplex, routing: Routing) -> Self {
        let links = Links::new(&network, duplex);
        let order = match &routing {
            Routing::Table(table) => Some(LinkOrder::new(&network, &links, table)),
            _ => None,
        };
        Self { network, links, routing, order }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Its links.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// The routing.
    pub fn routing(&self) -> &Routing {
        &self.routing
    }

    /// How links follow each other, if the routing is a table.
    pub fn order(&self) -> Option<&LinkOrder> {
        self.order.as_ref()
    }

    /// Fixes the paths of a mission, if the routing does that in advance; says whether it does. `seed` is
    /// for central path selection.
    pub fn route(
        &self,
        mission: &Mission,
        seed: u64,
        routes: &mut Routes,
    ) -> Result<bool, TrafficError> {
        match &self.routing {
            Routing::Table(table) => routes.fill(table, &self.network, mission)?,
            Routing::Central(adaptive) => {
                *routes = central_paths(&self.network, &self.links, adaptive, mission, seed);
            }
            Routing::Given(given) => routes.clone_from(given),
            Routing::Adaptive(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Runs a mission whose paths, if fixed, are in the memory.
    pub fn run<R: Record>(
        &self,
        mission: &Mission,
        switching: Switching,
        policy: Policy,
        memory: &mut Memory,
        record: &mut R,
    ) -> Result<Run, TrafficError> {
        let (network, links) = (&self.network, &self.links);
        if let Routing::Adaptive(adaptive) = &self.routing {
            let case = AdaptiveCase { network, mission, links, adaptive, priority: policy };
            let run = switching.run_adaptive(&case, &mut memory.state, record);
            return run.ok_or_else(|| {
                TrafficError::Combination(
                    "wormhole switching needs fixed paths; try --routing e-cube, shortest or cps"
                        .to_owned(),
                )
            });
        }
        let routes = &memory.routes;
        let case = Case { mission, links, routes, order: self.order.as_ref(), priority: policy };
        Ok(switching.run(&case, &mut memory.state, record))
    }
}
