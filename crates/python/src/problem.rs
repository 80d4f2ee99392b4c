//! Problems: their definition, lower bounds and search.

use crate::chunks::{self, ChunkCount};
use crate::fault_costs::{self, FaultChoice};
use crate::members::{self, Members};
use crate::network::Network;
use crate::schedule::{Found, Schedule};
use crate::{Unsolved, background, bad, to_python};
use pavane_model::printable::printable;
use pavane_model::{CollectiveRequest, Model, Ports, RuleError, problem};
use pavane_search::bounds;
use pavane_search::fault::{Part, Selection};
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
/// `chunks` is the number of equal parts of each message, or "auto": then `solve` looks for the number
/// up to `max_chunks` with the fewest steps per message;
/// `ports` is a number, or None for all ports; `switching` is "wormhole" or "store-and-forward" (short:
/// "sf"); `routing` is "minimal", "any" or "+H"; `duplex` is "full" or "half".
#[pyclass(frozen, module = "pavane")]
pub struct Problem {
    network: Network,
    request: CollectiveRequest,
    chunks: ChunkCount,
    /// The phases; with chunks="auto" those of whole messages.
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
    #[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, chunks=None, ports=None,
                        switching="wormhole", routing="minimal", duplex="full", max_deliveries=problem::DELIVERIES,
                        max_chunks=8))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn new(
        network: &Network,
        collective: &str,
        root: Option<Members>,
        senders: Option<Members>,
        receivers: Option<Members>,
        chunks: Option<Bound<'_, PyAny>>,
        ports: Option<i64>,
        switching: &str,
        routing: &str,
        duplex: &str,
        max_deliveries: u64,
        max_chunks: i64,
    ) -> PyResult<Self> {
        let model = Model {
            switching: rule("switching", switching)?,
            routing: rule("routing", routing)?,
            duplex: rule("duplex", duplex)?,
            ports: self::ports(ports)?,
        };
        let groups = members::groups(root, senders, receivers);
        let chunks = ChunkCount::parse(chunks.as_ref(), max_chunks)?;
        let collective = collective.to_owned();
        let request = CollectiveRequest {
            collective,
            groups,
            chunks: chunks.first(),
            model,
            limit: max_deliveries,
        };
        let left = request.on(&network.healthy, &network.broken).map_err(bad)?;
        Ok(Self { network: network.clone(), request, chunks, phases: left.phases })
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

    /// The number of messages in all phases; chunks count as messages.
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
    /// `steps`, longer schedules are not accepted. With chunks="auto" the time is that of all numbers of
    /// chunks together, 60 seconds if it is not given. `progress` is called about twenty times a second
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
            stop,
            ..Options::default()
        };
        let phases = match self.chunks {
            ChunkCount::Fixed(_) => search(py, &self.phases, &options, progress.as_ref())?,
            ChunkCount::Auto(most) => {
                for (what, is_given) in [("steps", steps.is_some()), ("prove", prove)] {
                    if is_given {
                        self.chunks.check_fixed(what)?;
                    }
                }
                let cut = |chunks: u32| {
                    let request = CollectiveRequest { chunks, ..self.request.clone() };
                    let left = request.on(&self.network.healthy, &self.network.broken);
                    left.map(|left| left.phases).map_err(bad)
                };
                chunks::search(py, most, options.time, cut, |phases, steps, time| {
                    let options = Options { steps, time: Some(time), ..options.clone() };
                    search(py, phases, &options, progress.as_ref())
                })?
            }
        };
        Ok(Schedule { name: self.request.collective.clone(), phases, seed })
    }

    /// The cost of every fault: a record for each link, channel or router (`of`, such as `"links,routers"`) with the fault,
    /// steps, bound, status, and the disconnected processors. With `count`, so many parts fail at once;
    /// `sample` draws so many of the sets at random, by default 500 if there are more than 100,000. With `throughput`, the records say what
    /// the fault costs in bandwidth: ns_per_byte (a `fractions.Fraction`), algorithm_gbytes, cost_gbytes
    /// and cost_percent; `time` then limits each fault. The list has a heat map: `svg()`.
    #[pyo3(signature = (*, of="links", count=1, sample=None, throughput=false, seed=1, time=None, evaluations=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn faults<'py>(
        &self,
        py: Python<'py>,
        of: &str,
        count: u32,
        sample: Option<usize>,
        throughput: bool,
        seed: u64,
        time: Option<f64>,
        evaluations: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kinds = of.split(',').map(|kind| word("of", kind.trim(), Part::ALL));
        let kinds: Vec<Part> = kinds.collect::<PyResult<_>>()?;
        if kinds.contains(&Part::Links) && kinds.contains(&Part::Channels) {
            return Err(bad("of: a link consists of two channels; use either links or channels"));
        }
        let selection = Selection { count, sample, seed };
        let choice = FaultChoice::new(&self.network.broken, &kinds, selection)?;
        let time = duration(time)?;
        if throughput {
            // Throughput counts whole messages.
            let request = CollectiveRequest { chunks: 1, ..self.request.clone() };
            return fault_costs::of_throughput(py, &self.network, &request, choice, time);
        }
        self.chunks.check_fixed("faults")?;
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            seed,
            threads: self::threads(threads),
            evaluations,
            time,
            stop,
            ..Options::default()
        };
        fault_costs::of_steps(py, &self.network.broken, &self.request, &choice, options)
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
        self.chunks.check_fixed("bounds")?;
        let phases = self.phases.clone();
        let work = move || phases.iter().map(bounds::all).collect::<Result<Vec<_>, _>>();
        let stop = Arc::new(AtomicBool::new(false));
        let found = background::run(py, &stop, work, |_| Ok(()))?;
        found.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

/// Searches for a schedule of every phase. Raises `Unsolved` if none is found.
fn search(
    py: Python<'_>,
    phases: &[pavane_model::Problem],
    options: &Options,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Vec<Found>> {
    let mut found = Vec::new();
    for problem in phases {
        let watched = Arc::new(Progress::default());
        let options = Options { progress: watched.clone(), ..options.clone() };
        let tell = |py: Python<'_>| match progress {
            None => Ok(()),
            Some(progress) => progress.call1(py, (report(py, &watched)?,)).map(drop),
        };
        let problem = problem.clone();
        let name = problem.collective().name.clone();
        let stop = options.stop.clone();
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
    Ok(found)
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
