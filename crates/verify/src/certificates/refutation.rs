//! Exact: so many steps are too few, because the formula that says otherwise, written anew here, is
//! refuted by a proof.

use crate::exact::{VERSION, check_refutation};
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
    check_refutation(problem, steps, proof).map_err(|error| error.to_string())?;
    Ok(u64::from(steps) + 1)
}
