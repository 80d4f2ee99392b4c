//! The routing of a network if none is requested, and why it was chosen. Every switching has its own
//! default, which does not depend on other switchings of the same comparison.

use crate::error::TrafficError;
use crate::links::Links;
use crate::routing::{
    Dependencies, EscapeRouting, ORDERED_LINKS, RoutingTable, TableMaker, has_coordinates,
    is_minimal,
};
use crate::simulator::RoutingMethod;
use crate::switching::SwitchingMethod;
use pavane_model::{Duplex, Network};

/// The routing of a network if none is requested.
#[derive(Debug, Clone)]
pub struct DefaultRouting {
    /// Its name.
    pub name: &'static str,
    /// What it is and why it was chosen.
    pub reason: &'static str,
    /// Whether it cannot deadlock, by its dependency graph or by the switching.
    pub is_free: bool,
    /// The routing.
    pub routing: RoutingMethod,
}

/// Whether messages can wait for each other in a cycle, by the channel dependency graph of a routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadlockRisk {
    /// No: the graph has no cycle, or messages hold nothing while they wait.
    Free,
    /// Only because both directions of a link are one resource.
    HalfDuplex,
    /// The graph has a cycle.
    Cycle,
}

const ONE_ROUTER: &str = "all processors are on one router, so no message uses a link";
const DIMENSIONS: &str = "dimension order";
const NO_DIMENSIONS: &str = "shortest paths that spread the load: the network has no dimensions";
const NOT_ALL_LINKS: &str =
    "shortest paths that spread the load: dimension order needs all links, and some are faulty";
const DATELINE: &str = "dimension order with datelines, which cannot deadlock";
const ESCAPE: &str =
    "adaptive shortest paths that spread the load, with escape channels, which cannot deadlock";
const LONGER_ESCAPE: &str = "adaptive shortest paths that spread the load, with escape channels, which cannot deadlock; escape paths may be longer than the shortest";
const ORDERED: &str =
    "shortest paths that take links in one order, which cannot deadlock under half duplex either";
const LONGER_ORDERED: &str = "paths that take links in one order, which cannot deadlock under half duplex either; some are longer than the shortest, and many meet in a few routers";
const CYCLIC: &str = "shortest paths, which can deadlock here";

/// The reasons for a table: if it cannot deadlock, and if it can only because of half duplex.
type Reasons = [&'static str; 2];
const FREE_DIMENSIONS: Reasons = [
    "dimension order, which cannot deadlock here",
    "dimension order, which can deadlock here only because of half duplex",
];
const FREE_BALANCED: Reasons = [
    "shortest paths that spread the load and cannot deadlock here",
    "shortest paths that spread the load and can deadlock here only because of half duplex",
];
const FREE_UP_DOWN: Reasons = [
    "up*/down*, whose paths are shortest here, spread the load and cannot deadlock",
    "up*/down*, whose paths are shortest here, spread the load and can deadlock only because of half duplex",
];
const FREE_TABLE: Reasons = [
    "shortest paths that cannot deadlock",
    "shortest paths that can deadlock only because of half duplex",
];
const LONGER_TABLE: Reasons = [
    "up*/down*, which cannot deadlock; some paths are longer than the shortest",
    "up*/down*, which can deadlock only because of half duplex; some paths are longer than the shortest",
];

impl RoutingMethod {
    /// The routing if none is requested. Under wormhole switching it cannot deadlock where such a
    /// routing is known, and spreads the load: dimension order; datelines if there are virtual
    /// channels for them; in networks without dimensions balanced shortest paths or up*/down* if
    /// these are without a cycle and shortest, or escape channels if there are virtual channels for
    /// them; a deadlock-free table. If messages hold links under half duplex, a table that cannot
    /// deadlock under half duplex either comes first. Otherwise it is dimension order or, in networks without
    /// dimensions, balanced shortest paths. The reason says whether it can deadlock.
    pub fn default_for(
        network: &Network,
        duplex: Duplex,
        switching: SwitchingMethod,
    ) -> Result<DefaultRouting, TrafficError> {
        let choice = Choice::new(network, duplex, switching);
        if network.channel_count() == 0 {
            let routing = Self::Table(choice.table("balanced")?);
            return Ok(DefaultRouting { name: "none", reason: ONE_ROUTER, is_free: true, routing });
        }
        if switching.can_deadlock() {
            return choice.under_wormhole();
        }
        let (name, reason, table) = match choice.table("e-cube") {
            Ok(table) => ("e-cube", DIMENSIONS, table),
            Err(_) => {
                let is_faulty = !network.faults().is_empty() && has_coordinates(network);
                let reason = if is_faulty { NOT_ALL_LINKS } else { NO_DIMENSIONS };
                ("balanced", reason, choice.table("balanced")?)
            }
        };
        Ok(DefaultRouting { name, reason, is_free: true, routing: Self::Table(table) })
    }

    /// Whether this routing can deadlock; `None` if that depends on the messages.
    pub fn deadlock_risk(
        &self,
        network: &Network,
        duplex: Duplex,
        switching: SwitchingMethod,
    ) -> Option<DeadlockRisk> {
        if !switching.can_deadlock() {
            return Some(DeadlockRisk::Free);
        }
        match self {
            Self::Table(table) => {
                let links = Choice::new(network, duplex, switching).links;
                Some(Dependencies::new(network, table).risk(links.as_ref()))
            }
            Self::Escape(_) => Some(DeadlockRisk::Free),
            Self::Adaptive(_) | Self::Central(_) | Self::Given(_) => None,
        }
    }
}

/// What the choice depends on.
struct Choice<'a> {
    network: &'a Network,
    /// The links that messages hold; `None` if they have buffers, and hold virtual channels.
    links: Option<Links>,
    /// Number of virtual channels that a routing can assign.
    lanes: u32,
}

