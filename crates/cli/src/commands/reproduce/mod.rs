//! `pavane reproduce [TABLE…]`: the tables of the papers next to Pavane's results, with the papers'
//! algorithms and with the best engine.

mod plot;
pub mod row;
mod rows;
mod settings;
pub mod table;
pub mod traffic;

use crate::args::tables::ReproduceArgs;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::output::{DONE, Failure, check_place, print_json, standard, write_file};
use crate::progress::Doing;
use crate::report::reproduce::{Listed, Reproduced};
use crate::words;
use pavane_cluster::Cluster;
use pavane_evolution::Annealing;
use pavane_model::bounded_read::{self, LARGEST_OWN};
use pavane_model::{Problem, strict_json};
use pavane_search::Engine;
use pavane_search::budget::Clock;
use pavane_search::parameters::Preset;
use pavane_search::success::{End, Trial, measure};
use pavane_search::synthesize::{Options, synthesize};
use row::{TableRow, Tried, remarks};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::Table;
pub use table::{PaperResult, tables};
use traffic::{EXHIBITS, Exhibit};

/// Evaluations that the best engines may use if they do not reach the bound.
const BEST_EVALUATIONS: u64 = 3_000_000;

/// Prints the tables.
pub fn run(args: &ReproduceArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let (tables, exhibits) = chosen(tables()?, &args.tables)?;
    if args.list {
        return if cluster.is_first() { list(&tables, &exhibits, args.json) } else { Ok(DONE) };
    }
    settings::check(&tables, args)?;
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    if !cluster.is_first() {
        rows::assist(&tables, args, cluster);
        for exhibit in exhibits {
            traffic::make(exhibit, args, &mut io::sink(), cluster)?;
        }
        return Ok(DONE);
    }
    let earlier = match &args.resume {
        Some(path) => {
            check_place(path)?;
            read_rows(path)?
        }
        None => Vec::new(),
    };
    if let Some(folder) = args.plot.as_ref().filter(|_| !tables.is_empty()) {
        make_folder(folder)?;
    }
    let stop = stop_on_interrupt(cluster);
    let shown = rows::make_all(&tables, args, earlier, &stop, cluster)?;
    let is_stopped = || stop.load(Ordering::Relaxed);
    let mut out = standard();
    if let Some(folder) = args.plot.as_ref().filter(|_| !tables.is_empty()) {
        draw(folder, &shown)?;
    }
    if !args.json && !tables.is_empty() {
        summarise(&mut out, &shown)?;
    }
    let mut values = Vec::new();
    for exhibit in exhibits.into_iter().take_while(|_| !is_stopped()) {
        values.extend(traffic::make(exhibit, args, &mut out, cluster)?);
    }
    out.flush()?;
    if args.json {
        // Releases the lock on standard output.
        drop(out);
        let rows = shown.iter().map(Reproduced::Schedules);
        print_json(&rows.chain(values).collect::<Vec<_>>())?;
    }
    if is_stopped() {
        words::warn(&format!("interrupted after {}", words::counted(shown.len(), "row")));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(DONE)
}

/// Computes the row of an entry. A row that `stop` has cut short must not be shown.
pub fn row(
    entry: &PaperResult,
    args: &ReproduceArgs,
    stop: &Arc<AtomicBool>,
) -> Result<TableRow, Failure> {
    make(entry, args, setup(entry, args), &Doing::unless(stop))
}

/// The requested tables: by name, or by a prefix of several names.
fn chosen(
    tables: Vec<Table>,
    names: &[String],
) -> Result<(Vec<Table>, Vec<&'static Exhibit>), Failure> {
    let fits = |table: &str, name: &String| {
        let rest = table.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let exhibits = EXHIBITS.iter().map(|exhibit| exhibit.name);
    let known: Vec<&str> = tables.iter().map(|table| table.name).chain(exhibits).collect();
    if let Some(name) = names.iter().find(|name| !known.iter().any(|table| fits(table, name))) {
        return Err(Failure::bad_input(format!(
            "unknown table {name:?}; the tables are {}",
            known.join(", ")
        )));
    }
    let is_wanted = |table: &str| names.is_empty() || names.iter().any(|name| fits(table, name));
    let tables = tables.into_iter().filter(|table| is_wanted(table.name)).collect();
    Ok((tables, EXHIBITS.iter().filter(|exhibit| is_wanted(exhibit.name)).collect()))
}

fn list(tables: &[Table], exhibits: &[&Exhibit], is_json: bool) -> Result<ExitCode, Failure> {
    if is_json {
        let tables = tables.iter().map(|table| Listed::Table {
            name: table.name,
            paper: table.paper,
            problems: table.entries.len(),
        });
        let exhibits = exhibits
            .iter()
            .map(|exhibit| Listed::Traffic { name: exhibit.name, title: exhibit.title });
        print_json(&tables.chain(exhibits).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    let mut out = standard();
    for table in tables {
        let entries = table.entries.len();
        let noun = if entries == 1 { "problem " } else { "problems" };
        writeln!(out, "{:16} {entries:>4} {noun}  {}", table.name, table.paper)?;
    }
    for exhibit in exhibits {
        writeln!(out, "{}", traffic::describe(exhibit))?;
    }
    out.flush()?;
    Ok(DONE)
}

/// Everything that a row depends on.
fn setup(entry: &PaperResult, args: &ReproduceArgs) -> String {
    let engine = args.engine.as_deref().unwrap_or(entry.engine);
    let evaluations = args.evaluations.map_or("default".to_owned(), |limit| limit.to_string());
    format!(
        "{engine} {} {:?} runs {} seed {} evaluations {evaluations} time {:?}",
        preset_name(args.preset),
        args.set,
        args.runs,
        args.seed,
        args.time
    )
}

fn preset_name(preset: Preset) -> &'static str {
    let found = Preset::ALL.iter().find(|(_, other)| *other == preset);
    found.map_or("", |(name, _)| name)
}

fn make(
    entry: &PaperResult,
    args: &ReproduceArgs,
    setup: String,
    doing: &Doing,
) -> Result<TableRow, Failure> {
    let problem = entry.load()?;
    doing.tell(format!("{}, best engine, {}", entry.table, entry.problem), 0, &Arc::default());
    let options = Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        evaluations: Some(BEST_EVALUATIONS),
        stop: doing.stop.clone(),
        ..Options::default()
    };
    let outcome = synthesize(&problem, &options)?;
    let best = outcome.solution.map(|solution| solution.checked.schedule().step_count());
    let bound = outcome.bounds.best.steps;
    let engine = settings::engine(args.engine.as_deref().unwrap_or(entry.engine))?;
    let try_with = |engine, steps| tried(entry, &problem, engine, steps, args, doing);
    let mut trials = vec![try_with(engine, entry.steps.max(bound))?];
    if bound < entry.steps {
        trials.push(try_with(engine, bound)?);
    }
    if settings::has_stand_in(args) {
        for steps in trials.iter().filter(|t| !t.is_full()).map(|t| t.steps).collect::<Vec<_>>() {
            trials.push(try_with(&Annealing, steps)?);
        }
    }
    Ok(TableRow {
        table: entry.table.to_owned(),
        problem: entry.problem.to_owned(),
        processors: problem.network().living_processors().count(),
        paper: entry.steps,
        paper_rate: entry.rate,
        engine: engine.name().to_owned(),
        remarks: remarks(entry, &trials, best, bound),
        trials,
        best,
        bound,
        setup,
    })
}

fn tried(
    entry: &PaperResult,
    problem: &Problem,
    engine: &'static dyn Engine,
    steps: u32,
    args: &ReproduceArgs,
    doing: &Doing,
) -> Result<Tried, Failure> {
    if !engine.takes(&problem.forward()) {
        return Err(Failure::bad_input(format!(
            "the engine {} cannot solve {}; use another --engine",
            engine.name(),
            entry.problem
        )));
    }
    let done = Arc::new(AtomicU64::new(0));
    let line = format!("{}, {} in {steps} steps, {}", entry.table, engine.name(), entry.problem);
    doing.tell(line, args.runs, &done);
    let trial = Trial {
        engine,
        preset: args.preset,
        settings: settings::of(engine, args),
        steps,
        runs: args.runs,
        seed: args.seed,
        evaluations: args.evaluations,
        time: Some(args.time),
        stop: doing.stop.clone(),
        done,
    };
    let clock = Clock::start();
    let success = measure(problem, &trial).map_err(Failure::bad_input)?;
    let time = clock.elapsed();
    let refused = success.runs.iter().find_map(|run| match &run.end {
        End::Refused(why) => Some(why),
        _ => None,
    });
    match refused {
        Some(why) => Err(Failure::Bug(format!(
            "{}: the judge rejected a schedule of {}: {why}",
            entry.problem,
            engine.name()
        ))),
        None => Ok(Tried::new(engine.name(), &success, time)),
    }
}

/// The rows of an earlier run; empty if there is no file yet.
fn read_rows(path: &Path) -> Result<Vec<TableRow>, Failure> {
    let bytes = bounded_read::read_if_there(path, LARGEST_OWN).map_err(Failure::bad_input)?;
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    strict_json::from_slice(&bytes).map_err(|error| {
        let place = path.display();
        Failure::bad_input(format!(
            "{place} is not a results file of `pavane reproduce` ({error}); use another file for --resume"
        ))
    })
}

fn keep_rows(args: &ReproduceArgs, rows: &[TableRow]) -> Result<(), Failure> {
    let Some(path) = &args.resume else { return Ok(()) };
    write_file(path, |out| Ok(serde_json::to_writer_pretty(out, rows)?))
}

/// Creates the folder for plots, before any results could be lost.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::bad_input(format!(
            "cannot create the folder {}: {}",
            folder.display(),
            error.kind()
        ))
    })
}

