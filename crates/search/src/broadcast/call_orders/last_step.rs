//! The last step: a matching of the processors without the message with those that have it. It
//! changes as little as possible from one set of holders to the next.

use super::calls::Calls;
use super::graph::CallGraph;

/// No processor.
const NONE: u32 = u32::MAX;

/// Longest augmenting path of the matching.
const LONGEST_PATH: u32 = 64;

/// The calls of the last step.
pub(super) struct LastStep<'a> {
    graph: &'a CallGraph,
    /// By processor: the one that calls it, in the last matching that was kept.
    kept: Vec<u32>,
    /// The slots of each processor, one for each port, begin here; one entry more.
    slots: Vec<u32>,
    /// By slot: the processor that is called.
    called: Vec<u32>,
    open: Vec<u32>,
    /// The last search that saw each processor. Failed searches have the same number as the next.
    seen: Vec<u32>,
    search: u32,
    path: Vec<u32>,
}

impl<'a> LastStep<'a> {
    /// No calls.
    pub fn new(graph: &'a CallGraph) -> Self {
        let mut slots = vec![0];
        for (ports, targets) in graph.ports.iter().zip(&graph.targets) {
            slots.push(slots[slots.len() - 1] + (*ports).min(targets.len() as u32));
        }
        Self {
            graph,
            kept: vec![NONE; graph.ports.len()],
            called: vec![NONE; slots[graph.ports.len()] as usize],
            slots,
            open: Vec::new(),
            seen: vec![0; graph.ports.len()],
            search: 0,
            path: Vec::new(),
        }
    }

    /// How many processors are not called if as many as possible are; `None` if more than `most`.
    pub fn missing(&mut self, calls: &Calls<'_>, most: usize) -> Option<usize> {
        self.search += 1;
        self.called.fill(NONE);
        self.open.clear();
        for &processor in &self.graph.others {
            if !calls.is_holder(processor) {
                let caller = self.kept[processor as usize];
                let is_same = caller != NONE && calls.is_holder(caller);
                if !(is_same && self.take_slot(caller, processor)) {
                    self.open.push(processor);
                }
            }
        }
        let mut missing = 0;
        for at in 0..self.open.len() {
            self.path.clear();
            if self.find_caller(self.open[at], LONGEST_PATH, calls) {
                // Only what a failed search has seen is of no use to others.
                for &processor in &self.path {
                    self.seen[processor as usize] = 0;
                }
            } else {
                missing += 1;
                if missing > most {
                    return None;
                }
            }
        }
        Some(missing)
    }

    /// Keeps the matching of the last count.
    pub fn keep(&mut self) {
        for &processor in &self.open {
            self.kept[processor as usize] = NONE;
        }
        for (caller, slots) in self.slots.windows(2).enumerate() {
            for &called in &self.called[slots[0] as usize..slots[1] as usize] {
                if called != NONE {
                    self.kept[called as usize] = caller as u32;
                }
            }
        }
    }

    /// The callers and the called processors of the last count.
    pub fn calls(&self) -> impl Iterator<Item = (u32, u32)> {
        let slots = self.slots.windows(2).enumerate();
        slots.flat_map(|(caller, slots)| {
            let called = self.called[slots[0] as usize..slots[1] as usize].iter();
            called.filter(|called| **called != NONE).map(move |&called| (caller as u32, called))
        })
    }

    fn take_slot(&mut self, caller: u32, processor: u32) -> bool {
        let slots = self.slots[caller as usize] as usize..self.slots[caller as usize + 1] as usize;
        let free = self.called[slots].iter_mut().find(|called| **called == NONE);
        free.map(|called| *called = processor).is_some()
    }

    /// Finds an augmenting path from a processor without the message.
    fn find_caller(&mut self, processor: u32, length: u32, calls: &Calls<'_>) -> bool {
        let graph = self.graph;
        for &caller in &graph.sources[processor as usize] {
            if !calls.is_holder(caller) || self.seen[caller as usize] == self.search {
                continue;
            }
            self.seen[caller as usize] = self.search;
            self.path.push(caller);
            if self.take_slot(caller, processor) {
                return true;
            }
            for slot in self.slots[caller as usize]..self.slots[caller as usize + 1] {
                let other = self.called[slot as usize];
                if length > 0 && self.find_caller(other, length - 1, calls) {
                    self.called[slot as usize] = processor;
                    return true;
                }
            }
        }
        false
    }
}
