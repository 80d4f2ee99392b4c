//! Networks.

use crate::quantity::with_timing;
use crate::{LARGEST_PICTURE, bad, fraction, graph, to_python};
use pavane_model::faults::Fault;
use pavane_model::printable::printable;
use pavane_networks::export_network::FORMATS;
use pavane_networks::import;
use pavane_render::picture::{self, Theme, svg};
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// A network: routers, channels between them, and processors on routers.
///
/// `Network("torus:4x4")` is a network by name (see `families()`), `Network("cluster.dot")` one
/// from a file; `Network.from_networkx(graph)` converts a NetworkX graph, `Network.from_edges(edges)` a
/// list of edges. `bandwidth` and `latency` replace those of all channels: numbers in GB/s and ns,
/// fractions, or texts such as "400Gb/s" and "0.7us".
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
    #[pyo3(signature = (name, *, bandwidth=None, latency=None))]
    fn new(
        name: PathBuf,
        bandwidth: Option<Bound<'_, PyAny>>,
        latency: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let name = name.to_str().ok_or_else(|| bad("the name of the network is not UTF-8"))?;
        let network = import::load(name).map_err(bad)?;
        with_timing(network, bandwidth.as_ref(), latency.as_ref()).map(Self::whole)
    }

    /// The network in a file, in any of the formats of the command line.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        import::read(&path).map(Self::whole).map_err(bad)
    }

    /// A network from a NetworkX graph, directed or undirected, with or without parallel edges.
    /// Every node is a router. The node attributes `processors`, `switch` and `multicast` (a switch that
    /// copies) and the edge attributes `bandwidth` (or `bandwidth_gbytes`) and `latency` (or
    /// `latency_ns`) are used, others are ignored. Numbers are in GB/s and ns; fractions are exact, and
    /// texts have units, such as "400Gb/s" and "0.7us".
    #[staticmethod]
    #[pyo3(signature = (graph, name=None))]
    fn from_networkx(graph: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        graph::from_networkx(graph, name).map(Self::whole)
    }

    /// A network from edges `(a, b)`, `(a, b, bandwidth)` or `(a, b, {"bandwidth": …, "latency": …})`,
    /// with values as in `from_networkx`. An edge is a link in both directions, or a channel if
    /// `directed`. The nodes of `switches` and `multicast` have no processor; the latter copy.
    #[staticmethod]
    #[pyo3(signature = (edges, *, directed=false, switches=None, multicast=None, name="edges"))]
    fn from_edges(
        edges: &Bound<'_, PyAny>,
        directed: bool,
        switches: Option<Bound<'_, PyAny>>,
        multicast: Option<Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<Self> {
        graph::from_edges(edges, directed, switches.as_ref(), multicast.as_ref(), name)
            .map(Self::whole)
    }

    /// The network as a NetworkX graph, which `from_networkx` reads: undirected if all channels belong
    /// to links with equal values in both directions. Routers are nodes by name, or by number if they
    /// have no names. Switches have the attribute `switch`, those that copy also `multicast`; edges have
    /// `bandwidth_gbytes` and `latency_ns` where the network has them.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        graph::to_networkx(py, &self.broken)
    }

    /// The network with this bandwidth and this latency on every channel; None keeps those of the
    /// network. Numbers are in GB/s and ns; texts have units, such as "400Gb/s" and "0.7us".
    #[pyo3(signature = (*, bandwidth=None, latency=None))]
    fn with_timing(
        &self,
        bandwidth: Option<Bound<'_, PyAny>>,
        latency: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let timed = |network: &pavane_model::Network| {
            with_timing(network.clone(), bandwidth.as_ref(), latency.as_ref())
        };
        Ok(Self { healthy: timed(&self.healthy)?, broken: timed(&self.broken)? })
    }

    /// The bandwidth of every channel in GB/s, as a `fractions.Fraction`; all are 1 if the network has
    /// none. Raises ValueError if only some channels have one.
    #[getter]
    fn bandwidths<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let all = self.broken.bandwidths().map_err(bad)?;
        all.into_iter().map(|value| fraction(py, value)).collect()
    }

    /// The latency of every channel in ns, as a `fractions.Fraction`; all are 0 if the network has none.
    /// Raises ValueError if only some channels have one.
    #[getter]
    fn latencies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let all = self.broken.latencies().map_err(bad)?;
        all.into_iter().map(|value| fraction(py, value)).collect()
    }

    /// The switches that copy, by router number.
    #[getter]
    fn multicast(&self) -> Vec<u32> {
        self.broken.multicast().iter().map(|router| router.0).collect()
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
