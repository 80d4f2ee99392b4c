//! Networks from and to graphs: NetworkX, and lists of edges.

use crate::errors::bad;
use crate::labels::Labels;
use crate::quantity::{bandwidth, decimal, latency};
use pavane_model::network::Timing;
use pavane_model::{ChannelId, Network, RouterId};
use pavane_networks::import::{self, FileKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};
use std::collections::BTreeSet;

/// The graph attribute that marks graphs of `to_networkx`. Only there the edge attribute `link` is used.
const MARK: (&str, &str) = ("made_by", "pavane");

/// A graph in the node-link format of NetworkX, which the reader of network files understands.
struct NodeLink<'py> {
    py: Python<'py>,
    nodes: Bound<'py, PyList>,
    links: Bound<'py, PyList>,
}

impl<'py> NodeLink<'py> {
    fn new(py: Python<'py>) -> Self {
        Self { py, nodes: PyList::empty(py), links: PyList::empty(py) }
    }

    /// Adds a node with its known attributes.
    fn node(&self, id: &Bound<'py, PyAny>, attributes: &Bound<'py, PyAny>) -> PyResult<()> {
        let node = PyDict::new(self.py);
        node.set_item("id", id)?;
        for key in ["processors", "switch", "label", "multicast"] {
            copy(attributes, key, &node)?;
        }
        self.nodes.append(node)
    }

    /// Adds a link with its known attributes.
    fn link(
        &self,
        (tail, head): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
        attributes: &Bound<'py, PyAny>,
        is_marked: bool,
    ) -> PyResult<()> {
        let link = PyDict::new(self.py);
        link.set_item("source", tail)?;
        link.set_item("target", head)?;
        let at = |error: PyErr| match (tail.str(), head.str()) {
            (Ok(tail), Ok(head)) => bad(format!("edge {tail} - {head}: {}", error.value(self.py))),
            _ => error,
        };
        if let Some((key, value)) = given(attributes, ["bandwidth_gbytes", "bandwidth"])? {
            let exact = bandwidth(key, &value).and_then(|exact| decimal("bandwidth", exact));
            link.set_item("bandwidth_gbytes", exact.map_err(at)?)?;
        }
        if let Some((key, value)) = given(attributes, ["latency_ns", "latency"])? {
            let exact = latency(key, &value).and_then(|exact| decimal("latency", exact));
            link.set_item("latency_ns", exact.map_err(at)?)?;
        }
        if is_marked {
            copy(attributes, "link", &link)?;
        }
        self.links.append(link)
    }

    /// Builds the network.
    fn build(self, is_directed: bool, is_multigraph: bool, name: &str) -> PyResult<Network> {
        let whole = PyDict::new(self.py);
        whole.set_item("directed", is_directed)?;
        whole.set_item("multigraph", is_multigraph)?;
        whole.set_item("nodes", self.nodes)?;
        whole.set_item("links", self.links)?;
        let text: String = self.py.import("json")?.call_method1("dumps", (whole,))?.extract()?;
        Ok(import::parse(&text, name, FileKind::Json).map_err(bad)?.named(name))
    }
}

/// Copies an attribute, if there is one.
fn copy(from: &Bound<'_, PyAny>, key: &str, to: &Bound<'_, PyDict>) -> PyResult<()> {
    let value = from.call_method1("get", (key,))?;
    if value.is_none() { Ok(()) } else { to.set_item(key, value) }
}

