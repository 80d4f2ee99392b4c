//! Ball bounds for store-and-forward. A message from beyond a radius cannot arrive during the first
//! steps, and a message to beyond a radius cannot leave its origin during the last steps.

use super::finding::Finding;
use super::{hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, ProcessorId, Switching};

/// Finds the processor and radius for which receiving the messages from beyond takes the most
/// steps.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let messages = problem.messages();
    let all = messages.ids().flat_map(|message| messages.destinations(message).iter().copied());
    let mut wanted = HopsOfProcessors::new(problem, all);
    let searched = hops::from_origins(problem, interrupt, |_, group, distance| {
        for &message in group {
            for &to in messages.destinations(message) {
                wanted.push(to, distance[problem.home(to).index()]);
            }
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: "ball", why };
    }
    let ports = |processor| problem.receive_ports(processor);
    let Some(BestBall { steps, processor, radius, beyond }) = wanted.best(ports, interrupt) else {
        return Finding::NotApplicable;
    };
    let explanation = format!(
        "{} must receive {} from more than {} away, over {} and not in the \
         first {}, so at least {}",
        words::processor(problem.network(), processor),
        words::counted(beyond, "message"),
        words::counted(radius, "hop"),
        words::counted(ports(processor), "port"),
        words::steps(radius),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Ball { processor, radius }, explanation)
}

/// Finds the processor and radius for which sending the messages to beyond takes the most steps.
pub fn send_bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let messages = problem.messages();
    let mut owned = HopsOfProcessors::new(problem, messages.ids().map(|m| messages.origin(m)));
    let searched = hops::from_origins(problem, interrupt, |_, group, distance| {
        for &message in group {
            let far = messages.destinations(message).iter();
            let furthest = far.map(|&to| distance[problem.home(to).index()]).max();
            owned.push(messages.origin(message), furthest.unwrap_or(0));
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: "send-ball", why };
    }
    let ports = |processor| problem.send_ports(processor);
    let Some(BestBall { steps, processor, radius, beyond }) = owned.best(ports, interrupt) else {
        return Finding::NotApplicable;
    };
    let explanation = format!(
        "{} must send {} to more than {} away, over {} and not in the last {}, \
         so at least {}",
        words::processor(problem.network(), processor),
        words::counted(beyond, "message"),
        words::counted(radius, "hop"),
        words::counted(ports(processor), "port"),
        words::steps(radius),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::SendBall { processor, radius }, explanation)
}

/// For every processor, the hops that its messages travel.
struct HopsOfProcessors {
    ends: Vec<usize>,
    next: Vec<usize>,
    // Larger values are clamped, which weakens the bound but keeps it valid.
    hops: Vec<u16>,
}

/// The best bound over all processors and radii.
struct BestBall {
    steps: u64,
    processor: ProcessorId,
    radius: u32,
    beyond: u64,
}

impl HopsOfProcessors {
    /// Reserves one entry per item of `owners`.
    fn new(problem: &Problem, owners: impl Iterator<Item = ProcessorId>) -> Self {
        let mut ends = vec![0; problem.network().processor_count() + 1];
        for processor in owners {
            ends[processor.index() + 1] += 1;
        }
        for processor in 1..ends.len() {
            ends[processor] += ends[processor - 1];
        }
        let (next, hops) = (ends.clone(), vec![0; ends[ends.len() - 1]]);
        Self { ends, next, hops }
    }

    fn push(&mut self, processor: ProcessorId, hops: u32) {
        let at = &mut self.next[processor.index()];
        self.hops[*at] = u16::try_from(hops).unwrap_or(u16::MAX);
        *at += 1;
    }

    /// Returns the best processor among those examined before an interrupt.
    fn best(
        &mut self,
        ports: impl Fn(ProcessorId) -> u32,
        interrupt: &Interrupt,
    ) -> Option<BestBall> {
        let mut best: Option<BestBall> = None;
        for index in 0..self.ends.len() - 1 {
            if interrupt.is_raised() {
                break;
            }
            let processor = ProcessorId(index as u32);
            let hops = &mut self.hops[self.ends[index]..self.ends[index + 1]];
            hops.sort_unstable_by(|a, b| b.cmp(a));
            // The hops are sorted in descending order, so the last message of each distance gives
            // the number of messages beyond the radius.
            for (at, &hop) in hops.iter().enumerate().take_while(|(_, hop)| **hop > 0) {
                if hops.get(at + 1) == Some(&hop) {
                    continue;
                }
                let (radius, beyond) = (u32::from(hop) - 1, at as u64 + 1);
                let steps = u64::from(radius) + beyond.div_ceil(ports(processor).into());
                if best.as_ref().is_none_or(|best| steps > best.steps) {
                    best = Some(BestBall { steps, processor, radius, beyond });
                }
            }
        }
        best
    }
}
