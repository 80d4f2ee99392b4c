//! Schedules of other programs that are judged in time: every send starts as early as the order in the file allows.

use crate::compare::FileClaims;
use pavane_interop::import::{UntimedSchedule, foreign_format, read_untimed};
use pavane_model::{Fraction, Network, TimedSchedule};
use pavane_timed::retime;
use pavane_verify::{TimedVerdict, judge_timed_within};

/// Claims that are this much below a bound are taken for rounding.
const ROUNDING: f64 = 1e-9;

/// A schedule of another program with the judge's verdict.
#[derive(Debug)]
pub struct ForeignSchedule {
    /// The schedule.
    pub schedule: TimedSchedule,
    /// The verdict.
    pub verdict: TimedVerdict,
    /// What the file claims.
    pub claims: FileClaims,
    /// Whether all claims are possible.
    pub is_possible: bool,
}

/// Times and judges a schedule of another program on a network, for a size as in nccl-tests; `None` if the text is
/// none. `max_work` limits the operations that check its bound.
pub fn judge_foreign(
    text: &str,
    network: &Network,
    bytes: u64,
    max_work: Option<u64>,
) -> Option<Result<ForeignSchedule, String>> {
    let format = foreign_format(text)?;
    let read = read_untimed(text, network.clone(), bytes)?;
    Some(read.map_err(|error| error.to_string()).and_then(|read| {
        let other_claim = read.other_claim;
        let mut judged = timed(format, read, max_work)?;
        if let Some(claim) = other_claim
            && let Some(bound) = bound_for(text, network, claim.bytes, max_work)
            && claim.time_ns < bound * (1.0 - ROUNDING)
        {
            judged.is_possible = false;
            let (bytes, bound) = (claim.bytes, bound / 1000.0);
            let note =
                format!("IMPOSSIBLE: no schedule of {bytes} bytes takes less than {bound:.4} µs");
            judged.claims.notes.push(note);
        }
        Ok(judged)
    }))
}

/// The proved bound in nanoseconds for messages of another size.
fn bound_for(text: &str, network: &Network, bytes: u64, max_work: Option<u64>) -> Option<f64> {
    let read = read_untimed(text, network.clone(), bytes)?.ok()?;
    let answer = retime(read.schedule, &|| false).ok()?;
    let verdict = judge_timed_within(&answer.schedule, max_work).ok()?;
    verdict.proved_ns.map(Fraction::to_f64)
}

fn timed(
    format: &'static str,
    read: UntimedSchedule,
    max_work: Option<u64>,
) -> Result<ForeignSchedule, String> {
    let (schedule, claims) = FileClaims::split(format, read);
    let answer = retime(schedule, &|| false).map_err(|error| error.to_string())?;
    let verdict = judge_timed_within(&answer.schedule, max_work);
    let verdict = verdict.map_err(|error| error.to_string())?;
    let is_possible = claims.is_possible(verdict.proved_ns);
    Ok(ForeignSchedule { schedule: answer.schedule, verdict, claims, is_possible })
}
