//! The table of a tuning, as text or as JSON.

use super::folder;
use crate::commands::compare::printer::rate;
use crate::output::{Failure, standard};
use crate::report::tune::{TunedRange, TunedSizeReport, TuningReport};
use crate::words;
use pavane_model::{Fraction, Problem};
use pavane_throughput::rates::{Payload, figure};
use pavane_tuning::{TunedSize, Tuning};
use std::io::Write;
use std::path::Path;

/// The most reasons why there is no plan.
const MOST_REASONS: usize = 3;

/// The result with what the user asked for.
pub struct TuningPrinter<'a> {
    pub collective: &'a str,
    /// The folder of the files.
    pub folder: &'a Path,
    pub problems: &'a [Problem],
    pub tuned: &'a Tuning,
    pub ranges: &'a [TunedRange],
    pub seconds: f64,
}

impl TuningPrinter<'_> {
    /// The rows of the table.
    pub fn sizes(&self) -> Vec<TunedSizeReport> {
        self.tuned.sizes.iter().map(|size| self.row(size)).collect()
    }

    fn row(&self, size: &TunedSize) -> TunedSizeReport {
        let micro = |time: Fraction| time.to_f64() / 1000.0;
        let best = size.best.map(|(_, time)| time);
        let rate = best.and_then(|time| rate(self.problems, size.bytes, time));
        TunedSizeReport {
            bytes: size.bytes,
            bound_microseconds: micro(size.bound_ns),
            timed_microseconds: micro(size.timed.time_ns()),
            microseconds: best.map(micro),
            algorithm_gbytes: rate.and_then(|rate| rate.algorithm_gbytes),
            bus_gbytes: rate.and_then(|rate| rate.bus_gbytes),
            ring_microseconds: size.ring_ns.map(micro),
            tree_microseconds: size.tree_ns.map(micro),
            timed_file: folder::timed_name(size.bytes),
            schedule: size.best.map(|(at, _)| self.tuned.schedules[at].0.clone()),
        }
    }

    /// The whole result as JSON.
    pub fn json(&self) -> TuningReport<'_> {
        let network = self.problems[0].network();
        let payload = Payload { problems: self.problems, bytes: None, unit: None };
        let range = |range: &TunedRange| TunedRange {
            min_bytes: range.min_bytes,
            max_bytes: range.max_bytes,
            schedule: range.schedule.clone(),
            files: range.files.clone(),
            not_written: range.not_written.clone(),
        };
        TuningReport {
            network: network.name(),
            faults: network.fault_names(),
            collective: self.collective,
            processors: payload.processors().len(),
            sizes: self.sizes(),
            ranges: self.ranges.iter().map(range).collect(),
            no_plan: self.no_plan(),
            complete: !self.tuned.is_stopped,
            seconds: self.seconds,
            folder: self.folder.display().to_string(),
        }
    }

    /// The reasons why there is no plan, each with the first schedule that it applies to.
    fn no_plan(&self) -> Vec<String> {
        let mut known = Vec::new();
        let mut reasons = Vec::new();
        for (name, why) in &self.tuned.refused {
            if !known.contains(&why) {
                known.push(why);
                reasons.push(format!("{name}: {why}; {}", why.remedy()));
            }
        }
        reasons.truncate(MOST_REASONS);
        reasons
    }

    /// The problem in one line.
    pub fn title(&self) -> String {
        words::problem_line(self.collective, &self.problems[0])
    }

    /// Prints the table.
    pub fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.title())?;
        writeln!(
            out,
            "  {:>10}  {:>12}  {:>12}  {:>12}  {:>9}  {:>12}  {:>12}  schedule",
            "size", "bound µs", "timed µs", "tuned µs", "alg GB/s", "ring µs", "tree µs"
        )?;
        let time = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.3}"));
        for row in self.sizes() {
            writeln!(
                out,
                "  {:>10}  {:>12}  {:>12}  {:>12}  {:>9}  {:>12}  {:>12}  {}",
                short(row.bytes),
                time(Some(row.bound_microseconds)),
                time(Some(row.timed_microseconds)),
                time(row.microseconds),
                row.algorithm_gbytes.map_or("–".to_owned(), figure),
                time(row.ring_microseconds),
                time(row.tree_microseconds),
                row.schedule.as_deref().unwrap_or("–")
            )?;
        }
        writeln!(out, "  switch points")?;
        for range in self.ranges {
            let (from, schedule) = (short(range.min_bytes), &range.schedule);
            writeln!(out, "    from {from:>8}: {schedule}; {}", range.files.join(" "))?;
            for why in &range.not_written {
                writeln!(out, "                   no plan for {why}")?;
            }
        }
        for why in self.no_plan() {
            writeln!(out, "    no plan: {why}")?;
        }
        if let (true, Some(last)) = (self.tuned.is_stopped, self.tuned.sizes.last()) {
            let last = short(last.bytes);
            writeln!(
                out,
                "  stopped before all sizes were tuned: no schedule for more than {last}"
            )?;
        }
        if let Some(note) = words::default_bandwidth(self.problems[0].network(), "--bandwidth") {
            writeln!(out, "  note      {note}")?;
        }
        let folder = self.folder.display();
        writeln!(out, "  written   {folder}, in {:.2} s", self.seconds)?;
        out.flush()?;
        Ok(())
    }
}

/// A size with a decimal unit and at most three decimals.
fn short(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    let fits = units.into_iter().find(|(_, unit)| bytes as f64 >= *unit);
    let (name, unit) = fits.unwrap_or(("B", 1.0));
    let text = format!("{:.3}", bytes as f64 / unit);
    format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
}
