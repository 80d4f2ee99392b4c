//! Many-to-many broadcast (such as all-gather) and mixed lists: several messages, some with several
//! destinations. The engine is a portfolio of seven methods:
//!
//! | method | what it does | when it is chosen, and why |
//! |---|---|---|
//! | rotation (`rotation`) | every member of a cycle passes on the message that it received last | all-gather within a group. With one port it is optimal, so it constructs the schedule. It is also tried first in every attempt, because it takes hardly any time |
//! | trees (`trees`) | one tree per orbit of origins, translated by automorphisms to all origins | all-gather on a symmetric network with one processor per router and all ports. With many deliveries it constructs the schedule, because it grows few trees instead of all. In an attempt it is tried between the runs of stepping; beside spreading only once, after half of the budget, because finding the symmetries takes long |
//! | passing (`passing`) | spreading between routers; in each router, the processor that receives a message passes it on to the others, and in the last step every processor receives it over a channel of its own | all-gather with several processors on every router and all ports: it constructs the schedule, and is tried once in an attempt, because it is much faster than stepping |
//! | spreading (`spreading`) | single hops; the channels into each receiver are matched to messages that it misses | all ports, full duplex, one processor per router, no personalised message: then a step splits by receiver, which is fast. Its schedules are valid under wormhole switching too |
//! | crossing (`crossing`) | single hops; divides the steps of every link between its directions so that every processor can still receive all that it misses | all-gather on a half-duplex mesh with all ports and one processor per router: on square meshes it meets the distance bound, which needs every link in every step. Its schedules are valid under wormhole switching too |
//! | stepping (`stepper`) | paths as the rules allow; receivers that miss most choose first, and blocked transfers are rearranged | every other problem; under wormhole switching also besides spreading, because longer paths may help |
//! | stepping hop by hop (`stepper`) | the same, with single hops only | wormhole switching without personalised messages where spreading does not apply: single hops leave more channels to the other transfers of a step |
//!
//! A construction uses the first method that applies; after stepping it also tries stepping hop by
//! hop and keeps the shorter schedule. An attempt takes turns between all step-by-step methods that
//! apply (`methods`): each run undoes its last steps and builds them again (`builder`) until no
//! try improves it, then the next method begins.

mod bits;
mod board;
mod builder;
mod choice;
mod crossing;
mod demand;
mod hamilton;
mod log;
mod mesh;
mod passing;
mod personalised;
mod possession;
mod rotation;
mod sender_search;
mod shares;
mod spreading;
mod stepper;
mod tour;
mod trees;

use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use builder::Builder;
use crossing::CrossingRun;
use mesh::Mesh;
use pavane_model::{Duplex, MessageId, Model, Ports, Problem, ProcessorId, Schedule, Switching};
use spreading::Spreading;
use std::borrow::Cow;
use stepper::Stepper;

/// Number of deliveries from which symmetry is tried before everything else.
const MANY: usize = 1 << 17;

/// Number of deliveries up to which some runs are cheaper than the slow bounds.
const FEW: usize = 1 << 14;

/// Number of such runs.
const EARLY_RUNS: u64 = 32;

/// Largest number of trees with many deliveries, and otherwise: with more there is little to gain
/// over growing all of them.
const FEW_TREES: usize = 8;
const MOST_TREES: usize = 64;

/// Times that trees are grown in an attempt where spreading does not apply.
const TREE_TRIES: u32 = 8;

/// The engine for several messages, some of which have several destinations.
#[derive(Debug, Clone, Copy)]
pub struct Gossip;

impl Suitability for Gossip {
    fn takes(&self, problem: &Problem) -> bool {
        let messages = problem.messages();
        messages.len() > 1 && messages.delivery_count() > messages.len()
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        30
    }

    fn early_quota(&self, problem: &Problem) -> u64 {
        let deliveries = problem.messages().delivery_count();
        if deliveries <= FEW { EARLY_RUNS * deliveries as u64 } else { 0 }
    }
}

