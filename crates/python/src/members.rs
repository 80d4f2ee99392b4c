//! Processors and faults in the arguments of Python.

use crate::errors::bad;
use pavane_model::collective::Groups;
use pavane_model::collective::group;
use pavane_model::words::excerpt;
use pavane_model::{Fault, Network, RouterId};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};

/// The groups of a collective, as keywords name them.
#[derive(Default)]
pub struct Group<'py> {
    pub root: Option<Bound<'py, PyAny>>,
    pub senders: Option<Bound<'py, PyAny>>,
    pub receivers: Option<Bound<'py, PyAny>>,
}

impl Group<'_> {
    /// The groups as on the command line. A group is a text such as "0-7,12", a number, or several
    /// numbers, names or coordinates; a root is one of these.
    pub fn on(&self, network: &Network) -> PyResult<Groups> {
        let several = |keyword: &str, value: &Option<Bound<'_, PyAny>>| {
            let text = |value| members(network, keyword, value);
            value.as_ref().map(text).transpose()
        };
        let root = self.root.as_ref().map(|root| match one(root)? {
            Some(text) => Ok(text),
            None => members(network, "root", root),
        });
        Ok(Groups {
            root: root.transpose()?,
            senders: several("senders", &self.senders)?,
            receivers: several("receivers", &self.receivers)?,
        })
    }
}

/// Several processors as a text.
fn members(network: &Network, keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return value.extract();
    }
    let wrong = |value: &Bound<'_, PyAny>| {
        let shown = value.repr().map(|text| text.to_string()).unwrap_or_default();
        let shown = excerpt(&shown);
        bad(format!(
            "{keyword}: {shown} is not a group; use a number, a text such as \"0-7,12\" or a list"
        ))
    };
    if let Some(number) = number(value) {
        return Ok(number.to_string());
    }
    let mut numbers = Vec::new();
    for item in value.try_iter().map_err(|_| wrong(value))? {
        let item = item?;
        if let Some(number) = number(&item) {
            numbers.push(number.to_string());
            continue;
        }
        let text = one(&item)?.ok_or_else(|| wrong(&item))?;
        let processor = group::processor(network, &text);
        let processor = processor.map_err(|error| bad(format!("{keyword}: {error}")))?;
        numbers.push(processor.0.to_string());
    }
    Ok(numbers.join(","))
}

/// A whole number. True and False are numbers in Python, but no processors.
fn number(value: &Bound<'_, PyAny>) -> Option<i64> {
    if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() }
}

/// A number, a text, or a tuple such as `(0, 1)` for the router `0,1`; `None` if it is something else.
fn one(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_instance_of::<PyString>() {
        return value.extract().map(Some);
    }
    if let Some(number) = number(value) {
        return Ok(Some(number.to_string()));
    }
    let Ok(tuple) = value.cast::<PyTuple>() else { return Ok(None) };
    let parts = tuple.iter().map(|part| part.str().map(|text| text.to_string()));
    Ok(Some(parts.collect::<PyResult<Vec<_>>>()?.join(",")))
}

/// Faults: texts as on the command line ("0-1", "0:1", "5"), numbers for routers, pairs for links, and
/// lists of these.
pub fn faults(network: &Network, values: &[Bound<'_, PyAny>]) -> PyResult<Vec<Fault>> {
    let mut all = Vec::new();
    for value in values {
        add_faults(network, value, &mut all)?;
    }
    Ok(all)
}

fn add_faults(network: &Network, value: &Bound<'_, PyAny>, all: &mut Vec<Fault>) -> PyResult<()> {
    let is_tuple = value.is_instance_of::<PyTuple>();
    if !is_tuple && let Some(text) = one(value)? {
        all.push(Fault::parse(network, &text).map_err(bad)?);
        return Ok(());
    }
    let wrong = || {
        let shown = value.repr().map(|text| text.to_string()).unwrap_or_default();
        let shown = excerpt(&shown);
        bad(format!(
            "{shown} is not a fault; use a text such as \"0-1\", a number for a router, or a pair for a link"
        ))
    };
    let items = value.try_iter().map_err(|_| wrong())?.collect::<PyResult<Vec<_>>>()?;
    if !is_tuple {
        return items.iter().try_for_each(|item| add_faults(network, item, all));
    }
    let [tail, head] = &items[..] else { return Err(wrong()) };
    let router = |end: &Bound<'_, PyAny>| -> PyResult<RouterId> {
        let text = one(end)?.ok_or_else(wrong)?;
        let known = || bad(format!("{} has no router {}", network.name(), excerpt(&text)));
        network.find_router(&text).ok_or_else(known)
    };
    all.push(Fault::Link(router(tail)?, router(head)?));
    Ok(())
}
