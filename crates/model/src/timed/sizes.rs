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
            Kind::Broadcast | Kind::Reduce => {
                let parts = messages.len() as u64;
                return (0..parts).map(|part| block(bytes, parts, part)).collect();
            }
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
        let mut place = vec![0; problem.network().processor_count()];
        group.iter().enumerate().for_each(|(at, processor)| place[processor.index()] = at as u64);
        let size = |message| {
            let other = messages.destinations(message)[0];
            block(bytes, group.len() as u64, place[other.index()])
        };
        messages.ids().map(size).collect()
    }
}

/// The bytes of a block of a buffer.
fn block(bytes: u64, parts: u64, part: u64) -> u64 {
    bytes / parts + u64::from(part < bytes % parts)
}
