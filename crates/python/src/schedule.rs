//! Schedules, which are always verified.

use crate::all_reduce::FoundWhole;
use crate::errors::bad;
use crate::files::{self, FileArgument, Proofs, reduced, save_proof, unwritable, write_whole};
use crate::found::{Found, plain_bound};
use crate::labels::Labels;
use crate::network::{Network, NetworkArgument};
use crate::pictures::{Drawn, Look, address};
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::{duration, ports, rule, threads};
use crate::tables::{self, Chosen, chosen};
use crate::whole::{whole, whole_or_none};
use crate::{fraction, graph, imported, repair};
use pavane_interop::{export, table};
use pavane_model::format::{Phase, Stored, proof_beside, read_stored};
use pavane_model::printable::printable;
use pavane_model::whole::Whole;
use pavane_model::{
    Bound as Least, Certificate, ChannelId, CostModel, Fraction, Model, collective, problem,
    quantity, words,
};
use pavane_networks::name_check;
use pavane_render::picture::{self, DrawnSchedule, scene::Scene};
use pavane_render::{file, viewer};
use pavane_search::fault::repair::PATIENCE;
use pavane_search::synthesize::Options;
use pavane_throughput::chunks::limit_of_phases;
use pavane_verify::{CheckedSchedule, judge};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyTuple};
use serde_json::{Map, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A verified schedule: the path and step of every message.
#[pyclass(frozen, module = "pavane")]
#[derive(Clone)]
pub struct Schedule {
    pub name: String,
    pub phases: Vec<Found>,
    /// The all-reduce, if there are two phases.
    pub whole: Option<FoundWhole>,
    pub seed: u64,
    /// The nodes of the graph that the network was made from.
    pub labels: Labels,
}

impl Schedule {
    /// A schedule on a network that was not made from a graph.
    pub fn new(name: &str, phases: Vec<Found>, seed: u64) -> Self {
        Self { name: name.to_owned(), phases, whole: None, seed, labels: Labels::default() }
    }

    /// The sum of the throughput limits of all phases, in steps per message, if they do not overlap.
    fn limit(&self) -> Option<Fraction> {
        // Phases that overlap may take fewer steps than that.
        if self.whole.as_ref().is_some_and(|whole| whole.start.is_some()) {
            return None;
        }
        limit_of_phases(self.phases.iter().map(|one| one.checked.problem()))
    }

    /// What is drawn.
    fn drawn(&self) -> DrawnSchedule<'_> {
        DrawnSchedule {
            name: &self.name,
            phases: self.phases.iter().map(|one| (&one.checked, &one.bound)).collect(),
            whole: self.whole.as_ref().map_or_else(Whole::default, FoundWhole::in_file),
        }
    }

    /// Each phase with the number of steps before it.
    pub fn with_starts(&self) -> Vec<(u32, &Found)> {
        let mut before = 0;
        let mut with_starts = Vec::new();
        for one in &self.phases {
            with_starts.push((before, one));
            before += one.checked.schedule().step_count();
        }
        if let (Some(start), Some(last)) =
            (self.whole.as_ref().and_then(|whole| whole.start), with_starts.last_mut())
        {
            last.0 = start;
        }
        with_starts
    }

    /// Has the phases of a file judged.
    pub fn judged(
        (phases, whole): (Vec<Phase>, Whole),
        name: &str,
        proofs: &[Proofs<'_>],
    ) -> PyResult<Self> {
        let mut found = Vec::new();
        for (phase, proofs) in phases.into_iter().zip(proofs.iter().cycle()) {
            let Phase { problem, schedule, bound } = phase;
            let verdict = judge(problem, schedule, bound.as_ref(), &|name| proofs.open(name));
            let bound = verdict.accepted(bound);
            let Some(checked) = verdict.checked else {
                let first = verdict.violations.first().map(ToString::to_string).unwrap_or_default();
                return Err(bad(format!("{name} is not a valid schedule: {first}")));
            };
            let bound = bound.unwrap_or_else(|| plain_bound(&checked));
            let proof = match &bound.certificate {
                Some(Certificate::Exact { proof, .. }) => Some(Arc::new(proofs.read(proof)?)),
                _ => None,
            };
            found.push(Found { checked, bound, engine: String::new(), proof });
        }
        let name_of_file = name;
        let name = match &found[..] {
            [only] => only.checked.problem().collective().name.clone(),
            _ => "all-reduce".to_owned(),
        };
        let invalid = |why: String| bad(format!("{name_of_file} is not a valid schedule: {why}"));
        let whole = FoundWhole::judged(&found, &whole).map_err(invalid)?;
        Ok(Self { name, phases: found, whole, seed: 0, labels: Labels::default() })
    }

    /// Where the proof of a phase is, beside a file.
    fn proof_place(&self, path: &Path, phase: usize) -> PathBuf {
        proof_beside(path, (self.phases.len() > 1).then_some(phase + 1))
    }

    /// Writes the content of the file with this path.
    fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        let bounds: Vec<Least> = (0..)
            .zip(&self.phases)
            .map(|(number, one)| {
                let place = self.proof_place(path, number);
                one.bound_in_file(
                    place.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                )
            })
            .collect();
        let phases = self.phases.iter().map(|one| &one.checked).zip(&bounds);
        let mut more = Map::new();
        more.insert("status".to_owned(), json!(self.status()));
        let whole = self.whole.as_ref().map_or_else(Whole::default, FoundWhole::in_file);
        file::write(&self.name, &phases.collect::<Vec<_>>(), &whole, &more, out)
    }
}

