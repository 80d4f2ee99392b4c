//! `pavane deadlock NETWORK`: whether a routing can deadlock.

use crate::args::traffic::DeadlockArgs;
use crate::output::{
    DONE, Failure, check_place, is_standard, not_so, print_json, standard, write_file,
};
use crate::progress::Ticker;
use crate::report::deadlock::DeadlockReport;
use crate::words;
use pavane_model::{ChannelId, Network, RouterId};
use pavane_render::dependency_graph::DependencyGraph;
use pavane_traffic::TrafficError;
use pavane_traffic::routing::{
    Dependencies, Minimal, RoutingTable, TableMaker, minimal_table, read_table, write_table,
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
    let (table, remark) = table(args, &network)?;
    let table =
        args.reroute.iter().try_fold(table, |table, text| reroute(&network, &table, text))?;
    let graph = Dependencies::new(&network, &table);
    let cycle = graph.cycle();
    drop(ticker);
    write_files(args, &network, &table, &graph, cycle.as_deref())?;
    match (args.json, is_standard([&args.table, &args.dot, &args.svg])) {
        (_, true) => {}
        (true, _) => print_json(&report(&network, &table, &graph, cycle.as_deref(), remark))?,
        (false, _) => print_text(&network, &table, &graph, cycle.as_deref(), remark)?,
    }
    Ok(if cycle.is_none() { DONE } else { not_so() })
}

/// The requested or constructed table, and a remark about it.
fn table(args: &DeadlockArgs, network: &Network) -> Result<(RoutingTable, &'static str), Failure> {
    let made = |name: &str| match TableMaker::find(name) {
        Some(maker) => maker.table(network).map_err(Failure::bad_input),
        None => Err(Failure::bad_input(TrafficError::Unknown {
            what: "routing table",
            name: name.to_owned(),
            known: "dimension-order, shortest, up-down, deadlock-free, or a file".to_owned(),
        })),
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
    RoutingTable::new(table.name(), network, next).map_err(Failure::bad_input)
}

fn name(network: &Network, channel: ChannelId) -> String {
    let ends = network.channel(channel);
    let names = [ends.tail, ends.head].map(|router| network.router_name(router));
    words::printable(&names.join(">")).into_owned()
}

fn write_files(
    args: &DeadlockArgs,
    network: &Network,
    table: &RoutingTable,
    graph: &Dependencies,
    cycle: Option<&[ChannelId]>,
) -> Result<(), Failure> {
    if let Some(path) = &args.table {
        write_file(path, |out| write_table(table, network, out))?;
    }
    let picture = || {
        let channels = (0..network.channel_count() as u32).map(ChannelId);
        let edges = channels.clone().flat_map(|from| {
            graph.successors(from).iter().map(move |to| (from.index(), to.index()))
        });
        DependencyGraph {
            names: channels.clone().map(|channel| name(network, channel)).collect(),
            edges: edges.collect(),
            cycle: cycle.unwrap_or_default().iter().map(|channel| channel.index()).collect(),
        }
    };
    if let Some(path) = &args.dot {
        write_file(path, |out| out.write_all(picture().dot().as_bytes()))?;
    }
    if let Some(path) = &args.svg {
        let title = format!("{}: channel dependencies, {}", network.name(), table.name());
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

fn report<'a>(
    network: &'a Network,
    table: &'a RoutingTable,
    graph: &Dependencies,
    cycle: Option<&[ChannelId]>,
    remark: &'a str,
) -> DeadlockReport<'a> {
    let names = |cycle: &[ChannelId]| -> Vec<String> {
        cycle.iter().map(|&channel| name(network, channel)).collect()
    };
    DeadlockReport {
        network: network.name(),
        routing: table.name(),
        deadlock_free: cycle.is_none(),
        cycle: cycle.map(names),
        channels: network.channel_count(),
        dependencies: graph.edge_count(),
        stretch: stretch(network, table),
        remark,
    }
}

fn print_text(
    network: &Network,
    table: &RoutingTable,
    graph: &Dependencies,
    cycle: Option<&[ChannelId]>,
    remark: &str,
) -> Result<(), Failure> {
    let mut out = standard();
    writeln!(
        out,
        "{}{}: routing {}, {} and {} dependencies",
        words::printable(network.name()),
        words::without(network),
        words::printable(table.name()),
        words::counted(network.channel_count(), "channel"),
        graph.edge_count()
    )?;
    if !remark.is_empty() {
        writeln!(out, "  {remark}")?;
    }
    let stretch = stretch(network, table);
    if stretch > 1.0 {
        writeln!(out, "  paths are {:.1} % longer than the shortest", 100.0 * (stretch - 1.0))?
    } else {
        writeln!(out, "  all paths are shortest paths")?
    }
    match cycle {
        None => writeln!(out, "  deadlock-free: no cycle of channel dependencies")?,
        Some(cycle) => {
            let names: Vec<String> = cycle.iter().map(|&channel| name(network, channel)).collect();
            let first = names.first().cloned().unwrap_or_default();
            writeln!(
                out,
                "  not deadlock-free: {} depend on each other in a cycle",
                words::counted(cycle.len(), "channel")
            )?;
            writeln!(out, "  cycle     {}, {first}", names.join(", "))?;
        }
    }
    out.flush()?;
    Ok(())
}
