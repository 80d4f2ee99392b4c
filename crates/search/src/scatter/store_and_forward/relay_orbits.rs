//! Personalised messages under store-and-forward on symmetric networks: the search places one base
//! message per orbit, and its images make the corresponding hops in the same steps. The steps of a
//! message are ordered, so the group fixes every step and the network folds into a small one. On a
//! Cayley network all processors apply the same generators at once, and the search chooses the
//! generator sequences of one processor's messages.

use super::super::action::Action;
use super::super::guided_search::{GuidedSearch, Settings};
use super::super::layout::Layout;
use super::super::plans::{self, LONGEST_DETOUR, TIGHT, UNEVEN};
use super::super::subtrees::Subtrees;
use super::super::weights::{is_personalised, longest_first, price_distances_of, priced_layout};
use super::board::RelayBoard;
use super::greedy::insert_all;
use super::legs::{Leg, NONE};
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use crate::symmetry::{FreeGroup, Freedom, MessageOrder, find_free_group, subgroup_chain};
use pavane_model::collective::{Collective, ListedMessage};
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, Schedule, Switching, Transfer};

/// Average tries per base message in the first search of an attempt.
const SWEEPS: u64 = 100;

/// Minimum number of searches among which a large quota is divided.
const RUNS: u64 = 8;

/// Evaluations charged for finding a group and computing its action.
const PREPARATION: u64 = 100_000;

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// Probability of going on to the next smaller subgroup of a chain.
const SMALLER: f64 = 0.5;

/// Final temperature when there are few base messages; below it, no move is accepted any more.
const WARM: f32 = 0.4;

/// Guided ejection of whole orbits for personalised messages under store-and-forward.
#[derive(Debug, Clone, Copy, Default)]
pub struct RelayOrbits;

impl Suitability for RelayOrbits {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::StoreAndForward && is_personalised(problem)
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        // For one sender, the tree engine needs no search for symmetries.
        let is_useful = is_personalised(context.problem())
            && !Subtrees.takes(context.problem())
            && acting_group(context, interrupt).is_some();
        Fit::useful_if(is_useful)
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        3
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        plans::first_quota(problem, steps).max(LEAST_QUOTA)
    }
}

