//! TDM schedules of networks on chip, which are always judged.

use crate::background;
use crate::errors::{bad, bug, impossible, unsolved};
use crate::files::{self, FileArgument, Proofs, reduced, save_by_name, save_proof};
use crate::network::{Network, NetworkArgument};
use crate::pictures::{Drawn, Look, address};
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::{duration, rule, threads};
use crate::unrepaired;
use crate::whole::{whole, whole_or_none};
use crate::{atlas_start, members, tables, to_python};
use pavane_interop::tdm::poseidon::Communication;
use pavane_interop::tdm::{export, read_traffic};
use pavane_model::format::proof_beside;
use pavane_model::printable::printable;
use pavane_model::tdm::{
    self, MOST_PERIOD, TdmCertificate, TdmDemand, TdmMessage, TdmProblemError, TdmRules, Word,
};
use pavane_model::words::counted;
use pavane_model::{ProcessorId, TdmProblem, TdmSchedule, problem, strict_json};
use pavane_networks::name_check;
use pavane_render::picture::scene::Scene;
use pavane_render::{picture, viewer};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tdm::bounds::in_words;
use pavane_tdm::{LongerPeriod, TdmOptions, TdmOutcome, repair, solve};
use pavane_verify::{CheckedTdm, check_tdm_with, judge_tdm_within};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyTuple};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time limit if neither time nor evaluations are given, as that of `pavane tdm`.
const TIME: Duration = Duration::from_secs(20);

/// A periodic schedule of a network on chip that the judge has accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Tdm {
    checked: CheckedTdm,
    /// `None` if it is from a file.
    seed: Option<u64>,
    /// The proof that its bound needs, if any, in LRAT; empty otherwise.
    proof: Arc<Vec<u8>>,
}

impl Drawn for Tdm {
    fn scene(&self, _: &Look) -> PyResult<Scene> {
        picture::tdm(&self.checked, &self.explanation()).map_err(bad)
    }

    fn page(&self) -> PyResult<String> {
        viewer::tdm_page(&self.checked, &self.explanation()).map_err(bad)
    }
}

#[pymethods]
impl Tdm {
    /// Reads and judges a file, a path or its content as bytes, plain or gzipped; raises InputError if the schedule is
    /// not valid. Schedules with more than `max_deliveries` deliveries are refused.
    #[staticmethod]
    #[pyo3(signature = (file, *, max_deliveries=problem::DELIVERIES))]
    fn load(
        file: FileArgument,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
    ) -> PyResult<Self> {
        let FileArgument(file) = file;
        let (reader, name) = (file.open().map_err(bad)?, file.name());
        let schedule = tdm::read(reader, &name, max_deliveries).map_err(bad)?;
        Self::judged(schedule, &name, &Proofs::Beside(&file), None)
    }

