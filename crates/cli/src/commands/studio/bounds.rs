//! Why no schedule has fewer steps, as `pavane bound` explains it: every bound with its reason and the
//! routers and channels that it is about.

use super::figures::Figures;
use super::job::Job;
use super::request::{Asked, remaining};
use super::throughput::networks;
use crate::report::studio::{BoundRow, BoundsSummary};
use crate::words;
use pavane_model::{
    Bound, Certificate, ChannelId, CollectiveRequest, Duplex, Problem, ProcessorId, RouterId,
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

/// Computes every bound of every phase.
pub fn compute(asked: &BoundsAsked, job: &Job, time: Duration) -> Result<Figures, String> {
    let (whole, network) = networks(&asked.problem, &asked.faults)?;
    let request = CollectiveRequest { model: asked.problem.model()?, ..asked.problem.whole()? };
    let problems = remaining(&request, &whole, &network)?.phases;
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let interrupt = interrupt.until(Clock::start().after(time));
    let mut rows = Vec::new();
    let mut total = 0;
    for (phase, problem) in problems.iter().enumerate() {
        let found = bounds::all_until(problem, &interrupt, &|_| {});
        let found = found.map_err(|error| format!("bug: {error}"))?;
        total += found.best.steps;
        let best = &found.best;
        rows.extend(found.bounds.iter().map(|bound| row(problem, phase, bound, bound == best)));
    }
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let title = words::problem_line(&request.collective, &problems[0]);
    Figures::new(&BoundsSummary { title: &title, steps: total, rows: &rows }, Vec::new())
}

fn row(problem: &Problem, phase: usize, bound: &Bound, is_best: bool) -> BoundRow {
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
