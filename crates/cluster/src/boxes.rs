//! Where a rank's letters wait until somebody takes them, sorted by channel.

use crate::{Channel, RUN};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A letter that has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The rank that sent it.
    pub from: usize,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// How often who waits looks up.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The letters of a rank.
#[derive(Debug, Default)]
pub(crate) struct Boxes {
    state: Mutex<State>,
    arrived: Condvar,
    stop: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    letters: BTreeMap<Channel, VecDeque<Letter>>,
    complaint: Option<(usize, String)>,
    is_closed: bool,
}

impl Boxes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds this")
    }

    /// Puts a letter into its box, or ends the run if that is what it says.
    pub fn deliver(&self, from: usize, channel: Channel, bytes: Vec<u8>) {
        let mut state = self.state();
        if channel != RUN {
            state.letters.entry(channel).or_default().push_back(Letter { from, bytes });
        } else {
            self.stop.store(true, Ordering::Relaxed);
            match bytes.is_empty() {
                true => state.is_closed = true,
                false => {
                    let why = String::from_utf8_lossy(&bytes).into_owned();
                    state.complaint.get_or_insert((from, why));
                }
            }
        }
        drop(state);
        self.arrived.notify_all();
    }

    pub fn take(&self, channel: Channel) -> Option<Letter> {
        self.state().next(channel)
    }

    pub fn wait(&self, channel: Channel, is_over: impl Fn() -> bool) -> Option<Letter> {
        let mut state = self.state();
        loop {
            if let Some(letter) = state.next(channel) {
                return Some(letter);
            }
            if state.is_closed || is_over() {
                return None;
            }
            let waited = self.arrived.wait_timeout(state, LOOK_EVERY);
            state = waited.expect("no thread panics while it holds this").0;
        }
    }

    /// Whether the run is over.
    #[cfg(feature = "mpi")]
    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn complaint(&self) -> Option<(usize, String)> {
        self.state().complaint.clone()
    }
}

impl State {
    fn next(&mut self, channel: Channel) -> Option<Letter> {
        let queue = self.letters.get_mut(&channel)?;
        let letter = queue.pop_front();
        if queue.is_empty() {
            self.letters.remove(&channel);
        }
        letter
    }
}
