//! Records as tables of pandas.

use pyo3::prelude::*;

/// A `pandas.DataFrame` of records.
pub fn data_frame<'py>(py: Python<'py>, records: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("pandas")?.call_method1("DataFrame", (records,))
}
