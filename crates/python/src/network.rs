//! Networks.

use crate::{LARGEST_PICTURE, bad, to_python};
use pavane_model::faults::Fault;
use pavane_model::printable::printable;
use pavane_networks::export_network::FORMATS;
use pavane_networks::import::{self, FileKind};
use pavane_render::picture::{self, Theme, svg};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::json;

/// A network: routers, channels between them, and processors on routers.
///
/// `Network("torus:4x4")` is a network by name (see `families()`), `Network("cluster.dot")` one
/// from a file; `Network.from_networkx(graph)` converts a NetworkX graph.
#[pyclass(frozen, module = "pavane")]
#[derive(Clone)]
pub struct Network {
    /// The network without faults.
    pub healthy: pavane_model::Network,
    /// The network after its faults.
    pub broken: pavane_model::Network,
}

impl Network {
    fn whole(network: pavane_model::Network) -> Self {
        Self { healthy: network.clone(), broken: network }
    }

    /// The network after these faults, which are written as on the command line.
    pub fn broken_by(&self, faults: &[String]) -> PyResult<Self> {
        let parse = |text: &String| Fault::parse(&self.broken, text).map_err(bad);
        let faults: Vec<Fault> = faults.iter().map(parse).collect::<PyResult<_>>()?;
        let broken = self.broken.without(&faults).map_err(bad)?;
        Ok(Self { healthy: self.healthy.clone(), broken })
    }
}

#[pymethods]
impl Network {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        import::load(name).map(Self::whole).map_err(bad)
    }

    /// A network from a NetworkX graph, directed or undirected, with or without parallel edges.
    /// Every node is a router. The node attributes `processors` and `switch` and the edge
    /// attributes `latency_ns` and `bandwidth_gbytes` are used, others are ignored.
    #[staticmethod]
    #[pyo3(signature = (graph, name=None))]
    fn from_networkx(graph: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        let py = graph.py();
        let copy = |attributes: &Bound<'_, PyAny>, known: &[&str], to: &Bound<'_, PyDict>| {
            for key in known {
                let value = attributes.call_method1("get", (*key,))?;
                if !value.is_none() {
                    to.set_item(key, value)?;
                }
            }
            PyResult::Ok(())
        };
        let (nodes, links) = (PyList::empty(py), PyList::empty(py));
        for item in graph.getattr("nodes")?.call_method0("items")?.try_iter()? {
            let (id, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            let node = PyDict::new(py);
            node.set_item("id", id)?;
            copy(&attributes, &["processors", "switch", "label"], &node)?;
            nodes.append(node)?;
        }
        for item in graph.getattr("edges")?.call_method0("data")?.try_iter()? {
            let (tail, head, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
                item?.extract()?;
            let link = PyDict::new(py);
            link.set_item("source", tail)?;
            link.set_item("target", head)?;
            copy(&attributes, &["latency_ns", "bandwidth_gbytes", "bandwidth"], &link)?;
            links.append(link)?;
        }
        let whole = PyDict::new(py);
        whole.set_item("directed", graph.call_method0("is_directed")?)?;
        whole.set_item("multigraph", graph.call_method0("is_multigraph")?)?;
        whole.set_item("nodes", nodes)?;
        whole.set_item("links", links)?;
        let text: String = py.import("json")?.call_method1("dumps", (whole,))?.extract()?;
        let own: String = graph.getattr("name").and_then(|name| name.extract()).unwrap_or_default();
        let name = name.unwrap_or(if own.is_empty() { "networkx" } else { &own });
        let network = import::parse(&text, name, FileKind::Json).map_err(bad)?;
        Ok(Self::whole(network.named(name)))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.broken.name()
    }

    /// The number of routers.
    #[getter]
    fn routers(&self) -> usize {
        self.broken.router_count()
    }

    /// The tail and head of every channel.
    #[getter]
    fn channels(&self) -> Vec<(u32, u32)> {
        self.broken.channels().iter().map(|channel| (channel.tail.0, channel.head.0)).collect()
    }

    /// The home router of every processor; None if a fault removed it.
    #[getter]
    fn processors(&self) -> Vec<Option<u32>> {
        let all = 0..self.broken.processor_count() as u32;
        let home = |p| self.broken.home(pavane_model::ProcessorId(p)).map(|router| router.0);
        all.map(home).collect()
    }

    /// The name of every router, or its number if it has none.
    #[getter]
    fn router_names(&self) -> Vec<String> {
        self.broken.routers().map(|router| self.broken.router_name(router)).collect()
    }

    /// The faults of the network.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.broken.faults().to_vec()
    }

    /// The network after faults: `without("0-1", "5")` removes a link and a router.
    #[pyo3(signature = (*faults))]
    fn without(&self, faults: Vec<String>) -> PyResult<Self> {
        self.broken_by(&faults)
    }

    /// Diameter, bisection, automorphisms and other figures.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let facts = py.detach(|| json!(pavane_networks::describe::describe(&self.broken)));
        to_python(py, &facts)
    }

    /// The network as text: `dot`, `json` or `graphml`.
    fn to(&self, format: &str) -> PyResult<String> {
        let Some((_, write)) = FORMATS.iter().find(|(name, _)| *name == format) else {
            return Err(bad(format!("unknown format {format:?}; use dot, json or graphml")));
        };
        let mut bytes = Vec::new();
        write(&self.broken, &mut bytes).map_err(bad)?;
        String::from_utf8(bytes).map_err(bad)
    }

    /// The network as an SVG drawing; raises ValueError if it is too large to draw.
    fn svg(&self) -> PyResult<String> {
        let scene = picture::network(&self.broken).map_err(bad)?;
        Ok(svg::write(&scene, Theme::Auto))
    }

    /// The SVG drawing, for notebooks.
    fn _repr_svg_(&self) -> Option<String> {
        self.svg().ok().filter(|svg| svg.len() <= LARGEST_PICTURE)
    }

    fn __repr__(&self) -> String {
        let network = &self.broken;
        let faults = match network.faults() {
            [] => String::new(),
            faults => format!(" without {}", printable(&faults.join(", "))),
        };
        format!(
            "<Network {}{faults}: {} routers, {} channels, {} processors>",
            printable(network.name()),
            network.router_count(),
            network.channel_count(),
            network.living_processors().count()
        )
    }
}