    /// Writes the schedule to a file, gzipped if its name ends in .gz, and the proof that its bound needs, if
    /// any, beside it.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        if !self.proof.is_empty() {
            save_proof(&proof_beside(&path, None), &self.proof)?;
        }
        save_by_name(&path, |out| self.write(&path, out))
    }

    /// The network, with its faults.
    #[getter]
    fn network(&self) -> Network {
        Network::of_problem(self.inner().problem.network())
    }

    /// Slots after which the schedule repeats.
    #[getter]
    fn period(&self) -> u32 {
        self.inner().period
    }

    /// The proved lower bound on the period; None if a file has none.
    #[getter]
    fn bound(&self) -> Option<u32> {
        self.checked.proved()
    }

    /// Whether the period is the proved bound.
    #[getter]
    fn is_optimal(&self) -> bool {
        self.checked.is_optimal()
    }

    /// `optimal`, or `best found, at most … from optimal`; `best found` if a file proves no bound.
    #[getter]
    fn status(&self) -> String {
        match self.bound() {
            _ if self.is_optimal() => "optimal".to_owned(),
            None => "best found".to_owned(),
            Some(bound) => {
                let gap = counted(self.period() - bound.min(self.period()), "slot");
                format!("best found, at most {gap} from optimal")
            }
        }
    }

    /// Why no period is shorter than the bound, in words.
    #[getter]
    fn explanation(&self) -> String {
        let bound = self.inner().bound.as_ref().filter(|_| self.checked.proved().is_some());
        bound.map(|bound| in_words(&self.inner().problem, bound)).unwrap_or_default()
    }

    /// The schedule, in the format of its file (pavane/tdm/1).
    #[getter]
    fn schedule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        self.write(Path::new("tdm.json"), &mut bytes).map_err(bad)?;
        let content: Value = strict_json::from_slice(&bytes).map_err(bad)?;
        to_python(py, &content)
    }

    /// Every word of a period: from, to, start, the slot `end` in which it reaches its receiver, routers
    /// and channels.
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let network = self.inner().problem.network();
        let depth = u64::from(self.inner().problem.rules().depth);
        let record = |word: &Word| {
            let first = network.home(word.from).into_iter();
            let others = word.path.iter().map(|&channel| network.channel(channel).head);
            json!({
                "from": word.from,
                "to": word.to,
                "start": word.start,
                "end": u64::from(word.start) + depth * (word.path.len() as u64 + 1),
                "routers": first.chain(others).collect::<Vec<_>>(),
                "path": word.path,
            })
        };
        to_python(py, &self.inner().words.iter().map(record).collect())
    }

    /// The words as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::data_frame(py, self.words(py)?)
    }

    fn __len__(&self) -> usize {
        self.inner().words.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.words(py)?.try_iter()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let content = files::bytes(py, |out| self.write(Path::new("pickle.json"), out))?;
        reduced(py, "Tdm", (content, PyBytes::new(py, &self.proof), self.seed))
    }

    /// The schedule of a pickle: its file, its proof and its seed. It is judged again.
    #[staticmethod]
    fn _restore(content: &[u8], proof: &[u8], seed: Option<u64>) -> PyResult<Self> {
        let schedule = tdm::read(content, "the pickle", problem::DELIVERIES).map_err(bad)?;
        Self::judged(schedule, "the pickle", &Proofs::Kept(proof), seed)
    }

    /// What every pair can rely on: words per period, hops of the longest route, and the worst latency in
    /// slots, waiting included.
    fn guarantees<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let guarantees = self.inner().guarantees().into_iter().map(|one| {
            json!({
                "from": one.from,
                "to": one.to,
                "words": one.words,
                "hops": one.hops,
                "latency": one.latency,
            })
        });
        to_python(py, &guarantees.collect())
    }

    /// Has the schedule judged again: the verdict, as that of `pavane.verify` on its file.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &tdm_verdict(self.inner(), &Proofs::Kept(&self.proof), None))
    }

    /// The files of an export (csv, poseidon, shd, systemverilog): pairs of a suffix for the file name and
    /// the content.
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let files = export(format, &self.checked).map_err(bad)?;
        Ok(files.into_iter().map(|file| (file.suffix, PyBytes::new(py, &file.bytes))).collect())
    }

    /// The schedule after faults ("0-1", "5", (0, 1)). Words that the faults do not touch stay where they are if
    /// the others fit between them. `keep`, from 0 to 1, is the share of them that must stay; the period may grow
    /// for that; with `keep_steps`, it must not. Raises `Impossible` if there is no schedule, and `Unsolved` if none is found.
    #[pyo3(signature = (*faults, keep_steps=false, keep=0.0, seed=1, time=None, evaluations=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<Bound<'_, PyAny>>,
        keep_steps: bool,
        keep: f64,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<Seconds>,
        #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
        #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    ) -> PyResult<Self> {
        if !(0.0..=1.0).contains(&keep) {
            return Err(bad(format!("keep is {keep}, but it must be from 0 to 1")));
        }
        let network = self.inner().problem.network();
        let faults = members::faults(network, &faults)?;
        let stop = Arc::new(AtomicBool::new(false));
        let options = options(&stop, seed, duration(time), threads);
        let evaluations = evaluations.or(options.evaluations);
        let options = TdmOptions { evaluations, ..options };
        let before = self.checked.clone();
        let work = move || repair(&before, &faults, keep, &options);
        background::run(py, &stop, work, |_| Ok(()))?.keep(py, |repaired| match repaired {
            Ok(repaired) if keep_steps => match repaired.longer() {
                None => {
                    Ok(Self { checked: repaired.schedule, seed: Some(seed), proof: Arc::default() })
                }
                Some(LongerPeriod::Excluded(why)) => Err(impossible(why)),
                Some(LongerPeriod::Found(why)) => Err(unsolved(why)),
            },
            Ok(repaired) => {
                Ok(Self { checked: repaired.schedule, seed: Some(seed), proof: Arc::default() })
            }
            Err(error) => Err(unrepaired::slots(error)),
        })
    }

    /// An SVG drawing of the slot table. `theme` is "auto", which follows the reader, "light" or "dark".
    #[pyo3(signature = (*, theme="auto"))]
    fn svg(&self, theme: &str) -> PyResult<String> {
        self.to_svg(&Look::still(theme)?)
    }

    /// The drawing as PNG.
    #[pyo3(signature = (*, theme="auto"))]
    fn png<'py>(&self, py: Python<'py>, theme: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py, &Look::still(theme)?)
    }

    /// Writes the drawing to a file that ends in .svg or .png, or a page that plays a period to .html.
    #[pyo3(signature = (path, *, theme="auto"))]
    fn draw(&self, path: PathBuf, theme: &str) -> PyResult<()> {
        self.draw_to(&path, &Look::still(theme)?)
    }

    /// The drawing, unless it is too large for a notebook.
    fn _repr_html_(&self) -> String {
        let text = self.__repr__();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let picture = self.small_svg().map_or_else(String::new, |svg| {
            format!("<img alt=\"the slot table\" src=\"{}\">", address(&svg))
        });
        format!("<p>{text}</p>{picture}")
    }

    fn __repr__(&self) -> String {
        let network = name_check::network_in_words(self.inner().problem.network());
        let status = match self.bound() {
            _ if self.is_optimal() => ", optimal".to_owned(),
            Some(bound) => format!(", bound {bound}"),
            None => String::new(),
        };
        let period = counted(self.period(), "slot");
        printable(&format!("<Tdm on {network}: {period}{status}>")).into_owned()
    }
}

