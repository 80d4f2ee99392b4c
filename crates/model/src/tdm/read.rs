//! Reads TDM schedules, plain or gzipped. Whether the messages, channels and slots of their words exist is
//! a rule of the judge, as all other rules are.

use super::raw::{RawBound, RawTdm, RawTdmRefutation};
use super::{
    FORMAT, MOST_PERIOD, REFUTATION, TdmBound, TdmProblem, TdmRefutation, TdmRules, TdmSchedule,
    Word,
};
use crate::format::FormatError;
use crate::format::open::open;
use crate::format::parse::parse;
use crate::format::read::build_network;
use crate::ids::{ChannelId, ProcessorId};
use crate::words::excerpt;
use std::io::BufRead;
use std::path::Path;

/// Reads a TDM schedule, plain or gzipped. `limit` is the maximum number of words.
pub fn read_file(path: &Path, limit: u64) -> Result<TdmSchedule, FormatError> {
    let name = path.display().to_string();
    let file = open(path).map_err(|source| FormatError::Io { path: name.clone(), source })?;
    read(file, &name, limit)
}

/// Reads a TDM schedule. `limit` is the maximum number of words.
pub fn read(mut reader: impl BufRead, name: &str, limit: u64) -> Result<TdmSchedule, FormatError> {
    read_any(&mut reader, name, limit)
}

/// As [`read`], compiled once for all readers.
fn read_any(reader: &mut dyn BufRead, name: &str, limit: u64) -> Result<TdmSchedule, FormatError> {
    let inconsistent = |problem| FormatError::Inconsistent { path: name.to_owned(), problem };
    let raw: RawTdm = parse(reader, name, "a TDM schedule")?;
    check_format(&raw.format, FORMAT).map_err(inconsistent)?;
    resolve(raw, limit).map_err(inconsistent)
}

/// Reads a refuted period. `limit` is the maximum number of words of a schedule.
pub fn read_refutation(
    mut reader: impl BufRead,
    name: &str,
    limit: u64,
) -> Result<TdmRefutation, FormatError> {
    let inconsistent = |problem| FormatError::Inconsistent { path: name.to_owned(), problem };
    let raw: RawTdmRefutation = parse(&mut reader, name, "a refuted period")?;
    check_format(&raw.format, REFUTATION).map_err(inconsistent)?;
    let RawTdmRefutation { period, depth, phits, wrap, routing, demand, certificate, .. } = raw;
    check_period(period).map_err(inconsistent)?;
    let network = build_network(raw.network, Vec::new()).map_err(inconsistent)?;
    let rules = TdmRules { depth, phits, wraps: wrap, routing };
    let problem = TdmProblem::new(network, demand, rules, limit);
    let problem = problem.map_err(|error| inconsistent(error.to_string()))?;
    Ok(TdmRefutation { problem, period, certificate })
}

fn check_format(found: &str, wanted: &str) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    Err(format!("its format is {:?}, not {wanted:?}", excerpt(found)))
}

fn check_period(period: u32) -> Result<(), String> {
    if (1..=MOST_PERIOD).contains(&period) {
        return Ok(());
    }
    Err(format!("its period is {period}, but it must be from 1 to {MOST_PERIOD}"))
}

fn resolve(raw: RawTdm, limit: u64) -> Result<TdmSchedule, String> {
    let (period, count) = (raw.period, raw.words.len() as u64);
    check_period(period)?;
    let network = build_network(raw.network, Vec::new())?;
    let RawTdm { depth, phits, wrap, routing, .. } = raw;
    let rules = TdmRules { depth, phits, wraps: wrap, routing };
    let problem = TdmProblem::new(network, raw.demand, rules, limit);
    let problem = problem.map_err(|error| error.to_string())?;
    if count > limit {
        return Err(format!("it has {count} words, but at most {limit} are allowed"));
    }
    let words = raw.words.into_iter().map(|word| {
        let (from, to) = word.message;
        let path = word.path.into_iter().map(ChannelId).collect();
        Word { from: ProcessorId(from), to: ProcessorId(to), start: word.start, path }
    });
    let words = words.collect();
    let bound = raw.bound.map(the_bound).transpose()?;
    Ok(TdmSchedule { problem, period, words, bound })
}

fn the_bound(raw: RawBound) -> Result<TdmBound, String> {
    let RawBound { period, reason, certificate } = raw;
    if reason != certificate.reason() {
        return Err(format!(
            "the reason of its bound is {:?}, but the certificate is of kind {:?}",
            excerpt(&reason),
            certificate.reason()
        ));
    }
    Ok(TdmBound { period, certificate })
}
