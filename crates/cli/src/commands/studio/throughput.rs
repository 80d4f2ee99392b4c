//! The throughput of a collective, as `pavane throughput` computes it: the limit, why it holds, and a
//! plan that the judge has accepted.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::request::{Asked, faults, remaining};
use crate::args::values::{parse_bandwidth, parse_size};
use crate::commands::throughput::{AnswerPrinter, judged};
use crate::output::Failure;
use crate::report::studio::ThroughputSummary;
use crate::words;
use pavane_model::{Aftermath, CollectiveRequest};
use pavane_search::budget::Interrupt;
use serde::Deserialize;
use serde_json::Value;

/// Limit of the studio on deliveries of a throughput plan. Parts of the computation cannot be
/// interrupted, and they take seconds at this size.
const MOST_DELIVERIES: u64 = 65_536;

/// A throughput as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThroughputAsked {
    /// The network and the collective. Its rules and chunks do not affect throughput.
    problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    faults: Vec<String>,
    /// Size of the buffer, as in nccl-tests.
    #[serde(default)]
    bytes: String,
    /// Bandwidth of every channel.
    #[serde(default)]
    bandwidth: String,
    /// The most trees per root.
    #[serde(default)]
    trees: String,
}

impl ThroughputAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        let texts = [&self.bytes, &self.bandwidth, &self.trees];
        let texts = texts.into_iter().map(String::len);
        self.problem.size() + faults.chain(texts).sum::<usize>()
    }

    /// The problems on the network after its faults, or why they are invalid.
    pub fn problems(&self) -> Result<Aftermath, String> {
        let bandwidth = optional("bandwidth", &self.bandwidth, parse_bandwidth)?;
        let healthy = self.problem.load()?;
        let broken = faults(&healthy, &self.faults)?;
        let broken = healthy.without(&broken).map_err(|error| error.to_string())?;
        let broken = broken.with_timing(bandwidth, None).map_err(|error| error.to_string())?;
        let request = CollectiveRequest { limit: MOST_DELIVERIES, ..self.problem.whole()? };
        remaining(&request, &healthy, &broken)
    }
}

/// Parses a field; an empty text is `None`.
fn optional<T>(
    field: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    match text.trim() {
        "" => Ok(None),
        text => parse(text).map(Some).map_err(|error| format!("{field}: {error}")),
    }
}

/// Parses a number of trees.
fn parse_trees(text: &str) -> Result<u32, String> {
    let trees = text.parse().ok().filter(|&trees| trees > 0);
    trees.ok_or_else(|| {
        format!("{text:?} is not a number of trees; give a number from 1 to {}", u32::MAX)
    })
}

/// A judged plan and its report.
pub struct ThroughputAnswer {
    collective: String,
    network: String,
    title: String,
    lines: Vec<(&'static str, String)>,
    /// The content of the plan file.
    plan: Vec<u8>,
}

/// Computes a throughput. At the deadline of its job the plan is a simple one.
pub fn compute(asked: &ThroughputAsked, job: &Job) -> Result<ThroughputAnswer, String> {
    let bytes = optional("bytes", &asked.bytes, parse_size)?;
    let trees = optional("trees", &asked.trees, parse_trees)?;
    let Aftermath { phases: problems, missing } = asked.problems()?;
    let collective = asked.problem.collective.trim();
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let found = judged(collective, &problems, &[], trees, &interrupt).map_err(text)?;
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let printer =
        AnswerPrinter { collective, bytes, trees, problems: &problems, found: &found, unit: None };
    let mut lines = printer.lines().map_err(text)?;
    if printer.has_default_bandwidths() {
        let note = "the network has no bandwidths, so every channel has 1 GB/s; the field bandwidth \
                    sets another";
        lines.push(("note", note.to_owned()));
    }
    if !missing.is_empty() {
        lines.push(("missing", words::processors(&missing)));
    }
    Ok(ThroughputAnswer {
        collective: collective.to_owned(),
        network: problems[0].network().name().to_owned(),
        title: printer.title(),
        lines,
        plan: printer.plan_file().map_err(|error| error.to_string())?,
    })
}

fn text(failure: Failure) -> String {
    match failure {
        Failure::Bug(text) => format!("bug: {text}"),
        failure => failure.text().to_owned(),
    }
}

impl ThroughputAnswer {
    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.plan.len() + self.lines.iter().map(|(_, text)| text.len()).sum::<usize>()
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        let summary = ThroughputSummary { title: &self.title, lines: &self.lines };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    /// The plan file, the only download.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        if format != "json" {
            return Err(format!("a throughput plan cannot be downloaded as {format:?}; use json"));
        }
        let stem = archive::stem(&self.collective, &self.network);
        let (name, kind) = (format!("{stem}-throughput.json"), "application/json");
        Ok(Download { name, kind, bytes: self.plan.clone() })
    }
}
