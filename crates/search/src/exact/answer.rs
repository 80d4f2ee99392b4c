//! The answer of the solver.

use pavane_verify::exact::Literal;

/// What the solver says about a formula.
#[derive(Debug)]
pub enum FormulaAnswer {
    /// A model: for each variable, by number, whether it is true.
    Model(Vec<bool>),
    /// There is no model; this is the proof in LRAT.
    Refuted(Vec<u8>),
    /// The budget is spent, or there is no solver.
    Unknown,
}

/// Whether a literal is true in a model.
pub(super) fn holds(model: &[bool], literal: Literal) -> bool {
    model[literal.unsigned_abs() as usize] == (literal > 0)
}

/// How the solver searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolverMode {
    /// By turns with frequent and with rare restarts.
    Mixed,
    /// With rare restarts only, which finds some models much sooner.
    Stable,
}
