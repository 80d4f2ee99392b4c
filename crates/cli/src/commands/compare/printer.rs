//! The comparison as tables or as JSON.

use crate::commands::foreign::{beside, print_claims};
use crate::output::{Failure, standard};
use crate::report::compare::{AlgorithmComparison, ComparedAlgorithm, SizeComparison};
use crate::report::verify::ForeignClaims;
use crate::words;
use pavane_model::units::size_in_words;
use pavane_model::{Fraction, Problem};
use pavane_throughput::rates::{Payload, Rate, figure};
use pavane_tuning::compare::{ComparedSchedule, ComparedSize};
use std::io::Write;
use std::path::Path;

/// The results with what the user asked for.
pub struct ComparisonPrinter<'a> {
    pub collective: &'a str,
    /// The file of the picture.
    pub picture: Option<&'a Path>,
    pub problems: &'a [Problem],
    pub results: &'a [ComparedSize],
    pub seconds: f64,
}

/// The bandwidths of a time for a size.
pub fn rate(problems: &[Problem], bytes: u64, time_ns: Fraction) -> Option<Rate> {
    Payload { problems, bytes: Some(bytes), unit: None }.rate_of_time(bytes, time_ns)
}

impl ComparisonPrinter<'_> {
    fn entry(&self, result: &ComparedSize, compared: &ComparedSchedule) -> ComparedAlgorithm {
        let ComparedSchedule { simulated: entry, claims } = compared;
        let rate = rate(self.problems, result.bytes, entry.time_ns());
        let phases = &entry.checked.schedule().phases;
        ComparedAlgorithm {
            name: entry.name.clone(),
            microseconds: entry.time_ns().to_f64() / 1000.0,
            time_ns: entry.time_ns().to_string(),
            algorithm_gbytes: rate.and_then(|rate| rate.algorithm_gbytes),
            bus_gbytes: rate.and_then(|rate| rate.bus_gbytes),
            times_bound: entry.time_ns().to_f64() / result.bound_ns.to_f64(),
            chunks: phases.iter().map(|phase| phase.chunks.len()).sum(),
            sends: phases.iter().map(|phase| phase.sends.len()).sum(),
            claims: claims.as_ref().map(|claims| beside(claims, Some(result.bound_ns))),
        }
    }

    fn size(&self, result: &ComparedSize) -> SizeComparison {
        SizeComparison {
            bytes: result.bytes,
            bound_microseconds: result.bound_ns.to_f64() / 1000.0,
            algorithms: result.entries.iter().map(|entry| self.entry(result, entry)).collect(),
        }
    }

    /// The comparison as JSON.
    pub fn json(&self) -> AlgorithmComparison<'_> {
        let network = self.problems[0].network();
        let payload = Payload { problems: self.problems, bytes: None, unit: None };
        AlgorithmComparison {
            network: network.name(),
            faults: network.fault_names(),
            collective: self.collective,
            processors: payload.processors().len(),
            sizes: self.results.iter().map(|result| self.size(result)).collect(),
            seconds: self.seconds,
            file: self.picture.map(|path| path.display().to_string()),
        }
    }

    /// The problem in one line.
    pub fn title(&self) -> String {
        words::problem_line(self.collective, &self.problems[0])
    }

    /// Prints a table for every size.
    pub fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.title())?;
        let names = self.results.iter().flat_map(|result| &result.entries);
        let width =
            names.map(|entry| entry.simulated.name.chars().count()).max().unwrap_or(0).max(9);
        for result in self.results {
            let bound = result.bound_ns.to_f64() / 1000.0;
            writeln!(out, "  {}: at least {bound:.4} µs", size_in_words(result.bytes))?;
            writeln!(
                out,
                "    {:<width$}  {:>12}  {:>9}  {:>9}  {:>8}",
                "algorithm", "µs", "alg GB/s", "bus GB/s", "× bound"
            )?;
            for entry in &result.entries {
                let row = self.entry(result, entry);
                let gbytes = |value: Option<f64>| value.map_or("–".to_owned(), figure);
                writeln!(
                    out,
                    "    {:<width$}  {:>12.4}  {:>9}  {:>9}  {:>8.3}",
                    row.name,
                    row.microseconds,
                    gbytes(row.algorithm_gbytes),
                    gbytes(row.bus_gbytes),
                    row.times_bound
                )?;
            }
            for row in result.entries.iter().map(|entry| self.entry(result, entry)) {
                let Some(claims) = row.claims.filter(ForeignClaims::has_remarks) else { continue };
                writeln!(out, "    {}:", words::printable(&row.name))?;
                print_claims(&mut out, "      ", &claims, Some(result.bound_ns))?;
            }
        }
        if let Some(note) = words::default_bandwidth(self.problems[0].network(), "--bandwidth") {
            writeln!(out, "  note      {note}")?;
        }
        if let Some(path) = self.picture {
            writeln!(out, "  written   {}", path.display())?;
        }
        out.flush()?;
        Ok(())
    }
}
