//! Schedules without times: which chunk goes where and in what order decides when each send starts.

use crate::case::TimedCase;
use crate::jobs::Jobs;
use crate::list_schedule::{JobTimes, list_schedule};
use crate::pieces::of_sends;
use crate::solve::{TimedAnswer, TimedSearchError, bounded, finish};
use pavane_model::timed::TimedSchedule;

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
    schedule: TimedSchedule,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<TimedAnswer, TimedSearchError> {
    let problems: Vec<_> = schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
    let case = TimedCase::new(&problems, &schedule.size, schedule.duplex)?;
    let (_, bounded) = bounded(&schedule.name, &problems, &schedule.size, &case, stop)?;
    finish(started(schedule, &case), bounded, "order")
}

/// The same without a bound.
pub fn retime_only(mut schedule: TimedSchedule) -> Result<TimedSchedule, TimedSearchError> {
    let problems: Vec<_> = schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
    let case = TimedCase::new(&problems, &schedule.size, schedule.duplex)?;
    schedule.bound = None;
    Ok(started(schedule, &case))
}

/// The schedule with its sends as early as possible.
fn started(mut schedule: TimedSchedule, case: &TimedCase) -> TimedSchedule {
    let phases = schedule.phases.iter().zip(&case.phases);
    // The pieces of every phase, and which sends they are.
    let (pieces, places): (Vec<_>, Vec<_>) =
        phases.map(|(phase, case)| of_sends(&phase.chunks, &phase.sends, case.is_backward)).unzip();
    let jobs = Jobs::new(case, &pieces);
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
    schedule
}