impl Engine for RelayOrbits {
    fn describe(&self) -> Traits {
        Traits {
            name: "relay-orbits",
            purpose: "guided ejection of whole orbits on symmetric networks; personalised messages, store-and-forward",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        let interrupt = &budget.interrupt().clone();
        let even = vec![1.0; problem.network().channel_count()];
        let whole = Layout::new(problem, &even, interrupt);
        let action = Action::new(&whole, acting_group(context, interrupt)?, interrupt)?;
        let bases = base_problem(&action)?;
        let folded = whole.folded(&action, &bases, interrupt);
        let order = longest_first(&base_distances(&folded, interrupt)?, rng);
        let mut all_legs = Vec::new();
        let left = insert_all(&folded, &order, u32::MAX, interrupt, |base, legs| {
            all_legs.extend(legs.iter().map(|&leg| (base, leg)));
            budget.spend(1);
        });
        left.is_empty().then(|| unfold(&action, all_legs, interrupt)).flatten()
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
        let network = context.problem().network();
        let Some(whole) = priced_layout(context, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let quota = budget.left();
        let mut sweeps = SWEEPS;
        let mut first = acting_group(context, interrupt);
        while !budget.is_over() && budget.spend(PREPARATION) {
            let group = first.take().unwrap_or_else(|| {
                let freedom = if rng.chance(0.25) { Freedom::Pairs } else { Freedom::Processors };
                let group = find_free_group(network, symmetries, freedom, interrupt, rng);
                part_of(group, rng)
            });
            let Some(action) = Action::new(&whole, group, interrupt) else { continue };
            let work = action.bases.len() as u64 * u64::from(steps);
            sweeps = sweeps.max(quota / RUNS / work.max(1));
            if let Some(schedule) = search(&action, &whole, steps, sweeps, budget, rng) {
                return Attempt::Found(schedule);
            }
            sweeps += sweeps / 8;
        }
        Attempt::OutOfBudget
    }
}

/// The group to try first.
fn acting_group(context: &Context, interrupt: &Interrupt) -> Option<FreeGroup> {
    let symmetries = context.symmetries(interrupt)?;
    let messages = MessageOrder::new(context.problem());
    let acting = |group: FreeGroup| {
        Some(messages.keepers(group, interrupt)).filter(|group| group.order() > 1)
    };
    context.free_group(interrupt).cloned().and_then(acting).or_else(|| {
        let (network, rng) = (context.problem().network(), &mut Rng::seeded(0));
        acting(find_free_group(network, symmetries, Freedom::Pairs, interrupt, rng))
    })
}

/// The group or one of its subgroups, larger ones more often. Whole orbits may not divide evenly
/// among the rows, and a smaller group gives smaller orbits.
fn part_of(group: FreeGroup, rng: &mut Rng) -> FreeGroup {
    let mut chain = subgroup_chain(&group, rng);
    while chain.len() > 2 && rng.chance(SMALLER) {
        chain.pop();
    }
    match chain.pop() {
        Some(part) if part.order() < group.order() => group.restricted_to(part.members()),
        _ => group,
    }
}

/// The problem with one message per orbit; `None` if it is not a valid problem.
fn base_problem(action: &Action<'_>) -> Option<Problem> {
    let problem = action.layout.problem;
    let list = action.bases.iter().map(|&message| {
        let (from, to) = action.layout.ends(MessageId(message));
        ListedMessage { from, to: vec![to] }
    });
    let collective = Collective::listed("bases", list.collect());
    Problem::new(problem.network().clone(), collective, problem.model()).ok()
}

/// The price-distance of every base message; `None` if one has no path, or on interrupt.
fn base_distances(folded: &Layout<'_>, interrupt: &Interrupt) -> Option<Vec<f32>> {
    let bases: Vec<MessageId> = folded.problem.messages().ids().collect();
    let distances = price_distances_of(&bases, folded, interrupt)?;
    distances.iter().all(|distance| distance.is_finite()).then_some(distances)
}

fn search(
    action: &Action<'_>,
    whole: &Layout<'_>,
    steps: u32,
    sweeps: u64,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let bases = base_problem(action)?;
    let interrupt = &budget.interrupt().clone();
    let folded = whole.folded(action, &bases, interrupt);
    let distances = base_distances(&folded, interrupt)?;
    let mean = distances.iter().sum::<f32>() / distances.len() as f32;
    let weights: Vec<f32> = distances.iter().map(|distance| (distance * mean).sqrt()).collect();
    let settings = match rng.below(4) {
        0 => TIGHT,
        3 if !whole.is_even() => UNEVEN,
        _ => Settings { cold: WARM, ..TIGHT },
    };
    let most = whole.most_detour().min(LONGEST_DETOUR);
    let detour = if rng.chance(0.5) { 0 } else { rng.below(most as usize + 1) as u32 };
    let order = longest_first(&distances, rng);
    let priced = (&weights[..], settings.price_share);
    let (board, pool) =
        RelayBoard::filled(&folded, detour, steps, (&[], &order), priced, interrupt, rng)?;
    let mut search = GuidedSearch::new(board, pool, &weights, settings);
    let iterations = sweeps * weights.len() as u64;
    let is_found = search.run(iterations, u64::from(steps), budget, rng);
    is_found.then(|| unfold(action, search.board.all_legs(), interrupt)).flatten()
}

/// Builds a schedule from the legs of the base messages and all their images; `None` on interrupt.
fn unfold(
    action: &Action<'_>,
    mut legs: Vec<(u32, Leg)>,
    interrupt: &Interrupt,
) -> Option<Schedule> {
    legs.sort_unstable_by_key(|&(base, leg)| (leg.step, base));
    let steps = legs.last().map_or(0, |(_, leg)| leg.step + 1);
    let mut schedule = Schedule::new();
    let mut next = legs.iter().peekable();
    for step in 0..steps {
        schedule.start_step();
        while let Some(&(base, leg)) = next.next_if(|(_, leg)| leg.step == step) {
            if interrupt.is_raised() {
                return None;
            }
            for member in 0..action.group.order() as u32 {
                let image = |processor| action.processor_image(member, ProcessorId(processor));
                let message = action.message_image(member, action.bases[base as usize]);
                let channel = match leg.channel {
                    NONE => None,
                    channel => Some(ChannelId(action.image(member, channel))),
                };
                schedule.push(Transfer {
                    message: MessageId(message),
                    from: image(leg.from),
                    to: image(leg.to),
                    path: channel.as_slice(),
                });
            }
        }
    }
    Some(schedule)
}
