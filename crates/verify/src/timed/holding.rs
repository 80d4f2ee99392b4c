//! Holding and delivery: a router sends a chunk only when it has it, a switch that does not copy sends
//! on every copy once, no processor receives a chunk twice, and every destination receives it.

use super::clock::Times;
use super::report::TimedViolations;
use super::violation::{SendName, TimedRule, TimedViolation};
use pavane_model::RouterId;
use pavane_model::timed::TimedPhase;
use rustc_hash::FxHashMap;

/// The copies of one chunk at one router.
#[derive(Default)]
struct Copies {
    /// The times at which copies arrive, ascending after sorting.
    arrivals: Vec<u128>,
    /// How many copies have been sent on.
    left: usize,
}

/// Checks one phase, read forwards. `times` are those of its sends in the file.
pub(super) fn check(
    phase: &TimedPhase,
    times: &[Times],
    name: &dyn Fn(usize) -> SendName,
    report: &mut TimedViolations,
) {
    let forward = Forward::new(phase, times);
    let mut order: Vec<usize> = (0..phase.sends.len()).collect();
    order.sort_by_key(|&send| (phase.sends[send].chunk, forward.times(send).start, send));
    let mut at = 0;
    let mut copies: FxHashMap<RouterId, Copies> = FxHashMap::default();
    for chunk in 0..phase.chunks.len() {
        let first = at;
        while order.get(at).is_some_and(|&send| phase.sends[send].chunk as usize == chunk) {
            at += 1;
        }
        copies.clear();
        forward.follow(chunk, &order[first..at], &mut copies, name, report);
        forward.check_delivered(chunk, &copies, report);
    }
}

/// A phase with time and channels reversed if it is a reduce or gather.
struct Forward<'a> {
    phase: &'a TimedPhase,
    times: &'a [Times],
    /// If time is reversed: the last arrival.
    end: Option<u128>,
}

impl<'a> Forward<'a> {
    fn new(phase: &'a TimedPhase, times: &'a [Times]) -> Self {
        let last = times.iter().map(|times| times.arrival).max().unwrap_or(0);
        Self { phase, times, end: phase.problem.is_backward().then_some(last) }
    }

    /// Start and arrival of a send.
    fn times(&self, send: usize) -> Times {
        let times = self.times[send];
        match self.end {
            None => times,
            Some(end) => Times {
                start: end - times.arrival,
                free: end - times.start,
                arrival: end - times.start,
            },
        }
    }

    /// The routers between which a send moves its chunk.
    fn ends(&self, send: usize) -> (RouterId, RouterId) {
        let ends = self.phase.problem.network().channel(self.phase.sends[send].channel);
        if self.end.is_some() { (ends.head, ends.tail) } else { (ends.tail, ends.head) }
    }

    fn origin(&self, chunk: usize) -> RouterId {
        let problem = &self.phase.problem;
        problem.home(problem.messages().origin(self.phase.chunks[chunk].message))
    }

    /// Follows the sends of a chunk in the order of their starts. An arrival comes after the start of
    /// its send, so every copy that a send needs is known when its turn comes.
    fn follow(
        &self,
        chunk: usize,
        sends: &[usize],
        copies: &mut FxHashMap<RouterId, Copies>,
        name: &dyn Fn(usize) -> SendName,
        report: &mut TimedViolations,
    ) {
        let network = self.phase.problem.network();
        let origin = self.origin(chunk);
        for &send in sends {
            let (from, to) = self.ends(send);
            let times = self.times(send);
            let is_copying = !network.residents(from).is_empty() || network.is_multicast(from);
            let held = copies.entry(from).or_default();
            let arrived = held.arrivals.iter().filter(|&&time| time <= times.start).count();
            if from != origin && arrived == 0 {
                report.add(TimedRule::Holding, || TimedViolation::NotThere {
                    send: name(send),
                    router: from,
                    is_backward: self.end.is_some(),
                });
            } else if from != origin && !is_copying && held.left >= arrived {
                report.add(TimedRule::Switches, || TimedViolation::Copies {
                    send: name(send),
                    router: from,
                    is_backward: self.end.is_some(),
                });
            }
            held.left += 1;
            let reached = copies.entry(to).or_default();
            let has_processors = !network.residents(to).is_empty();
            if has_processors && (to == origin || !reached.arrivals.is_empty()) {
                report.add(TimedRule::Delivery, || TimedViolation::Twice {
                    send: name(send),
                    router: to,
                    is_backward: self.end.is_some(),
                });
            }
            reached.arrivals.push(times.arrival);
        }
    }

    fn check_delivered(
        &self,
        chunk: usize,
        copies: &FxHashMap<RouterId, Copies>,
        report: &mut TimedViolations,
    ) {
        let problem = &self.phase.problem;
        let (message, origin) = (self.phase.chunks[chunk].message, self.origin(chunk));
        for &processor in problem.messages().destinations(message) {
            let home = problem.home(processor);
            let has_arrived = copies.get(&home).is_some_and(|copies| !copies.arrivals.is_empty());
            if home != origin && !has_arrived {
                report.add(TimedRule::Delivery, || TimedViolation::Missing {
                    chunk,
                    label: problem.label(message),
                    processor,
                    is_backward: self.end.is_some(),
                });
            }
        }
    }
}
