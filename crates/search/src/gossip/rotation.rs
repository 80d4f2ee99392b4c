//! All-gather within a group along a cycle: in every step each member passes the message that it
//! received last to the next member. With one port this is optimal. All hops of the cycle happen in
//! the same step, so their paths share no channel.

use super::builder::{self, Builder};
use super::hamilton;
use super::stepper::Stepper;
use super::tour::{self, Cycle};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{
    Collective, ListedMessage, MessageId, Problem, ProcessorId, Schedule, Switching, Transfer,
};

/// Largest number of orders that are tried.
const ORDERS: usize = 32;

/// A schedule along a cycle, if the problem is an all-gather within a group, `steps` is large
/// enough and a cycle is found.
pub(super) fn find(
    problem: &Problem,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let message_of = message_of(problem)?;
    let group: Vec<ProcessorId> =
        problem.messages().ids().map(|message| problem.messages().origin(message)).collect();
    if (steps as usize) < group.len() - 1 || budget.is_stopped() {
        return None;
    }
    let cycle = find_cycle(problem, &group, budget, rng)?;
    Some(rotate(&cycle, &message_of))
}

/// The message of every processor, if each message goes to the origins of all others.
pub(super) fn message_of(problem: &Problem) -> Option<Vec<Option<MessageId>>> {
    let messages = problem.messages();
    let mut message_of = vec![None; problem.network().processor_count()];
    for message in messages.ids() {
        let origin = messages.origin(message).index();
        if message_of[origin].replace(message).is_some() {
            return None;
        }
    }
    let is_full = messages.ids().all(|message| {
        let destinations = messages.destinations(message);
        destinations.len() + 1 == messages.len()
            && destinations.iter().all(|to| message_of[to.index()].is_some())
    });
    is_full.then_some(message_of)
}

fn rotate(cycle: &Cycle, message_of: &[Option<MessageId>]) -> Schedule {
    let mut schedule = Schedule::new();
    let length = cycle.len();
    for step in 0..length - 1 {
        schedule.start_step();
        for (at, (from, path)) in cycle.iter().enumerate() {
            let origin = cycle[(at + length - step) % length].0;
            let message = message_of[origin.index()].expect("every member has a message");
            let to = cycle[(at + 1) % length].0;
            schedule.push(Transfer { message, from: *from, to, path });
        }
    }
    schedule
}

fn find_cycle(
    problem: &Problem,
    group: &[ProcessorId],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Cycle> {
    if let Some(order) = neighbours_in_order(problem, group, budget, rng) {
        let cycle = route(problem, &order, budget, rng);
        if cycle.is_some() {
            return cycle;
        }
    }
    if problem.model().switching == Switching::StoreAndForward {
        return None;
    }
    for number in 0..ORDERS {
        if let Some(cycle) = tour::round_a_tree(problem, group, number % 2 == 0, rng) {
            return Some(cycle);
        }
        let order = tour::short_round_trip(problem, group, rng);
        let cycle = route(problem, &order, budget, rng);
        if cycle.is_some() || budget.is_over() {
            return cycle;
        }
    }
    None
}

/// An order in which neighbours follow each other: a Hamiltonian cycle of the routers, with the
/// members on each router in sequence.
fn neighbours_in_order(
    problem: &Problem,
    group: &[ProcessorId],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Vec<ProcessorId>> {
    let network = problem.network();
    let mut members = group.to_vec();
    members.sort_by_key(|&p| (problem.home(p), p));
    let by_router: Vec<&[ProcessorId]> =
        members.chunk_by(|&p, &q| problem.home(p) == problem.home(q)).collect();
    if by_router.len() == 1 {
        return Some(members);
    }
    let mut number = vec![None; network.router_count()];
    for (at, residents) in by_router.iter().enumerate() {
        number[problem.home(residents[0]).index()] = Some(at);
    }
    let arcs: Vec<Vec<usize>> = by_router
        .iter()
        .map(|residents| {
            let leaving = network.out_channels(problem.home(residents[0])).iter();
            let mut heads: Vec<usize> =
                leaving.filter_map(|&c| number[network.channel(c).head.index()]).collect();
            heads.sort_unstable();
            heads.dedup();
            heads
        })
        .collect();
    let order = hamilton::cycle(&arcs, budget, rng)?;
    Some(order.into_iter().flat_map(|at| by_router[at].iter().copied()).collect())
}

/// Paths from every member to the next that can all be used in one step.
fn route(
    problem: &Problem,
    order: &[ProcessorId],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Cycle> {
    let next = |at: usize| order[(at + 1) % order.len()];
    let list = order.iter().enumerate();
    let list = list.map(|(at, &from)| ListedMessage { from, to: vec![next(at)] }).collect();
    let hops = Collective::listed("hops", list);
    let hops = Problem::with_limit(problem.network().clone(), hops, problem.model(), u64::MAX);
    let hops = hops.ok()?;
    let mut stepper = Stepper::new(&hops);
    if !builder::find(&mut stepper, 1, 0..4, budget, rng) {
        return None;
    }
    let mut cycle: Cycle = order.iter().map(|&p| (p, Vec::new())).collect();
    for transfer in stepper.log().step(0) {
        cycle[transfer.message.index()].1 = transfer.path.to_vec();
    }
    Some(cycle)
}
