//! All-to-all on balanced dragonflies: complete groups of `a` routers, one link between every two
//! groups, and `h = a / 2` of these links at every router, with `a` a power of two.
//!
//! A message between groups takes a channel within its group, the link between the groups, and a
//! channel within the other group. Within a group, the channel from router `r` to router `r ^ k`
//! has the class `k`. In every step, each group gives the `a` classes (0 is no channel) to the `h`
//! links of a router outwards and the `h` links inwards, one class to each, so that every
//! channel is used once and every router sends and receives `h` messages. The classes of group `A` in
//! step `t` are `q ^ c(A, t)` for the q-th link. Over the steps, the pair `c(A, t)`, `c(B, t)` must
//! take all pairs of values equally often for any two groups: an orthogonal array of strength two.
//! `c(A, t)` is the inner product of `t` and a point of the projective plane over the field with
//! `a` elements (Bose and Bush, 1952).
//!
//! Messages within groups, and those between groups whose shortest paths are different, follow in
//! further steps, by guided ejection. Messages of the second kind leave ports free in the pattern. If
//! routers have no more ports than it uses, these are needed: the ejection may also move the messages
//! of the steps with the most free ports (`loose_steps`), and the pattern is arranged such that a
//! quarter of its steps has nearly all of them (`alignment`).

mod alignment;
mod arrangement;
mod loose_steps;
mod pattern;

use super::super::exchange::{RouterExchange, places};
use super::super::guided_search::{GuidedSearch, Settings};
use super::super::layout::Layout;
use super::super::plans::TIGHT;
use super::super::weights::price_distances;
use super::board::WormholeBoard;
use super::graph::Graphs;
use super::greedy::{self, Placed};
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use arrangement::Arrangement;
use pattern::{GroupExchange, Pattern, Start, exchange};
use pavane_model::{Duplex, MessageId, Ports, Problem, Schedule, Switching};

/// From this number of messages on, other engines cannot compete.
const LARGE: usize = 200_000;

/// Average tries per message that the pattern does not place.
const SWEEPS: u64 = 400;

/// One in this many messages is not placed by the pattern, and so is one in this many steps.
const REST: u64 = 25;

/// Average tries per message of loose steps in a first search, if the pattern uses all ports, and the
/// share of messages and steps that are loose, as a divisor.
const LOOSE_SWEEPS: u64 = 20;
const LOOSE: u64 = 4;

/// The settings of a search with loose steps. A colder one keeps the messages of the pattern at their
/// places, and free ports where they are useless: from 3 to 2 it needs three times as many evaluations.
const LOOSE_SETTINGS: Settings = Settings { hot: 6.0, cold: 3.0, ..TIGHT };

/// A pattern of classes for all steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct BalancedGroups;

impl Suitability for BalancedGroups {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole
            && problem.model().duplex == Duplex::Full
            && Arrangement::new(problem.network()).is_some()
            && RouterExchange::new(problem).is_some_and(|exchange| is_roomy(&exchange, problem))
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        if context.problem().messages().len() >= LARGE { Fit::Sufficient } else { Fit::Useful }
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        10
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        if let Some(repetitions) = tight_repetitions(problem) {
            let messages = problem.messages().len() as u64 / u64::from(repetitions);
            return first_evaluations(messages, steps / repetitions);
        }
        let exchanged = problem.messages().len() as u64 / 2;
        SWEEPS * (1 + exchanged / REST) * (1 + u64::from(steps / 2) / REST)
    }
}

/// Whether the ports of a router are enough for its links, and the pattern can be repeated.
fn is_roomy(exchange: &RouterExchange, problem: &Problem) -> bool {
    let Some(arrangement) = Arrangement::new(problem.network()) else { return false };
    let processor = exchange.single.network().living_processors().next();
    let ports = processor.map_or(0, |first| exchange.single.send_ports(first));
    ports >= arrangement.links && exchange.copies().is_multiple_of(arrangement.size)
}

