//! Schedules of other programs as timed schedules: each send as early as the order in the file allows,
//! judged, and compared with what the file claims.

use super::verify_timed::JudgedTimed;
use crate::output::Failure;
use crate::report::verify::ForeignClaims;
use crate::words;
use pavane_interop::import::{UntimedSchedule, foreign_format, read_untimed};
use pavane_model::{Fraction, Network};
use pavane_timed::retime;
use pavane_tuning::compare::FileClaims;
use pavane_verify::judge_timed_within;
use std::io::Write;

/// Claims that are this much below a bound are taken for rounding.
const ROUNDING: f64 = 1e-9;

/// Times and judges a schedule of another program; `None` if the text is none.
pub fn judge(
    text: &str,
    network: Option<&Network>,
    bytes: Option<u64>,
    max_work: Option<u64>,
) -> Option<Result<JudgedTimed, String>> {
    let format = foreign_format(text)?;
    let (Some(network), Some(bytes)) = (network, bytes) else {
        return Some(Err(format!(
            "this is a {format} file, which names neither bandwidths nor a size: give both with \
             --network NETWORK and --bytes SIZE, such as --network ndv2:2 --bytes 1MB"
        )));
    };
    let read = read_untimed(text, network.clone(), bytes)?;
    Some(read.map_err(|error| error.to_string()).and_then(|read| {
        let other_claim = read.other_claim;
        let mut judged = timed(format, read, max_work)?;
        if let (Some(claim), Some(claims)) = (other_claim, &mut judged.claims)
            && let Some(bound) = bound_for(text, network, claim.bytes, max_work)
            && claim.time_ns < bound * (1.0 - ROUNDING)
        {
            claims.possible = false;
            let (bytes, bound) = (claim.bytes, bound / 1000.0);
            let note =
                format!("IMPOSSIBLE: no schedule of {bytes} bytes takes less than {bound:.4} µs");
            claims.notes.push(note);
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
) -> Result<JudgedTimed, String> {
    let (schedule, claimed) = FileClaims::split(format, read);
    let answer = retime(schedule, &|| false).map_err(|error| error.to_string())?;
    let verdict = judge_timed_within(&answer.schedule, max_work);
    let verdict = verdict.map_err(|error| error.to_string())?;
    let claims = Some(beside(&claimed, verdict.proved_ns));
    Ok(JudgedTimed { schedule: answer.schedule, verdict, claims })
}

/// The claims of a file beside a proved bound.
pub fn beside(claims: &FileClaims, bound_ns: Option<Fraction>) -> ForeignClaims {
    ForeignClaims {
        format: claims.format,
        microseconds: claims.time_ns.map(|time| time / 1000.0),
        algorithm_gbytes: claims.gbytes,
        possible: claims.is_possible(bound_ns),
        demands_met: claims.demands_met.map(|(met, _)| met),
        demands: claims.demands_met.map(|(_, all)| all),
        notes: claims.notes.clone(),
    }
}

/// Prints what the file claims, and whether that is possible.
pub fn print_claims(
    out: &mut dyn Write,
    margin: &str,
    claims: &ForeignClaims,
    bound_ns: Option<Fraction>,
) -> Result<(), Failure> {
    if let (Some(met), Some(demands)) = (claims.demands_met, claims.demands) {
        writeln!(out, "{margin}demands: {met} of {demands} are met")?;
    }
    for note in &claims.notes {
        writeln!(out, "{margin}note: {}", words::printable(note))?;
    }
    let Some(time) = claims.microseconds else { return Ok(()) };
    let mut line = format!("{time:.4} µs");
    if let Some(bandwidth) = claims.algorithm_gbytes {
        line += &format!(", {bandwidth:.4} GB/s");
    }
    if !claims.possible {
        let bound = bound_ns.map_or(0.0, Fraction::to_f64) / 1000.0;
        line += &format!("; IMPOSSIBLE: no schedule takes less than {bound:.4} µs");
    }
    writeln!(out, "{margin}the file claims {line}")?;
    Ok(())
}
