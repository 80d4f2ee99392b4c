//! The throughput of a collective, as `pavane throughput` computes it: the limit, why it holds, and a
//! plan that the judge has accepted.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::request::{Asked, faults, remaining};
use crate::args::draw::parse_message;
use crate::args::values::{parse_bandwidth, parse_latency, parse_size};
use crate::commands::throughput::{AnswerPrinter, judged};
use crate::output::Failure;
use crate::report::studio::ThroughputSummary;
use crate::words;
use pavane_model::throughput::{PlanPhase, ThroughputPlan};
use pavane_model::{Aftermath, CollectiveRequest, Network, Problem, claims};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, ShownRoutes, Theme, png, svg};
use pavane_search::budget::Interrupt;
use pavane_throughput::answer::is_personalised;
use pavane_throughput::sizes::{Sizes, read_matrix};
use pavane_verify::check_plan;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Limit of the studio on deliveries of a throughput plan. Parts of the computation cannot be
/// interrupted, and they take seconds at this size.
pub const MOST_DELIVERIES: u64 = 65_536;

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
    /// Bytes of each message as a matrix in CSV or JSON, instead of one size.
    #[serde(default)]
    sizes: String,
    /// Bandwidth of every channel.
    #[serde(default)]
    bandwidth: String,
    /// Latency of every channel, for the plan file.
    #[serde(default)]
    latency: String,
    /// The most trees per root.
    #[serde(default)]
    trees: String,
}

impl ThroughputAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        let texts = [&self.bytes, &self.sizes, &self.bandwidth, &self.latency, &self.trees];
        let texts = texts.into_iter().map(String::len);
        self.problem.size() + faults.chain(texts).sum::<usize>()
    }

    /// The problems on the network after its faults, or why they are invalid.
    pub fn problems(&self) -> Result<Aftermath, String> {
        let (healthy, broken) = networks(&self.problem, &self.faults)?;
        let broken = with_timing(broken, &self.bandwidth, &self.latency)?;
        let request = CollectiveRequest { limit: MOST_DELIVERIES, ..self.problem.whole()? };
        remaining(&request, &healthy, &broken)
    }

    /// The sizes of the messages, if they are given.
    pub fn sizes(&self, problems: &[Problem]) -> Result<Option<Sizes>, String> {
        if self.sizes.trim().is_empty() {
            return Ok(None);
        }
        let at = |error: String| format!("sizes: {error}");
        let rows = read_matrix(&self.sizes).map_err(|error| at(error.to_string()))?;
        Sizes::of_matrix(problems, &rows).map(Some).map_err(|error| at(error.to_string()))
    }
}

/// The network of a problem without and with faults.
pub fn networks(problem: &Asked, lost: &[String]) -> Result<(Network, Network), String> {
    let healthy = problem.load()?;
    let lost = faults(&healthy, lost)?;
    let broken = healthy.without(&lost).map_err(|error| error.to_string())?;
    Ok((healthy, broken))
}

/// A network with these values on all channels; empty texts keep those of the network.
pub fn with_timing(network: Network, bandwidth: &str, latency: &str) -> Result<Network, String> {
    let bandwidth = optional("bandwidth", bandwidth, parse_bandwidth)?;
    let latency = optional("latency", latency, parse_latency)?;
    network.with_timing(bandwidth, latency).map_err(|error| error.to_string())
}

