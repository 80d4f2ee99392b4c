//! All-to-all on networks whose channels lead in two directions that commute, and back, such as
//! circulants with four links per router. A message goes `a` channels in one direction, then `b` in
//! the other. A phase schedules the messages of two opposite quadrants: those of one quadrant fill
//! the channels of its two directions step by step without a gap (`phase`), and those of the other
//! are their mirror images, which take the opposite channels. Straight messages fill the steps of a
//! last phase, or the rest of the others (`classes`).

mod classes;
mod lattice;
mod phase;

use super::super::weights::is_personalised;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use classes::{OffsetClass, Phases};
use lattice::{Direction, Lattice};
use pavane_model::{ChannelId, Duplex, Problem, RouterId, Schedule, Switching, Transfer};
use phase::{ClassMember, solve};

/// Most routers: with more, the solver takes minutes for a phase.
const MOST_ROUTERS: usize = 60;

/// Evaluations of a first attempt, enough for most phases on 41 routers.
const FIRST_QUOTA: u64 = 800_000_000;

/// Satisfiability by quadrants, on networks with two commuting directions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quadrants;

impl Suitability for Quadrants {
    fn takes(&self, problem: &Problem) -> bool {
        let network = problem.network();
        let has_ports =
            || network.living_processors().all(|processor| problem.send_ports(processor) >= 4);
        problem.model().switching == Switching::Wormhole
            && network.router_count() <= MOST_ROUTERS
            && is_personalised(problem)
            && has_ports()
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        Fit::useful_if(Lattice::new(context, interrupt).is_some())
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        3
    }

    fn first_quota(&self, _: &Problem, _: u32) -> u64 {
        FIRST_QUOTA
    }
}

impl Engine for Quadrants {
    fn describe(&self) -> Traits {
        Traits {
            name: "quadrants",
            purpose: "satisfiability by quadrants, on networks with two commuting directions such as circulants; all-to-all, wormhole",
            aims_at_bound: true,
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let lattice = Lattice::new(context, interrupt);
        let found = lattice.and_then(|lattice| find(&lattice, context, steps, budget, rng));
        found.map_or(Attempt::OutOfBudget, Attempt::Found)
    }
}

/// Searches for a schedule of at most `steps` steps.
fn find(
    lattice: &Lattice,
    context: &Context,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let is_half = context.problem().model().duplex == Duplex::Half;
    let phases = Phases::assign(&lattice.offsets())?;
    let needed = phases.length() * if is_half { 2 } else { 1 };
    if needed > steps {
        return None;
    }
    use Direction::{BackX, BackY, X, Y};
    let mut parts = Vec::new();
    parts.push(PhaseSteps::solve(lattice, [X, Y], &phases.quadrants[0], budget, rng)?);
    let turned = lattice.turns() && phases.are_alike();
    let second = if turned {
        parts[0].turned(lattice)
    } else {
        PhaseSteps::solve(lattice, [X, BackY], &phases.quadrants[1], budget, rng)?
    };
    parts.push(second);
    let mut straight = PhaseSteps::solve(lattice, [X, BackX], &phases.straight[0], budget, rng)?;
    straight.join(PhaseSteps::solve(lattice, [Y, BackY], &phases.straight[1], budget, rng)?);
    parts.push(straight);
    let mut schedule = Schedule::new();
    for part in &parts {
        for step in &part.steps {
            schedule.start_step();
            for message in step {
                lattice.send(message, budget, &mut schedule)?;
            }
            if is_half {
                schedule.start_step();
            }
            for message in step {
                lattice.send(&message.mirrored(lattice), budget, &mut schedule)?;
            }
        }
    }
    Some(schedule)
}

/// The path of a message: where it begins, and the number of channels in one direction, then in another.
#[derive(Debug, Clone, Copy)]
struct LatticePath {
    from: usize,
    legs: [(Direction, usize); 2],
}

impl LatticePath {
    fn mirrored(&self, lattice: &Lattice) -> Self {
        let legs = self.legs.map(|(direction, count)| (direction.opposite(), count));
        Self { from: lattice.inverse[self.from], legs }
    }
}

/// The steps of a phase, without the mirror images.
struct PhaseSteps {
    steps: Vec<Vec<LatticePath>>,
}

impl PhaseSteps {
    /// Messages of these classes: so many channels in the first direction, then in the second.
    fn solve(
        lattice: &Lattice,
        directions: [Direction; 2],
        classes: &[OffsetClass],
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Self> {
        let next = directions.map(|direction| lattice.next(direction));
        let placed = solve(next, classes, budget, rng)?;
        let way = |ClassMember { from, class }| {
            let [first, second] = directions;
            let OffsetClass(a, b) = class;
            LatticePath { from, legs: [(first, a), (second, b)] }
        };
        let steps = placed.into_iter().map(|step| step.into_iter().map(way).collect()).collect();
        Some(Self { steps })
    }

    /// Turned by a quarter.
    fn turned(&self, lattice: &Lattice) -> Self {
        let turn = |way: &LatticePath| LatticePath {
            from: lattice.quarter[way.from],
            legs: way.legs.map(|(direction, count)| (direction.turned(), count)),
        };
        Self { steps: self.steps.iter().map(|step| step.iter().map(turn).collect()).collect() }
    }

    /// Adds the steps of another part, at the same time.
    fn join(&mut self, other: Self) {
        let count = self.steps.len().max(other.steps.len());
        self.steps.resize_with(count, Vec::new);
        for (step, more) in self.steps.iter_mut().zip(other.steps) {
            step.extend(more);
        }
    }
}

impl Lattice {
    /// Adds the transfer of a message; `None` on interrupt.
    fn send(&self, way: &LatticePath, budget: &mut Budget, schedule: &mut Schedule) -> Option<()> {
        let mut path: Vec<ChannelId> = Vec::new();
        let mut at = way.from;
        for (direction, count) in way.legs {
            for _ in 0..count {
                path.push(self.channel(direction, at));
                at = self.next(direction)[at];
            }
        }
        budget.spend(1 + path.len() as u64);
        let message = self.message(RouterId(way.from as u32), RouterId(at as u32))?;
        let (from, to) = (self.processors[way.from], self.processors[at]);
        schedule.push(Transfer { message, from, to, path: &path });
        (!budget.is_stopped()).then_some(())
    }
}

#[cfg(test)]
mod tests;
