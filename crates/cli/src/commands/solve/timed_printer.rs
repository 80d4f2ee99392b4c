//! A timed schedule as text, as JSON and as a file.

use crate::output::{Failure, standard};
use crate::report::timed::TimedReport;
use crate::route_text;
use crate::schedule_file::PROGRAM;
use crate::words::{self, counted};
use pavane_model::{Fraction, Problem, strict_json, timed};
use pavane_throughput::rates::{Payload, Rate, figure};
use pavane_timed::{TimedAnswer, explanation};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

/// A judged schedule, with what the user asked for.
pub struct TimedPrinter<'a> {
    pub collective: &'a str,
    /// The size given, unless the messages have sizes of their own.
    pub bytes: Option<u64>,
    /// With sizes of their own: the unit of these.
    pub unit: Option<u64>,
    pub seed: u64,
    pub problems: &'a [Problem],
    pub found: &'a TimedAnswer,
}

/// A time in words.
pub fn micro(time_ns: Fraction) -> String {
    format!("{:.4} µs", time_ns.to_f64() / 1000.0)
}

impl TimedPrinter<'_> {
    fn payload(&self) -> Payload<'_> {
        Payload { problems: self.problems, bytes: self.bytes, unit: self.unit }
    }

    fn rate(&self) -> Option<Rate> {
        let bytes = self.bytes.filter(|bytes| *bytes > 0)?;
        let parts = Fraction::from(self.payload().parts());
        let shard = Fraction::from(bytes).checked_div(parts)?;
        self.payload().rate(self.found.time_ns.checked_div(shard)?).ok()
    }

    fn is_optimal(&self) -> bool {
        self.found.time_ns == self.found.bound_ns
    }

    /// Whether a bound is proved; a file may have none.
    fn has_bound(&self) -> bool {
        self.found.bound_ns > Fraction::ZERO
    }

    fn gap_percent(&self) -> f64 {
        let (time, bound) = (self.found.time_ns.to_f64(), self.found.bound_ns.to_f64());
        if self.is_optimal() { 0.0 } else { 100.0 * (time / bound - 1.0) }
    }

    /// How far the time is from the bound.
    pub fn status(&self) -> String {
        if self.is_optimal() {
            "optimal".to_owned()
        } else if !self.has_bound() {
            "no bound is proved".to_owned()
        } else {
            format!("at most {} % above the best possible time", figure(self.gap_percent()))
        }
    }

    fn counts(&self) -> (usize, usize) {
        let phases = &self.found.schedule.phases;
        let chunks = phases.iter().map(|phase| phase.chunks.len()).sum();
        (chunks, phases.iter().map(|phase| phase.sends.len()).sum())
    }

    /// Why no schedule is quicker than the bound.
    pub fn explanation(&self) -> String {
        explanation(&self.found.schedule)
    }

    /// Writes the schedule file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        let made_by = json!({"program": PROGRAM, "engine": self.found.method, "seed": self.seed});
        more.insert("made_by".into(), made_by);
        timed::write(out, &self.found.schedule, &more)
    }

    /// The whole result as JSON; `output` is the file that has the schedule.
    pub fn json(&self, seconds: f64, output: Option<&Path>) -> Result<TimedReport<'_>, Failure> {
        let network = self.problems[0].network();
        let (chunks, sends) = self.counts();
        let rate = self.rate();
        let schedule = match output {
            Some(_) => None,
            None => {
                let mut bytes = Vec::new();
                self.write(&mut bytes)?;
                let read: Map<String, Value> =
                    strict_json::from_slice(&bytes).map_err(io::Error::from)?;
                Some(read)
            }
        };
        Ok(TimedReport {
            network: network.name(),
            faults: network.fault_names(),
            collective: self.collective,
            processors: self.payload().processors().len(),
            bytes: self.bytes,
            chunks,
            sends,
            microseconds: self.found.time_ns.to_f64() / 1000.0,
            time_ns: self.found.time_ns.to_string(),
            algorithm_gbytes: rate.and_then(|rate| rate.algorithm_gbytes),
            bus_gbytes: rate.and_then(|rate| rate.bus_gbytes),
            bound_microseconds: self.found.bound_ns.to_f64() / 1000.0,
            bound_ns: self.found.bound_ns.to_string(),
            explanation: self.explanation(),
            gap_percent: self.gap_percent(),
            optimal: self.is_optimal(),
            status: self.status(),
            found_by: self.found.method,
            seconds,
            file: output.map(|path| path.display().to_string()),
            schedule,
        })
    }

    /// The problem in one line.
    pub fn title(&self) -> String {
        words::problem_line(self.collective, &self.problems[0])
    }

    /// The parts of the answer, each with its name. `before` is the time before a repair.
    pub fn lines(&self, before: Option<Fraction>) -> Vec<(&'static str, String)> {
        let mut time = micro(self.found.time_ns);
        if let Some(before) = before {
            time += &format!(", {} before", micro(before));
        }
        time += &format!(": {}", self.status());
        if let Some(rate) = self.rate() {
            for (name, bandwidth) in
                [("algorithm", rate.algorithm_gbytes), ("bus", rate.bus_gbytes)]
            {
                if let Some(bandwidth) = bandwidth {
                    time += &format!("; {name} bandwidth {} GB/s", figure(bandwidth));
                }
            }
        }
        let (chunks, sends) = self.counts();
        let (chunks, sends) = (counted(chunks as u64, "chunk"), counted(sends as u64, "send"));
        let bound = || format!("{}: {}", micro(self.found.bound_ns), self.explanation());
        let mut lines = vec![("time", time), ("schedule", format!("{chunks}, {sends}"))];
        if self.has_bound() {
            lines.insert(0, ("bound", bound()));
        }
        lines
    }

    /// Prints the result, with all sends if asked for; `output` is the file that has the schedule.
    pub fn print(&self, seconds: f64, output: Option<&Path>, is_all: bool) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.title())?;
        for (name, text) in self.lines(None) {
            writeln!(out, "  {name:<8}  {text}")?;
        }
        let (method, seed) = (self.found.method, self.seed);
        writeln!(out, "  found by  {method} in {seconds:.2} s, seed {seed}")?;
        if let Some(note) = words::default_bandwidth(self.problems[0].network(), "--bandwidth") {
            writeln!(out, "  note      {note}")?;
        }
        if let Some(path) = output {
            writeln!(out, "  written   {}", path.display())?;
        }
        if is_all {
            route_text::write_sends(&self.found.schedule, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }
}
