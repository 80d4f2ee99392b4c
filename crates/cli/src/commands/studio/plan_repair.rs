//! Repairs the throughput plan of an earlier job after faults, as `pavane repair` does.

use super::job::Job;
use super::request::faults;
use super::throughput::{ThroughputAnswer, attained, text};
use crate::commands::repair_plan::changes_in_words;
use crate::commands::throughput::{AnswerPrinter, judge};
use crate::words;
use pavane_search::budget::Interrupt;
use pavane_throughput::repair::repair;

/// The plan after faults, with at least the share `keep` of it kept if possible. At the deadline of its job the search for the best plan ends.
pub fn mend(
    before: &ThroughputAnswer,
    texts: &[String],
    keep: Option<f64>,
    job: &Job,
) -> Result<ThroughputAnswer, String> {
    let network = before.plan.phases[0].problem.network();
    let broken = faults(network, texts)?;
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let repaired = repair(&before.plan, &broken, keep.unwrap_or(0.0), &|| interrupt.is_raised());
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let repaired = repaired.map_err(|error| error.to_string())?;
    let found = repaired.answer();
    judge(&found.plan, found.time, found.reason.is_some() && found.is_optimal()).map_err(text)?;
    let printer = AnswerPrinter {
        collective: &before.collective,
        bytes: before.bytes,
        trees: None,
        problems: &repaired.problems,
        found: &found,
        atlas: None,
        unit: before.unit,
    };
    let mut lines = printer.lines().map_err(text)?;
    let now = attained(&lines);
    // The printer counts the trees of the best plan, which may not be the chosen one.
    if let Some((_, plan)) = lines.iter_mut().find(|(name, _)| *name == "plan") {
        *plan = format!("repaired; {}", repaired.status());
    }
    let routes = if found.has_paths() { "paths" } else { "trees" };
    lines.push(("before", before.attained.clone()));
    lines.push((routes, changes_in_words(&repaired.chosen.changes)));
    if !repaired.missing.is_empty() {
        lines.push(("missing", words::processors_of(network, &repaired.missing)));
    }
    Ok(ThroughputAnswer {
        collective: before.collective.clone(),
        bytes: before.bytes,
        unit: before.unit,
        title: printer.title(),
        attained: now,
        file: printer.plan_file().map_err(|error| error.to_string())?,
        lines,
        plan: found.plan,
    })
}