impl<'a> Choice<'a> {
    fn new(network: &'a Network, duplex: Duplex, switching: SwitchingMethod) -> Self {
        // Messages without buffers hold links, and both directions of a link under half duplex.
        let (lanes, links) = match switching {
            SwitchingMethod::Flits(rules) => (rules.lanes, None),
            _ => (1, Some(Links::new(network, duplex))),
        };
        Self { network, links, lanes }
    }

    fn table(&self, name: &str) -> Result<RoutingTable, TrafficError> {
        let maker = TableMaker::find(name);
        maker.map_or(Err(TrafficError::Empty), |maker| maker.table(self.network))
    }

    /// The choice of a table, if its channel dependencies have no cycle.
    fn free(
        &self,
        name: &'static str,
        table: RoutingTable,
        reasons: Reasons,
    ) -> Option<DefaultRouting> {
        let risk = Dependencies::new(self.network, &table).risk(self.links.as_ref());
        if risk == DeadlockRisk::Cycle {
            return None;
        }
        let is_free = risk == DeadlockRisk::Free;
        let reason = reasons[usize::from(!is_free)];
        Some(DefaultRouting { name, reason, is_free, routing: RoutingMethod::Table(table) })
    }

    fn under_wormhole(&self) -> Result<DefaultRouting, TrafficError> {
        if let Some(found) = self.under_half_duplex() {
            return Ok(found);
        }
        let by_dimensions = self.table("e-cube").ok();
        let has_dimensions = by_dimensions.is_some();
        if let Some(table) = by_dimensions
            && let Some(found) = self.free("e-cube", table, FREE_DIMENSIONS)
        {
            return Ok(found);
        }
        if self.lanes >= 2
            && let Ok(table) = self.table("dateline")
            && let Some(found) = self.free("dateline", table, [DATELINE; 2])
        {
            return Ok(found);
        }
        if !has_dimensions && let Some(found) = self.that_spreads() {
            return Ok(found);
        }
        if let Some(found) = self.free_table(has_dimensions) {
            return Ok(found);
        }
        let routing = RoutingMethod::Table(self.table("balanced")?);
        Ok(DefaultRouting { name: "balanced", reason: CYCLIC, is_free: false, routing })
    }

