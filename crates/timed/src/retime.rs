//! Schedules without times: keeps which chunk goes where and in what order, and starts every send as
//! early as that order allows.

use crate::case::{PhaseCase, TimedCase};
use crate::solve::{TimedAnswer, TimedSearchError, bounded, finish};
use pavane_model::timed::{Chunk, TimedPhase, TimedSchedule};
use pavane_model::{ProcessorId, RouterId};
use std::collections::HashMap;

/// Starts every send of a schedule as early as the order of the sends allows: in every phase, the
/// sends keep their order on every channel, and a router sends a chunk on as soon as it has it. The
/// times in the schedule are ignored. A send of something that the router never gets starts when its
/// channel is free; the judge refuses such a schedule.
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
    let mut clock = Clock { case: &case, free: vec![0; case.resource.len()], sums: HashMap::new() };
    let phases = schedule.phases.iter_mut().zip(&case.phases);
    let ends = phases.map(|(phase, part)| clock.run(phase, part));
    schedule.time = Some(ends.max().unwrap_or_default());
    schedule.time_unit_ns = case.times.unit_ns;
    finish(schedule, bounded, "order")
}

/// A range of bytes of a sum that is complete from a time on.
struct Sum {
    from: u64,
    to: u64,
    time: u64,
}

struct Clock<'a> {
    case: &'a TimedCase,
    /// The time from which each channel or half-duplex link is free.
    free: Vec<u64>,
    /// The sums of the first phase of an all-reduce, by their owners.
    sums: HashMap<ProcessorId, Vec<Sum>>,
}

impl Clock<'_> {
    /// Starts the sends of a phase in their order. Returns the last arrival.
    fn run(&mut self, phase: &mut TimedPhase, case: &PhaseCase) -> u64 {
        let TimedPhase { problem, chunks, sends } = phase;
        let mut arrivals: HashMap<(u32, RouterId), Vec<u64>> = HashMap::new();
        let mut sums: HashMap<ProcessorId, Vec<Sum>> = HashMap::new();
        let mut end = 0;
        for send in sends.iter_mut() {
            let chunk = &chunks[send.chunk as usize];
            let ends = problem.network().channel(send.channel);
            let arrived = arrivals.entry((send.chunk, ends.tail)).or_default();
            let ready = match (case.copying[ends.tail.index()], case.is_backward) {
                // A switch passes on what arrived first.
                (false, _) if arrived.is_empty() => 0,
                (false, _) => arrived.remove(0),
                (true, true) => arrived.iter().copied().max().unwrap_or(0),
                (true, false) if ends.tail == case.origin(chunk.message.index()) => {
                    self.summed(problem.messages().origin(chunk.message), chunk)
                }
                (true, false) => arrived.iter().copied().min().unwrap_or(0),
            };
            let free = &mut self.free[self.case.resource[send.channel.index()] as usize];
            send.start = ready.max(*free);
            *free = send.start + self.case.times.occupied(send.channel, chunk.bytes);
            let time = *free + self.case.times.latency(send.channel);
            end = end.max(time);
            arrivals.entry((send.chunk, ends.head)).or_default().push(time);
            if case.is_backward && ends.head == case.origin(chunk.message.index()) {
                let owner = problem.messages().origin(chunk.message);
                let (from, to) = (chunk.offset, chunk.offset + chunk.bytes);
                sums.entry(owner).or_default().push(Sum { from, to, time });
            }
        }
        self.sums.extend(sums);
        sends.sort_by_key(|send| (send.start, send.channel, send.chunk));
        end
    }

    /// The time from which the owner has a chunk: the start, or that of its sum.
    fn summed(&self, owner: ProcessorId, chunk: &Chunk) -> u64 {
        let overlaps = |sum: &&Sum| sum.from < chunk.offset + chunk.bytes && chunk.offset < sum.to;
        let sums = self.sums.get(&owner).into_iter().flatten();
        sums.filter(overlaps).map(|sum| sum.time).max().unwrap_or(0)
    }
}
