//! Joint growth: counts the copies of all messages held by all processors in a set of routers. In a
//! step, only processors that hold a message send, each message that enters takes a channel, and
//! processors inside exchange only messages that are already known there.

use super::{Argument, Claim, Refusal, channels_into, marked, sums_of_largest};
use crate::cost::{Cost, Size, sorting};
use pavane_model::{Certificate, Problem, ProcessorId, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::JointGrowth { routers } = claim.certificate else { return None };
    Some(Box::new(JointGrowth { routers }))
}

struct JointGrowth<'a> {
    /// The set; empty means all routers.
    routers: &'a [RouterId],
}

impl Argument for JointGrowth<'_> {
    /// Every step adds a copy or a known message, so there are at most as many steps as messages
    /// and deliveries together.
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        let listed = self.routers.len() as u64;
        Cost::of(listed + size.search() + 4 * sorting(size.processors) + 5 * size.traffic())
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let mut is_inside = marked(problem, self.routers)?;
        if self.routers.is_empty() {
            is_inside.fill(true);
        }
        let set = Set::new(problem, &is_inside);
        let goal = set.known + set.wanted;
        let all = problem.messages().len() as u64;
        let (mut held, mut known, mut helpers, mut steps) = (set.known, set.known, 0u64, 0);
        while held < goal {
            let offers = set.entering + set.origin_sends + set.other_sends[helpers as usize];
            let new = offers.min(set.takes);
            let next = (held + new).min(set.residents * known + set.entering);
            let more = known.saturating_add(set.entering).min(all);
            if next <= held && more == known {
                return Err("the set can never receive all its messages".into());
            }
            held = next.max(held);
            known = more;
            helpers = (helpers + new).min(set.other_sends.len() as u64 - 1);
            steps += 1;
        }
        Ok(steps)
    }
}

/// The quantities counted for a set of routers.
struct Set {
    residents: u64,
    /// Number of messages that start inside (`known`) and of deliveries that end there (`wanted`).
    known: u64,
    wanted: u64,
    /// Number of channels into the set.
    entering: u64,
    /// Receive ports of all processors inside.
    takes: u64,
    /// Send ports of the origins inside, and the maximum for 0, 1, 2, … of the other processors.
    origin_sends: u64,
    other_sends: Vec<u64>,
}

impl Set {
    fn new(problem: &Problem, is_inside: &[bool]) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        let lives_inside = |p: ProcessorId| is_inside[problem.home(p).index()];
        let mut is_origin = vec![false; network.processor_count()];
        let (mut known, mut wanted) = (0, 0);
        for message in messages.ids() {
            let origin = messages.origin(message);
            if lives_inside(origin) {
                is_origin[origin.index()] = true;
                known += 1;
            }
            let destinations = messages.destinations(message).iter();
            wanted += destinations.filter(|&&to| lives_inside(to)).count() as u64;
        }
        let inside: Vec<ProcessorId> =
            network.living_processors().filter(|&p| lives_inside(p)).collect();
        let sends = |p: &ProcessorId| u64::from(problem.send_ports(*p));
        let (origins, others): (Vec<ProcessorId>, Vec<ProcessorId>) =
            inside.iter().partition(|p| is_origin[p.index()]);
        Self {
            residents: inside.len() as u64,
            known,
            wanted,
            entering: channels_into(problem, is_inside),
            takes: inside.iter().map(|&p| u64::from(problem.receive_ports(p))).sum(),
            origin_sends: origins.iter().map(sends).sum(),
            other_sends: sums_of_largest(others.iter().map(sends).collect()),
        }
    }
}
