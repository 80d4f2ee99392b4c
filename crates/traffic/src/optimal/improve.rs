//! Searches for a schedule that meets the bound: runs the simulator repeatedly with its own
//! priorities, starting with largest remaining bandwidth. After each run, late messages and late
//! links gain weight; the weights of the links ahead of a message count towards its priority.
//! (Squeaky wheel optimisation, Joslin and Clements.)

use super::{OptimumProblem, link_loads};
use crate::policy::POLICIES;
use crate::rng::TrafficRng;
use crate::switching::{Case, Priority, Record, State};

/// The end of the best schedule found; stops at `target`.
pub(super) fn search(
    task: &OptimumProblem<'_>,
    target: u64,
    runs: u32,
    seed: u64,
    state: &mut State,
) -> u64 {
    let mut best = u64::MAX;
    for policy in POLICIES {
        best = best.min(run(task, *policy, state, &mut ()));
        if best <= target {
            return best;
        }
    }
    let mut wheel = Wheel::new(task, seed);
    for round in 0..runs {
        wheel.order(task);
        let orders = Orders { orders: &wheel.orders };
        let mut ends = Ends { task, of_link: vec![0; task.links.count()] };
        let end = run(task, orders, state, &mut ends);
        let of_link = ends.of_link;
        best = best.min(end);
        if best <= target {
            break;
        }
        wheel.squeak(task, target, &state.completions, &of_link);
        if round % RESTART == RESTART - 1 {
            wheel.restart(task);
        }
    }
    best
}

/// Number of runs after which the weights are reset.
const RESTART: u32 = 80;

fn run<P: Priority, R: Record>(
    task: &OptimumProblem<'_>,
    priority: P,
    state: &mut State,
    record: &mut R,
) -> u64 {
    let case = Case {
        mission: task.mission,
        links: task.links,
        routes: task.routes,
        order: task.order,
        priority,
    };
    task.switching.run(&case, state, record).end
}

/// Priorities of all hops.
struct Orders<'a> {
    orders: &'a [u64],
}

impl Priority for Orders<'_> {
    #[inline]
    fn order(&self, hop: u32, _length: u64, _left: u32, _birth: u64) -> u64 {
        self.orders[hop as usize]
    }
}

/// When each link was last in use.
struct Ends<'a, 'b> {
    task: &'a OptimumProblem<'b>,
    of_link: Vec<u64>,
}

impl Record for Ends<'_, '_> {
    #[inline]
    fn hold(&mut self, _message: u32, channel: u32, _start: u64, end: u64) {
        let last = &mut self.of_link[self.task.links.of_number(channel) as usize];
        *last = end.max(*last);
    }
}

struct Wheel {
    rng: TrafficRng,
    messages: Vec<u64>,
    links: Vec<u64>,
    orders: Vec<u64>,
    /// Mean length, the unit of weights.
    unit: u64,
}

impl Wheel {
    fn new(task: &OptimumProblem<'_>, seed: u64) -> Self {
        let count = task.mission.len().max(1) as u64;
        let total: u64 = task.mission.messages().iter().map(|message| message.length).sum();
        let mut wheel = Self {
            rng: TrafficRng::stream(seed, 0x09F),
            messages: vec![0; task.mission.len()],
            links: vec![0; task.links.count()],
            // One more, for a last message without hops: its next hop is after those of all others.
            orders: vec![0; task.routes.channels.len() + 1],
            unit: (total / count).max(1),
        };
        wheel.restart(task);
        wheel
    }

    /// Resets the weights: messages get random ones, links with high loads get higher ones.
    fn restart(&mut self, task: &OptimumProblem<'_>) {
        let loads = link_loads(task);
        let largest = loads.iter().copied().max().unwrap_or(1).max(1);
        for (weight, load) in self.links.iter_mut().zip(loads) {
            // Links below nine tenths of the largest load get no weight.
            let near = (10 * load).saturating_sub(9 * largest) as f64 / largest as f64;
            *weight = (self.unit as f64 * near * 2.0) as u64;
        }
        let unit = self.unit as usize;
        self.messages.iter_mut().for_each(|weight| *weight = self.rng.below(unit) as u64 / 2);
    }

    /// Computes the priorities of all hops from the weights.
    fn order(&mut self, task: &OptimumProblem<'_>) {
        for (number, message) in (0..).zip(task.mission.messages()) {
            let start = task.routes.starts[number as usize] as usize;
            let mut weight = self.messages[number as usize];
            for (hop, &channel) in task.routes.path(number).iter().enumerate().rev() {
                weight += message.length;
                self.orders[start + hop] = u64::MAX - weight;
                weight += self.links[task.links.of_number(channel) as usize];
            }
        }
    }

    /// Increases the weights of late messages and links.
    fn squeak(
        &mut self,
        task: &OptimumProblem<'_>,
        target: u64,
        completions: &[u64],
        ends: &[u64],
    ) {
        let unit = self.unit as usize;
        for (number, (weight, &end)) in (0..).zip(self.messages.iter_mut().zip(completions)) {
            if end > target && !task.routes.path(number).is_empty() {
                *weight += (unit / 2 + self.rng.below(unit)) as u64;
            }
        }
        for (weight, &end) in self.links.iter_mut().zip(ends) {
            if end > target {
                *weight += self.rng.below(unit) as u64;
            }
        }
    }
}
