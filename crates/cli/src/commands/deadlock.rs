//! `pavane deadlock NETWORK`: whether a routing can deadlock.

use crate::args::traffic::DeadlockArgs;
use crate::output::{
    DONE, Failure, check_place, is_standard, not_so, print_json, standard, write_file,
};
use crate::progress::Ticker;
use crate::report::deadlock::DeadlockReport;
use crate::words;
use pavane_model::{Network, RouterId};
use pavane_render::dependency_graph::DependencyGraph;
use pavane_traffic::TrafficError;
use pavane_traffic::routing::{
    Dependencies, EscapeRouting, Minimal, RoutingTable, TableMaker, VirtualChannel, minimal_table,
    read_table, write_table,
};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Builds the channel dependency graph and searches for a cycle.
pub fn run(args: &DeadlockArgs) -> Result<ExitCode, Failure> {
    for path in [&args.table, &args.dot, &args.svg].into_iter().flatten() {
        check_place(path)?;
    }
    let network = args.network.load()?;
    let ticker = Ticker::saying("searching for a cycle");
    let analysis = analyse(args, &network)?;
    drop(ticker);
    write_files(args, &network, &analysis)?;
    match (args.json, is_standard([&args.table, &args.dot, &args.svg])) {
        (_, true) => {}
        (true, _) => print_json(&report(&network, &analysis))?,
        (false, _) => print_text(&network, &analysis)?,
    }
    Ok(if analysis.cycle.is_none() { DONE } else { not_so() })
}

/// A routing and its dependency graph.
struct Analysis {
    /// The name of the routing.
    name: String,
    /// The table; under escape routing, that of the escape channels.
    table: RoutingTable,
    /// Whether messages also take other channels than those of the table.
    is_adaptive: bool,
    remark: &'static str,
    graph: Dependencies,
    cycle: Option<Vec<VirtualChannel>>,
}

fn analyse(args: &DeadlockArgs, network: &Network) -> Result<Analysis, Failure> {
    if let Some("escape" | "duato") = args.routing.as_deref() {
        if let Some(text) = args.reroute.first() {
            return Err(Failure::bad_input(format!(
                "--reroute {text:?} applies to routing tables, not to escape routing"
            )));
        }
        let routing = EscapeRouting::new(network).map_err(Failure::bad_input)?;
        let graph = routing.dependencies().clone();
        let remark = if routing.returns() {
            "dependencies between escape channels, directly or through adaptive channels"
        } else {
            "dependencies between escape channels; a message that has taken one stays on them"
        };
        return Ok(Analysis {
            name: format!("adaptive with escape channels by {}", routing.escape().name()),
            table: routing.escape().clone(),
            is_adaptive: true,
            remark,
            cycle: graph.cycle(),
            graph,
        });
    }
    let (table, remark) = table(args, network)?;
    let table =
        args.reroute.iter().try_fold(table, |table, text| reroute(network, &table, text))?;
    let graph = Dependencies::new(network, &table);
    let cycle = graph.cycle();
    let name = table.name().to_owned();
    Ok(Analysis { name, table, is_adaptive: false, remark, graph, cycle })
}