    /// A routing that cannot deadlock where messages hold both directions of a link.
    fn under_half_duplex(&self) -> Option<DefaultRouting> {
        let is_half = |links: &Links| links.count() < self.network.channel_count();
        self.links.as_ref().filter(|links| is_half(links))?;
        let usual = [("e-cube", FREE_DIMENSIONS), ("balanced", FREE_BALANCED)];
        let mut usual = usual
            .into_iter()
            .filter_map(|(name, reasons)| self.free(name, self.table(name).ok()?, reasons));
        if let Some(found) = usual.find(|found| found.is_free) {
            return Some(found);
        }
        let table = self.table(ORDERED_LINKS).ok()?;
        let is_shortest = is_minimal(self.network, &table);
        let reason = if is_shortest { ORDERED } else { LONGER_ORDERED };
        self.free(ORDERED_LINKS, table, [reason; 2])
    }

    /// Shortest paths that spread the load and cannot deadlock under full duplex.
    fn that_spreads(&self) -> Option<DefaultRouting> {
        if let Ok(table) = self.table("balanced")
            && let Some(found) = self.free("balanced", table, FREE_BALANCED)
        {
            return Some(found);
        }
        if let Ok(table) = self.table("up-down")
            && is_minimal(self.network, &table)
            && let Some(found) = self.free("up-down", table, FREE_UP_DOWN)
        {
            return Some(found);
        }
        let routing = EscapeRouting::new(self.network).ok().filter(|_| self.lanes >= 2)?;
        if self.lanes < routing.lanes_needed() {
            return None;
        }
        let is_shortest = is_minimal(self.network, routing.escape());
        let reason = if is_shortest { ESCAPE } else { LONGER_ESCAPE };
        let routing = RoutingMethod::Escape(Box::new(routing));
        Some(DefaultRouting { name: "escape", reason, is_free: true, routing })
    }

    /// A table that is deadlock-free under full duplex. It is up*/down* if no shortest paths are known,
    /// and in networks without dimensions also if then the busiest channel carries less.
    fn free_table(&self, has_dimensions: bool) -> Option<DefaultRouting> {
        let table = self.table("deadlock-free").ok()?;
        let is_minimal = |table: &RoutingTable| is_minimal(self.network, table);
        let reasons_of =
            |table: &RoutingTable| if is_minimal(table) { FREE_TABLE } else { LONGER_TABLE };
        if !has_dimensions
            && let Ok(other) = self.table("up-down")
            && self.largest_load(&other) < self.largest_load(&table)
        {
            let reasons = reasons_of(&other);
            return self.free("up-down", other, reasons);
        }
        let reasons = reasons_of(&table);
        // Deadlock-free tables have shortest paths or are up*/down*.
        let name = if is_minimal(&table) { "deadlock-free" } else { "up-down" };
        self.free(name, table, reasons)
    }

