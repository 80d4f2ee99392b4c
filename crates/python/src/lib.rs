//! The Python module `pavane._pavane`: a thin wrapper with classes for networks, problems,
//! schedules, TDM schedules, timed schedules, throughput, fronts and tuning. Data that the command line prints as JSON is returned as dictionaries.

mod all_reduce;
mod atlas;
mod atlas_start;
mod background;
mod chunks;
mod collective;
mod compare;
mod contingencies;
mod deadlock;
mod engines;
mod errors;
mod fault_costs;
mod files;
mod found;
mod graph;
mod imported;
mod labels;
mod machine;
mod members;
mod missions;
mod network;
mod pareto;
mod pictures;
mod plan_file;
mod problem;
mod quantity;
mod repair;
mod resumed_search;
mod schedule;
mod step_records;
mod sweep;
mod tables;
mod tdm;
mod throughput;
mod timed;
mod traffic;
mod traffic_comparison;
mod tune;
mod unrepaired;
mod verdicts;
mod whole;

use pavane_model::Fraction;
use pyo3::prelude::*;
use serde_json::Value;

/// The maximum size of a picture in a notebook, in bytes.
pub(crate) const LARGEST_PICTURE: usize = 1 << 20;

/// Converts a JSON value to a Python object.
fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// Converts a fraction to a `fractions.Fraction`.
fn fraction(py: Python<'_>, value: Fraction) -> PyResult<Bound<'_, PyAny>> {
    py.import("fractions")?.call_method1("Fraction", (value.to_string(),))
}

/// Every network family: name, usage, example and description.
#[pyfunction]
fn families(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let list: Value = pavane_networks::topology::FAMILIES
        .iter()
        .map(|family| {
            serde_json::json!({
                "name": family.name,
                "usage": family.usage,
                "example": family.example,
                "description": family.description,
            })
        })
        .collect();
    to_python(py, &list)
}

/// The formats of `Schedule.export`: name and meaning.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let list: Value = pavane_interop::FORMATS
        .iter()
        .map(|format| serde_json::json!({"name": format.name, "meaning": format.meaning}))
        .collect();
    to_python(py, &list)
}

#[pymodule]
fn _pavane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<atlas::Atlas>()?;
    module.add_class::<network::Network>()?;
    module.add_class::<pareto::Front>()?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<schedule::Schedule>()?;
    module.add_class::<tdm::Tdm>()?;
    module.add_class::<throughput::Throughput>()?;
    module.add_class::<timed::Timed>()?;
    module.add_class::<tune::Tuning>()?;
    module.add_function(wrap_pyfunction!(families, module)?)?;
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(engines::engines, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::verify, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::check_plan, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_all, module)?)?;
    module.add_function(wrap_pyfunction!(contingencies::repair, module)?)?;
    module.add_function(wrap_pyfunction!(deadlock::deadlock, module)?)?;
    module.add_function(wrap_pyfunction!(pareto::find_front, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(tdm::find, module)?)?;
    module.add_function(wrap_pyfunction!(tune::find_best, module)?)?;
    module.add_function(wrap_pyfunction!(throughput::find, module)?)?;
    module.add_function(wrap_pyfunction!(timed::find, module)?)?;
    module.add_function(wrap_pyfunction!(traffic::traffic, module)?)?;
    module.add_function(wrap_pyfunction!(traffic_comparison::compare_traffic, module)?)?;
    Ok(())
}
