//! The bytes of every message.

use super::BufferSize;
use crate::collective::Kind;
use crate::ids::ProcessorId;
use crate::problem::Problem;
use std::collections::BTreeSet;

impl BufferSize {
    /// The bytes of every message of a phase. Blocks of a buffer differ by at most one byte: the first
    /// ones have one more.
    pub fn of_messages(&self, problem: &Problem) -> Vec<u64> {
        let bytes = match self {
            Self::Each(sizes) => return sizes.clone(),
            &Self::Bytes(bytes) => bytes,
        };
        let messages = problem.messages();
        let collective = problem.collective();
        let (near, far) = match collective.kind {
            // A sender without another receiver has a block, though no message.
            Kind::Broadcast => return blocks(problem, bytes, &collective.senders),
            Kind::Reduce => return blocks(problem, bytes, &collective.receivers),
            Kind::Messages => return vec![bytes; messages.len()],
            Kind::Scatter => (&collective.senders, &collective.receivers),
            Kind::Gather => (&collective.receivers, &collective.senders),
        };
        // The buffer of a root has a block of its own.
        let group: Vec<ProcessorId> = if near.len() == 1 {
            let all: BTreeSet<ProcessorId> = near.iter().chain(far).copied().collect();
            all.into_iter().collect()
        } else {
            far.clone()
        };
        let place = places(problem, &group);
        let size = |message| {
            let other = messages.destinations(message)[0];
            block(bytes, group.len() as u64, place[other.index()])
        };
        messages.ids().map(size).collect()
    }
}

/// The bytes of every message, if its origin has a block of a buffer with one for each of a group.
fn blocks(problem: &Problem, bytes: u64, group: &[ProcessorId]) -> Vec<u64> {
    let (messages, place) = (problem.messages(), places(problem, group));
    let origins = messages.ids().map(|message| messages.origin(message));
    origins.map(|origin| block(bytes, group.len() as u64, place[origin.index()])).collect()
}

/// By processor: its place in a group.
fn places(problem: &Problem, group: &[ProcessorId]) -> Vec<u64> {
    let mut place = vec![0; problem.network().processor_count()];
    (0..).zip(group).for_each(|(at, processor)| place[processor.index()] = at);
    place
}

/// The bytes of a block of a buffer.
fn block(bytes: u64, parts: u64, part: u64) -> u64 {
    bytes / parts + u64::from(part < bytes % parts)
}