/// Parses a field; an empty text is `None`.
pub fn optional<T>(
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
    /// The name of the collective.
    pub collective: String,
    /// Size of the buffer, as in nccl-tests.
    pub bytes: Option<u64>,
    /// With a matrix of sizes: the bytes of a message of relative size 1.
    pub unit: Option<u64>,
    /// The problem in one line.
    pub title: String,
    /// The parts of the answer, each with its name.
    pub lines: Vec<(&'static str, String)>,
    /// What the plan attains, in words.
    pub attained: String,
    /// The plan.
    pub plan: ThroughputPlan,
    /// The content of the plan file.
    pub file: Vec<u8>,
}

/// Computes a throughput. At the deadline of its job the plan is a simple one.
pub fn compute(asked: &ThroughputAsked, job: &Job) -> Result<ThroughputAnswer, String> {
    let bytes = optional("bytes", &asked.bytes, parse_size)?;
    let trees = optional("trees", &asked.trees, parse_trees)?;
    let Aftermath { phases: problems, missing } = asked.problems()?;
    let collective = asked.problem.collective.trim();
    if trees.is_some() && problems.iter().any(is_personalised) {
        return Err(format!("trees: messages of {collective} take paths, not trees"));
    }
    let sizes = asked.sizes(&problems)?;
    if sizes.is_some() && bytes.is_some() {
        return Err("bytes and sizes exclude each other; use one of them".to_owned());
    }
    let (unit, relative) = match &sizes {
        Some(Sizes { relative, unit }) => (Some(*unit), &relative[..]),
        None => (None, &[][..]),
    };
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let found = judged(collective, &problems, relative, trees, &interrupt).map_err(text)?;
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let printer = AnswerPrinter {
        collective,
        bytes,
        trees,
        problems: &problems,
        found: &found,
        atlas: None,
        unit,
    };
    let mut lines = printer.lines().map_err(text)?;
    let attained = attained(&lines);
    if let Some(note) = words::default_bandwidth(problems[0].network(), "the field bandwidth") {
        lines.push(("note", note));
    }
    if !missing.is_empty() {
        lines.push(("missing", words::processors_of(problems[0].network(), &missing)));
    }
    Ok(ThroughputAnswer {
        collective: collective.to_owned(),
        bytes,
        unit,
        title: printer.title(),
        lines,
        attained,
        file: printer.plan_file().map_err(|error| error.to_string())?,
        plan: found.plan,
    })
}

/// What a plan attains: the limit, if nothing else is said.
pub fn attained(lines: &[(&'static str, String)]) -> String {
    let find = |wanted: &str| lines.iter().find(|(name, _)| *name == wanted);
    find("attained").or_else(|| find("limit")).map_or(String::new(), |(_, text)| text.clone())
}

/// A failure in words.
pub fn text(failure: Failure) -> String {
    match failure {
        Failure::Bug(text) => format!("bug: {text}"),
        failure => failure.text().to_owned(),
    }
}

impl ThroughputAnswer {
    /// Approximate memory in bytes: the plan takes about as much as its file.
    pub fn bytes(&self) -> usize {
        2 * self.file.len() + self.lines.iter().map(|(_, text)| text.len()).sum::<usize>()
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        let summary = ThroughputSummary {
            title: &self.title,
            lines: &self.lines,
            phases: self.plan.phases.len(),
            has_pairs: self.plan.phases.iter().any(PlanPhase::has_paths),
        };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    /// The plan file, or a picture: of loads and the bottleneck, or of the routes of the message and
    /// phase of the query.
    pub fn download(
        &self,
        format: &str,
        query: &BTreeMap<String, String>,
    ) -> Result<Download, String> {
        let network = self.plan.phases[0].problem.network().name();
        let stem = archive::stem(&self.collective, network);
        let file = |kind: &'static str, bytes: Vec<u8>| Download {
            name: format!("{stem}-throughput.{format}"),
            kind,
            bytes,
        };
        match format {
            "json" => Ok(file("application/json", self.file.clone())),
            "svg" => {
                let svg = svg::write(&self.scene(query)?, Theme::Auto);
                Ok(file("image/svg+xml", svg.into_bytes()))
            }
            "png" => {
                let bytes = png::write(&self.scene(query)?, Theme::Light);
                Ok(file("image/png", bytes.map_err(|error| error.to_string())?))
            }
            other => Err(format!(
                "a throughput plan cannot be downloaded as {other:?}; use json, svg or png"
            )),
        }
    }

    fn scene(&self, query: &BTreeMap<String, String>) -> Result<Scene, String> {
        let given = |name: &str| query.get(name).map_or("", |text| text.trim());
        let message = optional("message", given("message"), parse_message)?;
        let phase = optional("phase", given("phase"), |text| {
            text.parse().map_err(|_| format!("{text:?} is not a phase; give 0 or 1"))
        })?;
        let shown = ShownRoutes::of(&self.plan, phase, message);
        let shown = shown.map_err(|error| error.to_string())?;
        let checked = check_plan(self.plan.clone()).map_err(|error| error.to_string())?;
        let name = claims::plan_in_words(&self.plan);
        picture::plan(&name, &checked, shown).map_err(|error| error.to_string())
    }
}
