//! Problems: their definition, lower bounds and search.

use crate::network::Network;
use crate::schedule::{Found, Schedule};
use crate::{Unsolved, background, bad, to_python};
use pavane_model::collective::Groups;
use pavane_model::printable::printable;
use pavane_model::{CollectiveRequest, Model, Ports, RuleError, problem};
use pavane_search::bounds;
use pavane_search::fault::{Job, JobAnswer, Part, Parts, answer};
use pavane_search::synthesize::{Options, Outcome, Progress, synthesize};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A collective communication on a network, under rules.
///
/// `collective` is a name such as "all-to-all", "all-gather", "all-reduce" or "aas", or a message
/// file; `root`, `senders` and `receivers` name processors as on the command line ("0-7,12");
/// `chunks` is the number of equal parts of each message;
/// `ports` is a number, or None for all ports; `switching` is "wormhole" or "store-and-forward" (short:
/// "sf"); `routing` is "minimal", "any" or "+H"; `duplex` is "full" or "half".
#[pyclass(frozen, module = "pavane")]
pub struct Problem {
    network: Network,
    request: CollectiveRequest,
    phases: Vec<pavane_model::Problem>,
}

/// Parses a keyword argument that is a rule.
pub fn rule<T: FromStr<Err = RuleError>>(keyword: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error: RuleError| {
        bad(format!("{keyword}={text:?} is not valid; use {}", error.known))
    })
}

/// Parses a keyword argument that accepts one of a few words.
fn word<T: Copy>(keyword: &str, text: &str, table: &[(&str, T)]) -> PyResult<T> {
    let found = table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        bad(format!("{keyword}={text:?} is not valid; use one of {}", known.join(", ")))
    })
}

/// All ports if None, otherwise a positive number of ports.
fn ports(count: Option<i64>) -> PyResult<Ports> {
    let Some(count) = count else { return Ok(Ports::All) };
    match u32::try_from(count).ok().filter(|&count| count > 0) {
        Some(count) => Ok(Ports::Limited(count)),
        None => {
            Err(bad(format!("ports={count} is not valid; use a positive number, or None for all")))
        }
    }
}

/// The time limit of a search, from seconds.
pub fn duration(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let wrong =
        |_| bad(format!("time={seconds} is not valid; use a number of seconds, at least 0"));
    Duration::try_from_secs_f64(seconds).map(Some).map_err(wrong)
}

/// The number of threads: as requested, or one per core.
pub fn threads(wanted: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.unwrap_or_else(cores).clamp(1, 1024)
}

