//! Signals. The first one ends a search, which returns its best schedule, or a simple one if it has
//! none. A second one ends the program immediately.

use crate::words;
use pavane_cluster::Cluster;
use pavane_model::Problem;
use pavane_search::budget::Clock;
use pavane_search::synthesize::{Options, Outcome, SynthesisError, at_once, synthesize};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Exit code if a signal leaves no result.
pub const INTERRUPTED: u8 = 130;

/// Time for a search to end by itself (`GRACE`), and then for a simple schedule (`LAST`).
const GRACE: Duration = Duration::from_millis(300);
const LAST: Duration = Duration::from_millis(1000);

/// Deliveries and channels of a small problem.
const SMALL: usize = 2000;

/// Polling interval for the flag.
const LOOK: Duration = Duration::from_millis(20);

/// Stack size, as for the main thread.
const STACK: usize = 8 << 20;

/// Action at the first signal.
type First = Box<dyn Fn() + Send>;

/// Signal handling.
pub struct Signals {
    /// Set by the first signal.
    pub stop: Arc<AtomicBool>,
    first: Arc<Mutex<Option<First>>>,
}

/// Signals within this interval count as one.
const ONE_SIGNAL: Duration = Duration::from_millis(300);

impl Signals {
    /// Installs the handler. Until [`then`](Self::then) is called, a signal ends the program with a
    /// message. With several ranks the launcher, not this handler, ends ranks that take too long.
    pub fn watch(cluster: &Cluster) -> Self {
        let signals = Self { stop: Arc::default(), first: Arc::default() };
        let (raised, first) = (signals.stop.clone(), signals.first.clone());
        let is_alone = cluster.is_alone();
        let mut raised_at: Option<Clock> = None;
        // If the handler cannot be installed, a signal simply ends the program.
        let _ = ctrlc::set_handler(move || {
            let is_second = raised.swap(true, Ordering::Relaxed);
            // Some launchers send a signal to the program and to its process group; that counts as
            // one.
            if raised_at.get_or_insert_with(Clock::start).elapsed() < ONE_SIGNAL && is_second {
                return;
            }
            let first = first.lock().unwrap_or_else(PoisonError::into_inner);
            match first.as_ref() {
                Some(first) if !is_second => first(),
                _ if !is_alone => {}
                Some(_) => std::process::exit(INTERRUPTED.into()),
                None => {
                    words::warn("interrupted before the search started");
                    std::process::exit(INTERRUPTED.into());
                }
            }
        });
        signals
    }

    /// Sets the action at the first signal, in addition to setting the flag.
    pub fn then(&self, first: impl Fn() + Send + 'static) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(first));
    }
}

/// Says that a signal ended a search before its result, a schedule or a plan, was proved optimal.
pub fn tell_of_interrupt(stop: &AtomicBool, result: &str, is_optimal: bool) {
    if stop.load(Ordering::Relaxed) && !is_optimal {
        words::warn(&format!("interrupted: best {result} so far"));
    }
}

/// Says that a signal ended work on a list early, and returns the exit code for it.
pub fn incomplete(done: usize, all: usize, what: &str) -> ExitCode {
    words::warn(&format!("interrupted after {done} of {}", words::counted(all, what)));
    ExitCode::from(INTERRUPTED)
}

/// A flag that is set by the first signal.
pub fn stop_on_interrupt(cluster: &Cluster) -> Arc<AtomicBool> {
    let signals = Signals::watch(cluster);
    signals.then(|| {});
    signals.stop
}

/// Runs a search. After a signal, does not wait for a search that fails to stop, unless it has a
/// schedule. `None` if there is no time for a simple schedule either.
pub fn search(problem: &Arc<Problem>, options: Options) -> Result<Option<Outcome>, SynthesisError> {
    if !options.cluster.is_alone() {
        return synthesize(problem, &options).map(Some);
    }
    let stop = options.stop.clone();
    let (most, engine) = (options.steps.unwrap_or(u32::MAX), options.engine.clone());
    let outcome = if engine.is_none() && is_small(problem) {
        Some(synthesize(problem, &options)?)
    } else {
        search_in_background(problem, options)?
    };
    let is_answer = |outcome: &Outcome| {
        outcome.solution.is_some() || outcome.proof.is_some() || most < outcome.bounds.best.steps
    };
    match outcome {
        Some(outcome) if !stop.load(Ordering::Relaxed) || is_answer(&outcome) => Ok(Some(outcome)),
        _ => Ok(plain(problem, engine, most)),
    }
}

/// Whether a search stops soon after a signal in any case, so that it needs no thread of its own,
/// which takes longer to start than a small problem takes to solve.
fn is_small(problem: &Problem) -> bool {
    problem.messages().delivery_count() <= SMALL && problem.network().channel_count() <= SMALL
}

/// Runs a search in a thread. `None` if it does not stop after a signal and has no schedule.
fn search_in_background(
    problem: &Arc<Problem>,
    options: Options,
) -> Result<Option<Outcome>, SynthesisError> {
    let (stop, progress) = (options.stop.clone(), options.progress.clone());
    let own = problem.clone();
    let mut searching = Background::begin(move || synthesize(&own, &options));
    let mut raised: Option<Clock> = None;
    loop {
        if let Some(outcome) = searching.wait(LOOK) {
            return outcome.map(Some);
        }
        let has_none = progress.best.load(Ordering::Relaxed) == 0;
        let is_waiting = stop.load(Ordering::Relaxed) && has_none;
        if is_waiting && raised.get_or_insert_with(Clock::start).elapsed() > GRACE {
            return Ok(None);
        }
    }
}

/// A simple schedule of at most `most` steps, if it can be built quickly.
fn plain(problem: &Arc<Problem>, engine: Option<String>, most: u32) -> Option<Outcome> {
    let own = problem.clone();
    let build = move || at_once(&own, engine.as_deref(), LAST);
    let found = Background::begin(build).wait(LAST).flatten();
    found.filter(|outcome| {
        let solution = outcome.solution.as_ref();
        solution.is_some_and(|solution| solution.checked.schedule().step_count() <= most)
    })
}

/// Work that may be abandoned.
struct Background<T> {
    answer: Receiver<T>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Background<T> {
    fn begin(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (tell, answer) = channel();
        let run = move || {
            // The receiver may be gone.
            let _ = tell.send(work());
        };
        let thread = Builder::new().stack_size(STACK).spawn(run);
        Self { answer, thread: Some(thread.expect("a thread can be started")) }
    }

    /// The result, if it is ready in time. Propagates a panic.
    fn wait(&mut self, time: Duration) -> Option<T> {
        match self.answer.recv_timeout(time) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => match self.thread.take().map(JoinHandle::join) {
                Some(Err(panic)) => std::panic::resume_unwind(panic),
                _ => None,
            },
        }
    }
}
