//! k-synchronous schedules: the front from few steps to few rounds per chunk.

use crate::background::Search;
use crate::machine::{Group, problems};
use crate::members::Members;
use crate::network::Network;
use crate::problem::threads;
use crate::schedule::{Found, Schedule, plain_bound};
use crate::{bad, fraction, quantity, to_python};
use pavane_model::printable::{printable, printable_lines};
use pavane_model::{Fraction, Problem, problem};
use pavane_networks::name_check;
use pavane_pareto::{FrontError, FrontPoint, FrontRequest, find, in_rounds, rules};
use pavane_throughput::rates::Payload;
use pavane_tuning::limit_in_rounds;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::json;
use std::time::Duration;

/// The time limit, as that of `pavane pareto`.
const TIME: Duration = Duration::from_secs(120);

/// The part of the time that the throughput limit may take.
const LIMIT_SHARE: u32 = 4;

/// The fewest rounds for every number of chunks and steps, each with a schedule that the judge has
/// accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Front {
    name: String,
    problems: Vec<Problem>,
    limit: Option<Fraction>,
    found: pavane_pareto::Front,
    seed: u64,
}

#[pymethods]
impl Front {
    /// Every point, by chunks and then by steps: a dictionary as in the output of `pavane pareto --json`.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let payload = Payload { problems: &self.problems, bytes: None, unit: None };
        let record = |point: &FrontPoint| {
            json!({
                "chunks": payload.messages_per_sender() * u64::from(point.chunks),
                "chunks_per_message": point.chunks,
                "steps": point.steps(),
                "rounds": point.round_count(),
                "rounds_by_step": point.rounds,
                "rounds_per_chunk": point.rounds_per_chunk().to_string(),
                "front": point.is_on_front,
                "fewer": point.fewer.name(),
            })
        };
        to_python(py, &self.found.points.iter().map(record).collect())
    }

    /// Rounds per chunk that no schedule can undercut: a `fractions.Fraction`, or None if it is not known.
    #[getter]
    fn limit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.limit.map(|limit| fraction(py, limit)).transpose()
    }

    /// Whether all numbers of chunks were tried.
    #[getter]
    fn is_complete(&self) -> bool {
        !self.found.is_stopped
    }

    /// The schedule of the point with these chunks per message and steps. Its steps are the rounds.
    fn schedule(&self, chunks_per_message: u32, steps: u32) -> PyResult<Schedule> {
        let is_meant = |it: &&FrontPoint| it.chunks == chunks_per_message && it.steps() == steps;
        let point = self.found.points.iter().find(is_meant).ok_or_else(|| {
            bad(format!(
                "there is no point with {chunks_per_message} chunks per message and {steps} steps; \
                 `points` lists all"
            ))
        })?;
        let phase = |checked: &pavane_verify::CheckedSchedule| Found {
            checked: checked.clone(),
            bound: plain_bound(checked),
            engine: "pareto".to_owned(),
        };
        let phases = point.phases.iter().map(phase).collect();
        Ok(Schedule { name: self.name.clone(), phases, seed: self.seed })
    }

    fn __len__(&self) -> usize {
        self.found.points.len()
    }

    fn __repr__(&self) -> String {
        let network = name_check::network_in_words(self.problems[0].network());
        let count = self.found.points.len();
        let text = format!("<Front {} on {network}: {count} points>", self.name);
        printable(&text).into_owned()
    }
}

/// The k-synchronous schedules from the fewest steps to the fewest rounds per chunk, as SCCL defines them:
/// for every number of chunks per message up to `max_chunks` and every number of steps up to `max_steps`,
/// the fewest rounds.
///
/// `root`, `senders` and `receivers` name processors as in `Problem`. `round` is the bandwidth of a channel
/// that carries one chunk per round, that of the slowest channel if it is not given; faster channels count as
/// often as it fits. The search ends after `time` seconds
/// (120 if not given) with the points found so far; a point that needs more work of the solver than
/// `evaluations` stays open. Ctrl-C interrupts.
#[pyfunction(name = "pareto")]
#[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, max_chunks=4, max_steps=None,
                    round=None, seed=1, time=None, evaluations=4_000_000_000, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find_front(
    py: Python<'_>,
    network: &Network,
    collective: &str,
    root: Option<Members>,
    senders: Option<Members>,
    receivers: Option<Members>,
    max_chunks: u32,
    max_steps: Option<u32>,
    round: Option<Bound<'_, PyAny>>,
    seed: u64,
    time: Option<f64>,
    evaluations: u64,
    threads: Option<usize>,
) -> PyResult<Front> {
    if !(1..=64).contains(&max_chunks) {
        return Err(bad(format!(
            "max_chunks={max_chunks} is not valid; use a number from 1 to 64"
        )));
    }
    if let Some(steps) = max_steps.filter(|steps| !(1..=1000).contains(steps)) {
        return Err(bad(format!("max_steps={steps} is not valid; use a number from 1 to 1000")));
    }
    let search = Search::limited(time, Some(TIME))?;
    pavane_search::use_threads(self::threads(threads));
    let group = Group { root, senders, receivers };
    let phases = problems(network, collective, group, None, None, rules())?;
    let round = round.map(|value| quantity::bandwidth("round", &value)).transpose()?;
    if round.is_some_and(Fraction::is_zero) {
        return Err(bad("round=0 is not valid; a bandwidth of 0 carries nothing"));
    }
    let phases = phases.iter().map(|phase| in_rounds(phase, round));
    let problems: Vec<Problem> = phases.collect::<Result<_, _>>().map_err(bad)?;
    let early = search.time.map(|time| time / LIMIT_SHARE);
    let early = search.stop().until(early.and_then(|time| search.clock.after(time)));
    let (name, phases, interrupt) = (collective.to_owned(), problems.clone(), search.interrupt());
    let work = move || {
        let limits: Vec<Option<Fraction>> =
            phases.iter().map(|problem| limit_in_rounds(&name, problem, &early)).collect();
        let request = FrontRequest {
            max_chunks,
            max_steps,
            limits: &limits,
            seed,
            evaluations,
            max_deliveries: problem::DELIVERIES,
            interrupt,
            progress: &|_, _, _| {},
        };
        find(&phases, &request).map(|found| (limits, found))
    };
    let (limits, found) = search.run(py, work)?.map_err(|error| match error {
        FrontError::Rejected(_) => {
            PyRuntimeError::new_err(printable_lines(&format!("bug: {error}")).into_owned())
        }
        error => bad(error),
    })?;
    let limit = limits.iter().try_fold(Fraction::ZERO, |sum, limit| sum.checked_add((*limit)?));
    Ok(Front { name: collective.to_owned(), problems, limit, found, seed })
}
