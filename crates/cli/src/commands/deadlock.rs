//! `pavane deadlock NETWORK`: whether a routing can deadlock.

use crate::args::traffic::DeadlockArgs;
use crate::output::{
    DONE, Failure, check_place, is_standard, name_written, not_so, print_json, standard, write_file,
};
use crate::picture_file::check_svg;
use crate::progress::Ticker;
use crate::report::deadlock::DeadlockReport;
use crate::words;
use pavane_model::{Fault, Network, RouterId};
use pavane_render::dependency_graph::DependencyGraph;
use pavane_traffic::TrafficError;
use pavane_traffic::routing::{
    Dependencies, EscapeRouting, Minimal, RoutingTable, TableMaker, VirtualChannel, minimal_table,
    read_table, reroute, write_table,
};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Builds the channel dependency graph and searches for a cycle.
pub fn run(args: &DeadlockArgs) -> Result<ExitCode, Failure> {
    for path in [&args.table, &args.dot].into_iter().flatten() {
        check_place(path)?;
    }
    if let Some(path) = &args.svg {
        check_svg("--svg", path)?;
    }
    let network = args.network.load()?;
    let ticker = Ticker::saying("searching for a cycle");
    let analysis = analyse(&network, args.routing.as_deref(), &args.reroute)?;
    drop(ticker);
    write_files(args, &network, &analysis)?;
    match (args.json, is_standard([&args.table, &args.dot, &args.svg])) {
        (_, true) => {}
        (true, _) => print_json(&report(&network, &analysis))?,
        (false, _) => print_text(args, &network, &analysis)?,
    }
    Ok(if analysis.cycle.is_none() { DONE } else { not_so() })
}

/// A routing and its dependency graph.
pub struct Analysis {
    /// The name of the routing.
    name: String,
    /// The table; under escape routing, that of the escape channels.
    pub table: RoutingTable,
    /// Whether messages also take other channels than those of the table.
    is_adaptive: bool,
    remark: &'static str,
    graph: Dependencies,
    /// A cycle of dependencies, if there is one.
    pub cycle: Option<Vec<VirtualChannel>>,
}

/// The names of all routings.
pub const ROUTINGS: [&str; 7] =
    ["dimension-order", "shortest", "balanced", "dateline", "up-down", "deadlock-free", "escape"];

/// Examines a routing: a name or a file, and changes of its entries.
pub fn analyse(
    network: &Network,
    routing: Option<&str>,
    changes: &[String],
) -> Result<Analysis, Failure> {
    if let Some("escape" | "duato") = routing {
        if let Some(text) = changes.first() {
            return Err(Failure::bad_input(format!(
                "--reroute {text:?} applies to routing tables, not to escape routing"
            )));
        }
        let escape = EscapeRouting::new(network).map_err(Failure::bad_input)?;
        let graph = escape.dependencies().clone();
        let remark = if escape.returns() {
            "dependencies between escape channels, directly or through adaptive channels"
        } else {
            "dependencies between escape channels; a message that has taken one stays on them"
        };
        return Ok(Analysis {
            name: format!("adaptive with escape channels by {}", escape.escape().name()),
            table: escape.escape().clone(),
            is_adaptive: true,
            remark,
            cycle: graph.cycle(),
            graph,
        });
    }
    let (table, remark) = table(network, routing)?;
    let table = changes.iter().try_fold(table, |table, text| {
        let changed = reroute(network, &table, text);
        changed.map_err(|error| match error {
            TrafficError::Entry { .. } => Failure::bad_input(format!("--reroute {error}")),
            error => Failure::bad_input(error),
        })
    })?;
    let graph = Dependencies::new(network, &table);
    let cycle = graph.cycle();
    let name = table.name().to_owned();
    Ok(Analysis { name, table, is_adaptive: false, remark, graph, cycle })
}

/// The requested or constructed table, and a remark about it.
fn table(
    network: &Network,
    routing: Option<&str>,
) -> Result<(RoutingTable, &'static str), Failure> {
    let made = |name: &str| match TableMaker::find(name) {
        Some(maker) => maker.table(network).map_err(Failure::bad_input),
        None => Err(Failure::bad_input(TrafficError::Unknown {
            what: "routing table",
            name: name.to_owned(),
            known: format!("{}, or a file", ROUTINGS.join(", ")),
        })),
    };
    match routing {
        None | Some("deadlock-free") => match minimal_table(network) {
            Minimal::Table(table) => Ok((table, "constructed: shortest paths for all pairs")),
            Minimal::Impossible => Ok((
                made("up-down")?,
                "no table of shortest paths is deadlock-free (exhaustive search)",
            )),
            Minimal::NotFound => Ok((
                made("up-down")?,
                "no deadlock-free table of shortest paths was found within the search limit",
            )),
        },
        Some(name) if TableMaker::find(name).is_none() && is_file(name) => {
            Ok((read_table(Path::new(name), network).map_err(Failure::bad_input)?, ""))
        }
        Some(name) => Ok((made(name)?, "")),
    }
}

fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some() || path.is_file()
}

/// `2>3`, or `2>3/1` for class 1 if channels have several classes of virtual channels.
fn name(network: &Network, graph: &Dependencies, node: VirtualChannel) -> String {
    let ends = network.channel(node.channel);
    let names = [ends.tail, ends.head].map(|router| network.router_name(router));
    let name = words::printable(&names.join(">")).into_owned();
    if graph.classes() > 1 { format!("{name}/{}", node.class) } else { name }
}

