//! Records as tables of pandas, and their parts.

use pavane_model::Label;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple};
use serde_json::{Value, json};

/// A `pandas.DataFrame` of records.
pub fn data_frame<'py>(py: Python<'py>, records: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("pandas")?.call_method1("DataFrame", (records,))
}

/// The label of a message as a number, or as two.
pub fn label_value(label: Label) -> Value {
    match label {
        Label::One(one) => json!(one),
        Label::Two(from, to) => json!([from, to]),
    }
}

/// Makes tuples of messages with two numbers, so that they can be keys and groups.
pub fn with_tuples<'py>(rows: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    for row in rows.try_iter()? {
        let row = row?.cast_into::<PyDict>()?;
        if let Some(message) = row.get_item("message")?
            && let Ok(list) = message.cast::<PyList>()
        {
            row.set_item("message", PyTuple::new(row.py(), list.iter())?)?;
        }
    }
    Ok(rows)
}

/// What an index or a slice chooses from a sequence.
pub enum Chosen {
    One(usize),
    Several(Vec<usize>),
}

/// The places that an index chooses from `count` things; negative ones count from the end.
pub fn chosen(index: &Bound<'_, PyAny>, count: usize, thing: &str, what: &str) -> PyResult<Chosen> {
    if let Ok(slice) = index.cast::<PySlice>() {
        let all = slice.indices(count as isize)?;
        let places = (0..all.slicelength).map(|at| all.start + at as isize * all.step);
        return Ok(Chosen::Several(places.map(|place| place as usize).collect()));
    }
    let Ok(number) = index.extract::<i64>() else {
        let kind = index.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a {thing} is a number or a slice, not {kind}")));
    };
    let place = if number < 0 { number + count as i64 } else { number };
    let place = usize::try_from(place).ok().filter(|&place| place < count);
    let text = || format!("there is no {thing} {number}; {what}");
    place.map(Chosen::One).ok_or_else(|| PyIndexError::new_err(text()))
}
