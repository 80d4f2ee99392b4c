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
//! further steps, by guided ejection.

mod arrangement;

use super::super::exchange::RouterExchange;
use super::super::guided_search::GuidedSearch;
use super::super::layout::Layout;
use super::super::plans::{TIGHT, without};
use super::super::weights::{longest_first, price_distances, priced_layout};
use super::board::WormholeBoard;
use super::draft::Draft;
use super::graph::Graphs;
use super::greedy;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::facts::Known;
use crate::rng::Rng;
use arrangement::Arrangement;
use pavane_model::{Duplex, MessageId, Problem, Schedule, Switching};
use std::sync::Arc;

/// From this number of messages on, other engines cannot compete.
const LARGE: usize = 200_000;

/// Average tries per message that the pattern does not place.
const SWEEPS: u64 = 400;

/// One in this many messages is not placed by the pattern, and so is one in this many steps.
const REST: u64 = 25;

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
        let Pattern { layout, mut draft, open, steps } = Pattern::new(&shared, interrupt, rng)?;
        let mut graphs = Graphs::new(&shared.context, &layout, 0, interrupt);
        let left = greedy::insert_all(&layout, &mut graphs, &open, u32::MAX, interrupt, |placed| {
            draft.push(placed.message, steps + placed.step, &placed.path);
            budget.spend(1);
        });
        if !left.is_empty() {
            return None;
        }
        shared.routers.expand(context.problem(), shared.count, &draft.into_schedule(&layout))
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        self.search(context, steps, budget, rng).unwrap_or(Attempt::OutOfBudget)
    }
}

impl BalancedGroups {
    fn search(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Attempt> {
        let interrupt = &budget.interrupt().clone();
        let shared = exchange(context)?;
        let pattern = Pattern::new(&shared, interrupt, rng)?;
        let Pattern { layout, mut draft, open, steps: first } = pattern;
        let share = steps / (shared.routers.copies() / shared.count);
        let rest = share.checked_sub(first)?;
        if rest == 0 || least_steps(&layout, &open) > rest {
            return None;
        }
        let weights = price_distances(&shared.context, &layout, interrupt)?;
        let mut graphs = Graphs::new(&shared.context, &layout, 0, interrupt);
        let priced = (&weights[..], TIGHT.price_share);
        let all = (&[][..], &open[..]);
        let (board, pool) =
            WormholeBoard::filled(&layout, &mut graphs, rest, all, priced, interrupt, rng)?;
        let mut search = GuidedSearch::new(board, pool, &weights, TIGHT);
        let iterations = (budget.left() / u64::from(rest)).saturating_add(1);
        search.run(iterations, u64::from(rest), budget, rng);
        draft.append(search.board.draft(), first);
        let (pool, grace) = (std::mem::take(&mut search.pool), &interrupt.with_grace());
        let graphs = search.board.into_graphs();
        let left = greedy::insert_all(&layout, graphs, &pool, u32::MAX, grace, |placed| {
            draft.push(placed.message, share + placed.step, &placed.path);
        });
        if !left.is_empty() {
            return None;
        }
        let found = draft.into_schedule(&layout);
        let found = shared.routers.expand(context.problem(), shared.count, &found)?;
        let is_short = found.step_count() <= steps;
        Some(if is_short { Attempt::Found(found) } else { Attempt::Longer(found) })
    }
}

/// The exchange between routers, with as many messages per pair as the pattern has.
#[derive(Debug)]
struct GroupExchange {
    routers: RouterExchange,
    arrangement: Arrangement,
    count: u32,
    context: Context,
}

#[derive(Debug, Default)]
struct Shared(Known<Option<Arc<GroupExchange>>>);

fn exchange(context: &Context) -> Option<Arc<GroupExchange>> {
    let find = || {
        let problem = context.problem();
        let arrangement = Arrangement::new(problem.network())?;
        let routers = RouterExchange::new(problem)?;
        let count = arrangement.size;
        let context = Context::new(routers.multiplied(count)?);
        // The pattern uses all channels alike.
        context.set_prices(Some(&vec![1.0; problem.network().channel_count()]));
        Some(Arc::new(GroupExchange { routers, arrangement, count, context }))
    };
    context.facts_of::<Shared>().0.get(|| Some(find()))?.clone()
}

/// The messages that the pattern places, and those beside them.
struct Pattern<'a> {
    layout: Layout<'a>,
    draft: Draft,
    /// The messages without a place.
    open: Vec<u32>,
    steps: u32,
}

impl<'a> Pattern<'a> {
    /// Places messages between groups on paths that the routing allows, and others where they fit
    /// beside them; `None` on interrupt.
    fn new(exchange: &'a GroupExchange, interrupt: &Interrupt, rng: &mut Rng) -> Option<Self> {
        let context = &exchange.context;
        let layout = priced_layout(context, interrupt)?;
        let (kept, steps) = exchange.arrangement.place(&layout, exchange.count, interrupt)?;
        let order = longest_first(&price_distances(context, &layout, interrupt)?, rng);
        let order = without(order, kept.iter().map(|placed| placed.message));
        let mut draft = Draft::default();
        kept.iter().for_each(|placed| draft.push(placed.message, placed.step, &placed.path));
        let mut graphs = Graphs::new(context, &layout, 0, interrupt);
        let all = (&kept[..], &order[..]);
        let open = greedy::insert_beside(&layout, &mut graphs, all, steps, interrupt, |placed| {
            draft.push(placed.message, placed.step, &placed.path);
        });
        Some(Self { layout, draft, open, steps })
    }
}

/// Steps that the busiest router needs for the messages.
fn least_steps(layout: &Layout<'_>, messages: &[u32]) -> u32 {
    let mut loads = vec![[0_u32; 2]; layout.problem.network().processor_count()];
    let mut most = 0;
    for &message in messages {
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
