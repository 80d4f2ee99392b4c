//! Long work beside Python: other threads of Python go on, Ctrl-C ends the work, and a callback hears how far it is.

use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often signals and the callback have their turn.
const TURN: Duration = Duration::from_millis(50);

/// Runs the work in a thread of its own. An error of the callback, or a signal, raises `stop`, waits for the work to end
/// and is returned.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // Whoever asked may have gone: then nobody misses the answer.
        let _ = sender.send(work());
    });
    let mut failure = None;
    loop {
        let answer;
        (answer, receiver) = py.detach(move || (receiver.recv_timeout(TURN), receiver));
        match answer {
            Ok(answer) => return failure.map_or(Ok(answer), Err),
            Err(RecvTimeoutError::Disconnected) => {
                let panicked =
                    pyo3::exceptions::PyRuntimeError::new_err("a bug: the search ended early");
                return Err(failure.unwrap_or(panicked));
            }
            Err(RecvTimeoutError::Timeout) if failure.is_none() => {
                if let Err(error) = py.check_signals().and_then(|()| tell(py)) {
                    stop.store(true, Ordering::Relaxed);
                    failure = Some(error);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
