//! A CUDA program that carries the schedule out with NCCL: the sends and receives of a step in one
//! group. It starts its ranks, compares every byte and measures as nccl-tests does.

use crate::export::{ExportError, File, one_file};
use crate::lowering::{GpuProgram, Place};
use crate::whole::Whole;
use std::fmt::Write;

/// The part of the program that is the same for every schedule.
const PROGRAM: &str = include_str!("program.cu");

/// The ratio of bus to algorithm bandwidth in nccl-tests; 0 if it has none.
fn bus(name: &str) -> &'static str {
    match name {
        "allgather" | "alltoall" | "reduce_scatter" => "(RANKS - 1.0) / RANKS",
        "allreduce" => "2.0 * (RANKS - 1.0) / RANKS",
        "broadcast" | "reduce" => "1.0",
        _ => "0.0",
    }
}

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let program = GpuProgram::new(whole, "nccl")?;
    let numbers = |counts: &[u32]| {
        let texts: Vec<String> = counts.iter().map(u32::to_string).collect();
        texts.join(", ")
    };
    let title = whole.title().replace("*/", "* /").replace(['\\', '"'], "");
    let layout = &program.layout;
    let text = PROGRAM
        .replace("@TITLE@", &title)
        .replace("@BUS@", bus(program.name))
        .replace("@RANKS@", &whole.rank_count().to_string())
        .replace("@STEPS@", &whole.step_count().to_string())
        .replace("@INPUTS@", &numbers(&layout.inputs))
        .replace("@OUTPUTS@", &numbers(&layout.outputs))
        .replace("@SCRATCH@", &numbers(&layout.scratch))
        .replace("/*@TABLES@*/\n", &tables(&program));
    Ok(one_file(text))
}

fn tables(program: &GpuProgram) -> String {
    let mut text = String::new();
    let mut rows = program.carries.iter().map(|carry| {
        let adds = carry.adds.map_or("{'-', 0}".to_owned(), place);
        let (source, landing) = (place(carry.source), place(carry.landing));
        format!("{{{}, {}, {}, {source}, {landing}, {adds}}}", carry.step, carry.from, carry.to)
    });
    array(
        &mut text,
        "transfer",
        "transfers",
        "{0, -1, -1, {'-', 0}, {'-', 0}, {'-', 0}}",
        &mut rows,
    );
    let mut rows = program
        .layout
        .copies
        .iter()
        .map(|&(rank, from, to)| format!("{{{rank}, {}, {}}}", place(from), place(to)));
    array(&mut text, "copy", "copies", "{-1, {'-', 0}, {'-', 0}}", &mut rows);
    let parts = || program.expected.iter().flat_map(|expected| &expected.parts);
    let mut rows = parts().map(|(rank, chunk)| format!("{{{rank}, {chunk}}}"));
    array(&mut text, "part", "parts", "{-1, 0}", &mut rows);
    let mut first = 0;
    let mut rows = program.expected.iter().map(|expected| {
        let row = format!(
            "{{{}, {}, {first}, {}}}",
            expected.rank,
            expected.offset,
            expected.parts.len()
        );
        first += expected.parts.len();
        row
    });
    array(&mut text, "expectation", "expected", "{-1, 0, 0, 0}", &mut rows);
    text
}

fn place(place: Place) -> String {
    format!("{{'{}', {}}}", place.buffer, place.offset)
}

/// A C++ array and its length. `none` is the only row of an empty array, which C++ does not allow.
fn array(
    text: &mut String,
    of: &str,
    name: &str,
    none: &str,
    rows: &mut dyn Iterator<Item = String>,
) {
    // Writing to a string cannot fail.
    let _ = write!(text, "static const {of} {name}[] = {{");
    let mut count = 0;
    for row in rows {
        let separator = if count % 4 == 0 { "\n    " } else { " " };
        let _ = write!(text, "{separator}{row},");
        count += 1;
    }
    if count == 0 {
        let _ = write!(text, "\n    {none},");
    }
    let _ = writeln!(text, "\n}};\nenum {{ {}_COUNT = {count} }};", name.to_uppercase());
}
