//! A network, a duplex rule and a routing, prepared for running missions.

use crate::error::TrafficError;
use crate::flits::{FlitRouting, FlitRules, check_flits, run_mission};
use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::routing::{
    Adaptive, Dependencies, EscapeRouting, LinkOrder, Reach, Routes, RoutingTable, TABLES,
    TableMaker, central_paths, read_table,
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

/// Names of the routings without a table.
const OTHERS: &[&str] = &["pa", "dfs", "cps", "escape"];

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

    /// The routing if none is requested. Under wormhole switching it cannot deadlock where such a
    /// routing is known: dimension order, datelines if there are virtual channels for them, or a
    /// deadlock-free table. Otherwise it is dimension order or, in networks without dimensions,
    /// balanced shortest paths. The reason says whether it can deadlock.
    pub fn default_for(
        network: &Network,
        duplex: Duplex,
        switchings: &[SwitchingMethod],
    ) -> Result<DefaultRouting, TrafficError> {
        let chosen =
            |name, reason, table| Ok(DefaultRouting { name, reason, routing: Self::Table(table) });
        let table = |name| {
            let maker = TableMaker::find(name);
            maker.map_or(Err(TrafficError::Empty), |maker| maker.table(network))
        };
        let by_dimensions = table("e-cube").ok();
        let is_plain = |switching: &SwitchingMethod| {
            !matches!(switching, SwitchingMethod::Wormhole(_) | SwitchingMethod::Flits(_))
        };
        if switchings.iter().all(is_plain) {
            return match by_dimensions {
                Some(table) => chosen("e-cube", "dimension order", table),
                None => chosen("balanced", NO_DIMENSIONS, table("balanced")?),
            };
        }
        // Messages without buffers hold links, and both directions of a link under half duplex.
        let holds_links =
            switchings.iter().any(|switching| matches!(switching, SwitchingMethod::Wormhole(_)));
        let links = Links::new(network, if holds_links { duplex } else { Duplex::Full });
        let is_acyclic = |graph: &Dependencies| graph.cycle().is_none();
        if let Some(table) = by_dimensions {
            let graph = Dependencies::new(network, &table);
            if is_acyclic(&graph) {
                let is_free = !graph.has_cycle_of_links(&links);
                let reason = if is_free { FREE_DIMENSIONS } else { HALF_DIMENSIONS };
                return chosen("e-cube", reason, table);
            }
        }
        let has_classes = |switching: &SwitchingMethod| match switching {
            SwitchingMethod::Wormhole(_) => false,
            SwitchingMethod::Flits(rules) => rules.lanes >= 2,
            _ => true,
        };
        if switchings.iter().all(has_classes)
            && let Ok(table) = table("dateline")
        {
            let reason = "dimension order with datelines, which cannot deadlock";
            return chosen("dateline", reason, table);
        }
        match table("deadlock-free") {
            Ok(table) => {
                let is_free = !Dependencies::new(network, &table).has_cycle_of_links(&links);
                chosen("deadlock-free", if is_free { FREE_TABLE } else { HALF_TABLE }, table)
            }
            Err(_) => {
                chosen("balanced", "shortest paths, which can deadlock here", table("balanced")?)
            }
        }
    }

    /// The names of all routings.
    pub fn names() -> Vec<&'static str> {
        TABLES.iter().map(|maker| maker.name).chain(OTHERS.iter().copied()).collect()
    }
}

const NO_DIMENSIONS: &str = "shortest paths that spread the load: the network has no dimensions";
const FREE_DIMENSIONS: &str = "dimension order, which cannot deadlock here";
const HALF_DIMENSIONS: &str =
    "dimension order, which can deadlock here only because of half duplex";
const FREE_TABLE: &str = "a table that cannot deadlock";
const HALF_TABLE: &str = "a table that can deadlock only because of half duplex";

/// The routing of a network if none is requested.
#[derive(Debug, Clone)]
pub struct DefaultRouting {
    /// Its name.
    pub name: &'static str,
    /// What it is and why it was chosen.
    pub reason: &'static str,
    /// The routing.
    pub routing: RoutingMethod,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mission::Uniform;
    use pavane_networks::topology;

    fn chosen(name: &str, duplex: Duplex, switching: SwitchingMethod) -> DefaultRouting {
        RoutingMethod::default_for(&topology::build(name).unwrap(), duplex, &[switching]).unwrap()
    }

    #[test]
    fn default_routings_and_their_reasons() {
        let flits = |lanes| SwitchingMethod::Flits(FlitRules { lanes, buffer: 4 });
        let (half, full) = (Duplex::Half, Duplex::Full);
        let wormhole = SwitchingMethod::Wormhole(1);
        let claims = [
            ("mesh:3x4", half, SwitchingMethod::Circuit, "e-cube", "dimension order"),
            ("petersen", half, SwitchingMethod::Circuit, "balanced", NO_DIMENSIONS),
            ("mesh:3x4", full, wormhole, "e-cube", FREE_DIMENSIONS),
            ("mesh:3x4", half, wormhole, "e-cube", HALF_DIMENSIONS),
            ("mesh:3x4", half, flits(1), "e-cube", FREE_DIMENSIONS),
            ("ring:5", full, wormhole, "deadlock-free", FREE_TABLE),
            ("ring:5", half, wormhole, "deadlock-free", HALF_TABLE),
            ("ring:5", half, flits(1), "deadlock-free", FREE_TABLE),
            ("complete:5", half, wormhole, "deadlock-free", FREE_TABLE),
        ];
        for (name, duplex, switching, routing, reason) in claims {
            let found = chosen(name, duplex, switching);
            assert_eq!((found.name, found.reason), (routing, reason), "{name} {duplex}");
        }
        assert_eq!(chosen("ring:5", half, flits(2)).name, "dateline");
        assert_eq!(chosen("kautz:2,3", full, wormhole).name, "balanced");
    }

    #[test]
    fn routings_that_cannot_deadlock_deliver_all_messages() {
        let flits = SwitchingMethod::Flits(FlitRules { lanes: 1, buffer: 1 });
        for name in ["mesh:3x4", "ring:5", "petersen", "octagon:8", "random-regular:20,4,1"] {
            for (duplex, switching) in [
                (Duplex::Half, flits),
                (Duplex::Full, flits),
                (Duplex::Full, SwitchingMethod::Wormhole(1)),
            ] {
                let routing = chosen(name, duplex, switching);
                assert!(routing.reason.contains("cannot deadlock"), "{name}");
                let network = topology::build(name).unwrap();
                let simulator = Simulator::new(network, duplex, routing.routing);
                let mission = Uniform::default().draw(simulator.network(), 1, 0).unwrap();
                let mut memory = Memory::default();
                simulator.route(&mission, 1, &mut memory.routes).unwrap();
                let policy = Policy::find("lbf").unwrap();
                simulator.run(&mission, switching, policy, &mut memory, &mut ()).unwrap();
                assert!(!memory.state.completions.contains(&u64::MAX), "{name} {duplex}");
            }
        }
    }
}