/// The name of a channel as in pictures, with its class if there are several.
fn drawn_name(network: &Network, graph: &Dependencies, node: VirtualChannel) -> String {
    let ends = network.channel(node.channel);
    let channel = Fault::Channel(ends.tail, ends.head).label(network);
    let name = words::printable(&channel);
    if graph.classes() > 1 { format!("{name} (class {})", node.class) } else { name.into_owned() }
}

fn write_files(args: &DeadlockArgs, network: &Network, analysis: &Analysis) -> Result<(), Failure> {
    if let Some(path) = &args.table {
        write_file(path, |out| write_table(&analysis.table, network, out))?;
    }
    if let Some(path) = &args.dot {
        let dot = analysis.picture(network).dot();
        write_file(path, |out| out.write_all(dot.as_bytes()))?;
    }
    if let Some(path) = &args.svg {
        let svg = analysis.picture(network).svg(&analysis.picture_title(network));
        write_file(path, |out| out.write_all(svg.as_bytes()))?;
    }
    Ok(())
}

impl Analysis {
    /// The graph of channel dependencies, with the cycle.
    pub fn picture(&self, network: &Network) -> DependencyGraph {
        let graph = &self.graph;
        let number =
            |node: VirtualChannel| (node.channel.0 * graph.classes() + node.class) as usize;
        let edges = graph
            .nodes()
            .flat_map(|from| graph.successors(from).map(move |to| (number(from), number(to))));
        DependencyGraph {
            names: graph.nodes().map(|node| name(network, graph, node)).collect(),
            edges: edges.collect(),
            cycle: self.cycle.iter().flatten().map(|&node| number(node)).collect(),
        }
    }

    /// The title of the picture.
    pub fn picture_title(&self, network: &Network) -> String {
        format!("{}: channel dependencies, {}", network.name(), self.name)
    }

    /// Network and routing in one line, and what was found.
    pub fn lines(&self, network: &Network) -> (String, Vec<String>) {
        let graph = &self.graph;
        let mut title = format!(
            "{}{}: routing {}, {}",
            words::printable(network.name()),
            words::without(network),
            words::printable(&self.name),
            words::counted(network.channel_count(), "channel"),
        );
        if graph.classes() > 1 {
            title += &format!(" with {} classes of virtual channels", graph.classes());
        }
        title += &format!(" and {} dependencies", graph.edge_count());
        let mut lines = Vec::new();
        if !self.remark.is_empty() {
            lines.push(self.remark.to_owned());
        }
        let stretch = stretch(network, &self.table);
        let paths = if self.is_adaptive { "escape paths" } else { "paths" };
        lines.push(if stretch > 1.0 {
            format!("{paths} are {:.1} % longer than the shortest", 100.0 * (stretch - 1.0))
        } else {
            format!("all {paths} are shortest paths")
        });
        match &self.cycle {
            None => lines.push("deadlock-free: no cycle of channel dependencies".to_owned()),
            Some(cycle) => {
                let count = words::counted(cycle.len(), "channel");
                lines.push(format!("not deadlock-free: {count} depend on each other in a cycle"));
                let around = cycle.iter().chain(cycle.first());
                let shown = around.map(|&node| drawn_name(network, graph, node));
                let shown: Vec<String> = shown.collect();
                lines.push(format!("cycle     {}", shown.join("; ")));
            }
        }
        (title, lines)
    }
}

/// Total length of all paths divided by that of shortest paths.
fn stretch(network: &Network, table: &RoutingTable) -> f64 {
    let ends: Vec<RouterId> =
        network.routers().filter(|&router| !network.residents(router).is_empty()).collect();
    let (mut hops, mut least) = (0usize, 0usize);
    let mut path = Vec::new();
    for &to in &ends {
        let distances = network.distances_to(to);
        for &from in ends.iter().filter(|from| **from != to) {
            path.clear();
            table.path(network, from, to, &mut path);
            hops += path.len();
            least += distances[from.index()] as usize;
        }
    }
    hops as f64 / least.max(1) as f64
}

/// The names of the nodes of a cycle.
fn names(network: &Network, analysis: &Analysis) -> Option<Vec<String>> {
    let cycle = analysis.cycle.as_ref()?;
    Some(cycle.iter().map(|&node| name(network, &analysis.graph, node)).collect())
}

fn report<'a>(network: &'a Network, analysis: &'a Analysis) -> DeadlockReport<'a> {
    DeadlockReport {
        network: network.name(),
        routing: &analysis.name,
        deadlock_free: analysis.cycle.is_none(),
        cycle: names(network, analysis),
        channels: network.channel_count(),
        classes: analysis.graph.classes(),
        dependencies: analysis.graph.edge_count(),
        stretch: stretch(network, &analysis.table),
        remark: analysis.remark,
    }
}

fn print_text(args: &DeadlockArgs, network: &Network, analysis: &Analysis) -> Result<(), Failure> {
    let mut out = standard();
    let (title, lines) = analysis.lines(network);
    writeln!(out, "{title}")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    name_written(&mut out, [&args.table, &args.dot, &args.svg])?;
    out.flush()?;
    Ok(())
}
