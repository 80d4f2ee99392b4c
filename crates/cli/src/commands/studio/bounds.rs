//! Why no schedule has fewer steps, as `pavane bound` explains it: every bound with its reason and the
//! routers and channels that it is about.

use super::figures::Figures;
use super::job::Job;
use super::request::{Asked, remaining};
use super::throughput::networks;
use crate::report::studio::{BoundRow, BoundsSummary};
use crate::words;
use pavane_model::whole::WholeBound;
use pavane_model::{
    Bound, Certificate, ChannelId, CollectiveRequest, Duplex, Problem, ProcessorId, RouterId,
    claims,
};
use pavane_search::bounds;
use pavane_search::budget::{Clock, Interrupt};
use serde::Deserialize;
use std::time::Duration;

/// The bounds as the page requests them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundsAsked {
    /// The network, the collective and its rules.
    problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    faults: Vec<String>,
}

impl BoundsAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>()
    }
}

/// Computes every bound of every phase, and that of an all-reduce as one problem.
pub fn compute(asked: &BoundsAsked, job: &Job, time: Duration) -> Result<Figures, String> {
    let (whole, network) = networks(&asked.problem, &asked.faults)?;
    let request = CollectiveRequest { model: asked.problem.model()?, ..asked.problem.whole()? };
    let problems = remaining(&request, &whole, &network)?.phases;
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let interrupt = interrupt.until(Clock::start().after(time));
    let mut found = Vec::new();
    for problem in &problems {
        let bounds = bounds::all_until(problem, &interrupt, &|_| {});
        found.push(bounds.map_err(|error| format!("bug: {error}"))?);
    }
    let mut rows = Vec::new();
    let mut steps = found[0].best.steps;
    let is_one = problems.len() == 1;
    if let ([reduce, broadcast], [before, after]) = (&problems[..], &found[..]) {
        let proved = [before.best.steps, after.best.steps];
        let bound = bounds::of_whole([reduce, broadcast], proved, &interrupt);
        let bound = bound.map_err(|error| format!("bug: {error}"))?;
        steps = bound.steps;
        rows.push(whole_row(broadcast, bound));
    }
    for (problem, found) in problems.iter().zip(&found) {
        let phase = (!is_one).then(|| claims::collective_in_words(problem));
        let is_best = |bound: &Bound| is_one && *bound == found.best;
        let bounds = found.bounds.iter();
        rows.extend(bounds.map(|bound| row(problem, phase.clone(), bound, is_best(bound))));
    }
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let title = words::problem_line(&request.collective, &problems[0]);
    Figures::new(&BoundsSummary { title: &title, steps, rows: &rows }, Vec::new())
}

/// The bound of an all-reduce.
fn whole_row(broadcast: &Problem, bound: WholeBound) -> BoundRow {
    let WholeBound { steps, explanation, certificate } = bound;
    let channels = leaving(broadcast, &certificate.routers, false);
    BoundRow {
        phase: Some("all-reduce".to_owned()),
        steps,
        reason: certificate.kind.name().to_owned(),
        explanation,
        is_best: true,
        routers: certificate.routers,
        channels,
    }
}

fn row(problem: &Problem, phase: Option<String>, bound: &Bound, is_best: bool) -> BoundRow {
    let (routers, channels) = subject(problem, bound.certificate.as_ref());
    BoundRow {
        phase,
        steps: bound.steps,
        reason: bound.reason.clone(),
        explanation: bound.explanation.clone(),
        is_best,
        routers,
        channels,
    }
}

/// The routers and channels that an argument is about.
fn subject(
    problem: &Problem,
    certificate: Option<&Certificate>,
) -> (Vec<RouterId>, Vec<ChannelId>) {
    let network = problem.network();
    let home = |processor: &ProcessorId| network.home(*processor);
    let none = Vec::new();
    match certificate {
        Some(Certificate::Cut { routers }) => (routers.clone(), leaving(problem, routers, true)),
        Some(
            Certificate::CutGrowth { routers, .. }
            | Certificate::CutQueue { routers }
            | Certificate::JointGrowth { routers },
        ) => (routers.clone(), leaving(problem, routers, false)),
        Some(Certificate::NestedGrowth { sets, .. }) => {
            (sets.iter().flat_map(|set| set.routers.iter().copied()).collect(), none)
        }
        Some(
            Certificate::Receive { processor }
            | Certificate::Send { processor }
            | Certificate::SendGrowth { processor, .. }
            | Certificate::Ball { processor, .. }
            | Certificate::SendBall { processor, .. },
        ) => (home(processor).into_iter().collect(), none),
        Some(Certificate::Eccentricity { message, to }) => {
            let ends = [problem.messages().origin(*message), *to];
            (ends.iter().filter_map(home).collect(), none)
        }
        Some(
            Certificate::Growth { message }
            | Certificate::NeighbourGrowth { message }
            | Certificate::Branches { message },
        ) => {
            let origin = problem.messages().origin(*message);
            (home(&origin).into_iter().collect(), none)
        }
        Some(Certificate::Relay { router }) => (vec![*router], none),
        Some(Certificate::Separator { routers } | Certificate::LateEntry { routers }) => {
            (routers.clone(), none)
        }
        Some(Certificate::IndependentSet { processors }) => {
            (processors.iter().filter_map(home).collect(), none)
        }
        Some(
            Certificate::Congestion { prices }
            | Certificate::PortCongestion { channels: prices, .. },
        ) => {
            let priced = (0..).zip(prices).filter(|(_, price)| **price > 0);
            (Vec::new(), priced.map(|(channel, _)| ChannelId(channel)).collect())
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// The channels that leave a set of routers, or enter it; under half duplex both.
fn leaving(problem: &Problem, routers: &[RouterId], is_out: bool) -> Vec<ChannelId> {
    let network = problem.network();
    let is_half = problem.model().duplex == Duplex::Half;
    let is_inside = |router: RouterId| routers.contains(&router);
    let channels = (0..network.channel_count() as u32).map(ChannelId);
    let crosses = |channel: &ChannelId| {
        let ends = network.channel(*channel);
        let (tail, head) = (is_inside(ends.tail), is_inside(ends.head));
        tail != head && (is_half || tail == is_out)
    };
    channels.filter(crosses).collect()
}
