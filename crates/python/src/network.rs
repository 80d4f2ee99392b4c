//! Networks.

use crate::errors::bad;
use crate::files::{FileArgument, content, reduced};
use crate::labels::Labels;
use crate::pictures::{Drawn, Look};
use crate::quantity::with_timing;
use crate::{fraction, graph, members, to_python};
use pavane_model::FileSource;
use pavane_model::claims;
use pavane_model::faults::{self, Fault};
use pavane_model::printable::printable;
use pavane_model::words::{excerpt, listed};
use pavane_networks::export_network::FORMATS;
use pavane_networks::import::{self, FileKind};
use pavane_networks::topology;
use pavane_render::picture::scene::Scene;
use pavane_render::{picture, viewer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyTuple};
use serde_json::json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// A network: routers, channels between them, and processors on routers.
///
/// `Network("torus:4x4")` is a network by name (see `families()`), `Network("cluster.dot")` one
/// from a file. A NetworkX graph, a matrix and a list of edges become networks as by `from_networkx`,
/// `from_matrix` and `from_edges`. `bandwidth` and `latency` replace those of all channels: numbers in
/// GB/s and ns, fractions, or texts such as "400Gb/s" and "0.7us".
#[pyclass(frozen, module = "pavane")]
#[derive(Clone)]
pub struct Network {
    /// The network without faults.
    pub healthy: pavane_model::Network,
    /// The network after its faults.
    pub broken: pavane_model::Network,
    /// The nodes of the graph that it was made from.
    pub labels: Labels,
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.healthy == other.healthy && self.broken == other.broken
    }
}

impl Network {
    fn whole(network: pavane_model::Network) -> Self {
        Self { healthy: network.clone(), broken: network, labels: Labels::default() }
    }

    /// The network of a problem, whose numbers the network without faults shares.
    pub fn of_problem(broken: &pavane_model::Network) -> Self {
        let same = |healthy: &pavane_model::Network| {
            let parse = |text: &String| Fault::parse_numbers(healthy, text).ok();
            let faults: Option<Vec<Fault>> = broken.faults().iter().map(parse).collect();
            faults.is_some_and(|faults| healthy.without(&faults).as_ref() == Ok(broken))
        };
        let healthy = topology::build(broken.name()).ok().filter(same);
        let healthy = healthy.unwrap_or_else(|| broken.clone());
        Self { healthy, broken: broken.clone(), labels: Labels::default() }
    }

    /// The network of a graph, with its nodes.
    fn of_graph(graph: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        let nodes = graph.getattr("nodes")?.try_iter()?;
        let nodes = nodes.map(|node| node.map(Bound::unbind)).collect::<PyResult<_>>()?;
        let network = Self::whole(graph::from_networkx(graph, name)?);
        Ok(Self { labels: Labels::new(nodes), ..network })
    }

    /// The network in a file.
    fn of_file(source: &FileSource) -> PyResult<Self> {
        let (text, file) = (source.text().map_err(bad)?, source.name());
        let path = match source {
            FileSource::Path(path) => path.clone(),
            FileSource::Bytes(_) => PathBuf::new(),
        };
        import::parse(&text, &file, FileKind::of(&path, &text)).map(Self::whole).map_err(bad)
    }

    /// The network with these values on all channels; those of the network if there are none.
    pub fn timed(
        &self,
        bandwidth: Option<&Bound<'_, PyAny>>,
        latency: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let timed =
            |network: &pavane_model::Network| with_timing(network.clone(), bandwidth, latency);
        let labels = self.labels.clone();
        Ok(Self { healthy: timed(&self.healthy)?, broken: timed(&self.broken)?, labels })
    }

    /// A network by name, from a file, a graph, a matrix or edges.
    fn of_any(source: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        if let Some(bytes) = content(source)? {
            let network = Self::of_file(&FileSource::Bytes(bytes))?;
            return Ok(match name {
                Some(name) => Self::whole(network.healthy.named(name)),
                None => network,
            });
        }
        if let Ok(text) = source.extract::<PathBuf>() {
            let text = text.to_str().ok_or_else(|| bad("the name of the network is not UTF-8"))?;
            let network = import::load(text).map_err(bad)?;
            return Ok(Self::whole(match name {
                Some(name) => network.named(name),
                None => network,
            }));
        }
        if source.hasattr("nodes")? && source.hasattr("edges")? {
            return Self::of_graph(source, name);
        }
        if source.hasattr("shape")? {
            return graph::from_matrix(source, name.unwrap_or("matrix")).map(Self::whole);
        }
        if source.try_iter().is_err() {
            let shown = source.repr()?.to_string();
            return Err(bad(format!(
                "{} is not a network; use a name such as \"torus:4x4\", the path of a file, a graph, \
                 a matrix or a list of edges",
                excerpt(&shown)
            )));
        }
        graph::from_edges(source, false, None, None, name.unwrap_or("edges")).map(Self::whole)
    }

