//! `pavane deadlock NETWORK`: whether a routing can deadlock.

use crate::args::traffic::DeadlockArgs;
use crate::output::{
    DONE, Failure, check_place, is_standard, name_written, not_so, print_json, standard, write_file,
};
use crate::picture_file::check_svg;
use crate::progress::Ticker;
use crate::report::deadlock::DeadlockReport;
use crate::words;
use pavane_model::{Duplex, Fault, Network};
use pavane_render::dependency_graph::DependencyGraph;
use pavane_traffic::routing::{
    Dependencies, EscapeRouting, Minimal, RoutingTable, TableMaker, VirtualChannel, minimal_table,
    read_table, reroute, write_table,
};
use pavane_traffic::{Links, TrafficError};
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
    let analysis = analyse(&network, args.routing.as_deref(), &args.reroute, args.duplex)?;
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
    /// Whether the nodes of the graph are channels, or links, which under half duplex are both channels.
    duplex: Duplex,
    graph: Dependencies,
    /// A cycle of dependencies, if there is one.
    pub cycle: Option<Vec<VirtualChannel>>,
}

/// The names of all routings.
pub const ROUTINGS: [&str; 8] = [
    "dimension-order",
    "shortest",
    "balanced",
    "dateline",
    "up-down",
    "deadlock-free",
    "ordered-links",
    "escape",
];

/// Examines a routing: a name or a file, and changes of its entries.
pub fn analyse(
    network: &Network,
    routing: Option<&str>,
    changes: &[String],
    duplex: Duplex,
) -> Result<Analysis, Failure> {
    let needs_buffers = |name: &str| {
        Failure::bad_input(format!(
            "--duplex half is about messages without buffers, and {name} routing needs buffers, with which duplex does not matter; remove --duplex half"
        ))
    };
    if let Some("escape" | "duato") = routing {
        if duplex == Duplex::Half {
            return Err(needs_buffers("escape"));
        }
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
            duplex,
            cycle: graph.cycle(),
            graph,
        });
    }
    let usual = if duplex == Duplex::Half { "ordered-links" } else { "deadlock-free" };
    let (table, remark) = table(network, routing.unwrap_or(usual))?;
    let table = changes.iter().try_fold(table, |table, text| {
        let changed = reroute(network, &table, text);
        changed.map_err(|error| match error {
            TrafficError::Entry { .. } => Failure::bad_input(format!("--reroute {error}")),
            error => Failure::bad_input(error),
        })
    })?;
    let graph = Dependencies::new(network, &table);
    if duplex == Duplex::Half && graph.classes() > 1 {
        return Err(needs_buffers(table.name()));
    }
    let graph = match duplex {
        Duplex::Full => graph,
        Duplex::Half => graph.of_links(&Links::new(network, duplex)),
    };
    let cycle = graph.cycle();
    let name = table.name().to_owned();
    Ok(Analysis { name, table, is_adaptive: false, remark, duplex, graph, cycle })
}

