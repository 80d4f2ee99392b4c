//! The SAT solver CaDiCaL, held to a budget: its answer is a model, or a proof that there is none.

use super::trace::{Trace, Tracer};
use crate::budget::Budget;
use cadical_sys::{CaDiCal, Status, Terminator};
use pavane_verify::exact::{Cnf, Literal};
use std::cell::RefCell;
use std::rc::Rc;

/// A tick, the solver's own measure of work, takes about as long as so many evaluations of others.
const EVALUATIONS_PER_TICK: u64 = 10;

/// Ticks after which the solver comes back to tell what it spent.
const MOST_TICKS: u64 = 1 << 30;

/// Questions of the solver whether to stop, between two looks at the clock.
const LOOK_EVERY: u32 = 64;

/// What a solver says about a formula.
pub(super) enum Answer {
    /// Literals of variable number i: whether it holds.
    Model(Vec<bool>),
    /// There is no model, and this is why.
    Refuted(Trace),
    /// The budget is spent.
    Unknown,
}

impl Answer {
    /// Whether a literal holds in a model.
    pub fn holds(model: &[bool], literal: Literal) -> bool {
        model[literal.unsigned_abs() as usize] == (literal > 0)
    }
}

/// Ends a solver's work when the clock or a stop says so.
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

/// Looks for a model. The same formula, seed and evaluations give the same answer.
pub(super) fn solve(cnf: &Cnf, seed: u32, budget: &mut Budget) -> Answer {
    let tracer = Rc::new(RefCell::new(Tracer::default()));
    let mut solver = CaDiCal::new();
    solver.set("seed", (seed % 1_000_000) as i32);
    solver.connect_proof_tracer1(tracer.clone(), true, false);
    solver.connect_terminator(Stopper { budget: budget.clone(), asked: 0 });
    let mut pace = Budget::unlimited(budget.interrupt());
    for clause in cnf.clauses() {
        if !pace.spend(clause.len() as u64) {
            return Answer::Unknown;
        }
        clause.iter().for_each(|&literal| solver.add(literal));
        solver.add(0);
    }
    // Reading the formula and tidying it up is work too.
    budget.spend(cnf.literal_count() as u64);
    let mut ticks = 0;
    while !budget.is_over() && !budget.is_stopped() && !tracer.borrow().is_full() {
        let most = (budget.left() / EVALUATIONS_PER_TICK + 1).min(MOST_TICKS);
        solver.limit("ticks", most as i32);
        let status = solver.solve();
        let now = u64::try_from(solver.get_statistic_value("ticks")).unwrap_or(0);
        budget.spend((now - ticks).max(1) * EVALUATIONS_PER_TICK);
        ticks = now;
        match status {
            Status::SATISFIABLE => {
                let variables = 1..=cnf.variable_count();
                let holds = variables.map(|variable| solver.val(variable) > 0);
                return Answer::Model(std::iter::once(false).chain(holds).collect());
            }
            Status::UNSATISFIABLE => {
                drop(solver);
                return match tracer.take().into_trace(cnf) {
                    Some(trace) => Answer::Refuted(trace),
                    None => Answer::Unknown,
                };
            }
            Status::UNKNOWN => {}
        }
    }
    Answer::Unknown
}
