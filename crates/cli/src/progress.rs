//! A line on the terminal for work that takes longer than a second.

use crate::output::is_mute;
use crate::words;
use indicatif::{ProgressBar, ProgressStyle};
use pavane_engine::budget::Clock;
use pavane_engine::synthesize::Progress as Search;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// Whether the user wants to see no progress. Said once, before anything starts.
static QUIET: OnceLock<bool> = OnceLock::new();

/// Says whether to be quiet.
pub fn set_quiet(is_quiet: bool) {
    // A second word would change nothing, and nobody says one.
    let _ = QUIET.set(is_quiet);
}

/// Whether to be quiet.
pub fn is_quiet() -> bool {
    QUIET.get().copied().unwrap_or(false)
}

/// Shows a line on standard error, when that is a terminal, until it is dropped. Nothing is shown
/// in the first second.
pub struct Ticker {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts; `line` is asked ten times a second.
    pub fn start(line: impl Fn() -> String + Send + 'static) -> Self {
        Self::of_ranks(1, line)
    }

    /// The same for work of so many ranks. Whoever starts several has no terminal for them, so where
    /// there is none the line is told now and then.
    pub fn of_ranks(ranks: usize, line: impl Fn() -> String + Send + 'static) -> Self {
        if is_quiet() || is_mute() {
            return Self { done: None, thread: None };
        }
        let (done, is_done) = channel();
        let line = move || match ranks {
            1 => line(),
            ranks => format!("{ranks} ranks: {}", line()),
        };
        let thread = std::thread::spawn(move || {
            if ranks > 1 && !std::io::stderr().is_terminal() {
                return tell_now_and_then(&line, &is_done);
            }
            if is_done.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            while is_done.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout)
            {
                bar.set_message(line());
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { done: Some(done), thread: Some(thread) }
    }

    /// Starts with a line that stays the same.
    pub fn saying(line: &str) -> Self {
        let line = line.to_owned();
        Self::start(move || line.clone())
    }

    /// Starts with a line about where a search stands.
    pub fn watching(search: Arc<Search>, ranks: usize) -> Self {
        Self::of_ranks(ranks, move || describe(&search))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            // The thread may have ended by itself: then there is nobody to tell.
            let _ = done.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Tells the line after some seconds, and then less and less often.
fn tell_now_and_then(line: &dyn Fn() -> String, is_done: &Receiver<()>) {
    let clock = Clock::start();
    let mut pause = Duration::from_secs(3);
    while is_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        words::warn(&format!("{} ({:.0} s)", line(), clock.elapsed().as_secs_f64()));
        pause = (2 * pause).min(Duration::from_secs(60));
    }
}

/// A bar for so many of so many, with the numbers.
pub fn bar(done: usize, total: usize) -> String {
    const CELLS: usize = 24;
    let full = (CELLS * done).checked_div(total).unwrap_or(CELLS).min(CELLS);
    format!("[{}{}] {done} of {total}", "=".repeat(full), " ".repeat(CELLS - full))
}

fn describe(progress: &Search) -> String {
    let read = |number: &AtomicU32| number.load(Ordering::Relaxed);
    let known = |number: u32| match number {
        0 => "none".to_owned(),
        number => number.to_string(),
    };
    match read(&progress.trying) {
        0 => "building a first schedule".to_owned(),
        trying => format!(
            "trying {trying} steps, {} messages open; best so far {}, bound {}",
            progress.open.load(Ordering::Relaxed),
            known(read(&progress.best)),
            known(read(&progress.bound)),
        ),
    }
}
