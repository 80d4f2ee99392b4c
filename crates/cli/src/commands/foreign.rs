//! Schedules of other programs as timed schedules: each send as early as the order in the file allows,
//! judged, and compared with what the file claims.

use super::verify_timed::JudgedTimed;
use crate::output::Failure;
use crate::report::verify::ForeignClaims;
use crate::words;
use pavane_interop::import::foreign_format;
use pavane_model::{Fraction, Network};
use pavane_tuning::compare::FileClaims;
use pavane_tuning::foreign::{ForeignSchedule, judge_foreign};
use std::io::Write;

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
    let judged = judge_foreign(text, network, bytes, max_work)?;
    Some(judged.map(|judged| {
        let ForeignSchedule { schedule, verdict, claims, is_possible } = judged;
        let claims = beside(&claims, verdict.proved_ns);
        let claims = Some(ForeignClaims { possible: is_possible, ..claims });
        JudgedTimed { schedule, verdict, claims }
    }))
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
