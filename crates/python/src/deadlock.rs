//! Whether a routing can deadlock.

use crate::errors::bad;
use crate::network::NetworkArgument;
use crate::problem::rule;
use crate::to_python;
use pavane_model::printable::printable;
use pavane_model::{Duplex, Network};
use pavane_traffic::Links;
use pavane_traffic::routing::{
    Dependencies, EscapeRouting, Minimal, RoutingTable, TableMaker, VirtualChannel, minimal_table,
    read_table, reroute,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The routings that have a name.
const ROUTINGS: &str =
    "dimension-order, shortest, balanced, dateline, up-down, deadlock-free, ordered-links, escape";

/// Whether a routing can deadlock: searches its channel dependency graph for a cycle.
///
/// `routing` is a name (dimension-order, shortest, balanced, dateline, up-down, deadlock-free, ordered-links or
/// escape) or the path of a routing table; without it, a deadlock-free table of shortest paths is constructed if
/// there is one, and otherwise an up-down table. `reroute` lists changes of entries: with "2-7:6", messages at 2
/// for 7 go to 6 next. With `duplex` "half" a message holds both channels of its links, as under wormhole
/// switching without buffers, and the usual routing is ordered-links. Returns a dictionary: network, routing,
/// duplex, deadlock_free, cycle (channels such as "0>1" or links such as "0-1", or None), channels, classes of
/// virtual channels, dependencies, stretch (the total length of all paths divided by that of shortest ones) and a
/// remark.
#[pyfunction]
#[pyo3(signature = (network, *, routing=None, reroute=None, duplex="full"))]
pub fn deadlock<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    routing: Option<PathBuf>,
    reroute: Option<Changes>,
    duplex: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let network = network.0.broken;
    let duplex: Duplex = rule("duplex", duplex)?;
    let changes = match reroute {
        None => Vec::new(),
        Some(Changes::One(text)) => vec![text],
        Some(Changes::Several(texts)) => texts,
    };
    let report = py.detach(|| examine(&network, routing.as_deref(), &changes, duplex))?;
    to_python(py, &report)
}

/// One change of a routing table, or several.
#[derive(FromPyObject)]
pub enum Changes {
    One(String),
    Several(Vec<String>),
}

fn examine(
    network: &Network,
    routing: Option<&Path>,
    changes: &[String],
    duplex: Duplex,
) -> PyResult<Value> {
    let needs_buffers = |name: &str| {
        bad(format!(
            "duplex=\"half\" is about messages without buffers, and {name} routing needs buffers, with which duplex does not matter"
        ))
    };
    let name = routing.map(|path| path.to_string_lossy());
    if let Some("escape" | "duato") = name.as_deref() {
        if duplex == Duplex::Half {
            return Err(needs_buffers("escape"));
        }
        if let Some(text) = changes.first() {
            return Err(bad(format!(
                "reroute {text:?} applies to routing tables, not to escape routing"
            )));
        }
        let escape = EscapeRouting::new(network).map_err(bad)?;
        let name = format!("adaptive with escape channels by {}", escape.escape().name());
        let remark = if escape.returns() {
            "dependencies between escape channels, directly or through adaptive channels"
        } else {
            "dependencies between escape channels; a message that has taken one stays on them"
        };
        let stretch = escape.escape().stretch(network);
        return Ok(report(network, &name, remark, duplex, (escape.dependencies(), stretch)));
    }
    let usual = match duplex {
        Duplex::Full => "deadlock-free",
        Duplex::Half => "ordered-links",
    };
    let (table, remark) = table(network, routing.unwrap_or(Path::new(usual)))?;
    let table = changes.iter().try_fold(table, |table, text| reroute(network, &table, text));
    let table = table.map_err(|error| bad(format!("reroute: {error}")))?;
    let graph = Dependencies::new(network, &table);
    if duplex == Duplex::Half && graph.classes() > 1 {
        return Err(needs_buffers(table.name()));
    }
    let graph = match duplex {
        Duplex::Full => graph,
        Duplex::Half => graph.of_links(&Links::new(network, duplex)),
    };
    Ok(report(network, table.name(), remark, duplex, (&graph, table.stretch(network))))
}

/// The requested or constructed table, and a remark about it.
fn table(network: &Network, routing: &Path) -> PyResult<(RoutingTable, &'static str)> {
    let name = routing.to_string_lossy();
    let up_down = |remark| {
        let maker =
            TableMaker::find("up-down").ok_or_else(|| bad("there is no up-down routing"))?;
        Ok((maker.table(network).map_err(bad)?, remark))
    };
    match &name[..] {
        "deadlock-free" => match minimal_table(network, Duplex::Full) {
            Minimal::Table(table) => Ok((table, "constructed: shortest paths for all pairs")),
            Minimal::Impossible => {
                up_down("no table of shortest paths is deadlock-free (exhaustive search)")
            }
            Minimal::NotFound => up_down(
                "no deadlock-free table of shortest paths was found within the search limit",
            ),
        },
        name => match TableMaker::find(name) {
            Some(maker) => Ok((maker.table(network).map_err(bad)?, "")),
            None if routing.extension().is_some() || routing.is_file() => {
                Ok((read_table(routing, network).map_err(bad)?, ""))
            }
            None => {
                Err(bad(format!("routing={name:?} is not valid; use one of {ROUTINGS}, or a file")))
            }
        },
    }
}

fn report(
    network: &Network,
    routing: &str,
    remark: &str,
    duplex: Duplex,
    (graph, stretch): (&Dependencies, f64),
) -> Value {
    let cycle = graph.cycle();
    let is_link = |channel| duplex == Duplex::Half && network.opposite(channel).is_some();
    let name = |node: &VirtualChannel| {
        let ends = network.channel(node.channel);
        let names = [ends.tail, ends.head].map(|router| network.router_name(router));
        let sign = if is_link(node.channel) { "-" } else { ">" };
        let name = printable(&names.join(sign)).into_owned();
        if graph.classes() > 1 { format!("{name}/{}", node.class) } else { name }
    };
    json!({
        "network": network.name(),
        "routing": routing,
        "duplex": duplex.to_string(),
        "deadlock_free": cycle.is_none(),
        "cycle": cycle.map(|cycle| cycle.iter().map(name).collect::<Vec<_>>()),
        "channels": network.channel_count(),
        "classes": graph.classes(),
        "dependencies": graph.edge_count(),
        "stretch": stretch,
        "remark": remark,
    })
}
