//! Asks a SAT solver whether a number of steps and rounds is possible. A refutation is checked by the
//! judge before it is used.

use crate::link_steps::{Hop, LinkSteps};
use pavane_model::Problem;
use pavane_search::exact::{FormulaAnswer, decide_formula};
use pavane_search::{Budget, Interrupt, Rng};
use pavane_verify::{Limits, MOST_BYTES, MOST_OPERATIONS, check_rounds_refutation, encode_rounds};

/// Literals of the largest formula that is tried.
const MOST_LITERALS: usize = 12_000_000;

/// The answer of the solver.
pub(crate) enum Settled {
    /// A schedule.
    Possible(LinkSteps),
    /// There is none; this is the proof, which the judge has checked.
    Impossible(Vec<u8>),
    /// The formula is too large, the time is over, or the evaluations are used up.
    Open,
}

/// Whether a forward problem with `chunks` chunks per message has a schedule of `steps` steps and at most
/// `rounds` rounds.
pub(crate) fn settle(
    forward: &Problem,
    (chunks, steps, rounds): (u32, u32, u32),
    budget: &mut Budget,
    rng: &mut Rng,
) -> Settled {
    let limits = Limits { operations: MOST_OPERATIONS, bytes: MOST_BYTES };
    let Ok(formula) = encode_rounds(forward, steps, rounds, MOST_LITERALS, limits) else {
        return Settled::Open;
    };
    match decide_formula(&formula.cnf, rng, budget) {
        FormulaAnswer::Unknown => Settled::Open,
        FormulaAnswer::Model(model) => {
            let holds = |literal: i32| model[literal.unsigned_abs() as usize] == (literal > 0);
            let Some(crossings) = formula.decode(forward, holds) else { return Settled::Open };
            let mut found = LinkSteps { steps: vec![Vec::new(); steps as usize] };
            for crossing in crossings {
                let (message, chunk) = (crossing.message.0 / chunks, crossing.message.0 % chunks);
                let (tail, head) = (crossing.tail, crossing.head);
                found.steps[crossing.step as usize].push(Hop { message, chunk, tail, head });
            }
            Settled::Possible(found)
        }
        FormulaAnswer::Refuted(lrat) => {
            match check_rounds_refutation(forward, steps, rounds, &mut &lrat[..], limits) {
                Ok(()) => Settled::Impossible(lrat),
                Err(_) => Settled::Open,
            }
        }
    }
}

/// A budget of `evaluations` that an interrupt may end.
pub(crate) fn budget(evaluations: u64, interrupt: &Interrupt) -> Budget {
    Budget::evaluations(evaluations).interrupted_by(interrupt.clone())
}
