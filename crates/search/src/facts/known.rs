//! A value that is computed once.

use crate::budget::Interrupt;
use std::sync::OnceLock;

/// A fact about a problem that several engines use, kept once it has been computed.
#[derive(Debug)]
pub struct Known<T>(OnceLock<T>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Known<T> {
    /// The fact, computed by `find` if it is not known. `None` from `find` means that it was
    /// interrupted: nothing is kept. Threads that ask at the same time compute the fact separately
    /// and do not wait for each other, because the thread that computes it may need their help.
    pub fn get(&self, find: impl FnOnce() -> Option<T>) -> Option<&T> {
        if self.0.get().is_none() {
            let found = find()?;
            return Some(self.0.get_or_init(|| found));
        }
        self.0.get()
    }

    /// The same for a `find` that returns an incomplete result after an interrupt: that result is
    /// neither kept nor returned.
    pub fn get_until(&self, interrupt: &Interrupt, find: impl FnOnce() -> T) -> Option<&T> {
        self.get(|| Some(find()).filter(|_| !interrupt.is_raised()))
    }

    /// Sets the fact, unless it is known already.
    pub fn set(&self, value: T) {
        // An earlier value stays.
        let _ = self.0.set(value);
    }
}