/// The first attribute that is given, with its name.
fn given<'py, 'a>(
    attributes: &Bound<'py, PyAny>,
    keys: [&'a str; 2],
) -> PyResult<Option<(&'a str, Bound<'py, PyAny>)>> {
    for key in keys {
        let value = attributes.call_method1("get", (key,))?;
        if !value.is_none() {
            return Ok(Some((key, value)));
        }
    }
    Ok(None)
}

/// A network from a NetworkX graph.
pub fn from_networkx(graph: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Network> {
    let file = NodeLink::new(graph.py());
    for item in graph.getattr("nodes")?.call_method0("items")?.try_iter()? {
        let (id, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        file.node(&id, &attributes)?;
    }
    let mark = graph.getattr("graph")?.call_method1("get", (MARK.0,))?;
    let is_marked = mark.extract::<String>().is_ok_and(|mark| mark == MARK.1);
    for item in graph.getattr("edges")?.call_method0("data")?.try_iter()? {
        let (tail, head, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
            item?.extract()?;
        file.link((&tail, &head), &attributes, is_marked)?;
    }
    let own: String = graph.getattr("name").and_then(|name| name.extract()).unwrap_or_default();
    let name = name.unwrap_or(if own.is_empty() { "networkx" } else { &own });
    let is_directed = graph.call_method0("is_directed")?.extract()?;
    let is_multigraph = graph.call_method0("is_multigraph")?.extract()?;
    file.build(is_directed, is_multigraph, name)
}

/// A network from edges: pairs of nodes, with a dictionary of attributes or a bandwidth as a third
/// element. `switches` and `multicast` list nodes without processors; the latter copy.
pub fn from_edges<'py>(
    edges: &Bound<'py, PyAny>,
    is_directed: bool,
    switches: Option<&Bound<'py, PyAny>>,
    multicast: Option<&Bound<'py, PyAny>>,
    name: &str,
) -> PyResult<Network> {
    let py = edges.py();
    let file = NodeLink::new(py);
    let known = PyDict::new(py);
    let mut all = Vec::new();
    for (number, edge) in edges.try_iter()?.enumerate() {
        let edge = edge?;
        let wrong =
            |_| bad(format!("edges[{number}]: expected (tail, head) or (tail, head, attributes)"));
        let parts: Vec<Bound<'_, PyAny>> =
            edge.try_iter().and_then(Iterator::collect).map_err(wrong)?;
        let (tail, head, attributes) = match &parts[..] {
            [tail, head] => (tail, head, PyDict::new(py).into_any()),
            [tail, head, more] if more.hasattr("get")? => (tail, head, more.clone()),
            [tail, head, value] => {
                let attributes = PyDict::new(py);
                attributes.set_item("bandwidth", value)?;
                (tail, head, attributes.into_any())
            }
            _ => return Err(wrong(bad(""))),
        };
        for end in [tail, head] {
            known.set_item(end, true)?;
        }
        all.push((tail.clone(), head.clone(), attributes));
    }
    let set = |keyword: &str, nodes: Option<&Bound<'py, PyAny>>| {
        let set = PySet::empty(py)?;
        for node in nodes.map(|nodes| nodes.try_iter()).transpose()?.into_iter().flatten() {
            let node = node?;
            if !known.contains(&node)? {
                return Err(bad(format!("{keyword}: no edge has the node {}", node.repr()?)));
            }
            set.add(node)?;
        }
        Ok(set)
    };
    let (switches, multicast) = (set("switches", switches)?, set("multicast", multicast)?);
    for id in known.keys() {
        let attributes = PyDict::new(py);
        let is_multicast = multicast.contains(&id)?;
        if is_multicast || switches.contains(&id)? {
            attributes.set_item("switch", true)?;
            attributes.set_item("multicast", is_multicast)?;
        }
        file.node(&id, attributes.as_any())?;
    }
    for (tail, head, attributes) in &all {
        file.link((tail, head), attributes, false)?;
    }
    file.build(is_directed, true, name)
}

/// A network from a square matrix of bandwidths in GB/s; 0 means no channel. A matrix of zeros and ones
/// has no bandwidths.
pub fn from_matrix(matrix: &Bound<'_, PyAny>, name: &str) -> PyResult<Network> {
    let py = matrix.py();
    // Sparse matrices, arrays and tables become lists, so that their numbers are those of Python.
    let mut rows = matrix.clone();
    for method in ["toarray", "to_numpy", "tolist"] {
        if rows.hasattr(method)? {
            rows = rows.call_method0(method)?;
        }
    }
    let no_matrix = |_| bad("matrix: expected a square matrix of numbers, such as a NumPy array");
    let mut cells: Vec<Vec<Bound<'_, PyAny>>> = Vec::new();
    for row in rows.try_iter().map_err(no_matrix)? {
        cells.push(row?.try_iter().and_then(Iterator::collect).map_err(no_matrix)?);
    }
    let size = cells.len();
    if let Some(row) = cells.iter().position(|row| row.len() != size) {
        let columns = cells[row].len();
        return Err(bad(format!("matrix: row {row} has {columns} columns for {size} rows")));
    }
    let number = |row: usize, column: usize| -> PyResult<f64> {
        let cell = &cells[row][column];
        let value = cell.extract::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        let wrong = || {
            bad(format!(
                "matrix: the entry {cell} in row {row}, column {column} is not a bandwidth"
            ))
        };
        value.ok_or_else(wrong)
    };
    let mut values = vec![vec![0.0; size]; size];
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        values[row][column] = number(row, column)?;
    }
    if let Some(router) = (0..size).find(|&router| values[router][router] != 0.0) {
        return Err(bad(format!("matrix: router {router} has a channel to itself; use 0")));
    }
    let is_plain = values.iter().flatten().all(|&value| value == 0.0 || value == 1.0);
    let file = NodeLink::new(py);
    for router in 0..size {
        file.node(router.into_pyobject(py)?.as_any(), PyDict::new(py).as_any())?;
    }
    let is_directed = (0..size).any(|a| (0..a).any(|b| values[a][b] != values[b][a]));
    for (tail, head) in (0..size).flat_map(|tail| (0..size).map(move |head| (tail, head))) {
        let is_listed = values[tail][head] != 0.0 && (is_directed || tail < head);
        if !is_listed {
            continue;
        }
        let attributes = PyDict::new(py);
        if !is_plain {
            attributes.set_item("bandwidth", &cells[tail][head])?;
        }
        if is_directed && values[head][tail] != 0.0 {
            attributes.set_item("link", tail.min(head) * size + tail.max(head))?;
        }
        let ends = (tail.into_pyobject(py)?.into_any(), head.into_pyobject(py)?.into_any());
        file.link((&ends.0, &ends.1), attributes.as_any(), true)?;
    }
    file.build(is_directed, false, name)
}

/// The network as a NetworkX graph: undirected if all channels belong to links with the same values in
/// both directions; a multigraph if it has parallel edges. Lost routers are left out.
pub fn to_networkx<'py>(
    py: Python<'py>,
    network: &Network,
    labels: &Labels,
) -> PyResult<Bound<'py, PyAny>> {
    let channels = || (0..network.channel_count() as u32).map(ChannelId);
    let is_even = |channel| {
        let opposite = network.opposite(channel);
        opposite.is_some_and(|other| network.timing(other) == network.timing(channel))
    };
    let is_directed = !channels().all(is_even);
    let is_drawn = |channel: &ChannelId| {
        is_directed || network.opposite(*channel).is_some_and(|o| *channel < o)
    };
    let edges: Vec<ChannelId> = channels().filter(is_drawn).collect();
    let pairs: BTreeSet<(RouterId, RouterId)> = edges
        .iter()
        .map(|&channel| network.channel(channel))
        .map(|ends| if is_directed { (ends.tail, ends.head) } else { sorted(ends.tail, ends.head) })
        .collect();
    let kind = match (is_directed, pairs.len() < edges.len()) {
        (false, false) => "Graph",
        (false, true) => "MultiGraph",
        (true, false) => "DiGraph",
        (true, true) => "MultiDiGraph",
    };
    let graph = py.import("networkx")?.call_method0(kind)?;
    graph.setattr("name", network.name())?;
    graph.getattr("graph")?.set_item(MARK.0, MARK.1)?;
    for router in network.routers().filter(|&router| !network.is_lost(router)) {
        let attributes = PyDict::new(py);
        match network.residents(router).len() {
            0 => attributes.set_item("switch", true)?,
            1 => {}
            count => attributes.set_item("processors", count)?,
        }
        if network.is_multicast(router) {
            attributes.set_item("multicast", true)?;
        }
        graph.call_method("add_node", (labels.router(py, network, router)?,), Some(&attributes))?;
    }
    for channel in edges {
        let (ends, Timing { latency_ns, bandwidth_gbytes }) =
            (network.channel(channel), network.timing(channel));
        let attributes = PyDict::new(py);
        if let Some(bandwidth) = bandwidth_gbytes {
            attributes.set_item("bandwidth_gbytes", bandwidth)?;
        }
        if let Some(latency) = latency_ns {
            attributes.set_item("latency_ns", latency)?;
        }
        if let Some(other) = network.opposite(channel).filter(|_| is_directed) {
            attributes.set_item("link", channel.min(other).0)?;
        }
        let pair = [labels.router(py, network, ends.tail)?, labels.router(py, network, ends.head)?];
        graph.call_method("add_edge", PyTuple::new(py, pair)?, Some(&attributes))?;
    }
    Ok(graph)
}

/// A `MultiDiGraph` with an edge for every use of a channel, in a step and by a message.
pub fn of_uses<'py>(
    py: Python<'py>,
    network: &Network,
    labels: &Labels,
    uses: &[(ChannelId, u32, Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyAny>> {
    let graph = py.import("networkx")?.call_method0("MultiDiGraph")?;
    graph.setattr("name", network.name())?;
    for router in network.routers().filter(|&router| !network.is_lost(router)) {
        graph.call_method1("add_node", (labels.router(py, network, router)?,))?;
    }
    for (channel, step, message) in uses {
        let ends = network.channel(*channel);
        let attributes = PyDict::new(py);
        attributes.set_item("step", step)?;
        attributes.set_item("message", message)?;
        attributes.set_item("channel", channel.0)?;
        let pair = [labels.router(py, network, ends.tail)?, labels.router(py, network, ends.head)?];
        graph.call_method("add_edge", PyTuple::new(py, pair)?, Some(&attributes))?;
    }
    Ok(graph)
}

fn sorted(one: RouterId, other: RouterId) -> (RouterId, RouterId) {
    (one.min(other), one.max(other))
}
