//! Problems: their definition, lower bounds and search.

use crate::background::{self, Ended, Search};
use crate::chunks::{self, ChunkCount};
use crate::collective::{CollectiveArgument, title};
use crate::errors::{bad, bug, impossible, nothing_left, unless_interrupted, unsolved};
use crate::fault_costs::{self, FaultChoice};
use crate::files::reduced;
use crate::found::Found;
use crate::members::Group;
use crate::network::{Network, NetworkArgument};
use crate::resumed_search::ResumedSearch;
use crate::schedule::Schedule;
use crate::whole::{whole, whole_or_none};
use crate::{all_reduce, atlas_start, engines, to_python};
use pavane_atlas::Atlas;
use pavane_model::printable::printable;
use pavane_model::words::counted;
use pavane_model::{
    CollectiveRequest, Model, Ports, RuleError, claims, collective, problem, units,
};
use pavane_search::bounds;
use pavane_search::budget::Interrupt;
use pavane_search::fault::{Part, Selection};
use pavane_search::parameters::Preset;
use pavane_search::synthesize::{Options, Outcome, Progress, SynthesisError, at_once, synthesize};
use pavane_store::fault_survey::KeptFiles;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A collective communication on a network, under rules.
///
/// `network` is a `Network` or what `Network()` takes. `collective` is a name such as "all-to-all",
/// "all-gather", "all-reduce" or "aas", a message file, a permutation (a list of numbers) or messages (a list of
/// pairs: the sender, and one receiver or several); `root`, `senders` and `receivers` are
/// processors: a number, several numbers, names or coordinates, or a text as on the command line
/// ("0-7,12");
/// `chunks` is the number of equal parts of each message, or "auto": then `solve` looks for the number
/// up to `max_chunks` with the fewest steps per message;
/// `ports` is a number, or None or "all" for all ports; `switching` is "wormhole" or "store-and-forward" (short:
/// "sf"); `routing` is "minimal", "any" or "+H"; `duplex` is "full" or "half".
#[pyclass(frozen, module = "pavane")]
pub struct Problem {
    network: Network,
    request: CollectiveRequest,
    chunks: ChunkCount,
    /// The phases; with chunks="auto" those of whole messages.
    phases: Vec<pavane_model::Problem>,
}

/// The time limit for each fault, as that of `pavane faults`.
const FAULT_PATIENCE: Duration = Duration::from_secs(10);

/// The time for a simple schedule after an interrupt.
const LAST: Duration = Duration::from_secs(1);

/// Parses a keyword argument that is a rule.
pub fn rule<T: FromStr<Err = RuleError>>(keyword: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error: RuleError| {
        bad(format!("{keyword}={text:?} is not valid; use {}", error.known))
    })
}

/// Parses a keyword argument that accepts one of a few words.
pub fn word<T: Copy>(keyword: &str, text: &str, table: &[(&str, T)]) -> PyResult<T> {
    let found = table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        bad(format!("{keyword}={text:?} is not valid; use one of {}", known.join(", ")))
    })
}

/// All ports if None, otherwise a positive number of ports, or a text as on the command line.
pub fn ports(count: Option<&Bound<'_, PyAny>>) -> PyResult<Ports> {
    let Some(count) = count else { return Ok(Ports::All) };
    if let Ok(text) = count.extract::<String>() {
        return rule("ports", &text);
    }
    let number = count.extract::<i64>().ok().and_then(|count| u32::try_from(count).ok());
    number.filter(|&count| count > 0).map(Ports::Limited).ok_or_else(|| {
        bad(format!("ports={count} is not valid; use a positive number, or None for all"))
    })
}

/// The settings of an engine: a dictionary, or texts such as "name=value".
fn settings(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let Ok(table) = value.cast::<PyDict>() else {
        let wrong = |_| bad("settings: expected a dictionary, or texts such as \"name=value\"");
        return value.extract().map_err(wrong);
    };
    table.iter().map(|(name, value)| Ok(format!("{}={}", name.str()?, value.str()?))).collect()
}

/// Words in a text such as "links,routers", or in a list.
fn words(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        let text: String = value.extract()?;
        return Ok(text.split(',').map(|word| word.trim().to_owned()).collect());
    }
    let wrong = |_| bad(format!("{keyword}: expected a text or a list of texts"));
    value.extract().map_err(wrong)
}