impl Engine for BalancedGroups {
    fn describe(&self) -> Traits {
        Traits {
            name: "balanced-groups",
            purpose: "a pattern for complete groups with one link between every two; all-to-all on balanced dragonflies, wormhole",
            aims_at_bound: true,
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let shared = exchange(context)?;
        let pattern = Pattern::new(&shared, interrupt, rng)?;
        let Some(share) = pattern.quick_steps() else {
            return construct_greedily(context, &shared, pattern, budget);
        };
        let messages = shared.context.problem().messages().len() as u64;
        let mut part = budget.part(first_evaluations(messages, share));
        let found = search(context, &shared, pattern, share, &mut part, rng);
        budget.spend(part.spent());
        found.or_else(|| {
            let pattern = Pattern::new(&shared, interrupt, rng)?;
            construct_greedily(context, &shared, pattern, budget)
        })
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let Some(shared) = exchange(context) else { return Attempt::OutOfBudget };
        let Some(pattern) = Pattern::new(&shared, interrupt, rng) else {
            return Attempt::OutOfBudget;
        };
        match search(context, &shared, pattern, steps / shared.repetitions(), budget, rng) {
            Some(found) if found.step_count() <= steps => Attempt::Found(found),
            Some(found) => Attempt::Longer(found),
            None => Attempt::OutOfBudget,
        }
    }
}

/// How often the pattern is repeated, if it uses all ports of a router in every step.
fn tight_repetitions(problem: &Problem) -> Option<u32> {
    let Ports::Limited(ports) = problem.model().ports else { return None };
    let (arrangement, places) = (Arrangement::new(problem.network())?, places(problem)? as u32);
    (ports * places == arrangement.links).then(|| places.pow(2) / arrangement.size)
}

/// Evaluations of a first search for an exchange of so many messages in so many steps, if the
/// pattern uses all ports.
fn first_evaluations(messages: u64, steps: u32) -> u64 {
    LOOSE_SWEEPS * (1 + messages / LOOSE) * (1 + u64::from(steps) / LOOSE)
}

/// Appends the messages without a place to the pattern.
fn construct_greedily(
    context: &Context,
    shared: &GroupExchange,
    mut pattern: Pattern<'_>,
    budget: &mut Budget,
) -> Option<Schedule> {
    let interrupt = &budget.interrupt().clone();
    let Start { mut draft, open, fixed, .. } = pattern.fixed_start(shared, interrupt);
    let layout = &pattern.layout;
    let mut graphs = Graphs::new(&shared.context, layout, 0, interrupt);
    let left = greedy::insert_all(layout, &mut graphs, &open, u32::MAX, interrupt, |placed| {
        draft.push(placed.message, fixed + placed.step, &placed.path);
        budget.spend(1);
    });
    let found = left.is_empty().then(|| draft.into_schedule(layout))?;
    shared.routers.expand(context.problem(), shared.count, &found)
}

/// Searches for a schedule whose repetitions take `share` steps each; messages that remain without a
/// place follow in further steps. `None` if their ports cannot suffice, or on interrupt.
fn search(
    context: &Context,
    shared: &GroupExchange,
    mut pattern: Pattern<'_>,
    share: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let interrupt = &budget.interrupt().clone();
    let Start { mut draft, loose, open, fixed } = pattern.start(shared, share, interrupt)?;
    let layout = &pattern.layout;
    let rest = share.checked_sub(fixed)?;
    if rest == 0 || least_steps(layout, &loose, &open) > rest {
        return None;
    }
    let settings = if loose.is_empty() { TIGHT } else { LOOSE_SETTINGS };
    let weights = price_distances(&shared.context, layout, interrupt)?;
    let mut graphs = Graphs::new(&shared.context, layout, 0, interrupt);
    let priced = (&weights[..], settings.price_share);
    let all = (&loose[..], &open[..]);
    let (board, pool) =
        WormholeBoard::filled(layout, &mut graphs, rest, all, priced, interrupt, rng)?;
    let mut search = GuidedSearch::new(board, pool, &weights, settings);
    let iterations = (budget.left() / u64::from(rest)).saturating_add(1);
    search.run(iterations, u64::from(rest), budget, rng);
    // The places of inner messages are found again when the schedule is expanded.
    let is_exchanged = |message: u32| !layout.is_inner(message);
    let placed = search.board.placed().filter(|&(message, ..)| is_exchanged(message));
    placed.for_each(|(message, step, path)| draft.push(message, fixed + step, path));
    let pool: Vec<u32> = search.pool.iter().copied().filter(|&m| is_exchanged(m)).collect();
    let (graphs, grace) = (search.board.into_graphs(), &interrupt.with_grace());
    let left = greedy::insert_all(layout, graphs, &pool, u32::MAX, grace, |placed| {
        draft.push(placed.message, share + placed.step, &placed.path);
    });
    let found = left.is_empty().then(|| draft.into_schedule(layout))?;
    shared.routers.expand(context.problem(), shared.count, &found)
}

/// Steps that the busiest router needs for the messages.
fn least_steps(layout: &Layout<'_>, loose: &[Placed], messages: &[u32]) -> u32 {
    let mut loads = vec![[0_u32; 2]; layout.problem.network().processor_count()];
    let mut most = 0;
    for message in loose.iter().map(|placed| placed.message).chain(messages.iter().copied()) {
        let (from, to) = layout.ends(MessageId(message));
        let rows = [(from, layout.send_rows(from)), (to, layout.receive_rows(to))];
        for (direction, (processor, ports)) in rows.into_iter().enumerate() {
            let load = &mut loads[processor.index()][direction];
            *load += 1;
            if !ports.is_empty() {
                most = most.max(load.div_ceil(ports.len() as u32));
            }
        }
    }
    most
}
