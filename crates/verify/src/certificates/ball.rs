//! Store-and-forward takes one step per hop, so what comes from afar comes late and what goes afar
//! leaves early.

use super::{check_message, check_processor, check_store_and_forward, for_each_origin};
use pavane_model::{MessageId, Problem, ProcessorId, words};

/// The hops from the origin of a message to one of its destinations, at least one step.
pub(super) fn derive_hops(
    problem: &Problem,
    message: MessageId,
    to: ProcessorId,
) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    check_message(problem, message)?;
    if !problem.messages().destinations(message).contains(&to) {
        return Err(format!("processor {to} is not a destination of message number {message}"));
    }
    let origin = problem.home(problem.messages().origin(message));
    let hops = problem.network().distances_from(origin)[problem.home(to).index()];
    Ok(u64::from(hops.max(1)))
}

/// The most hops from an origin to a destination, over all messages.
pub(super) fn derive_furthest(problem: &Problem) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let mut furthest = 0;
    for_each_origin(problem, |_, group, hops| {
        for &message in group {
            for &to in problem.messages().destinations(message) {
                furthest = furthest.max(hops[problem.home(to).index()]);
            }
        }
    });
    Ok(u64::from(furthest))
}

/// During the first `radius` steps nothing from beyond the radius arrives; then it comes in over
/// the ports.
pub(super) fn derive(
    problem: &Problem,
    processor: ProcessorId,
    radius: u32,
) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    check_processor(problem, processor)?;
    let hops = problem.network().distances_to(problem.home(processor));
    let messages = problem.messages();
    let is_far = |message: MessageId| {
        hops[problem.home(messages.origin(message)).index()] > radius
            && messages.destinations(message).contains(&processor)
    };
    let count = messages.ids().filter(|&message| is_far(message)).count() as u64;
    after(radius, count, problem.receive_ports(processor))
}

/// What must go beyond the radius has left its origin before the last `radius` steps.
pub(super) fn derive_sends(
    problem: &Problem,
    processor: ProcessorId,
    radius: u32,
) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    check_processor(problem, processor)?;
    let hops = problem.network().distances_from(problem.home(processor));
    let messages = problem.messages();
    let is_far = |message: MessageId| {
        messages.origin(message) == processor
            && messages
                .destinations(message)
                .iter()
                .any(|&to| hops[problem.home(to).index()] > radius)
    };
    let count = messages.ids().filter(|&message| is_far(message)).count() as u64;
    after(radius, count, problem.send_ports(processor))
}

fn after(radius: u32, count: u64, ports: u32) -> Result<u64, String> {
    match count {
        0 => Err(format!("no message goes further than {}", words::counted(radius, "hop"))),
        count => Ok(u64::from(radius) + count.div_ceil(u64::from(ports.max(1)))),
    }
}
