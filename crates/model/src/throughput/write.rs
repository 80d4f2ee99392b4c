//! Writes throughput plans as a stream, one tree or path per line.

use super::{FORMAT, PlanPhase, Route, ThroughputPlan};
use crate::format::raw::RawCollective;
use crate::format::write::{field, raw_network, whole};
use crate::problem::{Label, Problem};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a plan to a file, gzipped if the name ends in `.gz`. `more` holds additional fields, such
/// as `status` and `made_by`.
pub fn write_file(path: &Path, plan: &ThroughputPlan, more: &Map<String, Value>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    if path.extension().is_some_and(|ending| ending == "gz") {
        let mut gzip = GzEncoder::new(&mut out, Compression::fast());
        write(&mut gzip, plan, more)?;
        gzip.finish()?;
    } else {
        write(&mut out, plan, more)?
    }
    out.flush()
}

/// Writes a plan. `more` holds additional fields, such as `status` and `made_by`. Fails if the plan
/// has no phase.
pub fn write(
    out: &mut dyn Write,
    plan: &ThroughputPlan,
    more: &Map<String, Value>,
) -> io::Result<()> {
    let Some(first) = plan.phases.first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the plan has no phase"));
    };
    let is_whole = plan.phases.len() == 1;
    writeln!(out, "{{")?;
    field(out, "format", FORMAT)?;
    field(out, "network", &raw_network(first.problem.network()))?;
    let collective = if is_whole {
        RawCollective::from(first.problem.collective())
    } else {
        whole(&plan.name, first.problem.collective())
    };
    field(out, "collective", &collective)?;
    for (key, value) in more {
        field(out, key, value)?;
    }
    field(out, "scale", &plan.scale)?;
    if is_whole && !first.sizes.is_empty() {
        field(out, "sizes", &first.sizes)?;
    }
    if let Some(time) = plan.ns_per_byte {
        field(out, "ns_per_byte", &time)?;
    }
    if let Some(limit) = &plan.limit {
        write!(
            out,
            "  \"limit\": {{\"ns_per_byte\": \"{}\", \"certificate\": ",
            limit.ns_per_byte
        )?;
        serde_json::to_writer(&mut *out, &limit.certificate)?;
        writeln!(out, "}},")?;
    }
    if is_whole {
        write!(out, "  \"{}\": ", if first.has_paths() { "paths" } else { "trees" })?;
        write_routes(out, first)?;
    } else {
        writeln!(out, "  \"phases\": [")?;
        for (at, phase) in plan.phases.iter().enumerate() {
            let collective = RawCollective::from(phase.problem.collective());
            let fields = serde_json::to_string(&collective)?;
            let fields = fields.strip_suffix('}').unwrap_or(&fields);
            write!(out, "{}    {fields}, \"trees\": ", if at == 0 { "" } else { ",\n" })?;
            write_routes(out, phase)?;
            write!(out, "}}")?;
        }
        write!(out, "\n  ]")?;
    }
    writeln!(out, "\n}}")
}

fn write_routes(out: &mut dyn Write, phase: &PlanPhase) -> io::Result<()> {
    write!(out, "[")?;
    for (at, route) in phase.routes.iter().enumerate() {
        writeln!(out, "{}", if at == 0 { "" } else { "," })?;
        write_route(out, &phase.problem, route)?;
    }
    write!(out, "\n  ]")
}

fn write_route(out: &mut dyn Write, problem: &Problem, route: &Route) -> io::Result<()> {
    write!(out, "    {{\"message\": ")?;
    match problem.label(route.message) {
        Label::One(one) => write!(out, "[{one}]")?,
        Label::Two(one, two) => write!(out, "[{one}, {two}]")?,
    }
    write!(out, ", \"weight\": {}, \"channels\": ", route.weight)?;
    serde_json::to_writer(&mut *out, &route.channels)?;
    write!(out, "}}")
}
