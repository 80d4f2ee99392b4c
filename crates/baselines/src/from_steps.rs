//! Gives times to schedules with steps: the order of the steps stays, but nothing waits for the end of a
//! step.

use crate::moves::{cut, sends};
use pavane_model::timed::{BufferSize, Chunk, TimedPhase, TimedSchedule};
use pavane_model::{ChannelId, Duplex, Fraction, MessageId, Problem, Schedule};
use pavane_verify::CheckedSchedule;

/// Why a schedule with steps gets no times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepsError {
    /// It has other phases.
    #[error("it is a schedule of another collective")]
    Collective,
    /// It is on another network.
    #[error("it is a schedule on another network")]
    Network,
}

/// The sends of a schedule with steps in their order, on the network of `phases`, which has bandwidths
/// and latencies. `phases` are the problems with whole messages.
pub fn from_steps(
    name: &str,
    phases: &[Problem],
    schedules: &[&CheckedSchedule],
    size: &BufferSize,
) -> Result<TimedSchedule, StepsError> {
    if phases.len() != schedules.len() {
        return Err(StepsError::Collective);
    }
    let mut timed = Vec::new();
    for (phase, checked) in phases.iter().zip(schedules) {
        timed.push(timed_phase(phase, checked, size)?);
    }
    Ok(TimedSchedule {
        name: name.to_owned(),
        phases: timed,
        size: size.clone(),
        duplex: Duplex::Full,
        time_unit_ns: Fraction::ONE,
        time: None,
        bound: None,
    })
}

fn timed_phase(
    phase: &Problem,
    checked: &CheckedSchedule,
    size: &BufferSize,
) -> Result<TimedPhase, StepsError> {
    let stored = checked.problem();
    if !stored.network().has_same_channels_as(phase.network()) {
        return Err(StepsError::Network);
    }
    let (whole, chunks_per_message) =
        (stored.collective().whole(), stored.collective().chunk_count());
    let wanted = phase.collective();
    let is_same = whole.kind == wanted.kind
        && whole.senders == wanted.senders
        && whole.receivers == wanted.receivers
        && whole.list == wanted.list;
    if !is_same {
        return Err(StepsError::Collective);
    }
    // The chunks of a gather are messages to its roots; the whole gather is read backwards. Both have the
    // messages in the same order.
    let is_turned = stored.is_backward() != phase.is_backward();
    let forward = phase.forward();
    let weights = vec![1.0; chunks_per_message as usize];
    let mut chunks = Vec::new();
    // By chunk of the file: its number here, unless it has no bytes.
    let mut numbers: Vec<Option<u32>> = Vec::new();
    for (message, bytes) in (0..).zip(size.of_messages(phase)) {
        for (offset, bytes) in cut(bytes, &weights) {
            numbers.push((bytes > 0).then_some(chunks.len() as u32));
            if bytes > 0 {
                chunks.push(Chunk { message: MessageId(message), offset, bytes });
            }
        }
    }
    let turn = stored.is_backward() || is_turned;
    let reversed = turn.then(|| checked.schedule().reversed());
    let schedule: &Schedule = reversed.as_ref().unwrap_or(checked.schedule());
    let paths = (0..schedule.transfer_count()).filter_map(|number| {
        let transfer = schedule.transfer(number);
        Some((numbers[transfer.message.index()]?, transfer.path))
    });
    let paths: Vec<(u32, &[ChannelId])> = paths.collect();
    let sends = sends(&forward, phase.is_backward(), &chunks, paths.into_iter());
    Ok(TimedPhase { problem: phase.clone(), chunks, sends })
}