impl Drawn for Schedule {
    fn scene(&self, look: &Look) -> PyResult<Scene> {
        picture::schedule(&self.drawn(), &look.show()).map_err(bad)
    }

    fn animation(&self, look: &Look) -> PyResult<Scene> {
        picture::animated_schedule(&self.drawn(), &look.show()).map_err(bad)
    }

    fn page(&self) -> PyResult<String> {
        viewer::schedule_page(&self.drawn()).map_err(bad)
    }
}

#[pymethods]
impl Schedule {
    /// Reads and verifies a schedule file, a path or its content as bytes, plain or gzipped; raises InputError if it is
    /// not valid. Schedules with more than `max_deliveries` deliveries are refused.
    #[staticmethod]
    #[pyo3(signature = (file, *, max_deliveries=problem::DELIVERIES))]
    fn load(
        file: FileArgument,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
    ) -> PyResult<Self> {
        let FileArgument(file) = file;
        let name = file.name();
        let phases = match file.stored(max_deliveries).map_err(bad)? {
            Stored::Schedule(phases, whole) => (phases, whole),
            other => (other.into_schedule(&name).map_err(bad)?, Whole::default()),
        };
        Self::judged(phases, &name, &[Proofs::Beside(&file)])
    }

    /// Reads a schedule of another program (MSCCL, MSCCL++ or SCCL; a path, or its content as bytes) and has it judged,
    /// as `pavane import`. `Timed.import_` is `pavane import --bytes`, which also reads TE-CCL.
    /// Without `network` it is that of the file, or one link for each pair that communicates; without
    /// `switching` the method that fits its sends.
    #[staticmethod]
    #[pyo3(signature = (file, *, network=None, switching=None, ports=None, routing="any", duplex="full"))]
    fn import_(
        py: Python<'_>,
        file: FileArgument,
        network: Option<NetworkArgument>,
        switching: Option<&str>,
        ports: Option<Bound<'_, PyAny>>,
        routing: &str,
        duplex: &str,
    ) -> PyResult<Self> {
        let switching = switching.map(|name| rule("switching", name)).transpose()?;
        let ports = self::ports(ports.as_ref())?;
        let (routing, duplex) = (rule("routing", routing)?, rule("duplex", duplex)?);
        let model = Model { routing, duplex, ports, ..Model::default() };
        imported::read(py, &file.0, network, switching, model)
    }

