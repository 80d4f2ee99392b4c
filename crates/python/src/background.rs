//! Runs long computations without blocking Python: other Python threads continue, Ctrl-C
//! interrupts, and a callback receives the progress.

use crate::errors::{bug, unless_interrupted};
use crate::problem::Seconds;
use crate::problem::duration;
use pavane_search::budget::{Clock, Interrupt};
use pavane_timed::search_time;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Polling interval for signals and the callback.
const TURN: Duration = Duration::from_millis(50);

/// What work returned, and the error of the callback or the signal that ended it early, if any.
pub struct Ended<T> {
    pub answer: T,
    pub interrupt: Option<PyErr>,
}

impl<T> Ended<T> {
    /// The result that is made of the answer. After Ctrl-C it is in the exception.
    pub fn keep<'py, R: IntoPyObject<'py>>(
        self,
        py: Python<'py>,
        make: impl FnOnce(T) -> PyResult<R>,
    ) -> PyResult<R> {
        unless_interrupted(py, self.interrupt, make(self.answer))
    }
}

/// Runs the work in a thread of its own. On an error of the callback or a signal, sets `stop` and
/// waits for the work to end; a second signal returns without it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<Ended<T>> {
    let (sender, mut receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // The send fails only if the receiver is gone; the result is then not needed.
        let _ = sender.send(work());
    });
    let mut interrupt = None;
    loop {
        let answer;
        (answer, receiver) = py.detach(move || (receiver.recv_timeout(TURN), receiver));
        match answer {
            Ok(answer) => return Ok(Ended { answer, interrupt }),
            Err(RecvTimeoutError::Disconnected) => {
                let panicked = bug("the search ended unexpectedly; please report this");
                return Err(interrupt.unwrap_or(panicked));
            }
            Err(RecvTimeoutError::Timeout) if interrupt.is_none() => {
                if let Err(error) = py.check_signals().and_then(|()| tell(py)) {
                    stop.store(true, Ordering::Relaxed);
                    interrupt = Some(error);
                }
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

/// A search that ends at a deadline or on Ctrl-C.
pub struct Search {
    /// Started with the call.
    pub clock: Clock,
    /// The time limit, if there is one.
    pub time: Option<Duration>,
    stop: Arc<AtomicBool>,
}

impl Search {
    /// A search for `time` seconds, or for the usual time if that is `None`.
    pub fn limited(time: Option<Seconds>, usual: Option<Duration>) -> PyResult<Self> {
        let clock = Clock::start();
        Ok(Self { clock, time: duration(time).or(usual), stop: Arc::default() })
    }

    /// Raised on Ctrl-C only.
    pub fn stop(&self) -> Interrupt {
        Interrupt::never().unless(self.stop.clone())
    }

    /// Raised at the deadline or on Ctrl-C.
    pub fn interrupt(&self) -> Interrupt {
        self.stop().until(self.time.and_then(|time| self.clock.after(time)))
    }

    /// As [`Self::interrupt`], with time left to judge a timed schedule.
    pub fn interrupt_before_judging(&self) -> Interrupt {
        self.stop().until(self.time.and_then(|time| self.clock.after(search_time(time))))
    }

    /// Raised after an eighth of the time or on Ctrl-C.
    pub fn interrupt_early(&self) -> Interrupt {
        self.stop().until(self.time.and_then(|time| self.clock.after(time / 8)))
    }

    /// Runs the work in a thread of its own; see [`run`].
    pub fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<Ended<T>> {
        run(py, &self.stop, work, |_| Ok(()))
    }
}
