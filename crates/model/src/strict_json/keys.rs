//! The keys that the open objects have had so far, in one block of memory, so that an object with
//! few keys costs no allocation.

use std::collections::HashSet;

/// From this many keys on an object has an index of them.
const MANY: usize = 16;

/// The keys of all objects that are open, those of the innermost last.
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

    /// Forgets the keys of the innermost object, which began here.
    pub fn close(&mut self, first: usize) {
        self.text.truncate(self.start(first));
        self.ends.truncate(first);
    }

    /// Notes a key of the innermost object. `false`: the object has it already.
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
    /// Where its keys begin, for [`Keys::close`].
    pub fn first(&self) -> usize {
        self.first
    }
}
