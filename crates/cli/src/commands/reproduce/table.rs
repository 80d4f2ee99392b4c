//! The tables of the papers as data: one line per entry, with the arguments of `pavane solve`, the
//! steps that the paper reports, and how often its algorithm reached them.

use crate::args::problem::ProblemArgs;
use crate::output::Failure;
use clap::Parser;
use pavane_model::Problem;

/// The papers, one file each.
const PAPERS: &[(&str, &str, &str)] = &[
    (
        "gecco-2007.csv",
        "Jaroš, Ohlídal, Dvořák: An evolutionary approach to collective communication scheduling, 2007",
        include_str!("../../../data/papers/gecco-2007.csv"),
    ),
    (
        "fault-tolerant.csv",
        "Jaroš: Evolutionary design of fault tolerant collective communications",
        include_str!("../../../data/papers/fault-tolerant.csv"),
    ),
    (
        "hgsa.csv",
        "Group communications by hybrid parallel genetic simulated annealing",
        include_str!("../../../data/papers/hgsa.csv"),
    ),
];

/// An entry of a table.
pub struct PaperResult {
    /// The table.
    pub table: &'static str,
    /// The paper's algorithm.
    pub engine: &'static str,
    /// The arguments of `pavane solve`.
    pub problem: &'static str,
    /// Number of steps reported by the paper.
    pub steps: u32,
    /// How many of a hundred runs reached it, if the paper says so.
    pub rate: Option<u32>,
    /// Why the entry is doubtful, or another interpretation of it.
    pub note: &'static str,
}

/// A table and its paper.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Its entries.
    pub entries: Vec<PaperResult>,
}

/// A problem of a line in a file.
#[derive(Parser)]
struct TypedProblem {
    #[command(flatten)]
    problem: ProblemArgs,
}

impl PaperResult {
    /// The problem. Every entry has one phase.
    pub fn load(&self) -> Result<Problem, Failure> {
        let line = std::iter::once("pavane").chain(self.problem.split_whitespace());
        let typed = TypedProblem::try_parse_from(line).map_err(Failure::bad_input)?;
        let problem = typed.problem.load_quietly()?.into_iter().next();
        problem.ok_or_else(|| Failure::Bug(format!("{} has no phase", self.problem)))
    }
}

/// All tables, in the order of the files.
pub fn tables() -> Result<Vec<Table>, Failure> {
    let mut tables: Vec<Table> = Vec::new();
    for &(file, paper, text) in PAPERS {
        for (index, line) in text.lines().enumerate().skip(1) {
            let Some(entry) = parse(line) else {
                let line = index + 1;
                return Err(Failure::Bug(format!("{file}: line {line} is not a valid entry")));
            };
            match tables.iter_mut().find(|table| table.name == entry.table) {
                Some(table) => table.entries.push(entry),
                None => {
                    let name = entry.table;
                    tables.push(Table { name, paper, entries: vec![entry] });
                }
            }
        }
    }
    Ok(tables)
}

fn parse(line: &'static str) -> Option<PaperResult> {
    // The note is last and may contain semicolons.
    let fields: Vec<&'static str> = line.splitn(6, ';').collect();
    let [table, engine, problem, steps, rate, note] = fields[..] else { return None };
    let rate = match rate {
        "" => None,
        rate => Some(rate.parse().ok()?),
    };
    Some(PaperResult { table, engine, problem, steps: steps.parse().ok()?, rate, note })
}
