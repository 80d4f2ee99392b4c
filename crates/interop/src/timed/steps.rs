//! Turns timed schedules into schedules with steps, from which programs and plans for libraries are made:
//! every transfer takes the first step in which its sender has the chunk and its channels are free, in the
//! order of the starts.

use super::cells::{Cells, cells};
use pavane_model::timed::{BufferSize, TimedPhase};
use pavane_model::{
    ChannelId, MessageId, Model, Problem, ProcessorId, RouterId, Routing, Schedule, Switching,
    Transfer,
};
use pavane_verify::{CheckedSchedule, CheckedTimed, verify};
use std::collections::{HashMap, VecDeque};

/// The most transfers of a schedule with steps.
const MOST_TRANSFERS: u64 = 400_000;

/// Why a timed schedule cannot have steps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotInSteps {
    /// The messages have sizes of their own.
    #[error("its messages have different sizes, from {least} to {most} bytes")]
    Sizes {
        /// The smallest message.
        least: u64,
        /// The largest message.
        most: u64,
    },
    /// The messages cannot be cut into equal chunks so that every chunk is several of them.
    #[error("its chunks are not multiples of an equal part of a message")]
    Chunks,
    /// Too many transfers.
    #[error("it needs {count} transfers of equal chunks, more than {MOST_TRANSFERS}")]
    TooMany {
        /// Their number.
        count: u64,
    },
    /// A router has several processors.
    #[error(
        "router {router} has {processors} processors, and a timed schedule does not say which of them sends"
    )]
    Processors {
        /// The router.
        router: RouterId,
        /// Its number of processors.
        processors: usize,
    },
    /// The judge rejects the schedule with steps.
    #[error("as transfers between processors it breaks a rule: {0}")]
    Rejected(String),
}

impl NotInSteps {
    /// What to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Sizes { .. } => {
                "export to csv, goal, chakra or simgrid, which state the bytes of every chunk"
            }
            Self::Chunks | Self::TooMany { .. } => {
                "solve with fewer, equal chunks, such as --chunks 4"
            }
            Self::Processors { .. } => "use a network with one processor per router",
            Self::Rejected(_) => "solve with another number of chunks, such as --chunks 1",
        }
    }
}

/// A chunk goes from one processor to another.
#[derive(Clone)]
struct ProcessorHop {
    chunk: u32,
    from: RouterId,
    to: RouterId,
    path: Vec<ChannelId>,
    start: u64,
}

/// The phases of a timed schedule with steps, and equal chunks: a chunk that is longer than others becomes
/// several. Chunks cross switches in the step in which they set out; on networks without switches every hop
/// is a step of its own. What a switch copies becomes one transfer for every copy.
pub fn to_steps(timed: &CheckedTimed) -> Result<Vec<CheckedSchedule>, NotInSteps> {
    let schedule = timed.schedule();
    let sizes = schedule.phases.iter().flat_map(|phase| schedule.size.of_messages(&phase.problem));
    let (least, most) =
        sizes.fold((u64::MAX, 0), |(least, most), it| (least.min(it), most.max(it)));
    // Equal shares of a buffer differ by at most one byte.
    if least == 0 || (matches!(schedule.size, BufferSize::Each(_)) && least < most) {
        return Err(NotInSteps::Sizes { least, most });
    }
    let network = timed.network();
    for router in network.routers() {
        let processors = network.residents(router).len();
        if processors > 1 {
            return Err(NotInSteps::Processors { router, processors });
        }
    }
    let cells = cells(&schedule.phases).ok_or(NotInSteps::Chunks)?;
    let phases = schedule.phases.iter().zip(&cells.by_phase);
    phases.map(|(phase, of_chunks)| steps_of_phase(phase, cells.count, of_chunks)).collect()
}

