//! A progress line on the terminal for work that takes longer than a second.

use crate::output::is_mute;
use crate::words;
use indicatif::{ProgressBar, ProgressStyle};
use pavane_search::budget::Clock;
use pavane_search::synthesize::Progress as SearchProgress;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Whether progress is hidden. Set once, before anything starts.
static QUIET: OnceLock<bool> = OnceLock::new();

/// Sets whether progress is hidden.
pub fn set_quiet(is_quiet: bool) {
    // A second call would have no effect; there is none.
    let _ = QUIET.set(is_quiet);
}

/// Whether progress is hidden.
pub fn is_quiet() -> bool {
    QUIET.get().copied().unwrap_or(false)
}

/// Shows a progress line on standard error, if that is a terminal, until it is dropped. Nothing is
/// shown in the first second.
pub struct Ticker {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The line, once it is shown.
    shown: Arc<OnceLock<ProgressBar>>,
}

impl Ticker {
    /// Starts; `line` is called ten times a second.
    pub fn start(line: impl Fn() -> String + Send + 'static) -> Self {
        Self::of_ranks(1, line)
    }

    /// Starts for work of several ranks. MPI launchers give them no terminal; without one, the line
    /// is printed from time to time.
    pub fn of_ranks(ranks: usize, line: impl Fn() -> String + Send + 'static) -> Self {
        let is_seen = std::io::stderr().is_terminal();
        if is_quiet() || is_mute() || (ranks == 1 && !is_seen) {
            return Self { done: None, thread: None, shown: Arc::default() };
        }
        let shown: Arc<OnceLock<ProgressBar>> = Arc::default();
        let own = shown.clone();
        let (done, is_done) = channel();
        let line = move || match ranks {
            1 => line(),
            ranks => format!("{ranks} ranks: {}", line()),
        };
        let thread = std::thread::spawn(move || {
            if !is_seen {
                return print_at_intervals(&line, &is_done);
            }
            if is_done.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = own.get_or_init(ProgressBar::new_spinner);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            while is_done.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout)
            {
                bar.set_message(line());
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { done: Some(done), thread: Some(thread), shown }
    }

    /// Runs `print` with the progress line hidden.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.shown.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Starts with a fixed line.
    pub fn saying(line: &str) -> Self {
        let line = line.to_owned();
        Self::start(move || line.clone())
    }

    /// Starts with a bar for `total` items, of which `done` are complete.
    pub fn counting(ranks: usize, what: &str, total: u64, done: &Arc<AtomicU64>) -> Self {
        let (what, done) = (what.to_owned(), done.clone());
        Self::of_ranks(ranks, move || {
            format!("{} {what}", bar(done.load(Ordering::Relaxed), total))
        })
    }

    /// Starts with a line about a search, and a bar for its time if that is limited.
    pub fn watching(search: Arc<SearchProgress>, ranks: usize, time: Option<Duration>) -> Self {
        let clock = Clock::start();
        Self::of_ranks(ranks, move || match time {
            Some(time) => {
                let (done, total) = (clock.elapsed().min(time).as_secs(), time.as_secs());
                format!("{} s; {}", bar(done, total), describe(&search))
            }
            None => describe(&search),
        })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            // The thread may have ended already.
            let _ = done.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Description of the current work, set by the worker and read by the progress line.
#[derive(Default)]
pub struct Doing {
    /// Set to stop the work.
    pub stop: Arc<AtomicBool>,
    /// Text, number of completed runs and total number of runs.
    told: Mutex<(String, Arc<AtomicU64>, u64)>,
}

impl Doing {
    /// Work that `stop` ends.
    pub fn unless(stop: &Arc<AtomicBool>) -> Self {
        Self { stop: stop.clone(), ..Self::default() }
    }

    /// Sets the description, with the number of completed runs out of `total`.
    pub fn tell(&self, what: String, total: u64, done: &Arc<AtomicU64>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = (what, done.clone(), total);
    }

    /// The current description.
    pub fn describe(&self) -> String {
        let doing = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match &*doing {
            (what, _, 0) => what.clone(),
            (what, done, total) => {
                format!("{what}: {} of {total} runs", done.load(Ordering::Relaxed))
            }
        }
    }
}

/// Prints the line after some seconds, then at increasing intervals.
fn print_at_intervals(line: &dyn Fn() -> String, is_done: &Receiver<()>) {
    let clock = Clock::start();
    let mut pause = Duration::from_secs(3);
    while is_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        words::warn(&format!("{} ({:.0} s)", line(), clock.elapsed().as_secs_f64()));
        pause = (2 * pause).min(Duration::from_secs(60));
    }
}

/// A progress bar with the numbers.
pub fn bar(done: u64, total: u64) -> String {
    const CELLS: u64 = 24;
    let share = CELLS.saturating_mul(done).checked_div(total);
    let full = share.unwrap_or(CELLS).min(CELLS) as usize;
    format!("[{}{}] {done} of {total}", "=".repeat(full), " ".repeat(CELLS as usize - full))
}

fn describe(progress: &SearchProgress) -> String {
    let read = |number: &AtomicU32| number.load(Ordering::Relaxed);
    let known = |number: u32| match number {
        0 => "none".to_owned(),
        number => number.to_string(),
    };
    match read(&progress.trying) {
        0 => "building a first schedule".to_owned(),
        trying => format!(
            "trying {trying} steps, {} messages unplaced; best so far {}, bound {}",
            progress.open.load(Ordering::Relaxed),
            known(read(&progress.best)),
            known(read(&progress.bound)),
        ),
    }
}
