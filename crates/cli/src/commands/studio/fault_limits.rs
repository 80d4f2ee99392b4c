//! The throughput that every fault costs, as `pavane faults --throughput` computes it, with a heat map.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::numbers;
use super::request::{Asked, remaining};
use super::throughput::{MOST_DELIVERIES, networks, with_timing};
use crate::commands::faults::report::percent;
use crate::report::studio::{FaultLimitRow, FaultLimitsSummary};
use crate::words;
use pavane_model::{CollectiveRequest, Fault, Network, Problem, csv};
use pavane_render::fault_heat::{Effect, heats};
use pavane_render::heat_map::{Measure, Panel, draw};
use pavane_search::budget::Interrupt;
use pavane_search::fault::{FaultSets, Part, Parts, Selection, classes_with_bandwidths};
use pavane_throughput::fault_limit::{LimitFinding, LimitStatus, examine};
use serde::Deserialize;
use serde_json::Value;

/// The most disconnected pairs that a row names.
const PAIRS: usize = 4;

/// The cost of faults as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultLimitsAsked {
    /// The network and the collective. Its rules and chunks do not affect throughput.
    problem: Asked,
    /// Links and routers that are lost before.
    #[serde(default)]
    faults: Vec<String>,
    /// Bandwidth of every channel.
    #[serde(default)]
    bandwidth: String,
    /// What fails: links, channels or routers.
    #[serde(default)]
    of: String,
    /// How many parts fail together.
    #[serde(default = "one", deserialize_with = "numbers::lost_together")]
    count: u32,
}

fn one() -> u32 {
    1
}

impl FaultLimitsAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>() + self.bandwidth.len() + self.of.len()
    }

    /// The collective and its phases on the network after its faults, or why they are invalid.
    pub fn problems(&self) -> Result<(CollectiveRequest, Vec<Problem>), String> {
        let (whole, broken) = networks(&self.problem, &self.faults)?;
        let network = with_timing(broken, &self.bandwidth, "")?;
        let mut request = CollectiveRequest { limit: MOST_DELIVERIES, ..self.problem.whole()? };
        let phases = remaining(&request, &whole, &network)?.phases;
        let groups = request.groups.left(&whole, &network);
        request.groups = groups.map_err(|error| error.to_string())?;
        Ok((request, phases))
    }

    fn part(&self) -> Result<Part, String> {
        let wanted = if self.of.is_empty() { "links" } else { &self.of };
        let found = Part::ALL.iter().find(|(name, _)| *name == wanted);
        found
            .map(|&(_, part)| part)
            .ok_or_else(|| format!("of: {wanted:?} cannot fail; use links, channels or routers"))
    }
}

/// What every fault costs.
pub struct FaultLimitsAnswer {
    collective: String,
    network: String,
    title: String,
    bandwidth: Option<f64>,
    rows: Vec<FaultLimitRow>,
    csv: String,
    svg: String,
}

/// Computes the limit after every fault, one of each class of equivalent ones.
pub fn compute(asked: &FaultLimitsAsked, job: &Job) -> Result<FaultLimitsAnswer, String> {
    let part = asked.part()?;
    let (request, phases) = asked.problems()?;
    let network = phases[0].network();
    let parts = Parts::new(network, &[part]);
    let selection = Selection { count: asked.count, sample: None, seed: asked.problem.seed };
    let chosen = FaultSets::new(network.name(), parts.faults().len(), selection);
    let chosen = chosen.map_err(|error| format!("count: {error}"))?;
    let is_sample = chosen.is_sample();
    let sets = chosen.sets;
    let names: Vec<String> = sets.iter().map(|set| name(network, &parts.set(set))).collect();
    let classes = classes_with_bandwidths(&phases, &parts, &sets);
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let stop = || interrupt.is_raised();
    let healthy = LimitFinding::of_phases(&request, &phases, Vec::new(), &stop);
    let healthy = healthy.map_err(|error| error.to_string())?;
    let mut findings = Vec::new();
    for class in &classes.classes {
        if job.is_stopped() {
            return Err(if job.is_late() { too_late() } else { job.excuse() });
        }
        let faults = parts.set(&sets[class.members[0].set]);
        findings.push(examine(network, &request, &faults, &stop));
    }
    let rows = classes.classes.iter().zip(&findings).map(|(class, finding)| {
        let faults = parts.set(&sets[class.members[0].set]);
        let labels: Vec<String> = faults.iter().map(|fault| fault.label(network)).collect();
        row(labels.join(" "), class.members.len(), finding, &healthy, network)
    });
    let mut order: Vec<(FaultLimitRow, LimitStatus)> =
        rows.zip(findings.iter().map(|finding| finding.status)).collect();
    order.sort_by(|(one, one_status), (other, other_status)| {
        let cost = |row: &FaultLimitRow| row.cost_gbytes.unwrap_or(0.0);
        rank(*one_status).cmp(&rank(*other_status)).then(cost(other).total_cmp(&cost(one)))
    });
    let of_each = classes.class_of.iter().map(|&class| &findings[class as usize]);
    let each: Vec<(&str, &LimitFinding)> = names.iter().map(String::as_str).zip(of_each).collect();
    let collective = request.collective.clone();
    let bandwidth = healthy.bandwidth();
    let rate = bandwidth.map_or(String::new(), |bandwidth| format!(", {bandwidth:.2} GB/s"));
    let sample =
        if is_sample { format!("; {} random sets of faults", sets.len()) } else { String::new() };
    let today = pavane_model::collective::todays_name(&collective);
    let title = format!("{today} on {}{rate}{sample}", network.name());
    let effects = sets.iter().zip(&each).map(|(set, (_, finding))| {
        let is_cut = finding.status == LimitStatus::Disconnected;
        (&set[..], Effect { loss: finding.loss(&healthy), is_cut })
    });
    let whole = bandwidth.unwrap_or(0.0);
    let in_words =
        |loss: f64| format!("{:+.1} % bandwidth, {:.2} GB/s", 0.0 - 100.0 * loss, loss * whole);
    let heats = heats(network, parts.faults(), effects, &in_words);
    let panel = Panel { title: title.clone(), heats };
    Ok(FaultLimitsAnswer {
        csv: table(&each, &healthy),
        svg: draw(network, &[panel], Measure::Bandwidth),
        network: network.name().to_owned(),
        rows: order.into_iter().map(|(row, _)| row).collect(),
        collective,
        title,
        bandwidth,
    })
}