impl Engine for Gossip {
    fn describe(&self) -> Traits {
        Traits {
            name: "gossip",
            purpose: "matching step by step; several messages, some with several destinations",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        construct(context, budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let problem = context.problem();
        let found = rotation::find(problem, steps, budget, rng)
            .or_else(|| find(context, steps, budget, rng));
        found.map_or(Attempt::OutOfBudget, Attempt::Found)
    }
}

/// Builds a schedule without a limit on steps, for any list of messages under any rules.
pub fn greedy(context: &Context, rng: &mut Rng) -> Schedule {
    let problem = context.problem();
    let mut stepper = Stepper::new(problem);
    let mut no_limit = Budget::evaluations(u64::MAX);
    stepper.begin(0, rng);
    stepper.advance(u32::MAX, &mut no_limit, rng);
    stepper.log().schedule(problem)
}

/// Messages with the processors that must receive them: the destinations and, under
/// store-and-forward, processors on the way. Empty if every message is for all processors.
pub(crate) fn relays(problem: &Problem, rng: &mut Rng) -> Vec<(MessageId, ProcessorId)> {
    if !demand::has_bystanders(problem) {
        return Vec::new();
    }
    let demanded = demand::demanded(problem, 0, rng);
    let living = problem.network().living_processors();
    let rows = living.flat_map(|p| bits::ones(demanded.row(p.index())).map(move |m| (m, p)));
    rows.map(|(message, p)| (MessageId(message as u32), p)).collect()
}

fn construct(context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let problem = context.problem();
    if problem.model().ports == Ports::Limited(1)
        && let Some(schedule) = rotation::find(problem, u32::MAX, budget, rng)
    {
        return Some(schedule);
    }
    if problem.messages().delivery_count() >= MANY
        && let Some(schedule) = trees::find(context, FEW_TREES, budget, rng)
    {
        return Some(schedule);
    }
    if problem.messages().delivery_count() >= MANY && passing::applies(problem) {
        return passing::construct(problem, budget, rng);
    }
    let stepwise = under_store_and_forward(problem);
    let mut methods = methods(problem, stepwise.as_deref());
    if let [Method::Spreading(_), ..] = methods[..] {
        methods.truncate(1);
    }
    let mut best: Option<Schedule> = None;
    for method in methods {
        let built = build(problem, method.builder().as_mut(), budget, rng);
        let Some(built) = built else { break };
        if best.as_ref().is_none_or(|best| built.step_count() < best.step_count()) {
            best = Some(built);
        }
    }
    best
}

/// A step-by-step method, and the problem that it is for: with single hops only, if that is the
/// problem under store-and-forward.
#[derive(Debug, Clone, Copy)]
enum Method<'a> {
    Spreading(&'a Problem),
    Crossing(&'a Problem, Mesh),
    Stepping(&'a Problem),
}

impl<'a> Method<'a> {
    fn builder(self) -> Box<dyn Builder + 'a> {
        match self {
            Self::Spreading(problem) => Box::new(Spreading::new(problem)),
            Self::Crossing(problem, mesh) => Box::new(CrossingRun::new(problem, mesh)),
            Self::Stepping(problem) => Box::new(Stepper::new(problem)),
        }
    }
}

/// The step-by-step methods that apply, in order of preference. `stepwise` is the problem under
/// store-and-forward, if that is defined.
fn methods<'a>(problem: &'a Problem, stepwise: Option<&'a Problem>) -> Vec<Method<'a>> {
    let mut methods = Vec::new();
    methods.extend(stepwise.filter(|stepwise| can_spread(stepwise)).map(Method::Spreading));
    let is_spreading = !methods.is_empty();
    methods.extend(
        stepwise.and_then(|stepwise| Some(Method::Crossing(stepwise, Mesh::of(stepwise)?))),
    );
    if !is_spreading || problem.model().switching == Switching::Wormhole {
        methods.push(Method::Stepping(problem));
    }
    let worthwhile = stepwise.filter(|stepwise| is_store_and_forward_worthwhile(problem, stepwise));
    methods.extend(worthwhile.map(Method::Stepping));
    methods
}

fn build(
    problem: &Problem,
    builder: &mut dyn Builder,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    builder.begin(0, rng);
    let is_complete = builder.advance(u32::MAX, budget, rng) == 0;
    is_complete.then(|| builder.log().schedule(problem))
}

/// Whether store-and-forward steps may beat longer paths under wormhole switching, in a case where
/// `Spreading` does not apply.
fn is_store_and_forward_worthwhile(problem: &Problem, stepwise: &Problem) -> bool {
    let messages = problem.messages();
    problem.model().switching == Switching::Wormhole
        && messages.delivery_count() < MANY
        && !can_spread(stepwise)
        && messages.ids().all(|message| !messages.is_personalised(message))
}

/// Restarts until a schedule fits, taking turns between the step-by-step methods.
fn find(context: &Context, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let problem = context.problem();
    let stepwise = under_store_and_forward(problem);
    let methods = methods(problem, stepwise.as_deref());
    let mut builders: Vec<_> = methods.into_iter().map(Method::builder).collect();
    if passing::applies(problem)
        && let Some(schedule) = passing::find(context, steps, budget, rng)
    {
        return Some(schedule);
    }
    let half = budget.left() / 2;
    // Stepping takes longer than spreading, so there symmetry comes first, and several times.
    let can_spread = stepwise.as_deref().is_some_and(can_spread);
    let mut trees_left = if can_spread { 1 } else { TREE_TRIES };
    for number in 0.. {
        if trees_left > 0 && (!can_spread || budget.left() <= half) {
            let is_large = problem.messages().delivery_count() >= MANY;
            let most = if is_large { FEW_TREES } else { MOST_TREES };
            let schedule = trees::find(context, most, budget, rng);
            trees_left = if schedule.is_some() { trees_left - 1 } else { 0 };
            if let Some(schedule) = schedule.filter(|schedule| schedule.step_count() <= steps) {
                return Some(schedule);
            }
        }
        for builder in &mut builders {
            if builder::find(builder.as_mut(), steps, number..number + 1, budget, rng) {
                return Some(builder.log().schedule(problem));
            }
            if budget.is_over() {
                return None;
            }
        }
    }
    None
}

/// Whether a store-and-forward step splits by receiver: only channels are limited, and every
/// channel leads to one processor. Personalised messages are excluded, because they must not be
/// passed on freely.
fn can_spread(problem: &Problem) -> bool {
    let network = problem.network();
    let model = problem.model();
    model.ports == Ports::All
        && model.duplex == Duplex::Full
        && network.routers().all(|r| network.is_lost(r) || network.residents(r).len() == 1)
        && problem.messages().ids().all(|m| !problem.messages().is_personalised(m))
}

/// The problem under store-and-forward, if that is defined. Its schedules are also valid under
/// wormhole switching if no message is personalised.
fn under_store_and_forward(problem: &Problem) -> Option<Cow<'_, Problem>> {
    if problem.model().switching == Switching::StoreAndForward {
        return Some(Cow::Borrowed(problem));
    }
    problem
        .under(Model { switching: Switching::StoreAndForward, ..problem.model() })
        .ok()
        .map(Cow::Owned)
}

#[cfg(test)]
mod tests;