/// A time as an argument: a number of seconds, or a text as on the command line, such as "500ms".
#[derive(Clone, Copy)]
pub struct Seconds(Duration);

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let shown = || value.repr().map(|text| text.to_string()).unwrap_or_default();
        if let Ok(text) = value.extract::<String>() {
            let wrong = |why| bad(format!("time={}: {why}", shown()));
            return units::parse_time(text.trim()).map(Self).map_err(wrong);
        }
        let use_instead = "use a number of seconds, at least 0, or a text such as \"500ms\"";
        let wrong = || format!("time={} is not valid; {use_instead}", shown());
        let seconds = value.extract::<f64>().map_err(|_| PyTypeError::new_err(wrong()))?;
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| bad(wrong()))
    }
}

/// The time limit, if there is one.
pub fn duration(time: Option<Seconds>) -> Option<Duration> {
    time.map(|Seconds(time)| time)
}

/// The argument `threads`: a positive number or None.
pub fn thread_count(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match whole_or_none(value)? {
        Some(0) => Err(bad("threads=0 is not valid; use at least 1, or None for one per core")),
        count => Ok(count),
    }
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
        network: NetworkArgument,
        collective: CollectiveArgument,
        root: Option<Bound<'_, PyAny>>,
        senders: Option<Bound<'_, PyAny>>,
        receivers: Option<Bound<'_, PyAny>>,
        chunks: Option<Bound<'_, PyAny>>,
        ports: Option<Bound<'_, PyAny>>,
        switching: &str,
        routing: &str,
        duplex: &str,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
        #[pyo3(from_py_with = whole)] max_chunks: i64,
    ) -> PyResult<Self> {
        let model = Model {
            switching: rule("switching", switching)?,
            routing: rule("routing", routing)?,
            duplex: rule("duplex", duplex)?,
            ports: self::ports(ports.as_ref())?,
        };
        let NetworkArgument(network) = network;
        let groups = Group { root, senders, receivers }.on(&network.healthy)?;
        let chunks = ChunkCount::parse(chunks.as_ref(), max_chunks)?;
        let CollectiveArgument(collective) = collective;
        let request = CollectiveRequest {
            collective,
            groups,
            chunks: chunks.first(),
            model,
            limit: max_deliveries,
        };
        let left = request.on(&network.healthy, &network.broken).map_err(nothing_left)?;
        Ok(Self { network, request, chunks, phases: left.phases })
    }

    /// The network.
    #[getter]
    fn network(&self) -> Network {
        self.network.clone()
    }

    /// The name of the collective.
    #[getter]
    fn collective(&self) -> &str {
        title(&self.request.collective)
    }

    /// The number of messages in all phases; chunks count as messages.
    #[getter]
    fn messages(&self) -> usize {
        self.phases.iter().map(|phase| phase.messages().len()).sum()
    }

    /// The names of the engines that suit the problem, those of `engines` that accept each of its phases.
    fn engines(&self) -> Vec<&'static str> {
        engines::suitable(&self.phases)
    }

    /// The proved lower bound on the number of steps; for an all-reduce, that of the whole. After `time` seconds, the best
    /// bound so far.
    #[pyo3(signature = (*, time=None))]
    fn bound(&self, py: Python<'_>, time: Option<Seconds>) -> PyResult<u32> {
        let found = self.all_bounds(py, time)?;
        let ([reduce, broadcast], [one, other]) = (&self.phases[..], &found[..]) else {
            return Ok(found.iter().map(|bounds| bounds.best.steps).sum());
        };
        let proved = [one.best.steps, other.best.steps];
        let whole = bounds::of_whole([reduce, broadcast], proved, &Interrupt::never());
        Ok(whole.map_err(bug)?.steps)
    }

    /// Every bound of every phase: steps, reason, explanation and certificate. After `time` seconds, those so far.
    #[pyo3(signature = (*, time=None))]
    fn bounds<'py>(&self, py: Python<'py>, time: Option<Seconds>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = self.all_bounds(py, time)?;
        let list: Vec<Value> = bounds.iter().flat_map(|b| &b.bounds).map(|b| json!(b)).collect();
        to_python(py, &Value::Array(list))
    }

    /// The shortest schedule found, verified.
    ///
    /// Searches until the bound is met, or until `time` seconds or `evaluations` are used up; with
    /// `steps`, longer schedules are not accepted. With chunks="auto" the time is that of all numbers of
    /// chunks together, 60 seconds if it is not given. `progress` is called about twenty times a second
    /// with a dictionary of bound, best and trying. `preset` ("tuned" or "paper") and `settings` (a
    /// dictionary, or texts such as "name=value") are parameters of `engine`. Raises `Unsolved` if no
    /// schedule is found, and `Impossible` if there is none. Other Python threads continue during the
    /// search. Ctrl-C raises `Interrupted`, which has the best schedule so far. Without `time` and
    /// `evaluations` the search ends about 30 seconds after the first schedule. With the folder of an `atlas`, the
    /// search starts from the schedule of an isomorphic problem, and `engine` of the result names the entry if it is that
    /// schedule. `resume` is a file that keeps the state of the search and its best schedule; if it exists, the search
    /// continues from it.
    #[pyo3(signature = (*, steps=None, engine=None, preset=None, settings=None, seed=1, time=None, evaluations=None, threads=None,
                        prove=false, progress=None, atlas=None, resume=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn solve(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole_or_none)] steps: Option<u32>,
        engine: Option<String>,
        preset: Option<&str>,
        settings: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<Seconds>,
        #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
        #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
        prove: bool,
        progress: Option<Py<PyAny>>,
        atlas: Option<PathBuf>,
        resume: Option<PathBuf>,
    ) -> PyResult<Schedule> {
        let stop = Arc::new(AtomicBool::new(false));
        let preset = preset.map(|name| word("preset", name, Preset::ALL)).transpose()?;
        let options = Options {
            catalogue: pavane_evolution::catalogue(),
            engine,
            preset,
            settings: self::settings(settings.as_ref())?,
            seed,
            threads: self::threads(threads),
            evaluations,
            time: duration(time),
            // The steps of an all-reduce are those of both phases, which may overlap.
            steps: steps.filter(|_| self.phases.len() == 1),
            prove,
            stop,
            ..Options::default()
        };
        let atlas = atlas.map(|folder| atlas_start::open(py, &folder)).transpose()?;
        let resumed = match &resume {
            None => None,
            Some(path) => {
                self.chunks.check_fixed("resume")?;
                Some(ResumedSearch::open(path, &self.request, &self.phases, &options)?)
            }
        };
        let (progress, atlas, resumed) = (progress.as_ref(), atlas.as_ref(), resumed.as_ref());
        let run = SearchRun { progress, atlas, resumed };
        let Ended { answer, interrupt } = match self.chunks {
            ChunkCount::Fixed(_) => run.search(py, &self.phases, &options)?,
            ChunkCount::Auto(most) => {
                for (what, is_given) in [("steps", steps.is_some()), ("prove", prove)] {
                    if is_given {
                        self.chunks.check_fixed(what)?;
                    }
                }
                let cut = |chunks: u32| {
                    let request = CollectiveRequest { chunks, ..self.request.clone() };
                    let left = request.on(&self.network.healthy, &self.network.broken);
                    left.map(|left| left.phases).map_err(nothing_left)
                };
                chunks::search(py, most, options.time, cut, |phases, steps, time| {
                    let options = Options { steps, time: Some(time), ..options.clone() };
                    run.search(py, phases, &options)
                })?
            }
        };
        let name = title(&self.request.collective).to_owned();
        let labels = self.network.labels.clone();
        let mut interrupt = interrupt;
        let schedule = answer.and_then(|phases| {
            let options = Options { steps, ..options };
            let Ended { answer, interrupt: later } = all_reduce::overlapped(py, phases, &options)?;
            interrupt = interrupt.take().or(later);
            let (phases, whole) = answer;
            if let (Some(most), Some(whole)) = (steps, &whole) {
                whole.check_within(most)?;
            }
            Ok(Schedule { name, phases, whole, seed, labels })
        });
        unless_interrupted(py, interrupt, schedule)
    }

    /// The cost of every fault: a record for each link, channel or router (`of`, such as `"links,routers"` or a list) with the fault,
    /// steps, bound, status, and the disconnected processors. With `count`, so many parts fail at once;
    /// `sample` draws so many of the sets at random, by default 500 if there are more than 100,000. With `throughput`, the records say what
    /// the fault costs in bandwidth: ns_per_byte (a `fractions.Fraction`), algorithm_gbytes, cost_gbytes
    /// and cost_percent; `time` then limits each fault, and `bandwidth` and `latency` replace those of all channels. `resume` is a file that keeps the
    /// results, with their schedules in the folder beside it, and `save` a folder for a schedule for every fault, which
    /// `pavane verify` and `pavane repair` read. The list has a heat map: `svg()`.
    /// Ctrl-C raises `Interrupted`, which has the records so far.
    #[pyo3(signature = (*, of=None, count=1, sample=None, throughput=false, bandwidth=None, latency=None, seed=1, time=None,
                        evaluations=None, threads=None, resume=None, save=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn faults<'py>(
        &self,
        py: Python<'py>,
        of: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole)] count: u32,
        #[pyo3(from_py_with = whole_or_none)] sample: Option<usize>,
        throughput: bool,
        bandwidth: Option<Bound<'py, PyAny>>,
        latency: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<Seconds>,
        #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
        #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
        resume: Option<PathBuf>,
        save: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kinds = of.map_or_else(|| Ok(vec!["links".to_owned()]), |of| words("of", &of))?;
        let kinds = kinds.iter().map(|kind| word("of", kind, Part::ALL));
        let kinds: Vec<Part> = kinds.collect::<PyResult<_>>()?;
        if kinds.contains(&Part::Links) && kinds.contains(&Part::Channels) {
            return Err(bad("of: a link consists of two channels; use either links or channels"));
        }
        let selection = Selection { count, sample, seed };
        let choice = FaultChoice::new(&self.network.broken, &kinds, selection)?;
        let time = duration(time);
        if throughput && (resume.is_some() || save.is_some()) {
            return Err(bad("resume and save do not apply with throughput=True"));
        }
        if throughput {
            // Throughput counts whole messages.
            let request = CollectiveRequest { chunks: 1, ..self.request.clone() };
            let network = self.network.timed(bandwidth.as_ref(), latency.as_ref())?;
            return fault_costs::of_throughput(py, &network, &request, choice, time);
        }
        if bandwidth.is_some() || latency.is_some() {
            return Err(bad("bandwidth and latency apply only with throughput=True"));
        }
        self.chunks.check_fixed("faults")?;
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            seed,
            threads: self::threads(threads),
            evaluations,
            time,
            patience: FAULT_PATIENCE,
            stop,
            ..Options::default()
        };
        let keep = KeptFiles { resume, save };
        fault_costs::of_steps(py, &self.network, &self.request, choice, options, keep)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let CollectiveRequest { collective, groups, model, limit, .. } = &self.request;
        let keywords = PyDict::new(py);
        keywords.set_item("root", &groups.root)?;
        keywords.set_item("senders", &groups.senders)?;
        keywords.set_item("receivers", &groups.receivers)?;
        match self.chunks {
            ChunkCount::Fixed(count) => keywords.set_item("chunks", count)?,
            ChunkCount::Auto(most) => {
                keywords.set_item("chunks", "auto")?;
                keywords.set_item("max_chunks", most)?;
            }
        }
        keywords.set_item("ports", model.ports.to_string())?;
        keywords.set_item("switching", model.switching.to_string())?;
        keywords.set_item("routing", model.routing.to_string())?;
        keywords.set_item("duplex", model.duplex.to_string())?;
        keywords.set_item("max_deliveries", limit)?;
        reduced(py, "Problem", (self.network.clone(), collective, keywords))
    }

    /// The problem of a pickle: the arguments of `Problem`.
    #[staticmethod]
    fn _restore<'py>(
        network: Bound<'py, PyAny>,
        collective: &str,
        keywords: Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        network.py().get_type::<Self>().call((&network, collective), Some(&keywords))
    }

    fn __repr__(&self) -> String {
        let count = counted(self.messages(), "message");
        format!(
            "<Problem {} on {}: {count}>",
            collective::todays_name(self.collective()),
            printable(self.network.broken.name()),
        )
    }
}