    /// The largest number of pairs of processors whose path uses the same channel.
    fn largest_load(&self, table: &RoutingTable) -> usize {
        let network = self.network;
        let mut loads = vec![0; network.channel_count()];
        let ends = || network.routers().filter(|&router| !network.residents(router).is_empty());
        let mut path = Vec::new();
        for from in ends() {
            for to in ends() {
                path.clear();
                table.path(network, from, to, &mut path);
                let pairs = network.residents(from).len() * network.residents(to).len();
                path.iter().for_each(|channel| loads[channel.index()] += pairs);
            }
        }
        loads.into_iter().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flits::FlitRules;
    use crate::mission::Uniform;
    use crate::policy::Policy;
    use crate::simulator::{Memory, Simulator};
    use pavane_networks::topology;

    fn chosen(name: &str, duplex: Duplex, switching: SwitchingMethod) -> DefaultRouting {
        RoutingMethod::default_for(&topology::build(name).unwrap(), duplex, switching).unwrap()
    }

    #[test]
    fn default_routings_and_their_reasons() {
        let flits = |lanes| SwitchingMethod::Flits(FlitRules { lanes, buffer: 4 });
        let (half, full) = (Duplex::Half, Duplex::Full);
        let wormhole = SwitchingMethod::Wormhole(1);
        let claims = [
            ("mesh:3x4", half, SwitchingMethod::Circuit, "e-cube", DIMENSIONS),
            ("petersen", half, SwitchingMethod::Circuit, "balanced", NO_DIMENSIONS),
            ("mesh:3x4", full, wormhole, "e-cube", FREE_DIMENSIONS[0]),
            ("mesh:3x4", half, wormhole, "e-cube", FREE_DIMENSIONS[1]),
            ("mesh:3x4", half, flits(1), "e-cube", FREE_DIMENSIONS[0]),
            ("torus:5x5", full, flits(2), "dateline", DATELINE),
            ("torus:5x5", full, flits(1), "up-down", LONGER_TABLE[0]),
            ("ring:5", full, wormhole, "up-down", LONGER_TABLE[0]),
            ("ring:5", half, wormhole, "up-down", LONGER_TABLE[1]),
            ("hypercube:4", half, wormhole, "e-cube", FREE_DIMENSIONS[0]),
            ("torus:4x4", half, wormhole, "ordered-links", ORDERED),
            ("torus:5x5", half, wormhole, "ordered-links", LONGER_ORDERED),
            ("torus:5x5", half, flits(2), "dateline", DATELINE),
            ("ring:5", half, flits(1), "up-down", LONGER_TABLE[0]),
            ("ring:5", half, flits(2), "dateline", DATELINE),
            ("complete:5", half, wormhole, "balanced", FREE_BALANCED[0]),
            ("fat-tree:4", full, flits(1), "balanced", FREE_BALANCED[0]),
            ("octagon:16", full, flits(8), "escape", LONGER_ESCAPE),
            ("random-regular:32,3,1", full, flits(8), "escape", LONGER_ESCAPE),
            ("kautz:2,3", full, wormhole, "balanced", CYCLIC),
        ];
        for (name, duplex, switching, routing, reason) in claims {
            let found = chosen(name, duplex, switching);
            assert_eq!((found.name, found.reason), (routing, reason), "{name} {duplex}");
            let network = topology::build(name).unwrap();
            let risk = found.routing.deadlock_risk(&network, duplex, switching).unwrap();
            assert_eq!(risk == DeadlockRisk::Free, found.is_free, "{name} {duplex}: {risk:?}");
            let is_half = reason.contains("only because of half duplex");
            assert_eq!(risk == DeadlockRisk::HalfDuplex, is_half, "{name} {duplex}: {risk:?}");
        }
    }

    #[test]
    fn the_busiest_channel_of_a_default_carries_no_more_than_under_deadlock_free() {
        let wormhole = SwitchingMethod::Wormhole(1);
        for name in ["fat-tree:4", "k-ary-n-tree:4,2", "octagon:16", "random-regular:32,3,1"] {
            let network = topology::build(name).unwrap();
            let choice = Choice::new(&network, Duplex::Full, wormhole);
            let RoutingMethod::Table(table) = chosen(name, Duplex::Full, wormhole).routing else {
                panic!("{name}: wormhole switching without buffers has fixed paths");
            };
            let [here, before] = [table, choice.table("deadlock-free").unwrap()]
                .map(|table| choice.largest_load(&table));
            assert!(here <= before, "{name}: {here} {before}");
        }
    }

    #[test]
    fn routings_that_cannot_deadlock_deliver_all_messages() {
        let flits = SwitchingMethod::Flits(FlitRules { lanes: 1, buffer: 1 });
        let lanes = SwitchingMethod::Flits(FlitRules { lanes: 3, buffer: 2 });
        for name in ["mesh:3x4", "ring:5", "petersen", "octagon:8", "random-regular:20,4,1"] {
            for (duplex, switching) in [
                (Duplex::Half, flits),
                (Duplex::Full, flits),
                (Duplex::Full, lanes),
                (Duplex::Full, SwitchingMethod::Wormhole(1)),
            ] {
                let routing = chosen(name, duplex, switching);
                assert!(routing.is_free && routing.reason.contains("cannot deadlock"), "{name}");
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
