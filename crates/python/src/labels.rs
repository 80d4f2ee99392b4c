//! The nodes of a graph that a network was made from, so that results name them as the user does.

use pavane_model::{Network, ProcessorId, RouterId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;

/// The nodes by router; none if the network was not made from a graph.
#[derive(Clone, Default)]
pub struct Labels(Option<Arc<Vec<Py<PyAny>>>>);

impl Labels {
    /// These nodes.
    pub fn new(nodes: Vec<Py<PyAny>>) -> Self {
        Self(Some(Arc::new(nodes)))
    }

    fn node<'py>(&self, py: Python<'py>, router: RouterId) -> Option<Bound<'py, PyAny>> {
        Some(self.0.as_ref()?.get(router.index())?.bind(py).clone())
    }

    /// A router in graphs: its node, otherwise its name, or its number if it has none.
    pub fn router<'py>(
        &self,
        py: Python<'py>,
        network: &Network,
        router: RouterId,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.node(py, router) {
            Some(node) => Ok(node),
            None if network.has_router_names() => {
                Ok(network.router_name(router).into_pyobject(py)?.into_any())
            }
            None => Ok(router.0.into_pyobject(py)?.into_any()),
        }
    }

    /// A processor in records: the node of its router if it is the only one there, otherwise its number.
    pub fn processor<'py>(
        &self,
        py: Python<'py>,
        network: &Network,
        processor: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let home = network.home(ProcessorId(processor));
        let alone = home.filter(|&home| network.residents(home).len() == 1);
        match alone.and_then(|home| self.node(py, home)) {
            Some(node) => Ok(node),
            None => Ok(processor.into_pyobject(py)?.into_any()),
        }
    }

    /// The nodes as a list, for pickles.
    pub fn list<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let list = |nodes: &Arc<Vec<Py<PyAny>>>| PyList::new(py, nodes.iter());
        self.0.as_ref().map(list).transpose()
    }

    /// The nodes in a list of a pickle.
    pub fn of_list(list: Option<Vec<Py<PyAny>>>) -> Self {
        Self(list.map(Arc::new))
    }

    /// Puts nodes and tuples into the records of a step: `from`, `to`, `message` and `routers`.
    pub fn put_into(
        &self,
        py: Python<'_>,
        network: &Network,
        rows: &Bound<'_, PyAny>,
        has_processors: bool,
    ) -> PyResult<()> {
        for row in rows.try_iter()? {
            let row = row?.cast_into::<PyDict>()?;
            for key in ["from", "to"] {
                if let Some(number) = row.get_item(key)? {
                    row.set_item(key, self.processor(py, network, number.extract()?)?)?;
                }
            }
            if let Some(message) = row.get_item("message")? {
                row.set_item("message", self.message(py, network, &message, has_processors)?)?;
            }
            if let Some(routers) = row.get_item("routers")?.filter(|_| self.0.is_some()) {
                let numbers: Vec<u32> = routers.extract()?;
                let nodes = numbers.into_iter().map(|at| self.router(py, network, RouterId(at)));
                row.set_item("routers", nodes.collect::<PyResult<Vec<_>>>()?)?;
            }
        }
        Ok(())
    }

    /// The label of a message: a processor or an index, or a tuple of two processors.
    fn message<'py>(
        &self,
        py: Python<'py>,
        network: &Network,
        label: &Bound<'py, PyAny>,
        has_processors: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if label.is_instance_of::<PyList>() {
            let numbers: Vec<u32> = label.extract()?;
            let both = numbers.into_iter().map(|number| self.processor(py, network, number));
            return Ok(PyTuple::new(py, both.collect::<PyResult<Vec<_>>>()?)?.into_any());
        }
        if has_processors {
            self.processor(py, network, label.extract()?)
        } else {
            Ok(label.clone())
        }
    }
}
