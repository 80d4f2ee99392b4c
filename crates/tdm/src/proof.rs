//! Asks a SAT solver whether a period is possible. A refutation is checked by the judge before it is
//! used.

use crate::bounds::TdmBounds;
use pavane_model::TdmProblem;
use pavane_model::tdm::{TdmBound, TdmCertificate, TdmExact, Word};
use pavane_search::exact::{FormulaAnswer, decide_formula};
use pavane_search::{Budget, Interrupt, Rng};
use pavane_verify::{
    Limits, MOST_BYTES, MOST_OPERATIONS, TDM_ENCODING, check_tdm_refutation, encode_tdm,
};
use std::io::{self, BufRead};

/// Literals of the largest formula that is tried.
const MOST_LITERALS: usize = 6_000_000;

/// A refutation of all periods from `from` to `to`, which the judge has checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TdmProof {
    /// The first refuted period.
    pub from: u32,
    /// The last one.
    pub to: u32,
    /// The proof.
    pub lrat: Vec<u8>,
}

/// The answer of the solver.
#[derive(Debug)]
pub(crate) enum Settled {
    /// A schedule.
    Possible(u32, Vec<Word>),
    /// There is none.
    Impossible(TdmProof),
    /// The formula is too large.
    TooLarge,
    /// The time is over, or the evaluations are used up.
    Open,
}

/// What came of asking the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TdmSolverAnswer {
    /// It found a schedule with this period.
    Found(u32),
    /// It refuted all periods from the first to the second.
    Refuted(u32, u32),
    /// The formula for the periods from the first to the second is too large.
    TooLarge(u32, u32),
    /// Time or evaluations did not suffice for the periods from the first to the second.
    Open(u32, u32),
}

/// Whether there is a schedule with a period from `from` to `to`. `evaluations` limits the work of the
/// solver.
pub(crate) fn settle(
    problem: &TdmProblem,
    from: u32,
    to: u32,
    evaluations: u64,
    rng: &mut Rng,
    interrupt: &Interrupt,
) -> Settled {
    let limits = Limits { operations: MOST_OPERATIONS, bytes: MOST_BYTES };
    let Ok(formula) = encode_tdm(problem, from, to, MOST_LITERALS, limits) else {
        return Settled::TooLarge;
    };
    let mut budget = Budget::evaluations(evaluations).interrupted_by(interrupt.clone());
    match decide_formula(&formula.cnf, rng, &mut budget) {
        FormulaAnswer::Unknown => Settled::Open,
        FormulaAnswer::Model(model) => {
            let holds = |literal: i32| model[literal.unsigned_abs() as usize] == (literal > 0);
            match formula.decode(problem, holds) {
                Some((period, words)) => Settled::Possible(period, words),
                None => Settled::Open,
            }
        }
        FormulaAnswer::Refuted(lrat) => {
            match check_tdm_refutation(problem, from, to, &mut &lrat[..], limits) {
                Ok(()) => Settled::Impossible(TdmProof { from, to, lrat }),
                Err(_) => Settled::Open,
            }
        }
    }
}

impl TdmProof {
    /// The certificate that the proof in this file refutes its periods.
    pub fn certificate(&self, proof: String) -> TdmCertificate {
        let (from, to, encoding) = (self.from, self.to, TDM_ENCODING);
        TdmCertificate::Exact(TdmExact { from, to, encoding, proof, below: None })
    }

    /// Adds the bound that follows from the proof and the best bound so far. The caller sets the name of
    /// the proof file.
    pub(crate) fn raise(&self, bounds: &mut TdmBounds) {
        let below = match &bounds.best.certificate {
            TdmCertificate::Exact(exact) => exact.below.clone(),
            other => Some(Box::new(other.clone())),
        };
        let (from, to, encoding) = (self.from, self.to, TDM_ENCODING);
        let exact = TdmExact { from, to, encoding, proof: String::new(), below };
        let bound = TdmBound { period: to + 1, certificate: TdmCertificate::Exact(exact) };
        bounds.all.retain(|bound| !matches!(bound.certificate, TdmCertificate::Exact(_)));
        bounds.all.push(bound.clone());
        bounds.best = bound;
    }

    /// Opens the proof, whatever its name.
    pub(crate) fn open(&self) -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(io::Cursor::new(self.lrat.clone())))
    }
}
