//! Schedules without times: which chunk goes where and in what order decides when each send starts.

use crate::case::TimedCase;
use crate::jobs::Jobs;
use crate::list_schedule::{JobTimes, list_schedule};
use crate::pieces::Piece;
use crate::solve::{TimedAnswer, TimedSearchError, bounded, finish};
use pavane_model::timed::{TimedPhase, TimedSchedule};

/// Starts the sends of a schedule as early as their order allows: whenever a channel is free, it
/// starts the first of its sends, in their order, whose chunk has arrived. The times in the schedule
/// are ignored. A send of something that its router never gets starts anyway; the judge refuses such a
/// schedule.
///
/// ```
/// use pavane_model::timed;
/// use pavane_timed::retime;
///
/// let file = r#"{"format": "pavane/timed/1",
///   "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2],
///               "bandwidth_gbytes": [25, 25, 25, 25], "latency_ns": [700, 700, 700, 700]},
///   "collective": {"kind": "broadcast", "senders": [0], "receivers": [1, 2]},
///   "bytes": 100, "time_unit_ns": "1", "chunks": [{"message": [0], "offset": 0, "bytes": 100}],
///   "sends": [[0, 0, 500], [0, 2, 9000]], "time": 9704}"#;
/// let schedule = timed::read(file.as_bytes(), "schedule.json", 1000)?;
/// let answer = retime(schedule, &|| false)?;
/// assert_eq!(answer.time_ns.to_string(), "1408");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retime(
    mut schedule: TimedSchedule,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<TimedAnswer, TimedSearchError> {
    let problems: Vec<_> = schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
    let case = TimedCase::new(&problems, &schedule.size, schedule.duplex)?;
    let (_, bounded) = bounded(&schedule.name, &problems, &schedule.size, &case, stop)?;
    let phases = schedule.phases.iter().zip(&case.phases);
    // The pieces of every phase, and which sends they are.
    let (pieces, places): (Vec<_>, Vec<_>) =
        phases.map(|(phase, case)| pieces(phase, case.is_backward)).unzip();
    let jobs = Jobs::new(&case, &pieces);
    let mut priority: Vec<u64> =
        places.iter().flatten().map(|&place| u64::MAX - place as u64).collect();
    priority.resize(jobs.jobs.len(), 0);
    let times = list_schedule(&jobs, case.resource.len(), &priority, &|| false);
    let JobTimes { starts, end } = times.expect("it is never stopped");
    let mut starts = starts.into_iter();
    for (phase, places) in schedule.phases.iter_mut().zip(&places) {
        for (&place, start) in places.iter().zip(&mut starts) {
            phase.sends[place].start = start;
        }
        phase.sends.sort_by_key(|send| (send.start, send.channel, send.chunk));
    }
    schedule.time = Some(end);
    schedule.time_unit_ns = case.times.unit_ns;
    finish(schedule, bounded, "order")
}

/// The chunks of a phase with their channels from the origin on, and the places of their sends.
fn pieces(phase: &TimedPhase, is_backward: bool) -> (Vec<Piece>, Vec<usize>) {
    let mut of_chunk: Vec<Vec<usize>> = vec![Vec::new(); phase.chunks.len()];
    for (place, send) in phase.sends.iter().enumerate() {
        of_chunk[send.chunk as usize].push(place);
    }
    let mut all = Vec::new();
    let pieces = phase.chunks.iter().zip(&mut of_chunk).map(|(chunk, places)| {
        if is_backward {
            places.reverse();
        }
        all.extend_from_slice(places);
        Piece {
            message: chunk.message,
            offset: chunk.offset,
            bytes: chunk.bytes,
            channels: places.iter().map(|&place| phase.sends[place].channel).collect(),
            turn: 0,
        }
    });
    (pieces.collect(), all)
}
