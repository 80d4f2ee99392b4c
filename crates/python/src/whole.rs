//! Whole numbers as arguments.

use crate::errors::bad;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// A whole number. Raises InputError, not OverflowError, if it is negative or too large.
pub fn whole<'py, T: FromPyObjectOwned<'py>>(value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        if !error.is_instance_of::<PyOverflowError>(value.py()) {
            return error;
        }
        match value.lt(0) {
            Ok(true) => bad(format!("{value} is not valid; use a whole number of at least 0")),
            _ => bad(format!("{value} is too large; use a smaller number")),
        }
    })
}

/// A whole number or None.
pub fn whole_or_none<'py, T: FromPyObjectOwned<'py>>(
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { whole(value).map(Some) }
}