impl Tdm {
    fn inner(&self) -> &TdmSchedule {
        self.checked.schedule()
    }

    /// A schedule of the atlas.
    pub fn of_checked(checked: CheckedTdm) -> Self {
        Self { checked, seed: None, proof: Arc::default() }
    }

    /// Has the schedule of a file judged.
    pub fn judged(
        schedule: TdmSchedule,
        name: &str,
        proofs: &Proofs<'_>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let checked = check_tdm_with(schedule, &|name| proofs.open(name))
            .map_err(|rejection| bad(format!("{name} is not a valid TDM schedule: {rejection}")))?;
        let certificate = checked.schedule().bound.as_ref().map(|bound| &bound.certificate);
        let proof = match certificate {
            Some(TdmCertificate::Exact(exact)) => proofs.read(&exact.proof)?,
            _ => Vec::new(),
        };
        Ok(Self { checked, seed, proof: Arc::new(proof) })
    }

    /// Writes the content of the file with this path.
    fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        let mut schedule = self.inner().clone();
        let certificate = schedule.bound.as_mut().map(|bound| &mut bound.certificate);
        if let Some(TdmCertificate::Exact(exact)) = certificate {
            let proof = proof_beside(path, None);
            exact.proof = proof.file_name().unwrap_or_default().to_string_lossy().into_owned();
        }
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        if let Some(seed) = self.seed {
            let program = concat!("pavane ", env!("CARGO_PKG_VERSION"));
            more.insert("made_by".into(), json!({"program": program, "seed": seed}));
        }
        tdm::write(out, &schedule, &more)
    }
}

