//! The rows of the tables, computed by all ranks and printed in order.

use super::row::{HEAD, TableRow};
use super::table::{PaperResult, Table};
use super::{keep_rows, make, setup};
use crate::args::tables::ReproduceArgs;
use crate::output::{Failure, standard};
use crate::progress::{Doing, Ticker, bar};
use pavane_cluster::{Cluster, Jobs, decode, encode};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// State on rank 0.
struct Shown<'a> {
    args: &'a ReproduceArgs,
    tables: &'a [Table],
    /// By entry, across all tables.
    rows: Vec<Option<TableRow>>,
    /// Number of rows printed.
    printed: usize,
    /// Contents of the file of `--resume`.
    kept: Vec<TableRow>,
    failure: Option<Failure>,
}

/// Computes the rows that an earlier run has not, and prints all rows in order as soon as possible.
/// Returns those that are complete when `interrupt` is set.
pub fn make_all(
    tables: &[Table],
    args: &ReproduceArgs,
    earlier: Vec<TableRow>,
    interrupt: &Arc<AtomicBool>,
    cluster: &Cluster,
) -> Result<Vec<TableRow>, Failure> {
    let entries = entries(tables);
    let known = |entry: &&PaperResult| {
        let setup = setup(entry, args);
        // A table may contain a problem twice, for two algorithms.
        let is_it = |row: &&TableRow| {
            (row.table.as_str(), row.problem.as_str(), row.paper_rate, &row.setup)
                == (entry.table, entry.problem, entry.rate, &setup)
        };
        earlier.iter().find(is_it).cloned()
    };
    let rows: Vec<Option<TableRow>> = entries.iter().map(known).collect();
    let open: Vec<usize> = (0..rows.len()).filter(|&at| rows[at].is_none()).collect();
    let mut shown = Shown { args, tables, rows, printed: 0, kept: earlier, failure: None };
    shown.print()?;
    let (tag, list) = (cluster.common_tag(), encode(&open));
    cluster.others().for_each(|rank| cluster.send(rank, tag, list.clone()));
    let shown = Mutex::new(shown);
    let (made, doing) = (Arc::new(AtomicU64::new(0)), Arc::new(Doing::unless(interrupt)));
    let (count, total, own) = (made.clone(), open.len() as u64, doing.clone());
    let ticker = Ticker::of_ranks(cluster.ranks(), move || {
        format!("{} rows; {}", bar(count.load(Ordering::Relaxed), total), own.describe())
    });
    let collect = |number: usize, row: Result<TableRow, String>| {
        // An interrupt cuts rows short.
        if interrupt.load(Ordering::Relaxed) {
            return;
        }
        made.fetch_add(1, Ordering::Relaxed);
        let mut shown = shown.lock().expect("no thread panics while it holds this");
        if let Err(failure) = ticker.aside(|| shown.take(open[number], row)) {
            shown.failure.get_or_insert(failure);
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    let work = Work { entries: &entries, open: &open, args, doing: &doing };
    work.share(cluster, interrupt, &collect);
    drop(ticker);
    let shown = shown.into_inner().expect("no thread panics while it holds this");
    match shown.failure {
        Some(failure) => Err(failure),
        None => Ok(shown.rows.into_iter().flatten().collect()),
    }
}

/// Helps rank 0 to compute rows.
pub fn assist(tables: &[Table], args: &ReproduceArgs, cluster: &Cluster) {
    let open = cluster.receive(cluster.common_tag());
    let open = open.and_then(|message| decode(&message.bytes));
    let open: Vec<usize> = open.unwrap_or_default();
    let (entries, doing) = (entries(tables), Doing::default());
    let work = Work { entries: &entries, open: &open, args, doing: &doing };
    work.share(cluster, &AtomicBool::new(false), &|_, _| {});
}

fn entries(tables: &[Table]) -> Vec<&PaperResult> {
    tables.iter().flat_map(|table| &table.entries).collect()
}

/// Rows to compute.
struct Work<'a> {
    entries: &'a [&'a PaperResult],
    open: &'a [usize],
    args: &'a ReproduceArgs,
    doing: &'a Doing,
}

impl Work<'_> {
    /// Computes rows together with the other ranks, one at a time on each, because a row uses all
    /// threads.
    fn share(
        &self,
        cluster: &Cluster,
        stop: &AtomicBool,
        collect: &(dyn Fn(usize, Result<TableRow, String>) + Sync),
    ) {
        let work = |number: usize| {
            let entry = self.entries[self.open[number]];
            let made = make(entry, self.args, setup(entry, self.args), self.doing);
            made.map_err(|failure| failure.text().to_owned())
        };
        cluster.share(&Jobs { count: self.open.len(), workers: 1, stop, work: &work, collect });
    }
}

impl Shown<'_> {
    fn take(&mut self, at: usize, row: Result<TableRow, String>) -> Result<(), Failure> {
        let row = row.map_err(Failure::bad_input)?;
        self.kept.push(row.clone());
        keep_rows(self.args, &self.kept)?;
        self.rows[at] = Some(row);
        self.print()
    }

    /// Prints the rows that are next in order.
    fn print(&mut self) -> Result<(), Failure> {
        if self.args.json {
            return Ok(());
        }
        let mut out = standard();
        let mut first = 0;
        for table in self.tables {
            let end = first + table.entries.len();
            while (first..end).contains(&self.printed) {
                let Some(row) = &self.rows[self.printed] else { return Ok(out.flush()?) };
                if self.printed == first {
                    writeln!(out, "{}: {}\n{HEAD}", table.name, table.paper)?;
                }
                for line in row.lines() {
                    writeln!(out, "{line}")?;
                }
                self.printed += 1;
            }
            first = end;
        }
        Ok(out.flush()?)
    }
}