fn draw(folder: &Path, rows: &[TableRow]) -> Result<(), Failure> {
    for figure in plot::FIGURES {
        let path = folder.join(figure.file);
        match figure.draw(rows) {
            Some(svg) => write_file(&path, |out| out.write_all(svg.as_bytes()))?,
            None => words::warn(&format!(
                "{} was not drawn: it requires the table gecco-2 with at least one success",
                path.display()
            )),
        }
    }
    Ok(())
}

fn summarise(out: &mut dyn Write, rows: &[TableRow]) -> Result<(), Failure> {
    // An entry below the bound cannot be reached, so the bound counts instead.
    let count = |fits: &dyn Fn(&TableRow, &Tried) -> bool| {
        let is_one = |row: &&TableRow| {
            let most = row.paper.max(row.bound);
            row.trials.iter().any(|tried| tried.steps <= most && fits(row, tried))
        };
        rows.iter().filter(is_one).count()
    };
    writeln!(
        out,
        "{} entries: {} reached in every run, {} of them by the algorithm of the table; {} never reached",
        rows.len(),
        count(&|_, tried| tried.is_full()),
        count(&|row, tried| tried.is_full() && tried.engine == row.engine),
        rows.len() - count(&|_, tried| tried.hits > 0)
    )?;
    let impossible = rows.iter().filter(|row| row.paper < row.bound).count();
    if impossible > 0 {
        writeln!(
            out,
            "{impossible} entries were run at the bound, because it exceeds the steps of the paper"
        )?;
    }
    if rows.iter().any(|row| row.trials.iter().any(|tried| tried.cut_short)) {
        writeln!(
            out,
            "+ marks entries of which --time ended some runs before their evaluations were used up"
        )?;
    }
    Ok(())
}
