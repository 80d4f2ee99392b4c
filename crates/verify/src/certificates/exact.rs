//! Exact: `steps` steps are too few. The formula that claims otherwise is built again here, and a
//! proof refutes it.

use super::{Argument, Claim, OpenProof, Refusal};
use crate::cost::{Cost, Limits, Size};
use crate::exact::{VERSION, check_refutation_within, cost};
use pavane_model::{Certificate, Problem};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Exact { steps, encoding, ref proof } = claim.certificate else { return None };
    Some(Box::new(Exact { steps, encoding, proof, open: claim.open, limits: claim.limits }))
}

struct Exact<'a> {
    steps: u32,
    encoding: u32,
    proof: &'a str,
    open: OpenProof<'a>,
    /// Limits for reading the proof: its cost is not known in advance.
    limits: Limits,
}

impl Argument for Exact<'_> {
    fn cost(&self, problem: &Problem, _: &Size) -> Cost {
        cost(problem, self.steps)
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let mut proof = (self.open)(self.proof).map_err(|error| {
            let (proof, why) = (self.proof.to_owned(), error.to_string());
            Refusal::NoProof { proof, why }
        })?;
        if self.encoding != VERSION {
            let problem = format!(
                "its proof uses encoding {}, but this program uses encoding {VERSION}",
                self.encoding
            );
            return Err(problem.into());
        }
        match check_refutation_within(problem, self.steps, &mut proof, self.limits) {
            Ok(()) => Ok(u64::from(self.steps) + 1),
            Err(error) => Err(match error.over_limit() {
                Some(over) => Refusal::OverLimit(over),
                None => Refusal::Unfit(error.to_string()),
            }),
        }
    }
}
