//! Takes the place of the SAT solver in a build without the feature `cadical`: it finds nothing.

use super::answer::{FormulaAnswer, SolverMode};
use crate::budget::Budget;
use pavane_verify::exact::{Cnf, Literal};

/// No answer.
pub(super) fn solve(_: &Cnf, _: SolverMode, _: u32, _: &mut Budget) -> FormulaAnswer {
    FormulaAnswer::Unknown
}

/// No model.
pub fn find_model<'a>(
    _: impl Iterator<Item = &'a [Literal]>,
    _: Literal,
    _: u32,
    _: &mut Budget,
) -> Option<Vec<bool>> {
    None
}