/// The verdict of the judge.
pub fn tdm_verdict(schedule: &TdmSchedule, proofs: &Proofs<'_>, max_work: Option<u64>) -> Value {
    let verdict = judge_tdm_within(schedule, &|name| proofs.open(name), max_work);
    let violations = verdict.violations.iter().map(ToString::to_string);
    json!({
        "valid": verdict.is_valid(),
        "period": verdict.period,
        "bound": verdict.proved,
        "optimal": verdict.is_optimal(),
        "violations": violations.collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    })
}

/// The shortest period of a TDM schedule that is found, with a proved bound: a `Tdm`.
///
/// `traffic` is a list of messages (from, to, words per period) or (from, to, words per period, largest
/// latency in slots), or a file, a path or its content as bytes: CSV or communication XML of poseidon; without it, every processor sends
/// one word to every other. `depth` is the number of slots per hop, `phits` that of slots per word.
/// Without `wrap`, every word of a period arrives before the next one begins. `slots` asks for this period
/// only. The search ends at the bound, after `time` seconds (20 unless given) or after `evaluations`.
/// `prove` asks a SAT solver whether a shorter period than the best one found is possible, or that of `slots`, which
/// may take long. With the folder of an `atlas`, the schedule of an isomorphic all-to-all is the result unless a shorter
/// period is found. Raises `Unsolved` if no schedule is found, and `Impossible` if it is proved that there is none. Ctrl-C raises `Interrupted`,
/// which has the best schedule so far.
#[pyfunction(name = "tdm")]
#[pyo3(signature = (network, *, traffic=None, depth=None, phits=None, wrap=true, routing="minimal", slots=None, prove=false,
                    seed=1, time=None, evaluations=None, threads=None, atlas=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find(
    py: Python<'_>,
    network: NetworkArgument,
    traffic: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = whole_or_none)] depth: Option<u32>,
    #[pyo3(from_py_with = whole_or_none)] phits: Option<u32>,
    wrap: bool,
    routing: &str,
    #[pyo3(from_py_with = whole_or_none)] slots: Option<u32>,
    prove: bool,
    #[pyo3(from_py_with = whole)] seed: u64,
    time: Option<Seconds>,
    #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    atlas: Option<PathBuf>,
) -> PyResult<Tdm> {
    if atlas.is_some() && slots.is_some() {
        return Err(bad("atlas and slots exclude each other; use one of them"));
    }
    if let Some(slots) = slots.filter(|slots| !(1..=MOST_PERIOD).contains(slots)) {
        return Err(bad(format!(
            "slots={slots} is not valid; use a number from 1 to {MOST_PERIOD}"
        )));
    }
    let network = &network.0.broken;
    let communication = traffic.map(|traffic| messages(&traffic, network)).transpose()?;
    let Communication { demand, phits: given } =
        communication.unwrap_or(Communication { demand: TdmDemand::AllToAll, phits: None });
    let rules = TdmRules {
        depth: depth.unwrap_or(1),
        phits: phits.or(given).unwrap_or(1),
        wraps: wrap,
        routing: rule("routing", routing)?,
    };
    let problem =
        TdmProblem::new(network.clone(), demand, rules, problem::DELIVERIES).map_err(refused)?;
    let time = duration(time).or(evaluations.is_none().then_some(TIME));
    let known = atlas.map(|folder| atlas_start::of_tdm(py, &folder, &problem)).transpose()?;
    let known = known.flatten();
    if let Some(checked) = known.clone().filter(|one| one.is_optimal()) {
        return Ok(Tdm::of_checked(checked));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let options = TdmOptions { slots, evaluations, prove, ..options(&stop, seed, time, threads) };
    let work = move || (solve(&problem, &options), problem);
    background::run(py, &stop, work, |_| Ok(()))?.keep(py, |(outcome, problem)| {
        let rejected = |error| bug(format!("the judge rejected a TDM schedule: {error}"));
        let outcome = outcome.map_err(rejected)?;
        let is_excluded = slots.is_some_and(|slots| outcome.excludes(slots));
        let TdmOutcome { schedule, bounds, proof, unmet, .. } = outcome;
        if let Some(unmet) = unmet {
            return Err(impossible(unmet.to_string()));
        }
        let is_shorter = |one: &CheckedTdm| {
            let found = schedule.as_ref().map(|found| found.schedule().period);
            found.is_none_or(|found| one.schedule().period < found)
        };
        if let Some(checked) = known.filter(is_shorter) {
            return Ok(Tdm::of_checked(checked));
        }
        if let Some(checked) = schedule {
            let proof = Arc::new(proof.map(|proof| proof.lrat).unwrap_or_default());
            return Ok(Tdm { checked, seed: Some(seed), proof });
        }
        let bound = bounds.best;
        let least = counted(bound.period, "slot");
        Err(match slots {
            Some(slots) if slots < bound.period => impossible(format!(
                "a period of {} is impossible: {}",
                counted(slots, "slot"),
                in_words(&problem, &bound)
            )),
            Some(slots) if is_excluded => impossible(format!(
                "a period of {} is impossible: a SAT solver refuted it, and the judge checked its proof",
                counted(slots, "slot")
            )),
            Some(slots) => unsolved(format!(
                "no schedule with a period of {} was found; the bound is {least}; try more time, another seed, or \
                 prove=True, which may show that none is possible",
                counted(slots, "slot")
            )),
            None => unsolved(format!(
                "no schedule was found; the bound is {least}; try more time or another seed"
            )),
        })
    })
}

fn options(
    stop: &Arc<AtomicBool>,
    seed: u64,
    time: Option<Duration>,
    wanted: Option<usize>,
) -> TdmOptions {
    let deadline = time.and_then(|time| Clock::start().after(time));
    TdmOptions {
        seed,
        threads: threads(wanted),
        interrupt: Interrupt::never().until(deadline).unless(stop.clone()),
        ..TdmOptions::default()
    }
}

/// The messages of a list or a file.
fn messages(
    traffic: &Bound<'_, PyAny>,
    network: &pavane_model::Network,
) -> PyResult<Communication> {
    if let Ok(FileArgument(file)) = traffic.extract() {
        let text = file.text().map_err(bad)?;
        return read_traffic(&text, &file.name(), network).map_err(bad);
    }
    let message = |item: PyResult<Bound<'_, PyAny>>| {
        let numbers: Vec<Option<u32>> = item?.extract()?;
        let (from, to, weight, max_latency) = match numbers[..] {
            [Some(from), Some(to), Some(weight)] => (from, to, weight, None),
            [Some(from), Some(to), Some(weight), latency] => (from, to, weight, latency),
            _ => {
                return Err(bad(
                    "traffic: a message is (from, to, words) or (from, to, words, max_latency)",
                ));
            }
        };
        let (from, to) = (ProcessorId(from), ProcessorId(to));
        Ok(TdmMessage { from, to, weight, max_latency })
    };
    let messages = traffic.try_iter()?.map(message).collect::<PyResult<_>>()?;
    Ok(Communication { demand: TdmDemand::Messages(messages), phits: None })
}

/// Pairs without a path leave nothing to find; anything else is bad input.
fn refused(error: TdmProblemError) -> PyErr {
    if matches!(error, TdmProblemError::Unreachable { .. }) {
        impossible(error)
    } else {
        bad(error)
    }
}
