//! The throughput limit in rounds.

use pavane_model::{Fraction, Problem};
use pavane_search::Interrupt;
use pavane_throughput::answer::{Request, answer};
use pavane_throughput::automorphisms::generators;
use pavane_verify::judge_plan_within;

/// Rounds per chunk that no k-synchronous schedule of a phase can undercut: its throughput limit with equal
/// channels, which the judge has checked. `None` if it cannot be computed in time.
pub fn limit_in_rounds(
    collective: &str,
    problem: &Problem,
    interrupt: &Interrupt,
) -> Option<Fraction> {
    let network = problem.network().clone().with_timing(Some(Fraction::ONE), None).ok()?;
    let whole = problem.collective().clone();
    let equal = [Problem::with_limit(network, whole, problem.model(), u64::MAX).ok()?];
    let stop = || interrupt.is_raised();
    let generators = generators(&equal, &stop);
    let request = Request { trees: None, sizes: &[], generators: &generators, stop: &stop };
    let found = answer(collective, &equal, &request).ok()?;
    // The limit is what the certificate in the plan proves.
    judge_plan_within(&found.plan, Some(u64::MAX)).ok()?.proved
}
