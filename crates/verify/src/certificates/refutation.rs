//! Exact: so many steps are too few, because the formula that says otherwise, written anew here, is
//! refuted by a proof.

use crate::exact::{MOST_LITERALS, VERSION, check_refutation, estimate};
use pavane_model::Problem;
use std::io::BufRead;

pub(super) fn derive(
    problem: &Problem,
    steps: u32,
    encoding: u32,
    proof: &mut dyn BufRead,
) -> Result<u64, String> {
    if encoding != VERSION {
        return Err(format!("its proof is about encoding {encoding}, and this is {VERSION}"));
    }
    // The estimate is rough, but what is far beyond the limit must not even be begun.
    if estimate(problem, steps) / 4 > MOST_LITERALS as u64 {
        return Err(format!("a formula for {steps} steps is too large to be checked"));
    }
    check_refutation(problem, steps, proof).map_err(|error| error.to_string())?;
    Ok(u64::from(steps) + 1)
}
