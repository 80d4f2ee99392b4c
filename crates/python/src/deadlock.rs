//! Whether a routing can deadlock.

use crate::errors::bad;
use crate::network::NetworkArgument;
use crate::to_python;
use pavane_model::Network;
use pavane_model::printable::printable;
use pavane_traffic::routing::{
    Dependencies, EscapeRouting, Minimal, RoutingTable, TableMaker, VirtualChannel, minimal_table,
    read_table, reroute,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The routings that have a name.
const ROUTINGS: &str =
    "dimension-order, shortest, balanced, dateline, up-down, deadlock-free, escape";

/// Whether a routing can deadlock: searches its channel dependency graph for a cycle.
///
/// `routing` is a name (dimension-order, shortest, balanced, dateline, up-down, deadlock-free or escape) or
/// the path of a routing table; without it, a deadlock-free table of shortest paths is constructed if there
/// is one, and otherwise an up-down table. `reroute` lists changes of entries: with "2-7:6", messages at 2 for 7
/// go to 6 next. Returns a dictionary: network, routing, deadlock_free, cycle
/// (channels such as "0>1", or None), channels, classes of virtual channels, dependencies and a remark.
#[pyfunction]
#[pyo3(signature = (network, *, routing=None, reroute=None))]
pub fn deadlock<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    routing: Option<PathBuf>,
    reroute: Option<Changes>,
) -> PyResult<Bound<'py, PyAny>> {
    let network = network.0.broken;
    let changes = match reroute {
        None => Vec::new(),
        Some(Changes::One(text)) => vec![text],
        Some(Changes::Several(texts)) => texts,
    };
    let report = py.detach(|| examine(&network, routing.as_deref(), &changes))?;
    to_python(py, &report)
}

/// One change of a routing table, or several.
#[derive(FromPyObject)]
pub enum Changes {
    One(String),
    Several(Vec<String>),
}

fn examine(network: &Network, routing: Option<&Path>, changes: &[String]) -> PyResult<Value> {
    let name = routing.map(|path| path.to_string_lossy());
    if let Some("escape" | "duato") = name.as_deref() {
        if let Some(text) = changes.first() {
            return Err(bad(format!(
                "reroute {text:?} applies to routing tables, not to escape routing"
            )));
        }
        let escape = EscapeRouting::new(network).map_err(bad)?;
        let name = format!("adaptive with escape channels by {}", escape.escape().name());
        return Ok(report(
            network,
            &name,
            "dependencies between escape channels",
            escape.dependencies(),
        ));
    }
    let (table, remark) = table(network, routing)?;
    let table = changes.iter().try_fold(table, |table, text| reroute(network, &table, text));
    let table = table.map_err(|error| bad(format!("reroute: {error}")))?;
    Ok(report(network, table.name(), remark, &Dependencies::new(network, &table)))
}

/// The requested or constructed table, and a remark about it.
fn table(network: &Network, routing: Option<&Path>) -> PyResult<(RoutingTable, &'static str)> {
    let name = routing.map(|path| path.to_string_lossy().into_owned());
    let up_down = |remark| {
        let maker =
            TableMaker::find("up-down").ok_or_else(|| bad("there is no up-down routing"))?;
        Ok((maker.table(network).map_err(bad)?, remark))
    };
    match (name.as_deref(), routing) {
        (None | Some("deadlock-free"), _) => match minimal_table(network) {
            Minimal::Table(table) => Ok((table, "constructed: shortest paths for all pairs")),
            Minimal::Impossible => {
                up_down("no table of shortest paths is deadlock-free (exhaustive search)")
            }
            Minimal::NotFound => up_down(
                "no deadlock-free table of shortest paths was found within the search limit",
            ),
        },
        (Some(name), Some(path)) => match TableMaker::find(name) {
            Some(maker) => Ok((maker.table(network).map_err(bad)?, "")),
            None if path.extension().is_some() || path.is_file() => {
                Ok((read_table(path, network).map_err(bad)?, ""))
            }
            None => {
                Err(bad(format!("routing={name:?} is not valid; use one of {ROUTINGS}, or a file")))
            }
        },
        (Some(_), None) => Err(bad("routing: expected a name or a path")),
    }
}

fn report(network: &Network, routing: &str, remark: &str, graph: &Dependencies) -> Value {
    let cycle = graph.cycle();
    let name = |node: &VirtualChannel| {
        let ends = network.channel(node.channel);
        let names = [ends.tail, ends.head].map(|router| network.router_name(router));
        let name = printable(&names.join(">")).into_owned();
        if graph.classes() > 1 { format!("{name}/{}", node.class) } else { name }
    };
    json!({
        "network": network.name(),
        "routing": routing,
        "deadlock_free": cycle.is_none(),
        "cycle": cycle.map(|cycle| cycle.iter().map(name).collect::<Vec<_>>()),
        "channels": network.channel_count(),
        "classes": graph.classes(),
        "dependencies": graph.edge_count(),
        "remark": remark,
    })
}