fn steps_of_phase(
    phase: &TimedPhase,
    count: u32,
    of_chunks: &[Cells],
) -> Result<CheckedSchedule, NotInSteps> {
    let network = phase.problem.network();
    let has_switches = network.first_switch().is_some();
    let model = Model {
        switching: if has_switches { Switching::Wormhole } else { Switching::StoreAndForward },
        routing: Routing::Any,
        ..Model::default()
    };
    let forward = phase.problem.forward();
    let hops = hops(phase, &forward, has_switches);
    let transfers: u64 =
        hops.iter().map(|hop| u64::from(of_chunks[hop.chunk as usize].count)).sum();
    if transfers > MOST_TRANSFERS {
        return Err(NotInSteps::TooMany { count: transfers });
    }
    let collective = phase.problem.collective().in_chunks(count);
    // The chunks of a gather are messages to its roots, the other way round than the whole gather.
    let problem = Problem::with_limit(network.clone(), collective, model, u64::MAX)
        .map_err(|error| NotInSteps::Rejected(error.to_string()))?;
    let schedule = in_steps(&forward, &hops, of_chunks);
    let schedule = if phase.problem.is_backward() { schedule.reversed() } else { schedule };
    verify(problem, schedule).map_err(|violations| {
        NotInSteps::Rejected(violations.first().map(ToString::to_string).unwrap_or_default())
    })
}

/// The ways of chunks from processor to processor, forwards, in the order of their starts. Under
/// wormhole a message with one destination goes there in one piece.
fn hops(phase: &TimedPhase, forward: &Problem, has_switches: bool) -> Vec<ProcessorHop> {
    let network = forward.network();
    let messages = forward.messages();
    let is_backward = phase.problem.is_backward();
    let last = phase.sends.iter().map(|send| send.start).max().unwrap_or(0);
    let mut sends: Vec<(u64, u32, ChannelId)> = phase
        .sends
        .iter()
        .map(|send| {
            let start = if is_backward { last - send.start } else { send.start };
            (start, send.chunk, send.channel)
        })
        .collect();
    if is_backward {
        sends.reverse();
    }
    sends.sort_by_key(|&(start, _, _)| start);
    let mut on_way: HashMap<(u32, RouterId), VecDeque<ProcessorHop>> = HashMap::new();
    let mut done = Vec::new();
    for (start, chunk, channel) in sends {
        let ends = network.channel(channel);
        let message = phase.chunks[chunk as usize].message;
        let goes_on = |router: RouterId| {
            let is_switch = network.residents(router).is_empty();
            let is_whole = has_switches
                && messages.is_personalised(message)
                && forward.home(messages.destinations(message)[0]) != router;
            is_switch || is_whole
        };
        let waiting = on_way.get_mut(&(chunk, ends.tail));
        let carried = if network.is_multicast(ends.tail) {
            waiting.and_then(|waiting| waiting.front().cloned())
        } else {
            waiting.and_then(VecDeque::pop_front)
        };
        let mut hop = carried.unwrap_or_else(|| {
            let path = Vec::new();
            ProcessorHop { chunk, from: ends.tail, to: ends.tail, path, start }
        });
        hop.path.push(channel);
        hop.to = ends.head;
        if goes_on(ends.head) {
            on_way.entry((chunk, ends.head)).or_default().push_back(hop);
        } else {
            done.push(hop);
        }
    }
    done.sort_by_key(|hop| hop.start);
    done
}

/// The schedule in which every transfer comes as early as possible.
fn in_steps(forward: &Problem, hops: &[ProcessorHop], of_chunks: &[Cells]) -> Schedule {
    let network = forward.network();
    let mut free = vec![0u32; network.channel_count()];
    let mut held: HashMap<(u32, RouterId), u32> = HashMap::new();
    let resident = |router: RouterId| -> ProcessorId {
        network.residents(router).first().copied().unwrap_or(ProcessorId(0))
    };
    let mut transfers: Vec<(u32, Transfer<'_>)> = Vec::new();
    for hop in hops {
        let Cells { first, count } = of_chunks[hop.chunk as usize];
        for cell in first..first + count {
            let has = held.get(&(cell, hop.from)).copied().unwrap_or(0);
            let step = hop.path.iter().map(|it| free[it.index()]).max().unwrap_or(0).max(has);
            hop.path.iter().for_each(|it| free[it.index()] = step + 1);
            held.insert((cell, hop.to), step + 1);
            transfers.push((
                step,
                Transfer {
                    message: MessageId(cell),
                    from: resident(hop.from),
                    to: resident(hop.to),
                    path: &hop.path,
                },
            ));
        }
    }
    let steps = transfers.iter().map(|(step, _)| step + 1).max().unwrap_or(0);
    Schedule::from_transfers(steps, &transfers)
}
