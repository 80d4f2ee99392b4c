//! A Python module that carries the schedule out with `torch.distributed`: the sends and receives of a
//! step in one group, in functions with PyTorch's signatures. As a program it checks every byte and
//! measures.

use crate::export::{ExportError, File, one_file};
use crate::lowering::{Expectation, GpuProgram, Place};
use crate::whole::Whole;
use std::fmt::Write;

/// The part of the module that is the same for every schedule.
const MODULE: &str = include_str!("module.py");

const ALL_GATHER: &str = include_str!("all_gather.py");
const ALL_TO_ALL: &str = include_str!("all_to_all.py");
const ALL_REDUCE: &str = include_str!("all_reduce.py");
const BROADCAST: &str = include_str!("broadcast.py");
const REDUCE: &str = include_str!("reduce.py");
const REDUCE_SCATTER: &str = include_str!("reduce_scatter.py");

/// The functions of each collective, and the ratio of bus to algorithm bandwidth in nccl-tests.
fn functions(name: &str) -> (&'static str, &'static str) {
    let share = "(RANKS - 1) / RANKS";
    match name {
        "allgather" => (ALL_GATHER, share),
        "alltoall" => (ALL_TO_ALL, share),
        "reduce_scatter" => (REDUCE_SCATTER, share),
        "allreduce" => (ALL_REDUCE, "2 * (RANKS - 1) / RANKS"),
        "broadcast" => (BROADCAST, "1.0"),
        "reduce" => (REDUCE, "1.0"),
        _ => ("", "None"),
    }
}

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let program = GpuProgram::new(whole, "torch")?;
    let (functions, bus) = functions(program.name);
    let title = whole.title().replace(['\\', '"'], "");
    let layout = &program.layout;
    let text = MODULE
        .replace("# @FUNCTIONS@\n", functions)
        .replace("@TITLE@", &title)
        .replace("@BUS@", bus)
        .replace("@ROOT@", &program.root.to_string())
        .replace("@RANKS@", &whole.rank_count().to_string())
        .replace("@STEPS@", &whole.step_count().to_string())
        .replace("@INPUTS@", &format!("{:?}", layout.inputs))
        .replace("@OUTPUTS@", &format!("{:?}", layout.outputs))
        .replace("@SCRATCH@", &format!("{:?}", layout.scratch))
        .replace("# @TABLES@\n", &tables(&program));
    Ok(one_file(text))
}

fn tables(program: &GpuProgram) -> String {
    let mut text = String::new();
    let mut rows = program.carries.iter().map(|carry| {
        let (source, landing) = (place(carry.source), place(carry.landing));
        let adds = carry.adds.map_or("None".to_owned(), place);
        format!("({}, {}, {}, {source}, {landing}, {adds})", carry.step, carry.from, carry.to)
    });
    list(&mut text, "TRANSFERS", &mut rows);
    let mut rows = program.layout.copies.iter().map(|&(rank, from, to)| {
        format!("({rank}, {}, {})", place(from), place(to)) //
    });
    list(&mut text, "COPIES", &mut rows);
    let mut rows = program.expected.iter().map(|Expectation { rank, offset, parts }| {
        format!("({rank}, {offset}, {parts:?})") //
    });
    list(&mut text, "EXPECTED", &mut rows);
    text
}

fn place(place: Place) -> String {
    format!("('{}', {})", place.buffer, place.offset)
}

/// A Python list with one row per line.
fn list(text: &mut String, name: &str, rows: &mut dyn Iterator<Item = String>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name} = [");
    rows.for_each(|row| _ = writeln!(text, "    {row},"));
    text.push_str("]\n");
}
