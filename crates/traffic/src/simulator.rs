//! A network, a duplex rule and a routing, prepared for running missions.

use crate::error::TrafficError;
use crate::flits::{FlitRouting, FlitRules, check_flits, run_mission};
use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::routing::{
    Adaptive, EscapeRouting, LinkOrder, Reach, Routes, RoutingTable, TABLES, TableMaker,
    central_paths, read_table,
};
use crate::switching::{AdaptiveCase, Case, Record, Run, State, SwitchingMethod};
use pavane_model::{Duplex, Network};
use std::path::Path;

/// How messages choose their channels.
#[derive(Debug, Clone)]
pub enum RoutingMethod {
    /// By a routing table.
    Table(RoutingTable),
    /// By availability: progressive adaptive or depth-first.
    Adaptive(Adaptive),
    /// By free virtual channels, with escape channels: adaptive minimal routing after Duato.
    Escape(Box<EscapeRouting>),
    /// By central simulated annealing over all messages of a mission.
    Central(Adaptive),
    /// By an explicit path for every message.
    Given(Routes),
}

/// The routings without a table, each with its description.
const OTHERS: &[(&str, &str)] = &[
    ("pa", "profitable adaptive: the lowest free dimension that brings the message closer"),
    ("dfs", "depth-first: as pa, then any free channel to a router not yet visited"),
    ("cps", "central: shortest paths chosen by simulated annealing"),
    ("escape", "adaptive shortest paths with escape channels"),
];

impl RoutingMethod {
    /// The routing with this name, or the table in this file.
    pub fn find(name: &str, network: &Network) -> Result<Self, TrafficError> {
        if let Some(maker) = TableMaker::find(name) {
            return Ok(Self::Table(maker.table(network)?));
        }
        match name {
            "pa" => Ok(Self::Adaptive(Adaptive::new(network, Reach::Closer)?)),
            "dfs" => Ok(Self::Adaptive(Adaptive::new(network, Reach::Detours)?)),
            "cps" => Ok(Self::Central(Adaptive::new(network, Reach::Closer)?)),
            "escape" | "duato" => Ok(Self::Escape(Box::new(EscapeRouting::new(network)?))),
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
        TABLES.iter().map(|maker| maker.name).chain(OTHERS.iter().map(|(name, _)| *name)).collect()
    }

    /// The description of a routing in one line.
    pub fn description(name: &str) -> Option<&'static str> {
        let other = || OTHERS.iter().find(|(other, _)| *other == name).map(|(_, text)| *text);
        TableMaker::find(name).map(|maker| maker.description).or_else(other)
    }
}

/// A network prepared for running missions.
#[derive(Debug, Clone)]
pub struct Simulator {
    network: Network,
    links: Links,
    routing: RoutingMethod,
    order: Option<LinkOrder>,
}

/// Buffers that are reused between missions.
#[derive(Debug, Default)]
pub struct Memory {
    /// State of the simulator, including the completion times of the last run.
    pub state: State,
    /// The paths of the last mission.
    pub routes: Routes,
}

impl Simulator {
    /// Prepares a network for running missions.
    pub fn new(network: Network, duplex: Duplex, routing: RoutingMethod) -> Self {
        let links = Links::new(&network, duplex);
        let order = match &routing {
            RoutingMethod::Table(table) => Some(LinkOrder::new(&network, &links, table)),
            _ => None,
        };
        Self { network, links, routing, order }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The links of the network.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// The routing.
    pub fn routing(&self) -> &RoutingMethod {
        &self.routing
    }

    /// The possible sequences of links, if the routing is a table.
    pub fn order(&self) -> Option<&LinkOrder> {
        self.order.as_ref()
    }

    /// Fixes the paths of a mission if the routing determines them in advance, and returns whether
    /// it does. Central path selection uses `seed`.
    pub fn route(
        &self,
        mission: &Mission,
        seed: u64,
        routes: &mut Routes,
    ) -> Result<bool, TrafficError> {
        match &self.routing {
            RoutingMethod::Table(table) => routes.fill(table, &self.network, mission)?,
            RoutingMethod::Central(adaptive) => {
                *routes = central_paths(&self.network, &self.links, adaptive, mission, seed);
            }
            RoutingMethod::Given(given) => routes.clone_from(given),
            RoutingMethod::Adaptive(_) | RoutingMethod::Escape(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Runs a mission. Paths that are fixed in advance must be in `memory`.
    pub fn run<R: Record>(
        &self,
        mission: &Mission,
        switching: SwitchingMethod,
        policy: Policy,
        memory: &mut Memory,
        record: &mut R,
    ) -> Result<Run, TrafficError> {
        if let SwitchingMethod::Flits(rules) = switching {
            return self.run_flits(mission, rules, policy, memory, record);
        }
        let (network, links) = (&self.network, &self.links);
        if let (RoutingMethod::Table(table), SwitchingMethod::Wormhole(_)) =
            (&self.routing, switching)
            && table.classes() > 1
        {
            return Err(TrafficError::Combination(format!(
                "{} assigns virtual channels, which exist only under wormhole switching with buffers; give the depth of the buffers",
                table.name()
            )));
        }
        let adaptive = match &self.routing {
            RoutingMethod::Adaptive(adaptive) => Some(adaptive),
            RoutingMethod::Escape(routing) => Some(&routing.adaptive),
            _ => None,
        };
        if let Some(adaptive) = adaptive {
            let case = AdaptiveCase { network, mission, links, adaptive, priority: policy };
            let run = switching.run_adaptive(&case, &mut memory.state, record);
            return run.ok_or_else(|| {
                TrafficError::Combination(
                    "wormhole switching needs fixed paths, or escape routing and the depth of the buffers; try e-cube, shortest or cps routing"
                        .to_owned(),
                )
            });
        }
        let routes = &memory.routes;
        let case = Case { mission, links, routes, order: self.order.as_ref(), priority: policy };
        Ok(switching.run(&case, &mut memory.state, record))
    }

    /// Runs a mission flit by flit.
    fn run_flits<R: Record>(
        &self,
        mission: &Mission,
        rules: FlitRules,
        policy: Policy,
        memory: &mut Memory,
        record: &mut R,
    ) -> Result<Run, TrafficError> {
        let routing = match &self.routing {
            RoutingMethod::Table(table) => FlitRouting::Table(table),
            RoutingMethod::Escape(routing) => FlitRouting::Escape(routing),
            RoutingMethod::Central(_) | RoutingMethod::Given(_) => {
                FlitRouting::Paths(&memory.routes)
            }
            RoutingMethod::Adaptive(_) => {
                return Err(TrafficError::Combination(
                    "wormhole switching with buffers needs fixed paths or escape routing"
                        .to_owned(),
                ));
            }
        };
        routing.check(rules, &self.network)?;
        check_flits(mission)?;
        let completions = &mut memory.state.completions;
        let (network, links) = (&self.network, &self.links);
        Ok(run_mission(network, links, routing, rules, mission, policy, completions, record))
    }
}
