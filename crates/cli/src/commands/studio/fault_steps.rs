//! What every fault costs in steps, as `pavane faults` computes it: a heat map and a table.

use super::answer::Download;
use super::archive;
use super::figures::Figures;
use super::job::Job;
use super::numbers;
use super::request::{Asked, remaining};
use super::schedule::options;
use super::throughput::networks;
use crate::commands::faults::row::FaultFinding;
use crate::report::studio::{CostRow, CostSummary};
use crate::words;
use pavane_model::{CollectiveRequest, Fault, Network, csv};
use pavane_render::fault_heat::{Effect, heats};
use pavane_render::heat_map::{Measure, Panel, draw};
use pavane_search::budget::Clock;
use pavane_search::fault::{FaultSets, Job as FaultJob, Part, Parts, Selection, answer, classes};
use pavane_search::synthesize::Options;
use serde::Deserialize;
use std::time::Duration;

/// Time to improve the schedule of a class of faults; many wait.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most disconnected pairs that a row names.
const PAIRS: usize = 4;

/// The cost of faults as the page requests it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultStepsAsked {
    /// The network, the collective and its rules.
    problem: Asked,
    /// Links and routers that are lost before.
    #[serde(default)]
    faults: Vec<String>,
    /// What fails: links, channels or routers.
    of: String,
    /// How many parts fail together.
    #[serde(deserialize_with = "numbers::lost_together")]
    count: u32,
}

impl FaultStepsAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>() + self.of.len()
    }

    /// What fails.
    pub fn part(&self) -> Result<Part, String> {
        let found = Part::ALL.iter().find(|(name, _)| *name == self.of);
        found
            .map(|&(_, part)| part)
            .ok_or_else(|| format!("of: {:?} cannot fail; use links, channels or routers", self.of))
    }
}

/// Solves the problem that every fault leaves, one of each class of equivalent ones. At the deadline, or
/// when the user stops it, the others have no result.
pub fn compute(asked: &FaultStepsAsked, job: &Job, time: Duration) -> Result<Figures, String> {
    let clock = Clock::start();
    let (whole, network) = networks(&asked.problem, &asked.faults)?;
    let mut request = CollectiveRequest { model: asked.problem.model()?, ..asked.problem.whole()? };
    let phases = remaining(&request, &whole, &network)?.phases;
    let groups = request.groups.left(&whole, &network);
    request.groups = groups.map_err(|error| error.to_string())?;
    let parts = Parts::new(&network, &[asked.part()?]);
    let selection = Selection { count: asked.count, sample: None, seed: asked.problem.seed };
    let sets = FaultSets::new(network.name(), parts.faults().len(), selection);
    let sets = sets.map_err(|error| format!("count: {error}"))?.sets;
    let classes = classes(&phases, &parts, &sets);
    let solve = |faults: Vec<Fault>, left: usize| {
        let share = time.saturating_sub(clock.elapsed()) / left.max(1) as u32;
        let options = options(job, asked.problem.seed, share, PATIENCE, phases.len());
        let options = Options { time: Some(share), threads: words::cores(), ..options };
        let fault_job = FaultJob { request: request.clone(), faults };
        let finding = FaultFinding::new(&answer(&network, &fault_job, &options));
        finding.map_err(|error| error.to_string())
    };
    let count = classes.classes.len();
    let healthy = solve(Vec::new(), count + 1)?;
    let mut findings = vec![FaultFinding::NotReached; count];
    for (number, class) in classes.classes.iter().enumerate() {
        if job.is_stopped() {
            break;
        }
        job.tell(format!("{number} of {count} classes of faults"));
        findings[number] = solve(parts.set(&sets[class.members[0].set]), count - number)?;
    }
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let named = |set: &[u32], name: &dyn Fn(&Fault) -> String| {
        parts.set(set).iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let name = |set: &[u32]| named(set, &|fault| fault.name(&network));
    let label = |set: &[u32]| named(set, &|fault| fault.label(&network));
    let steps = healthy.steps().map_or(String::new(), |steps| format!(", {}", words::steps(steps)));
    let today = pavane_model::collective::todays_name(&request.collective);
    let title = format!("{today} on {}{steps}", network.name());
    let effects = sets.iter().zip(&classes.class_of).map(|(set, &class)| {
        let finding = &findings[class as usize];
        let is_cut = matches!(finding, FaultFinding::Disconnected { .. });
        (&set[..], Effect { loss: finding.loss(&healthy), is_cut })
    });
    let in_words = |loss: f64| format!("{:+.1} % steps", 100.0 * loss);
    let heats = heats(&network, parts.faults(), effects, &in_words);
    let svg = draw(&network, &[Panel { title: title.clone(), heats }], Measure::Steps);
    let mut rows: Vec<CostRow> = classes
        .classes
        .iter()
        .zip(&findings)
        .map(|(class, finding)| {
            row(
                label(&sets[class.members[0].set]),
                class.members.len(),
                finding,
                &healthy,
                &network,
            )
        })
        .collect();
    rows.sort_by_key(|row| (row.steps.is_some(), std::cmp::Reverse(row.more_steps)));
    let mut table = "fault,steps,bound,more_steps\n".to_owned();
    for (set, &class) in sets.iter().zip(&classes.class_of) {
        let row = row(String::new(), 1, &findings[class as usize], &healthy, &network);
        let number = |value: Option<String>| value.unwrap_or_default();
        table += &format!(
            "{},{},{},{}\n",
            csv::cell(&name(set)),
            number(row.steps.map(|steps| steps.to_string())),
            number(row.bound.map(|bound| bound.to_string())),
            number(row.more_steps.map(|more| more.to_string()))
        );
    }
    let stem = format!("{}-faults", archive::stem(&request.collective, network.name()));
    let file = |ending: &str, kind: &'static str, text: String| Download {
        name: format!("{stem}.{ending}"),
        kind,
        bytes: text.into_bytes(),
    };
    let files =
        vec![file("svg", "image/svg+xml", svg), file("csv", "text/csv; charset=utf-8", table)];
    Figures::new(&CostSummary { title: &title, rows: &rows }, files)
}

fn row(
    fault: String,
    count: usize,
    finding: &FaultFinding,
    healthy: &FaultFinding,
    network: &Network,
) -> CostRow {
    let mut notes = Vec::new();
    let mut bound = None;
    match finding {
        FaultFinding::Solved { bound: proved, .. } => bound = Some(*proved),
        FaultFinding::Disconnected { pairs, .. } => {
            let some = pairs.iter().take(PAIRS).map(|&pair| words::pair(network, pair));
            let more = if pairs.len() > PAIRS { ", …" } else { "" };
            notes.push(format!("disconnects {}{more}", some.collect::<Vec<_>>().join(", ")));
        }
        FaultFinding::Impossible { why, .. } => notes.push(why.clone()),
        FaultFinding::Unsolved => notes.push("no schedule was found in time".to_owned()),
        FaultFinding::NotReached => notes.push("stopped before".to_owned()),
    }
    if !finding.missing().is_empty() {
        notes.push(format!("missing: {}", words::processors_of(network, finding.missing())));
    }
    let more = finding.steps().zip(healthy.steps());
    CostRow {
        fault,
        count,
        steps: finding.steps(),
        bound,
        more_steps: more.map(|(steps, before)| i64::from(steps) - i64::from(before)),
        cost_percent: finding.loss(healthy).map(|loss| 100.0 * loss),
        note: notes.join("; "),
    }
}
