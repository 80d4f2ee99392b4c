//! Send-growth bound: the ports of an origin limit how many of its messages can start per step, and
//! the message that starts last still needs its growth steps. For one port and m messages to all
//! processors this is the classical m - 1 + log2 P of pipelined broadcast.

use super::finding::Finding;
use super::{growth, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, MessageId, Problem, ProcessorId};

/// Largest number of origins that are tried, most messages first.
const MOST_ORIGINS: usize = 32;

/// Largest number of different destination counts that are tried for one origin.
const MOST_SIZES: usize = 8;

/// Finds the origin whose last message needs the most steps.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let mut best: Option<(u64, ProcessorId, u64, u64)> = None;
    for messages in messages_of_origins(problem) {
        if interrupt.is_raised() {
            break;
        }
        let origin = problem.messages().origin(messages[0]);
        let size = |message: &MessageId| problem.messages().destinations(*message).len();
        let mut count = 0;
        let of_one_size = messages.chunk_by(|a, b| size(a) == size(b));
        for (run, same) in of_one_size.enumerate() {
            count += same.len() as u64;
            if run >= MOST_SIZES {
                break;
            }
            let growth = growth::steps_of(problem, same[0]);
            let steps = growth - 1 + count.div_ceil(problem.send_ports(origin).into());
            if best.is_none_or(|(most, ..)| steps > most) {
                best = Some((steps, origin, growth, count));
            }
        }
    }
    let Some((steps, processor, growth, count)) = best else { return Finding::NotApplicable };
    let explanation = format!(
        "{} must send {} over {}, and the last one to start needs {}, so at least {}",
        words::processor(problem.network(), processor),
        words::counted(count, "message"),
        words::counted(problem.send_ports(processor), "port"),
        words::steps(growth),
        words::steps(steps),
    );
    let growth = u32::try_from(growth).unwrap_or(u32::MAX);
    Finding::proved(steps, Certificate::SendGrowth { processor, growth }, explanation)
}

/// For every origin of at least two messages with several destinations, these messages, most
/// destinations first.
fn messages_of_origins(problem: &Problem) -> Vec<Vec<MessageId>> {
    let messages = problem.messages();
    let mut owned = vec![Vec::new(); problem.network().processor_count()];
    for message in messages.ids().filter(|&m| messages.destinations(m).len() > 1) {
        owned[messages.origin(message).index()].push(message);
    }
    owned.retain(|messages| messages.len() > 1);
    owned.sort_by_key(|messages| std::cmp::Reverse(messages.len()));
    owned.truncate(MOST_ORIGINS);
    for owned in &mut owned {
        owned.sort_by_key(|&message| std::cmp::Reverse(messages.destinations(message).len()));
    }
    owned
}
