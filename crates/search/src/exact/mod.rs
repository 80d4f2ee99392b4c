//! The exact engine: passes the formula "a schedule of this many steps exists" to a SAT solver,
//! which finds a model or proves that there is none.

mod answer;
mod freed;
#[cfg_attr(not(feature = "cadical"), path = "no_solver.rs")]
mod solver;
#[cfg(feature = "cadical")]
mod trace;

use crate::attempt::{Attempt, Context, Engine, Proof, ProofLimits, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
pub use answer::FormulaAnswer;
use answer::{SolverMode, holds};
use pavane_model::{Problem, Schedule, Switching};
use pavane_verify::exact::{self, Cnf, Encoding};
pub use solver::find_model;

/// Whether this build has a SAT solver: the feature `cadical`.
pub const HAS_SOLVER: bool = cfg!(feature = "cadical");

/// Literals up to which the formula is solved though the caller does not ask for a proof.
const FEW_LITERALS: u64 = 2_000_000;

/// Literals up to which the last open number of steps gets as much effort as if a proof were
/// requested.
const TINY_LITERALS: u64 = 200_000;

/// Messages up to which steps of a schedule are emptied and filled again.
const MOST_SHORTENED: usize = 20_000;

/// Evaluations of the first attempt.
const FIRST_QUOTA: u64 = 20_000_000;

/// Evaluations from which every other doubling of an attempt uses [`SolverMode::Stable`].
const LONG: u64 = 16 * FIRST_QUOTA;

/// Finds a schedule with a given number of steps, or proves that there is none.
pub struct Exact;

impl Suitability for Exact {
    fn takes(&self, problem: &Problem) -> bool {
        HAS_SOLVER
            && exact::estimate(problem, 1) <= exact::MOST_LITERALS as u64
            && exact::is_affordable(problem, 1)
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        3
    }

    fn first_quota(&self, _: &Problem, _: u32) -> u64 {
        FIRST_QUOTA
    }

    fn proof_limits(&self, problem: &Problem) -> ProofLimits {
        let of_step = exact::estimate(problem, 1).max(1);
        let steps_in = |literals: u64| u32::try_from(literals / of_step).unwrap_or(u32::MAX);
        ProofLimits { cheap: steps_in(TINY_LITERALS), affordable: steps_in(FEW_LITERALS) }
    }
}

impl Engine for Exact {
    fn describe(&self) -> Traits {
        Traits {
            name: "exact",
            purpose: "satisfiability; small problems of any kind; can prove that fewer steps are impossible",
            is_exact: true,
            uses_best: true,
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
        let problem = context.problem();
        let is_next = |best: &&Schedule| is_shortened(problem) && best.step_count() == steps + 1;
        if let Some(best) = context.best().filter(is_next) {
            // A tiny formula is decided sooner than some steps of a schedule are filled again.
            if exact::estimate(problem, steps) <= TINY_LITERALS {
                let mut half = budget.part(budget.left() / 2);
                let answer = whole(problem, steps, &mut half, rng);
                budget.spend(half.spent());
                if answer != Attempt::OutOfBudget {
                    return answer;
                }
            }
            let mut half = budget.part(budget.left() / 2);
            let shorter = freed::shorten(problem, best, &mut half, rng);
            budget.spend(half.spent());
            if let Some(shorter) = shorter {
                return Attempt::Found(shorter);
            }
        }
        whole(problem, steps, budget, rng)
    }
}

/// Decides the formula of the whole problem.
fn whole(problem: &Problem, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Attempt {
    // The estimate is a few times too high. Beyond this limit even building the formula would
    // exhaust memory.
    if exact::estimate(problem, steps) / 4 > exact::MOST_LITERALS as u64 {
        return Attempt::OutOfBudget;
    }
    let interrupt = budget.interrupt().clone();
    let is_over = || interrupt.is_raised();
    match exact::encode_unless(problem, steps, exact::MOST_LITERALS, &is_over) {
        Some(Ok(encoding)) => decide(problem, &encoding, budget, rng),
        Some(Err(_)) | None => Attempt::OutOfBudget,
    }
}

/// Whether a schedule may be shortened by emptying some of its steps.
fn is_shortened(problem: &Problem) -> bool {
    let messages = problem.messages();
    problem.model().switching == Switching::Wormhole
        && messages.len() <= MOST_SHORTENED
        && messages.ids().all(|message| messages.is_personalised(message))
}

fn decide(problem: &Problem, encoding: &Encoding, budget: &mut Budget, rng: &mut Rng) -> Attempt {
    let doublings = (budget.left() / LONG).checked_ilog2();
    let is_stable = doublings.is_some_and(|doublings| doublings.is_multiple_of(2));
    let mode = if is_stable { SolverMode::Stable } else { SolverMode::Mixed };
    match decide_by(mode, &encoding.cnf, rng, budget) {
        FormulaAnswer::Unknown => Attempt::OutOfBudget,
        FormulaAnswer::Model(model) => {
            Attempt::Found(encoding.decode(problem, |literal| holds(&model, literal)))
        }
        FormulaAnswer::Refuted(lrat) => Attempt::Impossible(Proof { steps: encoding.steps, lrat }),
    }
}

/// Decides a formula within a budget. The same formula, random numbers and evaluations give the same
/// answer.
pub fn decide_formula(cnf: &Cnf, rng: &mut Rng, budget: &mut Budget) -> FormulaAnswer {
    decide_by(SolverMode::Mixed, cnf, rng, budget)
}

fn decide_by(mode: SolverMode, cnf: &Cnf, rng: &mut Rng, budget: &mut Budget) -> FormulaAnswer {
    solver::solve(cnf, mode, rng.below(1 << 20) as u32, budget)
}