/// The requested or constructed table, and a remark about it.
fn table(args: &DeadlockArgs, network: &Network) -> Result<(RoutingTable, &'static str), Failure> {
    let made = |name: &str| {
        match TableMaker::find(name) {
        Some(maker) => maker.table(network).map_err(Failure::bad_input),
        None => Err(Failure::bad_input(TrafficError::Unknown {
            what: "routing table",
            name: name.to_owned(),
            known: "dimension-order, shortest, balanced, dateline, up-down, deadlock-free, escape, or a file"
                .to_owned(),
        })),
    }
    };
    match args.routing.as_deref() {
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

/// Changes one entry of the table: with `2-7:6`, messages at 2 for 7 go to 6 next.
fn reroute(network: &Network, table: &RoutingTable, text: &str) -> Result<RoutingTable, Failure> {
    let wrong = |problem: String| {
        Failure::bad_input(format!("--reroute {text:?}: {problem}; use A-B:V such as 2-7:6"))
    };
    let parts = text.split_once(':').and_then(|(pair, via)| {
        let (from, to) = pair.split_once('-')?;
        Some([from, to, via])
    });
    let parts = parts.ok_or_else(|| wrong("not an entry".to_owned()))?;
    let router = |name: &str| -> Result<RouterId, Failure> {
        network
            .find_router(name)
            .ok_or_else(|| wrong(format!("the network has no router {name:?}")))
    };
    let (from, to, via) = (router(parts[0])?, router(parts[1])?, router(parts[2])?);
    let channel = network.channels_between(from, via).next();
    let channel =
        channel.ok_or_else(|| wrong(format!("there is no channel from {from} to {via}")))?;
    let next = |at: RouterId, destination: RouterId| {
        if (at, destination) == (from, to) { Some(channel) } else { table.next(at, destination) }
    };
    let changed = RoutingTable::new(table.name(), network, next).map_err(Failure::bad_input)?;
    if table.classes() == 1 {
        return Ok(changed);
    }
    let class = |_: &RoutingTable, at, to| table.class(at, to) as u8;
    Ok(changed.with_classes(network, table.classes(), class))
}

/// `2>3`, or `2>3/1` for class 1 if channels have several classes of virtual channels.
fn name(network: &Network, graph: &Dependencies, node: VirtualChannel) -> String {
    let ends = network.channel(node.channel);
    let names = [ends.tail, ends.head].map(|router| network.router_name(router));
    let name = words::printable(&names.join(">")).into_owned();
    if graph.classes() > 1 { format!("{name}/{}", node.class) } else { name }
}

fn write_files(args: &DeadlockArgs, network: &Network, analysis: &Analysis) -> Result<(), Failure> {
    let Analysis { name: title, table, graph, cycle, .. } = analysis;
    if let Some(path) = &args.table {
        write_file(path, |out| write_table(table, network, out))?;
    }
    let picture = || {
        let number =
            |node: VirtualChannel| (node.channel.0 * graph.classes() + node.class) as usize;
        let edges = graph
            .nodes()
            .flat_map(|from| graph.successors(from).map(move |to| (number(from), number(to))));
        DependencyGraph {
            names: graph.nodes().map(|node| name(network, graph, node)).collect(),
            edges: edges.collect(),
            cycle: cycle.iter().flatten().map(|&node| number(node)).collect(),
        }
    };
    if let Some(path) = &args.dot {
        write_file(path, |out| out.write_all(picture().dot().as_bytes()))?;
    }
    if let Some(path) = &args.svg {
        let title = format!("{}: channel dependencies, {title}", network.name());
        write_file(path, |out| out.write_all(picture().svg(&title).as_bytes()))?;
    }
    Ok(())
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

fn print_text(network: &Network, analysis: &Analysis) -> Result<(), Failure> {
    let graph = &analysis.graph;
    let mut out = standard();
    write!(
        out,
        "{}{}: routing {}, {}",
        words::printable(network.name()),
        words::without(network),
        words::printable(&analysis.name),
        words::counted(network.channel_count(), "channel"),
    )?;
    if graph.classes() > 1 {
        write!(out, " with {} classes of virtual channels", graph.classes())?;
    }
    writeln!(out, " and {} dependencies", graph.edge_count())?;
    if !analysis.remark.is_empty() {
        writeln!(out, "  {}", analysis.remark)?;
    }
    let stretch = stretch(network, &analysis.table);
    let paths = if analysis.is_adaptive { "escape paths" } else { "paths" };
    if stretch > 1.0 {
        writeln!(out, "  {paths} are {:.1} % longer than the shortest", 100.0 * (stretch - 1.0))?
    } else {
        writeln!(out, "  all {paths} are shortest paths")?
    }
    match names(network, analysis) {
        None => writeln!(out, "  deadlock-free: no cycle of channel dependencies")?,
        Some(names) => {
            let first = names.first().cloned().unwrap_or_default();
            writeln!(
                out,
                "  not deadlock-free: {} depend on each other in a cycle",
                words::counted(names.len(), "channel")
            )?;
            writeln!(out, "  cycle     {}, {first}", names.join(", "))?;
        }
    }
    out.flush()?;
    Ok(())
}
