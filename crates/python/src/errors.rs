//! Errors as exceptions of the package, which are defined in Python (`pavane/_errors.py`).

use pavane_model::aftermath::AftermathError;
use pavane_model::printable::printable_lines;
use pyo3::BoundObject;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::fmt::Display;

pyo3::import_exception!(pavane._errors, Impossible);
pyo3::import_exception!(pavane._errors, InputError);
pyo3::import_exception!(pavane._errors, InternalError);
pyo3::import_exception!(pavane._errors, Interrupted);
pyo3::import_exception!(pavane._errors, Unsolved);

/// An `InputError` (a `ValueError`) that names the bad value and a remedy.
pub fn bad(error: impl Display) -> PyErr {
    InputError::new_err(shown(error))
}

/// An `InternalError` (a `RuntimeError`): a bug of Pavane.
pub fn bug(error: impl Display) -> PyErr {
    InternalError::new_err(shown(format!("bug: {error}")))
}

/// An `Unsolved`: nothing was found.
pub fn unsolved(error: impl Display) -> PyErr {
    Unsolved::new_err(shown(error))
}

/// An `Impossible` (an `Unsolved`): there is nothing to find.
pub fn impossible(error: impl Display) -> PyErr {
    Impossible::new_err(shown(error))
}

/// Faults that separate senders from receivers leave nothing to find; anything else is bad input.
pub fn nothing_left(error: AftermathError) -> PyErr {
    if matches!(error, AftermathError::Separated(_)) { impossible(error) } else { bad(error) }
}

fn shown(error: impl Display) -> String {
    printable_lines(&error.to_string()).into_owned()
}

/// The result of work that may have been interrupted. After Ctrl-C an `Interrupted` (a
/// `KeyboardInterrupt`) carries it; another error of the caller replaces it.
pub fn unless_interrupted<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    interrupt: Option<PyErr>,
    result: PyResult<T>,
) -> PyResult<T> {
    let Some(interrupt) = interrupt else { return result };
    if !interrupt.is_instance_of::<PyKeyboardInterrupt>(py) {
        return Err(interrupt);
    }
    let best = result.ok().map(|best| best.into_pyobject(py).map_err(Into::into)).transpose()?;
    let best = best.map(|best| best.into_any().unbind());
    Err(Interrupted::new_err((best,)))
}