#[pymethods]
impl Problem {
    #[new]
    #[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, chunks=1, ports=None,
                        switching="wormhole", routing="minimal", duplex="full", max_deliveries=problem::DELIVERIES))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn new(
        network: &Network,
        collective: &str,
        root: Option<String>,
        senders: Option<String>,
        receivers: Option<String>,
        chunks: i64,
        ports: Option<i64>,
        switching: &str,
        routing: &str,
        duplex: &str,
        max_deliveries: u64,
    ) -> PyResult<Self> {
        let model = Model {
            switching: rule("switching", switching)?,
            routing: rule("routing", routing)?,
            duplex: rule("duplex", duplex)?,
            ports: self::ports(ports)?,
        };
        let groups = Groups { root, senders, receivers };
        let few = |_| bad(format!("chunks={chunks} is not valid; use a number of at least 1"));
        let chunks = u32::try_from(chunks.max(0))
            .ok()
            .filter(|&chunks| chunks > 0)
            .ok_or(())
            .map_err(few)?;
        let collective = collective.to_owned();
        let request =
            CollectiveRequest { collective, groups, chunks, model, limit: max_deliveries };
        let left = request.on(&network.healthy, &network.broken).map_err(bad)?;
        Ok(Self { network: network.clone(), request, phases: left.phases })
    }

    /// The network.
    #[getter]
    fn network(&self) -> Network {
        self.network.clone()
    }

    /// The name of the collective.
    #[getter]
    fn collective(&self) -> &str {
        &self.request.collective
    }

    /// The number of messages in all phases.
    #[getter]
    fn messages(&self) -> usize {
        self.phases.iter().map(|phase| phase.messages().len()).sum()
    }

    /// The proved lower bound on the number of steps; for an all-reduce, the sum over its phases.
    fn bound(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.all_bounds(py)?.iter().map(|bounds| bounds.best.steps).sum())
    }

    /// Every bound of every phase: steps, reason, explanation and certificate.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = self.all_bounds(py)?;
        let list: Vec<Value> = bounds.iter().flat_map(|b| &b.bounds).map(|b| json!(b)).collect();
        to_python(py, &Value::Array(list))
    }

    /// The shortest schedule found, verified.
    ///
    /// Searches until the bound is met, or until `time` seconds or `evaluations` are used up; with
    /// `steps`, longer schedules are not accepted. `progress` is called about twenty times a second
    /// with a dictionary of bound, best and trying. Raises `Unsolved` if no schedule is found.
    /// Other Python threads continue during the search, and Ctrl-C interrupts it.
    #[pyo3(signature = (*, steps=None, engine=None, settings=Vec::new(), seed=1, time=None, evaluations=None, threads=None,
                        prove=false, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn solve(
        &self,
        py: Python<'_>,
        steps: Option<u32>,
        engine: Option<String>,
        settings: Vec<String>,
        seed: u64,
        time: Option<f64>,
        evaluations: Option<u64>,
        threads: Option<usize>,
        prove: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Schedule> {
        if steps.is_some() && self.phases.len() > 1 {
            return Err(bad(
                "steps: an all-reduce has several phases; solve each phase separately",
            ));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            catalogue: pavane_evolution::catalogue(),
            engine,
            settings,
            seed,
            threads: self::threads(threads),
            evaluations,
            time: duration(time)?,
            steps,
            prove,
            stop: stop.clone(),
            ..Options::default()
        };
        let mut found = Vec::new();
        for problem in &self.phases {
            let watched = Arc::new(Progress::default());
            let options = Options { progress: watched.clone(), ..options.clone() };
            let tell = |py: Python<'_>| match &progress {
                None => Ok(()),
                Some(progress) => progress.call1(py, (report(py, &watched)?,)).map(drop),
            };
            let problem = problem.clone();
            let name = problem.collective().name.clone();
            let work = move || synthesize(&problem, &options);
            let outcome = background::run(py, &stop, work, tell)?.map_err(bad)?;
            let Outcome { solution, bounds, .. } = outcome;
            let Some(solution) = solution else {
                let bound = bounds.best.steps;
                let problem = format!(
                    "no schedule was found for {name}; the bound is {bound} steps; try more time, another seed or more steps"
                );
                return Err(Unsolved::new_err(printable(&problem).into_owned()));
            };
            found.push(Found {
                checked: solution.checked,
                bound: bounds.best,
                engine: solution.engine.to_owned(),
            });
        }
        Ok(Schedule { name: self.request.collective.clone(), phases: found, seed })
    }

    /// The cost of every fault: a record for each link, channel or router (`of`) with the fault,
    /// steps, bound, status, and the disconnected processors.
    #[pyo3(signature = (*, of="links", seed=1, time=None, evaluations=None, threads=None))]
    fn faults<'py>(
        &self,
        py: Python<'py>,
        of: &str,
        seed: u64,
        time: Option<f64>,
        evaluations: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parts = Parts::new(&self.network.broken, &[word("of", of, Part::ALL)?]);
        let faults = parts.faults();
        let request = self.request.clone();
        let jobs: Vec<Job> = faults
            .iter()
            .map(|&fault| Job { request: request.clone(), faults: vec![fault] })
            .collect();
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            seed,
            threads: self::threads(threads),
            evaluations,
            time: duration(time)?,
            stop: stop.clone(),
            ..Options::default()
        };
        let network = self.network.broken.clone();
        let work = move || {
            let row = |job: &Job| {
                let mut row = answer_json(&answer(&network, job, &options));
                row["fault"] = json!(job.faults[0].name(&network));
                row
            };
            let is_wanted = |_: &&Job| !options.stop.load(Ordering::Relaxed);
            jobs.iter().take_while(is_wanted).map(row).collect::<Vec<Value>>()
        };
        let rows = background::run(py, &stop, work, |_| Ok(()))?;
        to_python(py, &Value::Array(rows))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Problem {} on {}: {} messages>",
            self.request.collective,
            printable(self.network.broken.name()),
            self.messages()
        )
    }
}

impl Problem {
    fn all_bounds(&self, py: Python<'_>) -> PyResult<Vec<bounds::Bounds>> {
        let phases = self.phases.clone();
        let work = move || phases.iter().map(bounds::all).collect::<Result<Vec<_>, _>>();
        let stop = Arc::new(AtomicBool::new(false));
        let found = background::run(py, &stop, work, |_| Ok(()))?;
        found.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

/// The progress of a search.
fn report<'py>(py: Python<'py>, progress: &Progress) -> PyResult<Bound<'py, PyAny>> {
    let number = |steps: u32| (steps != 0 && steps != u32::MAX).then_some(steps);
    let value = json!({
        "bound": number(progress.bound.load(Ordering::Relaxed)),
        "best": number(progress.best.load(Ordering::Relaxed)),
        "trying": number(progress.trying.load(Ordering::Relaxed)),
    });
    to_python(py, &value)
}

fn answer_json(answer: &JobAnswer) -> Value {
    match answer {
        JobAnswer::Solved(solved) => json!({
            "status": if solved.steps() == solved.bound() { "optimal" } else { "best found" },
            "steps": solved.steps(),
            "bound": solved.bound(),
            "missing": solved.missing,
        }),
        JobAnswer::Separated(separated) => {
            json!({"status": "disconnected", "steps": null, "pairs": separated.pairs})
        }
        JobAnswer::Impossible { why, missing } => {
            json!({"status": "impossible", "steps": null, "why": why, "missing": missing})
        }
        JobAnswer::Unsolved => json!({"status": "none found", "steps": null}),
        JobAnswer::Refused(why) => json!({"status": "bug", "steps": null, "why": why}),
    }
}
