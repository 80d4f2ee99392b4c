//! Personalised messages under wormhole switching on symmetric networks: the search places one base
//! message per orbit, and the group determines the places of its images. The group also permutes
//! the steps.

mod board;
mod choice;
mod folding;
mod found;
mod graphs;
mod packing;
mod rows;
mod steps;
mod tiles;
mod usable;

pub use packing::Packing;

use super::super::action::Action;
use super::super::guided_search::{GuidedSearch, Settings};
use super::super::layout::Layout;
use super::super::plans::{self, LONGEST_DETOUR, TIGHT, UNEVEN};
use super::super::weights::{is_personalised, longest_first, priced_layout, weights};
use super::board::WormholeBoard;
use super::draft::Draft;
use super::graph::Graphs;
use super::greedy;
use super::grid::LANES;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use crate::symmetry::{FreeGroup, Freedom, Subgroup, find_free_group, greatest_common_divisor};
use board::{Ground, OrbitBoard};
use choice::Palette;
use found::{Found, unfold};
use graphs::BaseGraphs;
use pavane_model::{MessageId, Problem, Schedule, Switching};
use rows::FoldedRows;
use steps::Steps;

/// Average tries per base message in the first search of an attempt.
const SWEEPS: u64 = 150;

/// Minimum number of searches among which a large quota is divided.
const RUNS: u64 = 4;

/// Number of subgroups for which tilings are tried, and evaluations per base message for each.
const FOLDINGS: usize = 32;
const TILING: u64 = 500;

/// Tries per leftover message when they are packed into extra steps.
const LAST_SWEEPS: u64 = 200;

/// Evaluations charged for finding a group and computing its action.
const PREPARATION: u64 = 100_000;

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// Final temperature when there are few orbits; below it, no move is accepted any more.
const WARM: f32 = 0.4;

/// Maximum number of extra steps that the whole group fixes.
const MOST_EXTRA: usize = 4;

/// A group is too small if there are more base messages than this many times its order.
const TOO_MANY: usize = 8;

/// Maximum number of unplaced orbits for which a longer schedule is still built.
const FEW: usize = 3;

/// Number of base messages above which only [`MOST_BLOCKS`] blocks of steps are priced for a message.
/// Messages then differ so much that more sweeps are worth more than the cheapest of all steps.
const MANY_BASES: usize = 1000;
const MOST_BLOCKS: usize = 6;

/// Guided ejection of whole orbits for personalised messages under wormhole switching.
#[derive(Debug, Clone, Copy, Default)]
pub struct Orbits;

impl Suitability for Orbits {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_personalised(problem)
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        Fit::useful_if(usable::has_group(context, interrupt))
    }

    fn cost(&self, _: &Problem, steps: u32) -> u64 {
        // Trying a place is slow; comparing steps is fast.
        u64::from(1 + 400 / steps.max(1))
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        plans::first_quota(problem, steps).max(LEAST_QUOTA)
    }
}

