//! The messages that a rank has received and not yet read, sorted by tag.

use crate::{RUN, Tag};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// The rank that sent it.
    pub from: usize,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Polling interval of a thread that waits for a message.
const POLL: Duration = Duration::from_millis(20);

/// The unread messages of a rank, and the state of the run as far as this rank knows it.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<InboxState>,
    arrived: Condvar,
    stop: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct InboxState {
    messages: BTreeMap<Tag, VecDeque<ReceivedMessage>>,
    /// The first rank that failed, and its error.
    failure: Option<(usize, String)>,
    is_closed: bool,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().expect("no thread panics while it holds this lock")
    }

    /// Adds a message. With the tag [`RUN`], an empty message ends the run and any other reports a
    /// failure.
    pub fn deliver(&self, from: usize, tag: Tag, bytes: Vec<u8>) {
        let mut state = self.state();
        if tag != RUN {
            state.messages.entry(tag).or_default().push_back(ReceivedMessage { from, bytes });
        } else {
            self.stop.store(true, Ordering::Relaxed);
            if bytes.is_empty() {
                state.is_closed = true;
            } else {
                let error = String::from_utf8_lossy(&bytes).into_owned();
                state.failure.get_or_insert((from, error));
            }
        }
        drop(state);
        self.arrived.notify_all();
    }

    /// The next message with a tag, if one has arrived.
    pub fn take(&self, tag: Tag) -> Option<ReceivedMessage> {
        self.state().next(tag)
    }

    /// Waits for the next message with a tag; `None` once the run is over or `is_over` returns true.
    pub fn wait(&self, tag: Tag, is_over: impl Fn() -> bool) -> Option<ReceivedMessage> {
        let mut state = self.state();
        loop {
            if let Some(message) = state.next(tag) {
                return Some(message);
            }
            if state.is_closed || is_over() {
                return None;
            }
            let waited = self.arrived.wait_timeout(state, POLL);
            state = waited.expect("no thread panics while it holds this lock").0;
        }
    }

    /// Whether the run is over.
    #[cfg(feature = "mpi")]
    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// The flag that is raised when the run is over or a rank has failed.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Whether that flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The first reported failure and its rank.
    pub fn failure(&self) -> Option<(usize, String)> {
        self.state().failure.clone()
    }
}

impl InboxState {
    fn next(&mut self, tag: Tag) -> Option<ReceivedMessage> {
        let queue = self.messages.get_mut(&tag)?;
        let message = queue.pop_front();
        if queue.is_empty() {
            self.messages.remove(&tag);
        }
        message
    }
}
