//! The keys of the open objects, stored in one string, so that an object with few keys needs no
//! allocation.

use std::collections::HashSet;

/// Number of keys from which on an object is indexed by a hash set.
const MANY: usize = 16;

/// The keys of all open objects, innermost last.
#[derive(Default)]
pub(super) struct Keys {
    text: String,
    ends: Vec<usize>,
}

/// An object whose keys are being read.
pub(super) struct OpenObject {
    first: usize,
    index: HashSet<Box<str>>,
}

impl Keys {
    /// Starts an object.
    pub fn open(&self) -> OpenObject {
        OpenObject { first: self.ends.len(), index: HashSet::new() }
    }

    /// Removes the keys of the innermost object, which start at `first`.
    pub fn close(&mut self, first: usize) {
        self.text.truncate(self.start(first));
        self.ends.truncate(first);
    }

    /// Records a key of the innermost object. Returns `false` if the object already has it.
    pub fn add(&mut self, object: &mut OpenObject, key: &str) -> bool {
        if self.ends.len() - object.first >= MANY {
            if object.index.is_empty() {
                object.index.extend((object.first..self.ends.len()).map(|at| self.key(at).into()));
            }
            return object.index.insert(key.into());
        }
        if (object.first..self.ends.len()).any(|at| self.key(at) == key) {
            return false;
        }
        self.text.push_str(key);
        self.ends.push(self.text.len());
        true
    }

    fn start(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.ends[at - 1] }
    }

    fn key(&self, at: usize) -> &str {
        &self.text[self.start(at)..self.ends[at]]
    }
}

impl OpenObject {
    /// The index of its first key, for [`Keys::close`].
    pub fn first(&self) -> usize {
        self.first
    }
}
