//! Writes TDM schedules as a stream, one word per line.

use super::{
    FORMAT, REFUTATION, TdmDemand, TdmMessage, TdmProblem, TdmRefutation, TdmSchedule, Word,
};
use crate::format::write::{field, raw_network};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// Writes a schedule. `more` holds additional fields, such as `status` and `made_by`.
pub fn write(
    out: &mut dyn Write,
    schedule: &TdmSchedule,
    more: &Map<String, Value>,
) -> io::Result<()> {
    write_start(out, FORMAT, &schedule.problem, schedule.period, more)?;
    if let Some(bound) = &schedule.bound {
        let (period, reason) = (bound.period, bound.certificate.reason());
        write!(out, "  \"bound\": {{\"period\": {period}, \"reason\": \"{reason}\", ")?;
        write!(out, "\"certificate\": ")?;
        serde_json::to_writer(&mut *out, &bound.certificate)?;
        writeln!(out, "}},")?;
    }
    write!(out, "  \"words\": [")?;
    for (at, word) in schedule.words.iter().enumerate() {
        writeln!(out, "{}", if at == 0 { "" } else { "," })?;
        write_word(out, word)?;
    }
    writeln!(out, "\n  ]\n}}")
}

/// Writes a refuted period. `more` holds additional fields, such as `status` and `made_by`.
pub fn write_refutation(
    out: &mut dyn Write,
    refutation: &TdmRefutation,
    more: &Map<String, Value>,
) -> io::Result<()> {
    write_start(out, REFUTATION, &refutation.problem, refutation.period, more)?;
    write!(out, "  \"certificate\": ")?;
    serde_json::to_writer(&mut *out, &refutation.certificate)?;
    writeln!(out, "\n}}")
}

/// Writes the fields that schedules and refutations have in common.
fn write_start(
    out: &mut dyn Write,
    format: &str,
    problem: &TdmProblem,
    period: u32,
    more: &Map<String, Value>,
) -> io::Result<()> {
    let rules = problem.rules();
    writeln!(out, "{{")?;
    field(out, "format", format)?;
    field(out, "network", &raw_network(problem.network()))?;
    field(out, "period", &period)?;
    field(out, "depth", &rules.depth)?;
    field(out, "phits", &rules.phits)?;
    field(out, "wrap", &rules.wraps)?;
    field(out, "routing", &rules.routing)?;
    match problem.demand() {
        TdmDemand::AllToAll => field(out, "demand", "all-to-all")?,
        TdmDemand::Messages(list) => {
            let numbers = |m: &TdmMessage| [m.from.0, m.to.0, m.weight].into_iter();
            let rows = list.iter().map(|m| numbers(m).chain(m.max_latency).collect());
            field(out, "demand", &rows.collect::<Vec<Vec<u32>>>())?;
        }
    }
    for (key, value) in more {
        field(out, key, value)?;
    }
    Ok(())
}

fn write_word(out: &mut dyn Write, word: &Word) -> io::Result<()> {
    let Word { from, to, start, path } = word;
    write!(out, "    {{\"message\": [{from}, {to}], \"start\": {start}, \"path\": ")?;
    serde_json::to_writer(&mut *out, path)?;
    write!(out, "}}")
}
