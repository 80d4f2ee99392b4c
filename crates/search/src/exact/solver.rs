//! Runs the SAT solver CaDiCaL within a budget. The answer is a model, or a proof that there is
//! none.

use super::answer::{FormulaAnswer, SolverMode};
use super::trace::Tracer;
use crate::budget::Budget;
use cadical_sys::{CaDiCal, Status, Terminator};
use pavane_verify::exact::{Cnf, Literal};
use std::cell::RefCell;
use std::rc::Rc;

/// Evaluations that take about as long as one tick, the solver's unit of work.
const EVALUATIONS_PER_TICK: u64 = 10;

/// Ticks after which the solver returns to report its work.
const MOST_TICKS: u64 = 1 << 30;

/// Calls of the terminator between two checks of the clock.
const LOOK_EVERY: u32 = 64;

/// Terminates the solver at the deadline or when a stop flag is raised.
struct Stopper {
    budget: Budget,
    asked: u32,
}

impl Terminator for Stopper {
    fn terminated(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        self.asked.is_multiple_of(LOOK_EVERY) && self.budget.is_stopped()
    }
}

/// Searches for a model or a proof that there is none. The same formula, seed and evaluations give
/// the same answer.
pub(super) fn solve(cnf: &Cnf, mode: SolverMode, seed: u32, budget: &mut Budget) -> FormulaAnswer {
    let tracer = Rc::new(RefCell::new(Tracer::default()));
    let mut solver = CaDiCal::new();
    if mode == SolverMode::Stable {
        solver.configure("sat");
    }
    solver.connect_proof_tracer1(tracer.clone(), true, false);
    match run(&mut solver, cnf.clauses(), seed, budget, || tracer.borrow().is_full()) {
        Status::SATISFIABLE => FormulaAnswer::Model(values(&mut solver, cnf.variable_count())),
        Status::UNSATISFIABLE => {
            drop(solver);
            let mut lrat = Vec::new();
            match tracer.take().into_trace(cnf).map(|it| it.write(cnf.clause_count(), &mut lrat)) {
                Some(Ok(())) => FormulaAnswer::Refuted(lrat),
                Some(Err(_)) | None => FormulaAnswer::Unknown,
            }
        }
        Status::UNKNOWN => FormulaAnswer::Unknown,
    }
}

/// Searches for a model without recording a proof: for each variable, by number, whether it is true.
/// `None` if there is no model, or if the budget is spent.
pub fn find_model<'a>(
    clauses: impl Iterator<Item = &'a [Literal]>,
    variables: Literal,
    seed: u32,
    budget: &mut Budget,
) -> Option<Vec<bool>> {
    let mut solver = CaDiCal::new();
    let status = run(&mut solver, clauses, seed, budget, || false);
    (status == Status::SATISFIABLE).then(|| values(&mut solver, variables))
}

/// Decides a formula within a budget, unless `is_full` ends the search.
fn run<'a>(
    solver: &mut CaDiCal,
    clauses: impl Iterator<Item = &'a [Literal]>,
    seed: u32,
    budget: &mut Budget,
    is_full: impl Fn() -> bool,
) -> Status {
    solver.set("seed", (seed % 1_000_000) as i32);
    solver.connect_terminator(Stopper { budget: budget.clone(), asked: 0 });
    let mut pace = Budget::unlimited(budget.interrupt());
    for clause in clauses {
        if !pace.spend(clause.len() as u64) {
            return Status::UNKNOWN;
        }
        clause.iter().for_each(|&literal| solver.add(literal));
        solver.add(0);
    }
    // Reading and preprocessing the formula is work too.
    budget.spend(pace.spent());
    let mut ticks = 0;
    while !budget.is_over() && !budget.is_stopped() && !is_full() {
        let most = (budget.left() / EVALUATIONS_PER_TICK + 1).min(MOST_TICKS);
        solver.limit("ticks", most as i32);
        let status = solver.solve();
        let now = u64::try_from(solver.get_statistic_value("ticks")).unwrap_or(0);
        budget.spend((now - ticks).max(1) * EVALUATIONS_PER_TICK);
        ticks = now;
        if status != Status::UNKNOWN {
            return status;
        }
    }
    Status::UNKNOWN
}

/// The values of the variables in the model that was found, from index 1 on.
fn values(solver: &mut CaDiCal, variables: Literal) -> Vec<bool> {
    let holds = (1..=variables).map(|variable| solver.val(variable) > 0);
    std::iter::once(false).chain(holds).collect()
}