    /// The network as a JSON file.
    fn json(network: &pavane_model::Network) -> PyResult<String> {
        written(network, "json")
    }
}

/// A network in one of the formats for files.
fn written(network: &pavane_model::Network, format: &str) -> PyResult<String> {
    let Some((_, write)) = FORMATS.iter().find(|(name, _)| *name == format) else {
        return Err(bad(format!("unknown format {format:?}; use dot, json or graphml")));
    };
    let mut bytes = Vec::new();
    write(network, &mut bytes).map_err(bad)?;
    String::from_utf8(bytes).map_err(bad)
}

/// A network as an argument: a `Network`, or what `Network()` takes.
pub struct NetworkArgument(pub Network);

impl<'py> FromPyObject<'_, 'py> for NetworkArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(network) = value.cast::<Network>() {
            return Ok(Self(network.get().clone()));
        }
        Network::of_any(&value, None).map(Self)
    }
}

impl Drawn for Network {
    fn scene(&self, _: &Look) -> PyResult<Scene> {
        picture::network(&self.broken).map_err(bad)
    }

    fn page(&self) -> PyResult<String> {
        viewer::network_page(&self.broken).map_err(bad)
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (source, *, name=None, bandwidth=None, latency=None))]
    fn new(
        source: &Bound<'_, PyAny>,
        name: Option<&str>,
        bandwidth: Option<Bound<'_, PyAny>>,
        latency: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let Self { broken, labels, .. } = Self::of_any(source, name)?;
        let network = with_timing(broken, bandwidth.as_ref(), latency.as_ref())?;
        Ok(Self { labels, ..Self::whole(network) })
    }

    /// The network in a file (a path, or its content as bytes), in any of the formats of the command line.
    #[staticmethod]
    fn load(file: FileArgument) -> PyResult<Self> {
        Self::of_file(&file.0)
    }

    /// A network from a NetworkX graph, directed or undirected, with or without parallel edges.
    /// Every node is a router. The node attributes `processors`, `switch` and `multicast` (a switch that
    /// copies) and the edge attributes `bandwidth` (or `bandwidth_gbytes`) and `latency` (or
    /// `latency_ns`) are used, others are ignored. Numbers are in GB/s and ns; fractions are exact, and
    /// texts have units, such as "400Gb/s" and "0.7us".
    #[staticmethod]
    #[pyo3(signature = (graph, name=None))]
    fn from_networkx(graph: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        Self::of_graph(graph, name)
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

    /// A network from a square matrix (NumPy, SciPy, pandas or lists): the entry in row i and column j is
    /// the bandwidth of the channel from i to j in GB/s, and 0 if there is none. A matrix of zeros and ones
    /// has no bandwidths. Channels in both directions form a link.
    #[staticmethod]
    #[pyo3(signature = (matrix, *, name="matrix"))]
    fn from_matrix(matrix: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        graph::from_matrix(matrix, name).map(Self::whole)
    }

    /// The network as a NetworkX graph, which `from_networkx` reads: undirected if all channels belong
    /// to links with equal values in both directions. Routers are nodes by name, or by number if they
    /// have no names. Switches have the attribute `switch`, those that copy also `multicast`; edges have
    /// `bandwidth_gbytes` and `latency_ns` where the network has them.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        graph::to_networkx(py, &self.broken, &self.labels)
    }

    /// The network with this bandwidth and this latency on every channel; None keeps those of the
    /// network. Numbers are in GB/s and ns; texts have units, such as "400Gb/s" and "0.7us".
    #[pyo3(signature = (*, bandwidth=None, latency=None))]
    fn with_timing(
        &self,
        bandwidth: Option<Bound<'_, PyAny>>,
        latency: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        self.timed(bandwidth.as_ref(), latency.as_ref())
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
    fn __len__(&self) -> usize {
        self.broken.router_count()
    }

    /// The routers, as `to_networkx` names its nodes: by node, name, or number if they have none.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let routers = self.broken.routers();
        let names = routers.map(|router| self.labels.router(py, &self.broken, router));
        PyList::new(py, names.collect::<PyResult<Vec<_>>>()?)?.try_iter()
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

    /// The faults of the network, with the names of its routers, as `without` takes them.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.broken.fault_names()
    }

    /// The network after faults: `without("0-1", "5")` and `without((0, 1), 5)` remove a link and a
    /// router, "0:1" one channel of a link. A list holds several faults. `file` is a file of faults, one per line, a
    /// path or its content as bytes.
    #[pyo3(signature = (*faults, file=None))]
    fn without(&self, faults: Vec<Bound<'_, PyAny>>, file: Option<FileArgument>) -> PyResult<Self> {
        let mut faults = members::faults(&self.broken, &faults)?;
        if let Some(FileArgument(file)) = file {
            let text = file.text().map_err(bad)?;
            faults.extend(faults::parse_file(&file.name(), &text, &self.broken).map_err(bad)?);
        }
        let broken = self.broken.without(&faults).map_err(bad)?;
        Ok(Self { healthy: self.healthy.clone(), broken, labels: self.labels.clone() })
    }

    /// Diameter, bisection, automorphisms and other figures.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let facts = py.detach(|| json!(pavane_networks::describe::describe(&self.broken)));
        to_python(py, &facts)
    }

    /// The network as text: `dot`, `json` or `graphml`.
    fn to(&self, format: &str) -> PyResult<String> {
        written(&self.broken, format)
    }

    /// The network as an SVG drawing; raises InputError if it is too large to draw. `theme` is "auto", which
    /// follows the reader, "light" or "dark".
    #[pyo3(signature = (*, theme="auto"))]
    fn svg(&self, theme: &str) -> PyResult<String> {
        self.to_svg(&Look::still(theme)?)
    }

    /// The drawing as PNG.
    #[pyo3(signature = (*, theme="auto"))]
    fn png<'py>(&self, py: Python<'py>, theme: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py, &Look::still(theme)?)
    }

    /// Writes the drawing to a file that ends in .svg, .png or .html.
    #[pyo3(signature = (path, *, theme="auto"))]
    fn draw(&self, path: PathBuf, theme: &str) -> PyResult<()> {
        self.draw_to(&path, &Look::still(theme)?)
    }

    /// The SVG drawing, for notebooks.
    fn _repr_svg_(&self) -> Option<String> {
        self.small_svg()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self == other.get())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.name(), self.broken.faults(), self.broken.channel_count()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        if !self.healthy.faults().is_empty() {
            return Err(bad("the network without its faults is not known; pickle the schedule"));
        }
        let name = self.healthy.name();
        let is_by_name = topology::build(name).is_ok_and(|network| network == self.healthy);
        let content = if is_by_name { name.to_owned() } else { Self::json(&self.healthy)? };
        let faults = self.broken.faults().to_vec();
        reduced(py, "Network", (is_by_name, content, name, faults, self.labels.list(py)?))
    }

    /// The network of a pickle: its name or its file, and its faults.
    #[staticmethod]
    fn _restore(
        is_by_name: bool,
        content: &str,
        name: &str,
        faults: Vec<String>,
        nodes: Option<Vec<Py<PyAny>>>,
    ) -> PyResult<Self> {
        let healthy = if is_by_name {
            topology::build(content).map_err(bad)?
        } else {
            import::parse(content, name, FileKind::Json).map_err(bad)?.named(name)
        };
        let parse = |text: &String| Fault::parse_numbers(&healthy, text).map_err(bad);
        let faults: Vec<Fault> = faults.iter().map(parse).collect::<PyResult<_>>()?;
        let broken = healthy.without(&faults).map_err(bad)?;
        Ok(Self { healthy, broken, labels: Labels::of_list(nodes) })
    }

    fn __repr__(&self) -> String {
        let network = &self.broken;
        let faults = match &network.fault_labels()[..] {
            [] => String::new(),
            faults => format!(" without {}", printable(&listed(faults))),
        };
        format!("<Network {}{faults}: {}>", printable(network.name()), claims::sizes(network))
    }
}