impl Engine for Orbits {
    fn describe(&self) -> Traits {
        Traits {
            name: "orbits",
            purpose: "guided ejection of whole orbits on symmetric networks; personalised messages, wormhole",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    /// Fills steps that the whole group fixes, one after the other. This is enough for hypercubes.
    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        let interrupt = &budget.interrupt().clone();
        let group = context.free_group(interrupt)?.clone();
        let even = vec![1.0; problem.network().channel_count()];
        let layout = Layout::new(problem, &even, interrupt);
        let action = Action::new(&layout, group, interrupt)?;
        let whole = Subgroup::whole(&action.group);
        let one = Steps::new(&action.group, std::slice::from_ref(&whole));
        let rows = FoldedRows::new(&action, &one)?;
        let graphs = BaseGraphs::new(&action, &rows, 0, interrupt)?;
        let hops: f32 = graphs.price_distances(&rows.prices(&action.layout.price)).iter().sum();
        if hops.is_infinite() {
            return None;
        }
        let least = (hops / rows.count as f32).ceil() as usize;
        let most = (least + least / 4 + 1).max(busiest_port(&action, &rows));
        let copies = vec![whole; most];
        let search = OrbitSearch { action: &action, copies, settings: TIGHT, detour: 0 };
        let found = search.run(0, 0, budget, rng)?;
        finish(context, &layout, found, budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let Some(symmetries) = context.symmetries(interrupt) else { return Attempt::OutOfBudget };
        let Some(layout) = priced_layout(context, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let mut sweeps = SWEEPS;
        let quota = budget.left();
        let mut best: Option<Schedule> = None;
        if let Some(schedule) = tile(context, &layout, steps, budget, rng) {
            return Attempt::Found(schedule);
        }
        while !budget.is_over() {
            let freedom = if rng.chance(0.25) { Freedom::Pairs } else { Freedom::Processors };
            let network = context.problem().network();
            let group = find_free_group(network, symmetries, freedom, interrupt, rng);
            if !budget.spend(PREPARATION) {
                break;
            }
            let Some(action) = Action::new(&layout, group, interrupt) else { continue };
            let palette = Palette::new(&action, rng);
            let sweep = action.bases.len() as u64 * u64::from(steps);
            sweeps = sweeps.max(quota / RUNS / sweep.max(1));
            for _ in 0..3 {
                let Some((group, copies)) = choose(&action, &palette, steps, rng) else { continue };
                let smaller;
                let action = match group {
                    None => &action,
                    Some(group) => {
                        let Some(found) = Action::new(&layout, group, interrupt) else { continue };
                        smaller = found;
                        &smaller
                    }
                };
                let settings = match rng.below(4) {
                    0 => TIGHT,
                    3 if !layout.is_even() => UNEVEN,
                    _ => Settings { cold: WARM, ..TIGHT },
                };
                let most = layout.useful_detour(steps).min(LONGEST_DETOUR);
                let detour = if rng.chance(0.5) { 0 } else { rng.below(most as usize + 1) as u32 };
                let search = OrbitSearch { action, copies, settings, detour };
                let Some(found) = search.run(sweeps, FEW, budget, rng) else { continue };
                let is_found = found.open.is_empty() && found.steps <= steps;
                let Some(schedule) = finish(context, &layout, found, budget, rng) else { break };
                if is_found {
                    return Attempt::Found(schedule);
                }
                if best.as_ref().is_none_or(|best| schedule.step_count() < best.step_count()) {
                    best = Some(schedule);
                }
                if budget.is_over() {
                    break;
                }
            }
            sweeps += sweeps / 2;
        }
        best.map_or(Attempt::OutOfBudget, Attempt::Longer)
    }
}

/// The most base messages per port of one orbit of processors.
fn busiest_port(action: &Action<'_>, rows: &FoldedRows) -> usize {
    let mut load = vec![0_usize; rows.count];
    let mut most = 0;
    for &message in &action.bases {
        let (from, to) = action.layout.ends(MessageId(message));
        for ports in [action.layout.send_rows(from), action.layout.receive_rows(to)] {
            if !ports.is_empty() {
                let load = &mut load[rows.of_row[ports.start as usize] as usize];
                *load += 1;
                most = most.max(load.div_ceil(ports.len()));
            }
        }
    }
    most
}

/// Tries to partition the messages into tiles under several subgroups, with growing effort.
fn tile(
    context: &Context,
    layout: &Layout<'_>,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let interrupt = &budget.interrupt().clone();
    let group = context.abelian_group(interrupt)?;
    if greatest_common_divisor(u64::from(steps), group.order() as u64) == 1 {
        return None;
    }
    let action = Action::new(layout, group.clone(), interrupt)?;
    budget.spend(PREPARATION);
    let end = budget.left() / 2;
    for round in 0..FOLDINGS {
        budget.spend(PREPARATION);
        let subgroup = folding::find(&action, steps, rng)?;
        let patience = (TILING << (round / 8)) * action.bases.len() as u64;
        let mut part = budget.part(patience.min(budget.left().saturating_sub(end)));
        let found = tiles::find(&action, subgroup, steps, &mut part, rng);
        budget.spend(part.spent());
        if let Some(found) = found {
            return Some(found.draft.into_schedule(layout));
        }
        if budget.is_over() || budget.left() <= end {
            break;
        }
    }
    None
}

/// Chooses the subgroups whose coset spaces are the steps and, possibly, a smaller acting group.
fn choose(
    action: &Action<'_>,
    palette: &Palette,
    steps: u32,
    rng: &mut Rng,
) -> Option<(Option<FreeGroup>, Vec<Subgroup>)> {
    match rng.below(8) {
        0..=2 => palette.uniform(steps, rng).map(|copies| (None, copies)),
        3 | 4 => {
            // A few extra steps hold short messages and give the others some slack.
            let mut copies = palette.uniform(steps, rng)?;
            let extra = 1 + rng.below(MOST_EXTRA);
            copies.extend(vec![Subgroup::whole(&action.group); extra]);
            Some((None, copies))
        }
        // Empty if no subgroup leaves room for paths.
        5 | 6 => Some((None, palette.mixed(steps, rng))).filter(|(_, copies)| !copies.is_empty()),
        _ => {
            let smaller = palette.smaller(steps, rng)?;
            if action.bases.len() * action.group.order() > TOO_MANY * smaller.order().pow(2) {
                return None;
            }
            let copies = vec![Subgroup::trivial(); steps as usize / smaller.order()];
            Some((Some(action.group.restricted_to(smaller.members())), copies))
        }
    }
}

/// One search: the action, the subgroups that define the steps, and its parameters.
struct OrbitSearch<'a> {
    action: &'a Action<'a>,
    copies: Vec<Subgroup>,
    settings: Settings,
    detour: u32,
}

impl OrbitSearch<'_> {
    /// Places the orbits; `None` if more than `most` of them stay unplaced, if some message has no
    /// path, or on interrupt.
    fn run(self, sweeps: u64, most: usize, budget: &mut Budget, rng: &mut Rng) -> Option<Found> {
        let Self { action, copies, settings, detour } = self;
        let steps = Steps::new(&action.group, &copies);
        let rows = FoldedRows::new(action, &steps)?;
        let graphs = BaseGraphs::new(action, &rows, detour, budget.interrupt())?;
        let mut price = rows.prices(&action.layout.price);
        let distances = graphs.price_distances(&price);
        if distances.iter().any(|distance| distance.is_infinite()) {
            return None;
        }
        let mean = distances.iter().sum::<f32>() / distances.len() as f32;
        let weights: Vec<f32> = distances.iter().map(|distance| (distance * mean).sqrt()).collect();
        price.iter_mut().for_each(|price| *price *= settings.price_share);
        let (count, window) = (steps.count, window(distances.len(), steps.count, rng));
        let ground = Ground { action, steps, rows, graphs, detour };
        let interrupt = &budget.interrupt().clone();
        let mut board = OrbitBoard::new(&ground, price, window, interrupt, rng)?;
        let pool = board.fill(&longest_first(&distances, rng), &weights, interrupt, rng);
        let mut search = GuidedSearch::new(board, pool, &weights, settings);
        let work = u64::from(count).min((window * LANES) as u64);
        search.run(sweeps * weights.len() as u64, work, budget, rng);
        if search.pool.len() > most {
            return None;
        }
        let mut draft = Draft::default();
        let mut pace = Budget::unlimited(&interrupt.with_grace());
        for (base, step, path) in search.board.placed() {
            if !pace.spend((action.group.order() * (1 + path.len())) as u64) {
                return None;
            }
            unfold(&ground, action.bases[base as usize], step, path, &mut draft);
        }
        let members = 0..action.group.order() as u32;
        let images = |&base: &u32| {
            let message = action.bases[base as usize];
            members.clone().map(move |member| action.message_image(member, message))
        };
        let open = search.pool.iter().flat_map(images).collect();
        Some(Found { draft, steps: count, open })
    }
}

/// Blocks of steps that are priced for a message.
fn window(bases: usize, steps: u32, rng: &mut Rng) -> usize {
    let blocks = (steps as usize).div_ceil(LANES);
    if bases > MANY_BASES {
        blocks.min(MOST_BLOCKS)
    } else if rng.chance(0.25) {
        (2 * blocks).div_ceil(3)
    } else {
        blocks
    }
}

/// Packs the unplaced messages into as few extra steps as a short search finds; `None` if that
/// takes too long after the deadline.
fn finish(
    context: &Context,
    layout: &Layout<'_>,
    found: Found,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let Found { mut draft, steps, open } = found;
    if open.is_empty() {
        return Some(draft.into_schedule(layout));
    }
    let interrupt = &budget.interrupt().with_grace();
    let mut graphs = Graphs::new(context, layout, 0, interrupt);
    let mut rest = Draft::default();
    let mut most = 0;
    let left = greedy::insert_all(layout, &mut graphs, &open, u32::MAX, interrupt, |placed| {
        rest.push(placed.message, placed.step, &placed.path);
        most = most.max(placed.step + 1);
    });
    if !left.is_empty() {
        return None;
    }
    let weights = weights(context, layout, interrupt)?;
    for fewer in (1..most).rev() {
        let priced = (&weights[..], TIGHT.price_share);
        let filled =
            WormholeBoard::filled(layout, &mut graphs, fewer, (&[], &open), priced, interrupt, rng);
        let Some((board, pool)) = filled else { break };
        let mut search = GuidedSearch::new(board, pool, &weights, TIGHT);
        let iterations = LAST_SWEEPS * open.len() as u64;
        if !search.run(iterations, u64::from(fewer), budget, rng) {
            break;
        }
        rest = Draft::default();
        for (message, step, path) in search.board.placed() {
            rest.push(message, step, path);
        }
    }
    draft.append(rest, steps);
    Some(draft.into_schedule(layout))
}
