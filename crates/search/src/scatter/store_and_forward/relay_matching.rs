//! Store-and-forward with few ports. First chooses paths (on trees, also routes to several
//! destinations) that load all ports evenly. Then computes for every step a matching of send and
//! receive ports that serves the most loaded ports first. If the hops of a message had no order, an
//! edge colouring of the transfers with as many colours as the largest load would be a schedule
//! (Kőnig). Messages with the longest remaining path leave first, so the order seldom matters.

mod costs;
mod edge;
mod loads;
mod paths;
mod step;
mod stored_hops;
mod tolls;
mod tree;
mod walk;

use super::super::layout::Layout;
use super::super::plans::LONGEST_DETOUR;
use super::super::weights::is_personalised;
use super::legs::{Leg, NONE, to_schedule};
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use loads::Loads;
use paths::Paths;
use pavane_model::{Problem, Schedule, Switching};
use std::collections::BinaryHeap;
use step::MatchingStep;

/// Runs (routing and matching) that a first attempt has evaluations for, and sweeps of routing in each
/// run.
const RUNS: u64 = 8;
const SWEEPS: u64 = 50;

/// Most runs of an attempt.
const MOST_RUNS: u64 = 32;

/// Evenly loaded paths, and a matching for every step.
#[derive(Debug, Clone, Copy, Default)]
pub struct RelayMatching;

impl Suitability for RelayMatching {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::StoreAndForward
            && (is_personalised(problem) || tree::is_tree(problem))
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        25
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let hops = problem.messages().delivery_count() as u64;
        RUNS * (SWEEPS * hops + problem.network().channel_count() as u64 * u64::from(steps))
    }
}

impl Engine for RelayMatching {
    fn describe(&self) -> Traits {
        Traits {
            name: "relay-matching",
            purpose: "balanced loads, then a matching of ports for every step; personalised messages on trees, store-and-forward",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let layout = layout(context.problem(), budget.interrupt());
        let mut paths = Paths::new(&layout, 0, budget, rng)?;
        paths.even_out(&layout, budget, rng);
        run(&layout, &paths, u32::MAX, budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let Some(prices) = context.prices(interrupt) else { return Attempt::OutOfBudget };
        let layout = layout(context.problem(), interrupt);
        let detour = rng.below(layout.most_detour().min(LONGEST_DETOUR) as usize + 1) as u32;
        let Some(mut paths) = Paths::new(&layout, detour, budget, rng) else {
            return Attempt::OutOfBudget;
        };
        let mut longer: Option<Schedule> = None;
        for number in 0..MOST_RUNS {
            // Neither way is better for all problems, so they alternate.
            if !number.is_multiple_of(2) {
                paths.even_out(&layout, budget, rng);
                paths.mend(&layout, steps, budget, rng);
            } else if !paths.settle(&layout, prices, steps, budget, rng) {
                break;
            }
            let least = longer.as_ref().map_or(u32::MAX, Schedule::step_count);
            // A schedule that only improves on the best is still useful.
            let limit = least.saturating_sub(1).max(steps);
            match run(&layout, &paths, limit, budget, rng) {
                Some(found) if found.step_count() <= steps => return Attempt::Found(found),
                found => longer = found.or(longer),
            }
            if budget.is_over() {
                break;
            }
        }
        longer.map_or(Attempt::OutOfBudget, Attempt::Longer)
    }
}

fn layout<'p>(problem: &'p Problem, interrupt: &Interrupt) -> Layout<'p> {
    Layout::new(problem, &vec![1.0; problem.network().channel_count()], interrupt)
}

/// Follows the paths step by step; `None` if that takes more than `limit` steps, or if the budget
/// runs out.
fn run(
    layout: &Layout<'_>,
    paths: &Paths,
    limit: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let edges = paths.edges();
    let mut loads: Loads = paths.loads.clone();
    let mut step = MatchingStep::new(layout, edges);
    let mut waiting: Vec<BinaryHeap<Waiting>> = vec![BinaryHeap::new(); edges.len()];
    let mut left = 0;
    let mut arrived: Vec<(u32, Waiting)> = Vec::new();
    for message in 0..paths.count() as u32 {
        let way = paths.of(message);
        left += way.len();
        let origin = edges[way[0] as usize].from;
        let first = way.iter().take_while(|&&edge| edges[edge as usize].from == origin).count();
        for at in 0..first as u32 {
            let entry = (paths.rest(message, at).0, rng.bits() as u32, message, at);
            waiting[way[at as usize] as usize].push(entry);
        }
    }
    let mut legs = Vec::new();
    for number in 0..limit {
        if left == 0 {
            break;
        }
        if loads.largest() > limit - number {
            return None;
        }
        step.choose(layout, edges, &loads, |edge| !waiting[edge as usize].is_empty(), rng);
        if !budget.spend(edges.len() as u64) {
            return None;
        }
        for &edge in step.chosen() {
            let ends = edges[edge as usize];
            let (_, _, message, at) =
                waiting[edge as usize].pop().expect("only edges with waiting messages are chosen");
            loads.add(layout, ends, -1);
            legs.push((
                message,
                Leg {
                    step: number,
                    from: ends.from,
                    to: ends.to,
                    channel: ends.channel,
                    send_row: NONE,
                    receive_row: NONE,
                },
            ));
            left -= 1;
            let way = paths.of(message);
            let is_next = |&next: &u32| edges[way[next as usize] as usize].from == ends.to;
            let later = paths.rest(message, at).1..way.len() as u32;
            for next in later.take_while(is_next) {
                let entry = (paths.rest(message, next).0, rng.bits() as u32, message, next);
                arrived.push((way[next as usize], entry));
            }
        }
        for (edge, entry) in arrived.drain(..) {
            waiting[edge as usize].push(entry);
        }
    }
    (left == 0).then(|| to_schedule(legs))
}

/// A message that waits for a hop: remaining path length, random tie-break, message, and index of
/// the hop. The longest remaining path comes first.
type Waiting = (u32, u32, u32, u32);