impl Problem {
    fn all_bounds(&self, py: Python<'_>, time: Option<Seconds>) -> PyResult<Vec<bounds::Bounds>> {
        self.chunks.check_fixed("bounds")?;
        let phases = self.phases.clone();
        let search = Search::limited(time, None)?;
        let (interrupt, clock, time) = (search.stop(), search.clock, search.time);
        let work = move || {
            // Every phase has an equal share of the time that is left.
            let each = phases.iter().enumerate().map(|(before, problem)| {
                let left = time.map(|time| time.saturating_sub(clock.elapsed()));
                let share = left.map(|left| left / (phases.len() - before) as u32);
                let deadline = share.and_then(|share| clock.after(clock.elapsed() + share));
                bounds::all_until(problem, &interrupt.clone().until(deadline), &|_| {})
            });
            each.collect::<Result<Vec<_>, _>>()
        };
        let Ended { answer, interrupt } = search.run(py, work)?;
        match interrupt {
            Some(interrupt) => Err(interrupt),
            None => answer.map_err(bug),
        }
    }
}

/// The phases of a schedule, or the reason why there is none; and the interrupt, if any.
pub type SearchEnd = Ended<PyResult<Vec<Found>>>;

/// What all searches of a call share.
struct SearchRun<'a> {
    progress: Option<&'a Py<PyAny>>,
    atlas: Option<&'a Atlas>,
    resumed: Option<&'a ResumedSearch>,
}

