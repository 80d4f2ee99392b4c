//! Turns timed schedules into schedules with steps, which can be exported: every transfer takes the first
//! step in which its sender has the chunk and its channels are free, in the order of the starts.

use pavane_model::timed::{Chunk, TimedPhase};
use pavane_model::{
    ChannelId, MessageId, Model, Problem, ProcessorId, RouterId, Routing, Schedule, Switching,
    Transfer,
};
use pavane_verify::{CheckedSchedule, CheckedTimed, verify};
use std::collections::{HashMap, VecDeque};

/// A chunk goes from one processor to another.
struct Carry {
    chunk: u32,
    from: RouterId,
    to: RouterId,
    path: Vec<ChannelId>,
    start: u64,
}

/// The phases of a timed schedule with steps. Chunks cross switches in the step in which they set out;
/// on networks without switches every hop is a step of its own. `None` if the messages are not cut into
/// equally many chunks of equal size, apart from a byte, or if the judge rejects the result.
pub fn to_steps(timed: &CheckedTimed) -> Option<Vec<CheckedSchedule>> {
    timed.schedule().phases.iter().map(steps_of_phase).collect()
}

fn steps_of_phase(phase: &TimedPhase) -> Option<CheckedSchedule> {
    let network = phase.problem.network();
    let has_switches = network.first_switch().is_some();
    let (numbers, count) = numbers(phase)?;
    let model = Model {
        switching: if has_switches { Switching::Wormhole } else { Switching::StoreAndForward },
        routing: Routing::Any,
        ..Model::default()
    };
    let collective = phase.problem.collective().in_chunks(count);
    // The chunks of a gather are messages to its roots, the other way round than the whole gather.
    let problem = Problem::with_limit(network.clone(), collective, model, u64::MAX).ok()?;
    let forward = phase.problem.forward();
    let carries = carries(phase, &forward, has_switches)?;
    let schedule = in_steps(&forward, &carries, &numbers);
    let schedule = if phase.problem.is_backward() { schedule.reversed() } else { schedule };
    verify(problem, schedule).ok()
}

/// By chunk: its number among the chunks of all messages; and the number of chunks per message.
fn numbers(phase: &TimedPhase) -> Option<(Vec<u32>, u32)> {
    let mut by_message: Vec<Vec<(u64, u64, usize)>> =
        vec![Vec::new(); phase.problem.messages().len()];
    for (number, &Chunk { message, offset, bytes }) in phase.chunks.iter().enumerate() {
        by_message[message.index()].push((offset, bytes, number));
    }
    let count = by_message.first()?.len();
    let mut numbers = vec![0; phase.chunks.len()];
    for (message, chunks) in by_message.iter_mut().enumerate() {
        chunks.sort_unstable();
        let sizes = || chunks.iter().map(|&(_, bytes, _)| bytes);
        if chunks.len() != count || sizes().max()? > sizes().min()? + 1 {
            return None;
        }
        for (place, &(_, _, number)) in chunks.iter().enumerate() {
            numbers[number] = u32::try_from(message * count + place).ok()?;
        }
    }
    Some((numbers, u32::try_from(count).ok()?))
}

/// The ways of chunks from processor to processor, forwards, in the order of their starts. Under
/// wormhole a message with one destination goes there in one piece.
fn carries(phase: &TimedPhase, forward: &Problem, has_switches: bool) -> Option<Vec<Carry>> {
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
    let mut on_way: HashMap<(u32, RouterId), VecDeque<Carry>> = HashMap::new();
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
        let mut carry = match on_way.get_mut(&(chunk, ends.tail)).and_then(VecDeque::pop_front) {
            Some(carry) => carry,
            None => Carry { chunk, from: ends.tail, to: ends.tail, path: Vec::new(), start },
        };
        carry.path.push(channel);
        carry.to = ends.head;
        if goes_on(ends.head) {
            on_way.entry((chunk, ends.head)).or_default().push_back(carry);
        } else {
            done.push(carry);
        }
    }
    done.sort_by_key(|carry| carry.start);
    Some(done)
}

/// The schedule in which every transfer comes as early as possible.
fn in_steps(forward: &Problem, carries: &[Carry], numbers: &[u32]) -> Schedule {
    let network = forward.network();
    let mut free = vec![0u32; network.channel_count()];
    let mut held: HashMap<(u32, RouterId), u32> = HashMap::new();
    let resident = |router: RouterId| -> ProcessorId {
        network.residents(router).first().copied().unwrap_or(ProcessorId(0))
    };
    let mut transfers: Vec<(u32, Transfer<'_>)> = Vec::new();
    for carry in carries {
        let has = held.get(&(carry.chunk, carry.from)).copied().unwrap_or(0);
        let step = carry.path.iter().map(|it| free[it.index()]).max().unwrap_or(0).max(has);
        carry.path.iter().for_each(|it| free[it.index()] = step + 1);
        held.insert((carry.chunk, carry.to), step + 1);
        transfers.push((
            step,
            Transfer {
                message: MessageId(numbers[carry.chunk as usize]),
                from: resident(carry.from),
                to: resident(carry.to),
                path: &carry.path,
            },
        ));
    }
    let steps = transfers.iter().map(|(step, _)| step + 1).max().unwrap_or(0);
    Schedule::from_transfers(steps, &transfers)
}