/// The requested or constructed table, and a remark about it.
fn table(network: &Network, routing: &str) -> Result<(RoutingTable, &'static str), Failure> {
    let made = |name: &str| match TableMaker::find(name) {
        Some(maker) => maker.table(network).map_err(Failure::bad_input),
        None => Err(Failure::bad_input(TrafficError::Unknown {
            what: "routing table",
            name: name.to_owned(),
            known: format!("{}, or a file", ROUTINGS.join(", ")),
        })),
    };
    match routing {
        "deadlock-free" => match minimal_table(network, Duplex::Full) {
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
        name if TableMaker::find(name).is_none() && is_file(name) => {
            Ok((read_table(Path::new(name), network).map_err(Failure::bad_input)?, ""))
        }
        name => Ok((made(name)?, "")),
    }
}

fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some() || path.is_file()
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
    /// Whether a node is a link: a channel and its opposite, of which it is the first.
    fn is_link(&self, network: &Network, node: VirtualChannel) -> bool {
        self.duplex == Duplex::Half && network.opposite(node.channel).is_some()
    }

    /// The nodes of the graph.
    fn nodes(&self, network: &Network) -> Vec<VirtualChannel> {
        let is_second = |channel| network.opposite(channel).is_some_and(|other| other < channel);
        let nodes = self.graph.nodes();
        nodes.filter(|node| self.duplex == Duplex::Full || !is_second(node.channel)).collect()
    }

    /// `2>3`, `2>3/1` for class 1 if channels have several classes of virtual channels, or `2-3` for a
    /// link.
    fn name(&self, network: &Network, node: VirtualChannel) -> String {
        let ends = network.channel(node.channel);
        let names = [ends.tail, ends.head].map(|router| network.router_name(router));
        let sign = if self.is_link(network, node) { "-" } else { ">" };
        let name = words::printable(&names.join(sign)).into_owned();
        if self.graph.classes() > 1 { format!("{name}/{}", node.class) } else { name }
    }

    /// The name of a channel or link as in pictures, with its class if there are several.
    fn drawn_name(&self, network: &Network, node: VirtualChannel) -> String {
        let ends = network.channel(node.channel);
        let label = if self.is_link(network, node) {
            Fault::Link(ends.tail, ends.head).label(network)
        } else {
            Fault::Channel(ends.tail, ends.head).label(network)
        };
        let name = words::printable(&label);
        if self.graph.classes() > 1 {
            format!("{name} (class {})", node.class)
        } else {
            name.into_owned()
        }
    }

    /// What the nodes of the graph are.
    pub fn kind(&self) -> &'static str {
        if self.duplex == Duplex::Half { "link" } else { "channel" }
    }

    /// The graph of dependencies, with the cycle.
    pub fn picture(&self, network: &Network) -> DependencyGraph {
        let graph = &self.graph;
        let nodes = self.nodes(network);
        // Nodes are in order.
        let number = |node: VirtualChannel| nodes.partition_point(|other| *other < node);
        let edges = nodes
            .iter()
            .flat_map(|&from| graph.successors(from).map(move |to| (number(from), number(to))));
        DependencyGraph {
            names: nodes.iter().map(|&node| self.name(network, node)).collect(),
            edges: edges.collect(),
            cycle: self.cycle.iter().flatten().map(|&node| number(node)).collect(),
        }
    }

    /// The title of the picture.
    pub fn picture_title(&self, network: &Network) -> String {
        format!("{}: {} dependencies, {}", network.name(), self.kind(), self.name)
    }

    /// Network and routing in one line, and what was found.
    pub fn lines(&self, network: &Network) -> (String, Vec<String>) {
        let graph = &self.graph;
        let mut title = format!(
            "{}{}: routing {}, {}",
            words::printable(network.name()),
            words::without(network),
            words::printable(&self.name),
            words::counted(self.nodes(network).len() / graph.classes() as usize, self.kind()),
        );
        if graph.classes() > 1 {
            title += &format!(" with {} classes of virtual channels", graph.classes());
        }
        title += &format!(" and {} dependencies", graph.edge_count());
        let mut lines = Vec::new();
        if !self.remark.is_empty() {
            lines.push(self.remark.to_owned());
        }
        let stretch = self.table.stretch(network);
        let paths = if self.is_adaptive { "escape paths" } else { "paths" };
        lines.push(if stretch > 1.0 {
            format!("{paths} are {:.1} % longer than the shortest", 100.0 * (stretch - 1.0))
        } else {
            format!("all {paths} are shortest paths")
        });
        match &self.cycle {
            None => lines.push(format!("deadlock-free: no cycle of {} dependencies", self.kind())),
            Some(cycle) => {
                let count = words::counted(cycle.len(), self.kind());
                lines.push(format!("not deadlock-free: {count} depend on each other in a cycle"));
                let around = cycle.iter().chain(cycle.first());
                let shown = around.map(|&node| self.drawn_name(network, node));
                let shown: Vec<String> = shown.collect();
                lines.push(format!("cycle     {}", shown.join("; ")));
            }
        }
        (title, lines)
    }
}

/// The names of the nodes of a cycle.
fn names(network: &Network, analysis: &Analysis) -> Option<Vec<String>> {
    let cycle = analysis.cycle.as_ref()?;
    Some(cycle.iter().map(|&node| analysis.name(network, node)).collect())
}

fn report<'a>(network: &'a Network, analysis: &'a Analysis) -> DeadlockReport<'a> {
    DeadlockReport {
        network: network.name(),
        routing: &analysis.name,
        duplex: analysis.duplex,
        deadlock_free: analysis.cycle.is_none(),
        cycle: names(network, analysis),
        channels: network.channel_count(),
        classes: analysis.graph.classes(),
        dependencies: analysis.graph.edge_count(),
        stretch: analysis.table.stretch(network),
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