    /// Writes a schedule file, and the proof that its bound needs, if any, beside it.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        for (number, one) in self.phases.iter().enumerate() {
            if let Some(proof) = &one.proof {
                save_proof(&self.proof_place(&path, number), proof)?;
            }
        }
        let mut bytes = Vec::new();
        self.write(&path, &mut bytes).map_err(bad)?;
        write_whole(&path, &bytes).map_err(|error| unwritable(&path, &error))
    }

    /// The network, with its faults.
    #[getter]
    pub fn network(&self) -> PyResult<Network> {
        let first = self.phases.first().ok_or_else(|| bad("the schedule is empty"))?;
        let network = Network::of_problem(first.checked.problem().network());
        Ok(Network { labels: self.labels.clone(), ..network })
    }

    /// The name of the collective.
    #[getter]
    fn collective(&self) -> &str {
        &self.name
    }

    /// The number of steps.
    #[getter]
    pub fn steps(&self) -> u32 {
        if let Some(whole) = &self.whole {
            return whole.steps;
        }
        self.phases.iter().map(|one| one.checked.schedule().step_count()).sum()
    }

    /// The number of chunks of each message; 1 if messages are whole.
    #[getter]
    fn chunks(&self) -> u32 {
        let first = self.phases.first();
        first.map_or(1, |one| one.checked.problem().collective().chunk_count())
    }

    /// The number of steps divided by the number of chunks: a `fractions.Fraction`.
    #[getter]
    fn steps_per_message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ratio = Fraction::new(self.steps().into(), self.chunks().into());
        fraction(py, ratio.unwrap_or(Fraction::ZERO))
    }

    /// Steps per message that no number of chunks can undercut: a `fractions.Fraction`, or `None` under half
    /// duplex and for personalised messages on large networks.
    #[getter]
    fn throughput_limit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.limit().map(|limit| fraction(py, limit)).transpose()
    }

    /// The share of the throughput limit that the schedule reaches, at most 1, or `None` if there is no limit.
    #[getter]
    fn limit_share(&self) -> Option<f64> {
        let ratio = Fraction::new(self.steps().into(), self.chunks().into())?;
        self.limit()?.checked_div(ratio).map(Fraction::to_f64)
    }

    /// The time of all steps by the cost model of the papers: a step takes `ts + hops*tr + size*t1`, where `hops` is the
    /// length of its longest path (1 under store-and-forward).
    #[pyo3(signature = (*, ts=0.0, tr=0.0, t1=0.0, size=1.0))]
    fn cost(&self, ts: f64, tr: f64, t1: f64, size: f64) -> PyResult<f64> {
        for (keyword, value) in [("ts", ts), ("tr", tr), ("t1", t1), ("size", size)] {
            if quantity::parse(&value.to_string()).is_none() {
                let range = quantity::RANGE;
                return Err(bad(format!("{keyword}={value} is not valid; use {range}")));
            }
        }
        let Some(first) = self.phases.first() else { return Ok(0.0) };
        let switching = first.checked.problem().model().switching;
        let schedules = self.with_starts().into_iter();
        let schedules = schedules.map(|(before, one)| (before, one.checked.schedule()));
        Ok(CostModel { ts, tr, t1, size }.time(switching, self.steps(), schedules))
    }

    /// The proved lower bound on the number of steps.
    #[getter]
    fn bound(&self) -> u32 {
        if let Some(whole) = &self.whole {
            return whole.bound.steps;
        }
        self.phases.iter().map(|one| one.bound.steps).sum()
    }

    /// Whether no schedule has fewer steps: their number equals the proved bound. An all-reduce is compared with
    /// all those that complete every sum at its root before they broadcast it.
    #[getter]
    fn is_optimal(&self) -> bool {
        (self.phases.len() == 1 || self.whole.is_some()) && self.steps() == self.bound()
    }

    /// The number of steps before the broadcast of an all-reduce starts, or `None` if it starts after the
    /// reduce, or if there is only one phase.
    #[getter]
    fn start(&self) -> Option<u32> {
        self.whole.as_ref()?.start
    }

    /// `optimal`, or `best found, at most … from optimal`. An all-reduce that was not solved as a whole may be
    /// `every phase optimal`.
    #[getter]
    fn status(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.status();
        }
        match (self.steps() - self.bound(), self.phases.len()) {
            (0, 1) => "optimal".to_owned(),
            (0, _) => "every phase optimal".to_owned(),
            (gap, _) => format!("best found, at most {} from optimal", words::steps(gap)),
        }
    }

    /// Why fewer steps are impossible, in words.
    #[getter]
    fn reason(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.bound.explanation.clone();
        }
        let reasons: Vec<&str> =
            self.phases.iter().map(|one| one.bound.explanation.as_str()).collect();
        reasons.join("; ")
    }

    /// The engines that found it.
    #[getter]
    fn engine(&self) -> String {
        self.phases.iter().map(|one| one.engine.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// One record per transfer, for pandas or polars: step, message, from, to, path (channels) and
    /// routers. A message is the number of its origin or root, or a tuple of two for personalised ones. Processors
    /// and routers are numbers, or the nodes of the graph that the network was made from.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = PyList::empty(py);
        for step in self.step_records(py, 0..self.steps())? {
            step.try_iter()?.try_for_each(|row| all.append(row?))?;
        }
        Ok(all.into_any())
    }

    /// The records as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::data_frame(py, self.records(py)?)
    }

    /// A `networkx.MultiDiGraph` with an edge for every use of a channel: its attributes are the step, the
    /// message and the number of the channel. Routers are nodes as in `Network.to_networkx`.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut uses = Vec::new();
        for (step, rows) in (0..).zip(self.step_records(py, 0..self.steps())?) {
            for row in rows.try_iter()? {
                let row = row?;
                let message = row.get_item("message")?;
                let path: Vec<u32> = row.get_item("path")?.extract()?;
                uses.extend(path.into_iter().map(|at| (ChannelId(at), step, message.clone())));
            }
        }
        graph::of_uses(py, &self.network()?.broken, &self.labels, &uses)
    }

    fn __len__(&self) -> usize {
        self.steps() as usize
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.step_records(py, 0..self.steps())?)?.try_iter()
    }

    /// The records of a step, where negative numbers count from the end, or a list of those of a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        step: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = self.steps();
        let what = format!("the schedule has {}", words::steps(count));
        match chosen(step, count as usize, "step", &what)? {
            Chosen::One(place) => {
                let mut rows = self.step_records(py, std::iter::once(place as u32))?;
                rows.pop().ok_or_else(|| bad("the schedule is empty"))
            }
            Chosen::Several(places) => {
                let rows = self.step_records(py, places.into_iter().map(|place| place as u32))?;
                Ok(PyList::new(py, rows)?.into_any())
            }
        }
    }

    /// Whether the other schedule has the same problem, transfers and bound.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else { return false };
        let other = other.get();
        let is_same = |(one, other): (&Found, &Found)| {
            let (one, other) =
                ((&one.checked, one.bound.steps), (&other.checked, other.bound.steps));
            one.0.problem() == other.0.problem()
                && one.0.schedule() == other.0.schedule()
                && one.1 == other.1
        };
        self.name == other.name
            && self.whole == other.whole
            && self.phases.len() == other.phases.len()
            && self.phases.iter().zip(&other.phases).all(is_same)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.name, self.steps(), self.bound()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let content = files::bytes(py, |out| self.write(Path::new("pickle.json"), out))?;
        let proof = |one: &Found| PyBytes::new(py, one.proof.as_deref().map_or(&[], |it| it));
        let proofs = PyList::new(py, self.phases.iter().map(proof))?;
        let engines: Vec<&str> = self.phases.iter().map(|one| one.engine.as_str()).collect();
        reduced(py, "Schedule", (content, proofs, engines, self.seed, self.labels.list(py)?))
    }

    /// The schedule of a pickle: its file, its proofs, its engines, its seed and the nodes of its graph. It is
    /// judged again.
    #[staticmethod]
    fn _restore(
        content: &[u8],
        proofs: Vec<Vec<u8>>,
        engines: Vec<String>,
        #[pyo3(from_py_with = whole)] seed: u64,
        nodes: Option<Vec<Py<PyAny>>>,
    ) -> PyResult<Self> {
        let stored = read_stored(content, "the pickle", problem::DELIVERIES).map_err(bad)?;
        let phases = match stored {
            Stored::Schedule(phases, whole) => (phases, whole),
            other => (other.into_schedule("the pickle").map_err(bad)?, Whole::default()),
        };
        let proofs: Vec<Proofs<'_>> = proofs.iter().map(|proof| Proofs::Kept(proof)).collect();
        let mut schedule = Self::judged(phases, "the pickle", &proofs)?;
        for (one, engine) in schedule.phases.iter_mut().zip(engines) {
            one.engine = engine;
        }
        Ok(Self { seed, labels: Labels::of_list(nodes), ..schedule })
    }

    /// The schedule as a table in the style of the papers.
    fn table(&self) -> PyResult<String> {
        let mut bytes = Vec::new();
        for one in &self.phases {
            table::write(&one.checked, &mut bytes).map_err(bad)?;
        }
        String::from_utf8(bytes).map_err(bad)
    }

    /// The schedule in another format (see `formats()`): the suffix and the bytes of each file; a
    /// format with a single file has the suffix "".
    #[pyo3(signature = (format, *, bytes=4096))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        #[pyo3(from_py_with = whole)] bytes: u64,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let phases: Vec<CheckedSchedule> =
            self.phases.iter().map(|one| one.checked.clone()).collect();
        let options = export::ExportOptions { bytes, ..Default::default() };
        let files = export::export(format, &phases, options).map_err(bad)?;
        Ok(files.into_iter().map(|file| (file.suffix, PyBytes::new(py, &file.bytes))).collect())
    }

    /// The schedule after faults ("0-1", "5", (0, 1)). Keeps at least the share `keep` of the transfers
    /// that are still valid, with more steps if necessary; without `keep` it prefers to keep 0.8,
    /// in at most one step above the bound. With `keep_steps`, only schedules with at most as many steps as before are
    /// accepted. The search ends at the bound, after `time` seconds (about 2 after the first schedule if neither is
    /// given) or after `evaluations`. Raises `Impossible` if there is no schedule, and `Unsolved`
    /// if none is found.
    #[pyo3(signature = (*faults, keep_steps=false, keep=None, seed=1, time=None, evaluations=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<Bound<'_, PyAny>>,
        keep_steps: bool,
        keep: Option<f64>,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<Seconds>,
        #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
        #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    ) -> PyResult<Self> {
        let terms = repair::terms(keep_steps, keep)?;
        let options = Options {
            seed,
            threads: self::threads(threads),
            evaluations,
            time: duration(time).map(|time| time / self.phases.len().max(1) as u32),
            patience: PATIENCE,
            ..Options::default()
        };
        repair::repaired(py, self, &faults, terms, options)
    }

    /// An SVG drawing: a panel for each of the first 64 steps, and a chart of channel use over time; with `animate`,
    /// messages that move. `theme` is "auto", which follows the reader, "light" or "dark"; `steps` is a step or a `range`;
    /// `only` is "panels" or "channels", the chart.
    #[pyo3(signature = (*, animate=false, theme="auto", steps=None, only=None))]
    fn svg(
        &self,
        animate: bool,
        theme: &str,
        steps: Option<Bound<'_, PyAny>>,
        only: Option<&str>,
    ) -> PyResult<String> {
        self.to_svg(&Look::new(animate, theme, steps.as_ref(), only)?)
    }

    /// The drawing as PNG.
    #[pyo3(signature = (*, theme="auto", steps=None, only=None))]
    fn png<'py>(
        &self,
        py: Python<'py>,
        theme: &str,
        steps: Option<Bound<'py, PyAny>>,
        only: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py, &Look::new(false, theme, steps.as_ref(), only)?)
    }

    /// Writes the drawing to a file that ends in .svg or .png, an animation to .gif or, with `animate`, to .svg, or a
    /// page that plays the schedule to .html.
    #[pyo3(signature = (path, *, animate=false, theme="auto", steps=None, only=None))]
    fn draw(
        &self,
        path: PathBuf,
        animate: bool,
        theme: &str,
        steps: Option<Bound<'_, PyAny>>,
        only: Option<&str>,
    ) -> PyResult<()> {
        self.draw_to(&path, &Look::new(animate, theme, steps.as_ref(), only)?)
    }

    /// The drawing, unless it is too large for a notebook, and the table.
    fn _repr_html_(&self) -> String {
        let escaped =
            |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let rows = self
            .with_starts()
            .into_iter()
            .flat_map(|(before, one)| (before..).zip(table::rows(&one.checked)));
        let rows: String = rows
            .map(|(step, transfers)| {
                format!(
                    "<tr><th>{step}</th><td style=\"text-align:left\">{}</td></tr>",
                    escaped(&transfers.join(", "))
                )
            })
            .collect();
        let picture = self.small_svg().map_or_else(String::new, |svg| {
            format!("<img alt=\"the schedule, step by step\" src=\"{}\">", address(&svg))
        });
        format!(
            "{picture}<table><caption>{}</caption><tr><th>step</th><th>transfers</th></tr>{rows}</table>",
            escaped(&self.__repr__())
        )
    }

    fn __repr__(&self) -> String {
        let network = self.phases.first().map(|one| one.checked.problem().network());
        let network = network.map(name_check::network_in_words).unwrap_or_default();
        let status = match self.steps() - self.bound() {
            0 => self.status(),
            _ => format!("bound {}", self.bound()),
        };
        let steps = words::steps(self.steps());
        let name = collective::todays_name(&self.name);
        let text = format!("<Schedule {name} on {network}: {steps}, {status}>");
        printable(&text).into_owned()
    }
}
