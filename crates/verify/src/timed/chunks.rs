//! Chunks: those of a message are ranges that together are the message, without overlap.

use super::report::TimedViolations;
use super::violation::{TimedRule, TimedViolation};
use pavane_model::timed::TimedPhase;

/// Checks the chunks of a phase, whose messages exist, and returns the size of every message: the
/// number of bytes up to the end of its last chunk.
pub(super) fn check(
    phase: &TimedPhase,
    number: Option<usize>,
    report: &mut TimedViolations,
) -> Vec<u64> {
    let messages = phase.problem.messages().len();
    let mut sorted: Vec<usize> = (0..phase.chunks.len()).collect();
    sorted.sort_by_key(|&chunk| (phase.chunks[chunk].message, phase.chunks[chunk].offset));
    let mut sizes = vec![0u64; messages];
    for &index in &sorted {
        let chunk = &phase.chunks[index];
        if chunk.bytes == 0 {
            report.add(TimedRule::Chunks, || TimedViolation::EmptyChunk {
                phase: number,
                chunk: index,
            });
        }
        let size = &mut sizes[chunk.message.index()];
        if chunk.offset != *size {
            let expected = *size;
            report.add(TimedRule::Chunks, || TimedViolation::ChunkPlace {
                phase: number,
                chunk: index,
                label: phase.problem.label(chunk.message),
                offset: chunk.offset,
                expected,
            });
        }
        *size = (*size).max(chunk.offset.saturating_add(chunk.bytes));
    }
    sizes
}
