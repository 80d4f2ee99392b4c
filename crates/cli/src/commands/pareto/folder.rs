//! The folder of a front: `C-S-R.json` for every point, `C-S-R.cnf.gz` and `C-S-R.lrat.gz` for every
//! refuted one (a formula in DIMACS and its proof, which any LRAT checker can check), `front.json` and
//! `front.svg`.

use super::plot;
use super::printer::FrontPrinter;
use crate::file_sink::FileSink;
use crate::output::Failure;
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use pavane_model::Bound;
use pavane_model::whole::Whole;
use pavane_pareto::{Fewer, FrontPoint};
use pavane_render::file;
use pavane_store::files::write_proof;
use pavane_verify::{CheckedSchedule, Limits, cheap_bound, encode_rounds, exact::MOST_LITERALS};
use serde_json::{Map, json};
use std::io::{self, Write};
use std::path::Path;

/// Creates the folder, so that a wrong name is found before the search.
pub fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let name = folder.display();
        Failure::bad_input(format!("cannot create the folder {name}: {}", error.kind()))
    })
}

/// The file of a point.
pub fn schedule_name(printer: &FrontPrinter<'_>, point: &FrontPoint) -> String {
    format!("{}.json", printer.name(point))
}

/// Writes all files.
pub fn write(folder: &mut dyn FileSink, printer: &FrontPrinter<'_>) -> Result<(), Failure> {
    for point in &printer.front.points {
        folder.add(&schedule_name(printer, point), &|out| write_point(out, printer, point))?;
        if let Fewer::Proof(lrat) = &point.fewer {
            let name = printer.refuted_name(point);
            let formula = format!("{name}.cnf.gz");
            folder.add(&formula, &|out| {
                gzipped_by_name(Path::new(&formula), out, |out| write_formula(out, point))
            })?;
            folder.add(&format!("{name}.lrat.gz"), &|out| write_proof(out, lrat))?;
        }
    }
    folder.add("front.svg", &|out| out.write_all(plot::draw(printer).as_bytes()))?;
    folder.add("front.json", &|out| {
        serde_json::to_writer_pretty(&mut *out, &printer.json())?;
        writeln!(out)
    })
}

/// Writes the schedule of a point.
pub fn write_point(
    out: &mut dyn Write,
    printer: &FrontPrinter<'_>,
    point: &FrontPoint,
) -> io::Result<()> {
    let mut more = Map::new();
    let made_by = json!({"program": PROGRAM, "engine": "pareto", "seed": printer.seed});
    more.insert("made_by".into(), made_by);
    let bounds: Vec<Bound> = point.phases.iter().map(bound).collect();
    let phases: Vec<(&CheckedSchedule, &Bound)> = point.phases.iter().zip(&bounds).collect();
    file::write(printer.collective, &phases, &Whole::default(), &more, out)
}

/// The bound that the judge derives without a certificate.
pub fn bound(checked: &CheckedSchedule) -> Bound {
    Bound {
        steps: cheap_bound(checked.problem()),
        reason: "found by the judge".to_owned(),
        explanation: String::new(),
        certificate: None,
    }
}

/// Writes the formula that says that there is a schedule with one round less.
fn write_formula(out: &mut dyn Write, point: &FrontPoint) -> io::Result<()> {
    let problem = point.phases[0].problem();
    let (steps, rounds) = (point.steps(), point.round_count() - 1);
    let formula = encode_rounds(problem, steps, rounds, MOST_LITERALS, Limits::of(problem));
    let cnf = formula.map_err(io::Error::other)?.cnf;
    writeln!(out, "p cnf {} {}", cnf.variable_count(), cnf.clause_count())?;
    for clause in cnf.clauses() {
        for literal in clause {
            write!(out, "{literal} ")?;
        }
        writeln!(out, "0")?;
    }
    Ok(())
}
