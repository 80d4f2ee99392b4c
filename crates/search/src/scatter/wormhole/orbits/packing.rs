//! Packing by satisfiability: the paths of every base message are listed, and a SAT solver chooses
//! a path and a step for each so that no row is used twice. A group of automorphisms makes the
//! formula small. Where the messages leave no slack, every row must be used in every step, and
//! clauses that say so guide the solver.

mod formula;
mod paths;

use super::super::super::action::Action;
use super::super::super::layout::Layout;
use super::super::super::weights::{is_personalised, priced_layout};
use super::super::draft::Draft;
use super::board::Ground;
use super::choice::Palette;
use super::graphs::BaseGraphs;
use super::rows::FoldedRows;
use super::steps::Steps;
use super::usable;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::exact::find_model;
use crate::rng::Rng;
use crate::symmetry::{Freedom, Subgroup, find_free_group};
use formula::Formula;
use pavane_model::{Problem, Switching};

/// Messages up to which it is used, and base messages up to which a group is tried.
const MOST_MESSAGES: usize = 2000;
const MOST_BASES: usize = 350;

/// Evaluations of a first attempt.
const FIRST_QUOTA: u64 = 20_000_000;

/// Evaluations charged for finding a group and computing its action, and the same per message.
const PREPARATION: u64 = 2_000;
const PER_MESSAGE: u64 = 40;

/// Groups that are drawn at a time, and how often. Those with the fewest base messages are tried
/// first: their formulas are decided soonest.
const DRAWS: usize = 12;
const ROUNDS: usize = 4;

/// Minimum number of formulas among which the evaluations of an attempt are divided.
const FORMULAS: u64 = 6;

/// Satisfiability on listed paths, up to symmetry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Packing;

impl Suitability for Packing {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_personalised(problem)
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        let problem = context.problem();
        let is_small = problem.messages().len() <= MOST_MESSAGES;
        Fit::useful_if(is_small && usable::has_group(context, interrupt))
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        3
    }

    fn first_quota(&self, _: &Problem, _: u32) -> u64 {
        FIRST_QUOTA
    }
}

impl Engine for Packing {
    fn describe(&self) -> Traits {
        Traits {
            name: "packing",
            purpose: "satisfiability on listed paths, up to symmetry; personalised messages, wormhole",
            aims_at_bound: true,
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
        let Some(layout) = priced_layout(context, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let patience = budget.left() / FORMULAS;
        let preparation = PREPARATION + PER_MESSAGE * context.problem().messages().len() as u64;
        for _ in 0..ROUNDS {
            let mut drawn = Vec::with_capacity(DRAWS);
            let end = budget.left() / 2;
            for _ in 0..DRAWS {
                if budget.left() <= end || !budget.spend(preparation) {
                    break;
                }
                drawn.extend(draw(context, &layout, steps, interrupt, rng));
            }
            drawn.sort_by_key(|group| group.action.bases.len());
            for group in drawn {
                let mut part = budget.part(patience);
                let found = group.pack(&mut part, rng);
                budget.spend(part.spent());
                if let Some(draft) = found {
                    return Attempt::Found(draft.into_schedule(&layout));
                }
                if budget.is_over() {
                    return Attempt::OutOfBudget;
                }
            }
        }
        Attempt::OutOfBudget
    }
}

/// A group, and how it acts on the steps.
struct FoldedGroup<'a> {
    action: Action<'a>,
    copies: Vec<Subgroup>,
}

impl FoldedGroup<'_> {
    /// Solves the formula.
    fn pack(self, budget: &mut Budget, rng: &mut Rng) -> Option<Draft> {
        let Self { action, copies } = self;
        let interrupt = &budget.interrupt().clone();
        let steps = Steps::new(&action.group, &copies);
        let rows = FoldedRows::new(&action, &steps)?;
        let graphs = BaseGraphs::new(&action, &rows, 0, interrupt)?;
        let ground = Ground { action: &action, steps, rows, graphs, detour: 0 };
        let formula = Formula::new(&ground, &copies, interrupt, rng)?;
        let seed = rng.below(1 << 20) as u32;
        let model = find_model(formula.clauses(), formula.variables(), seed, budget)?;
        formula.draft(&ground, &model)
    }
}

/// Draws a group and its action on the steps; `None` if it is too small or does not fit.
fn draw<'a>(
    context: &Context,
    layout: &'a Layout<'a>,
    steps: u32,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> Option<FoldedGroup<'a>> {
    let action = draw_action(context, layout, interrupt, rng)?;
    if action.bases.len() > MOST_BASES {
        return None;
    }
    let copies = draw_steps(&action, steps, rng)?;
    Some(FoldedGroup { action, copies })
}

/// The action of a random group.
fn draw_action<'a>(
    context: &Context,
    layout: &'a Layout<'a>,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> Option<Action<'a>> {
    let symmetries = context.symmetries(interrupt)?;
    let freedom = if rng.chance(0.5) { Freedom::Pairs } else { Freedom::Processors };
    let whole = find_free_group(context.problem().network(), symmetries, freedom, interrupt, rng);
    let mut subgroup = Subgroup::whole(&whole);
    if rng.chance(0.7) {
        subgroup = Subgroup::trivial();
        for _ in 0..1 + rng.below(2) {
            subgroup = subgroup.with(&whole, rng.below(whole.order()) as u32);
        }
    }
    let group = whole.restricted_to(subgroup.members());
    Action::new(layout, group, interrupt)
}

/// The subgroups whose coset spaces are the steps.
fn draw_steps(action: &Action<'_>, steps: u32, rng: &mut Rng) -> Option<Vec<Subgroup>> {
    let palette = Palette::new(action, rng);
    let uniform = if rng.chance(0.8) { palette.uniform(steps, rng) } else { None };
    uniform.or_else(|| Some(palette.mixed(steps, rng)).filter(|copies| !copies.is_empty()))
}
