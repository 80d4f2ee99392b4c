//! Writes timed schedules as a stream, one chunk per line and several sends per line.

use super::{BufferSize, FORMAT, TimedPhase, TimedSchedule};
use crate::format::raw::RawCollective;
use crate::format::write::{field, raw_network, whole};
use crate::problem::Label;
use crate::rules::Duplex;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The sends on one line.
const SENDS_PER_LINE: usize = 8;

/// Writes a schedule to a file, gzipped if the name ends in `.gz`. `more` holds additional fields,
/// such as `status` and `made_by`.
pub fn write_file(
    path: &Path,
    schedule: &TimedSchedule,
    more: &Map<String, Value>,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    if path.extension().is_some_and(|ending| ending == "gz") {
        let mut gzip = GzEncoder::new(&mut out, Compression::fast());
        write(&mut gzip, schedule, more)?;
        gzip.finish()?;
    } else {
        write(&mut out, schedule, more)?
    }
    out.flush()
}

/// Writes a schedule. `more` holds additional fields, such as `status` and `made_by`. Fails if the
/// schedule has no phase.
pub fn write(
    out: &mut dyn Write,
    schedule: &TimedSchedule,
    more: &Map<String, Value>,
) -> io::Result<()> {
    let Some(first) = schedule.phases.first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the schedule has no phase"));
    };
    let is_whole = schedule.phases.len() == 1;
    writeln!(out, "{{")?;
    field(out, "format", FORMAT)?;
    field(out, "network", &raw_network(first.problem.network()))?;
    let collective = if is_whole {
        RawCollective::from(first.problem.collective())
    } else {
        whole(&schedule.name, first.problem.collective())
    };
    field(out, "collective", &collective)?;
    for (key, value) in more {
        field(out, key, value)?;
    }
    match &schedule.size {
        BufferSize::Bytes(bytes) => field(out, "bytes", bytes)?,
        BufferSize::Each(sizes) => field(out, "sizes", sizes)?,
    }
    if schedule.duplex != Duplex::Full {
        field(out, "duplex", &schedule.duplex)?;
    }
    field(out, "time_unit_ns", &schedule.time_unit_ns)?;
    if let Some(time) = schedule.time {
        field(out, "time", &time)?;
    }
    if let Some(bound) = &schedule.bound {
        write!(out, "  \"bound\": {{\"time\": {}, \"certificate\": ", bound.time)?;
        serde_json::to_writer(&mut *out, &bound.certificate)?;
        writeln!(out, "}},")?;
    }
    if is_whole {
        write!(out, "  ")?;
        write_parts(out, first)?;
    } else {
        writeln!(out, "  \"phases\": [")?;
        for (at, phase) in schedule.phases.iter().enumerate() {
            let collective = RawCollective::from(phase.problem.collective());
            let fields = serde_json::to_string(&collective)?;
            let fields = fields.strip_suffix('}').unwrap_or(&fields);
            write!(out, "{}    {fields},\n  ", if at == 0 { "" } else { ",\n" })?;
            write_parts(out, phase)?;
            write!(out, "}}")?;
        }
        write!(out, "\n  ]")?;
    }
    writeln!(out, "\n}}")
}

/// Writes the chunks and the sends of a phase.
fn write_parts(out: &mut dyn Write, phase: &TimedPhase) -> io::Result<()> {
    write!(out, "\"chunks\": [")?;
    for (at, chunk) in phase.chunks.iter().enumerate() {
        write!(out, "{}\n    {{\"message\": ", if at == 0 { "" } else { "," })?;
        match phase.problem.label(chunk.message) {
            Label::One(one) => write!(out, "[{one}]")?,
            Label::Two(one, two) => write!(out, "[{one}, {two}]")?,
        }
        write!(out, ", \"offset\": {}, \"bytes\": {}}}", chunk.offset, chunk.bytes)?;
    }
    write!(out, "\n  ],\n  \"sends\": [")?;
    for (at, send) in phase.sends.iter().enumerate() {
        let gap = if at % SENDS_PER_LINE == 0 { "\n    " } else { " " };
        write!(out, "{}{gap}", if at == 0 { "" } else { "," })?;
        write!(out, "[{}, {}, {}]", send.chunk, send.channel, send.start)?;
    }
    write!(out, "\n  ]")
}