fn too_late() -> String {
    "the limits were not computed within the time limit of a job; start the studio with a longer --time, \
     or use `pavane faults --throughput`"
        .to_owned()
}

/// Those that disconnect processors come first, then those with limits.
fn rank(status: LimitStatus) -> u8 {
    match status {
        LimitStatus::Disconnected => 0,
        LimitStatus::Limited => 1,
        LimitStatus::Impossible => 2,
        LimitStatus::NotReached => 3,
    }
}

/// The faults of a set, by router names.
fn name(network: &Network, faults: &[Fault]) -> String {
    let names: Vec<String> = faults.iter().map(|fault| fault.name(network)).collect();
    names.join(" ")
}

fn row(
    fault: String,
    count: usize,
    finding: &LimitFinding,
    healthy: &LimitFinding,
    network: &Network,
) -> FaultLimitRow {
    let mut notes = Vec::new();
    if finding.status == LimitStatus::Disconnected {
        let pairs = finding.pairs.iter().take(PAIRS).map(|&pair| words::pair(network, pair));
        let more = if finding.pairs.len() > PAIRS { ", …" } else { "" };
        notes.push(format!("disconnects {}{more}", pairs.collect::<Vec<_>>().join(", ")));
    }
    if !finding.why.is_empty() {
        notes.push(finding.why.clone());
    }
    if !finding.missing.is_empty() {
        notes.push(format!("missing: {}", words::processors_of(network, &finding.missing)));
    }
    FaultLimitRow {
        fault,
        count,
        ns_per_byte: finding.limit.map(|limit| limit.to_string()),
        algorithm_gbytes: finding.bandwidth(),
        cost_gbytes: finding.cost(healthy),
        cost_percent: finding.loss(healthy).map(percent),
        note: notes.join("; "),
    }
}

/// One line for every set of faults.
fn table(each: &[(&str, &LimitFinding)], healthy: &LimitFinding) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let line = |fault: &str, finding: &LimitFinding| {
        format!(
            "{},{},{},{},{}\n",
            csv::cell(fault),
            finding.limit.map_or(String::new(), |limit| limit.to_string()),
            number(finding.bandwidth()),
            number(finding.cost(healthy)),
            number(finding.loss(healthy).map(percent))
        )
    };
    let mut text = "fault,ns_per_byte,algorithm_gbytes,cost_gbytes,cost_percent\n".to_owned();
    text += &line("none", healthy);
    each.iter().for_each(|(fault, finding)| text += &line(fault, finding));
    text
}

impl FaultLimitsAnswer {
    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.svg.len() + self.csv.len() + size_of::<FaultLimitRow>() * self.rows.len()
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        let Self { title, bandwidth, rows, .. } = self;
        let summary = FaultLimitsSummary { title, algorithm_gbytes: *bandwidth, rows };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    /// The heat map or the table.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        let (kind, text) = match format {
            "svg" => ("image/svg+xml", &self.svg),
            "csv" => ("text/csv; charset=utf-8", &self.csv),
            other => {
                return Err(format!(
                    "the cost of faults cannot be downloaded as {other:?}; use svg or csv"
                ));
            }
        };
        let stem = archive::stem(&self.collective, &self.network);
        let name = format!("{stem}-fault-limits.{format}");
        Ok(Download { name, kind, bytes: text.clone().into_bytes() })
    }
}
