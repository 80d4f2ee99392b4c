//! The points of a front as a table or as JSON.

use super::folder;
use crate::output::{Failure, standard};
use crate::progress::is_quiet;
use crate::report::pareto::{FrontPointReport, FrontReport};
use crate::words;
use pavane_model::{Fraction, Problem};
use pavane_pareto::{Fewer, Front, FrontPoint};
use pavane_throughput::rates::Payload;
use std::io::Write;
use std::path::Path;

/// A front with what the user asked for.
pub struct FrontPrinter<'a> {
    pub collective: &'a str,
    pub seed: u64,
    /// The folder of the schedules.
    pub folder: Option<&'a Path>,
    pub problems: &'a [Problem],
    /// Rounds per chunk that no schedule can undercut, all phases together.
    pub limit: Option<Fraction>,
    pub front: &'a Front,
    pub seconds: f64,
}

impl FrontPrinter<'_> {
    fn payload(&self) -> Payload<'_> {
        Payload { problems: self.problems, bytes: None, unit: None }
    }

    /// C: chunks of the buffer that a processor sends.
    pub fn chunks(&self, point: &FrontPoint) -> u64 {
        self.payload().messages_per_sender() * u64::from(point.chunks)
    }

    /// The name of a point in files: C-S-R.
    pub fn name(&self, point: &FrontPoint) -> String {
        format!("{}-{}-{}", self.chunks(point), point.steps(), point.round_count())
    }

    /// The point with one round less, as in the name of its refutation.
    pub fn refuted_name(&self, point: &FrontPoint) -> String {
        format!("{}-{}-{}", self.chunks(point), point.steps(), point.round_count() - 1)
    }

    /// The whole result as JSON.
    pub fn json(&self) -> FrontReport<'_> {
        let network = self.problems[0].network();
        let output = self.folder;
        let point = |point: &FrontPoint| FrontPointReport {
            chunks: self.chunks(point),
            chunks_per_message: point.chunks,
            steps: point.steps(),
            rounds: point.round_count(),
            rounds_by_step: point.rounds.clone(),
            rounds_per_chunk: point.rounds_per_chunk().to_string(),
            front: point.is_on_front,
            fewer: point.fewer.name(),
            file: output.map(|_| folder::schedule_name(self, point)),
        };
        FrontReport {
            network: network.name(),
            faults: network.fault_names(),
            collective: self.collective,
            processors: self.payload().processors().len(),
            limit: self.limit.map(|limit| limit.to_string()),
            points: self.front.points.iter().map(point).collect(),
            complete: !self.front.is_stopped,
            seconds: self.seconds,
            folder: output.map(|path| path.display().to_string()),
        }
    }

    /// Why one round less is impossible.
    pub fn fewer(&self, point: &FrontPoint) -> String {
        let less = format!(
            "({}, {}, {})",
            self.chunks(point),
            point.steps(),
            point.round_count().saturating_sub(1)
        );
        match &point.fewer {
            Fewer::Steps => "every step has a round".to_owned(),
            Fewer::Limit => format!("{less} is below the throughput limit"),
            Fewer::Proof(lrat) => {
                let lines = lrat.iter().filter(|&&byte| byte == b'\n').count();
                format!("{less} refuted; the judge checked a proof of {lines} lines")
            }
            Fewer::Phases => format!("{less} refuted for phases one after the other"),
            Fewer::Open => format!("{less} not refuted"),
        }
    }

    /// The problem in one line.
    pub fn title(&self) -> String {
        words::problem_line(self.collective, &self.problems[0])
    }

    /// The legend of the table: C, S and R.
    pub fn legend(&self) -> String {
        let per_message = self.payload().messages_per_sender();
        let of_what = if per_message == 1 {
            "chunks of each message".to_owned()
        } else {
            format!("chunks of a buffer of {per_message} messages, R/C per chunk of a message")
        };
        format!("C {of_what}, S steps, R rounds; * on the front")
    }

    /// Prints the table.
    pub fn print(&self, output: Option<&Path>) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.title())?;
        if let Some(limit) = self.limit {
            writeln!(out, "  limit     {limit} rounds per chunk, the throughput limit")?;
        }
        let rounds = |point: &FrontPoint| {
            let rounds: Vec<String> = point.rounds.iter().map(u32::to_string).collect();
            rounds.join("+")
        };
        let lengths = self.front.points.iter().map(|point| rounds(point).len());
        let width = lengths.max().unwrap_or(0).max("rounds".len());
        let heads = ["C", "S", "R", "R/C"];
        let [chunks, steps, count, ratio] = heads;
        writeln!(
            out,
            "     {chunks:>4} {steps:>3} {count:>4}  {ratio:>6}  {:<width$}  one round less",
            "rounds"
        )?;
        for point in &self.front.points {
            writeln!(
                out,
                "  {}  {:>4} {:>3} {:>4}  {:>6}  {:<width$}  {}",
                if point.is_on_front { '*' } else { ' ' },
                self.chunks(point),
                point.steps(),
                point.round_count(),
                point.rounds_per_chunk().to_string(),
                rounds(point),
                self.fewer(point)
            )?;
        }
        writeln!(out, "  {}", self.legend())?;
        if self.front.is_stopped {
            writeln!(
                out,
                "  stopped before all numbers of chunks were settled; try a longer --time"
            )?;
        }
        if !is_quiet() {
            writeln!(out, "  found in  {:.2} s with seed {}", self.seconds, self.seed)?;
        }
        if let Some(path) = output {
            writeln!(out, "  written   {}", path.display())?;
        }
        out.flush()?;
        Ok(())
    }
}