impl SearchRun<'_> {
    /// Searches for a schedule of every phase. After an interrupt, the remaining phases get simple schedules.
    fn search(
        &self,
        py: Python<'_>,
        phases: &[pavane_model::Problem],
        options: &Options,
    ) -> PyResult<SearchEnd> {
        let mut found = Vec::new();
        let mut interrupted = None;
        for (number, problem) in phases.iter().enumerate() {
            let watched = Arc::new(Progress::default());
            let start = self.atlas.map(|atlas| atlas_start::of_steps(py, atlas, problem));
            let (entry, resumed) = start.transpose()?.flatten().unzip();
            let options = Options { progress: watched.clone(), resumed, ..options.clone() };
            let options = match self.resumed {
                None => options,
                Some(resumed) => resumed.options(number, problem, options)?,
            };
            let tell = |py: Python<'_>| match self.progress {
                None => Ok(()),
                Some(progress) => progress.call1(py, (report(py, &watched)?,)).map(drop),
            };
            let problem = problem.clone();
            let name = claims::collective_in_words(&problem);
            let (stop, steps) = (options.stop.clone(), options.steps);
            let work = move || {
                let outcome = synthesize(&problem, &options)?;
                if outcome.solution.is_some() || !options.stop.load(Ordering::Relaxed) {
                    return Ok(outcome);
                }
                let simple = at_once(&problem, options.engine.as_deref(), LAST);
                let is_short = |outcome: &Outcome| {
                    let solution = outcome.solution.as_ref().map(|one| one.checked.schedule());
                    solution.is_some_and(|it| it.step_count() <= steps.unwrap_or(u32::MAX))
                };
                Ok(simple.filter(is_short).unwrap_or(outcome))
            };
            let Ended { answer, interrupt } = background::run(py, &stop, work, tell)?;
            interrupted = interrupted.or(interrupt);
            self.resumed.map_or(Ok(()), |resumed| resumed.warn(py))?;
            let answer = answer.map_err(|error: SynthesisError| bad(error));
            match answer.and_then(|outcome| phase(outcome, &name, steps)) {
                Ok(mut phase) => {
                    if let Some(entry) = entry.filter(|_| phase.engine == atlas_start::ENGINE) {
                        phase.engine = format!("{}: {entry}", phase.engine);
                    }
                    found.push(phase);
                }
                Err(error) => return Ok(Ended { answer: Err(error), interrupt: interrupted }),
            }
        }
        Ok(Ended { answer: Ok(found), interrupt: interrupted })
    }
}

/// The phase that a search found. Raises `Impossible` if too few steps are requested, and `Unsolved` if
/// there was not enough time.
fn phase(outcome: Outcome, name: &str, steps: Option<u32>) -> PyResult<Found> {
    let Outcome { solution, bounds, proof, .. } = outcome;
    if let Some(solution) = solution {
        let proof = proof.map(|proof| Arc::new(proof.lrat));
        let engine = solution.engine.to_owned();
        return Ok(Found { checked: solution.checked, bound: bounds.best, engine, proof });
    }
    let refuted = proof.map(|proof| proof.bound()).filter(|bound| bound.steps > bounds.best.steps);
    let bound = refuted.unwrap_or(bounds.best);
    Err(match steps.filter(|&steps| steps < bound.steps) {
        Some(steps) => impossible(format!(
            "{name} in {} is impossible: {}",
            counted(steps as usize, "step"),
            bound.explanation
        )),
        None => unsolved(format!(
            "no schedule was found for {name}; the bound is {}; try more time, another seed or more steps",
            counted(bound.steps as usize, "step")
        )),
    })
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
