//! Sizes: the chunks of every message add up to what the file says.

use super::report::TimedViolations;
use super::violation::{TimedRule, TimedViolation};
use pavane_model::collective::{Collective, Kind};
use pavane_model::timed::{BufferSize, TimedPhase};
use pavane_model::{MessageId, ProcessorId};
use std::collections::BTreeSet;

/// Checks the sizes of the messages of a phase, as its chunks give them.
pub(super) fn check(
    phase: &TimedPhase,
    number: Option<usize>,
    size: &BufferSize,
    found: &[u64],
    report: &mut TimedViolations,
) {
    let label = |message: usize| phase.problem.label(MessageId(message as u32));
    let mut wrong = |message: usize, least: u64, most: u64| {
        report.add(TimedRule::Chunks, || TimedViolation::MessageSize {
            phase: number,
            label: label(message),
            found: found[message],
            least,
            most,
        });
    };
    let bytes = match size {
        BufferSize::Each(sizes) => {
            for (message, (&found, &size)) in found.iter().zip(sizes).enumerate() {
                if found != size {
                    wrong(message, size, size);
                }
            }
            return;
        }
        &BufferSize::Bytes(bytes) => bytes,
    };
    let collective = phase.problem.collective();
    let parts = parts(collective, found.len() as u64);
    let (least, most) = (bytes / parts, bytes.div_ceil(parts));
    for (message, &size) in found.iter().enumerate() {
        if size < least || size > most {
            wrong(message, least, most);
        }
    }
    // If the messages are the whole buffer, they add up to it.
    if matches!(collective.kind, Kind::Broadcast | Kind::Reduce) {
        let sum: u128 = found.iter().map(|&size| u128::from(size)).sum();
        if sum != u128::from(bytes) {
            report.add(TimedRule::Chunks, || TimedViolation::BufferSize {
                phase: number,
                sum,
                bytes,
            });
        }
    }
}

/// The number of messages in the buffer that `bytes` measures.
fn parts(collective: &Collective, messages: u64) -> u64 {
    let Collective { kind, senders, receivers, .. } = collective;
    let (near, far) = match kind {
        Kind::Broadcast | Kind::Reduce => return messages.max(1),
        Kind::Messages => return 1,
        Kind::Scatter => (senders, receivers),
        Kind::Gather => (receivers, senders),
    };
    // The buffer of a root has a block of its own.
    let all: BTreeSet<ProcessorId> = near.iter().chain(far).copied().collect();
    let count = if near.len() == 1 { all.len() } else { far.len() };
    (count as u64).max(1)
}
