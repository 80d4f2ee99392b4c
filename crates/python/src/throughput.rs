//! Throughput: the limit of a collective and a plan that the judge has accepted.

use crate::background::Search;
use crate::collective::{CollectiveArgument, title};
use crate::errors::{bad, bug};
use crate::files::{self, FileArgument, reduced, save_by_name};
use crate::machine::problems;
use crate::members::Group;
use crate::network::{Network, NetworkArgument};
use crate::pictures::{Drawn, Look};
use crate::problem::Seconds;
use crate::tables::{self, label_value, with_tuples};
use crate::unrepaired;
use crate::verdicts::plan_verdict;
use crate::whole::{whole, whole_or_none};
use crate::{atlas_start, fraction, members, plan_file, quantity, to_python};
use pavane_model::printable::printable;
use pavane_model::{
    FileSource, Fraction, Model, Problem, ThroughputPlan, claims, problem, strict_json, throughput,
};
use pavane_networks::name_check;
use pavane_render::picture::scene::Scene;
use pavane_render::viewer;
use pavane_throughput::answer::{self, Answer, answer, is_personalised};
use pavane_throughput::automorphisms::generators;
use pavane_throughput::explanation::{explanation, status};
use pavane_throughput::rates::{Payload, Rate};
use pavane_throughput::repair::{PlanRepairError, RepairedPlan, repair};
use pavane_throughput::sizes::Sizes;
use pavane_verify::{CheckedPlan, judge_plan_within};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyTuple};
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

/// The throughput limit of a collective, and a plan that the judge has accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Throughput {
    name: String,
    problems: Vec<Problem>,
    found: Answer,
    /// What the plan attains.
    rate: Rate,
    /// Whether it attains the limit, in words.
    status: String,
    /// The size of the buffer, if it was given.
    bytes: Option<u64>,
    /// With messages of different sizes: the bytes of a message of relative size 1.
    unit: Option<u64>,
    /// The share of the weight of the valid routes that a repair kept.
    kept: Option<f64>,
}

/// The loads of a plan or, with a message, its trees or paths.
struct PlanPicture<'a> {
    plan: &'a ThroughputPlan,
    message: Option<Bound<'a, PyAny>>,
    phase: Option<usize>,
}

impl Drawn for PlanPicture<'_> {
    fn scene(&self, _: &Look) -> PyResult<Scene> {
        plan_file::scene(self.plan, self.message.as_ref(), self.phase)
    }

    fn page(&self) -> PyResult<String> {
        let title = claims::plan_in_words(self.plan);
        Ok(viewer::picture_page(&title, &self.to_svg(&Look::default())?))
    }
}

#[pymethods]
impl Throughput {
    /// Reads a plan file, a path or its content as bytes, plain or gzipped, and has it judged; raises InputError if it
    /// is not valid. `bytes` is the size of the buffer, which the file does not say. Plans with more than
    /// `max_deliveries` deliveries are refused.
    #[staticmethod]
    #[pyo3(signature = (file, *, bytes=None, max_deliveries=problem::DELIVERIES))]
    fn load(
        py: Python<'_>,
        file: FileArgument,
        bytes: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
    ) -> PyResult<Self> {
        let bytes = bytes.map(|value| quantity::size("bytes", &value)).transpose()?;
        let found = py.detach(|| plan_file::load(&file.0, max_deliveries))?;
        Self::of_plan(found, bytes, None, None)
    }

    /// The network, with its faults and bandwidths.
    #[getter]
    fn network(&self) -> Network {
        Network::of_problem(self.problems[0].network())
    }

    /// Nanoseconds per byte of a message (shard, block) that no algorithm can undercut: a
    /// `fractions.Fraction`. With `sizes`, for all messages, per byte of their greatest common
    /// divisor. None if the plan is from a file that proves no limit.
    #[getter]
    fn limit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Self::limit_of(&self.found).map(|limit| fraction(py, limit)).transpose()
    }

    /// Nanoseconds per byte that the plan takes: a `fractions.Fraction`.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, self.found.time)
    }

    /// Whether the plan attains the limit.
    #[getter]
    fn is_optimal(&self) -> bool {
        self.found.is_optimal()
    }

    /// Why no algorithm is faster, in words.
    #[getter]
    fn explanation(&self) -> String {
        match Self::limit_of(&self.found) {
            None => self.status.clone(),
            Some(_) => explanation(&self.problems, &self.found, self.unit),
        }
    }

    /// Whether the plan attains the limit, in words.
    #[getter]
    fn status(&self) -> &str {
        &self.status
    }

    /// Algorithm bandwidth of the plan in GB/s, as in nccl-tests; None with `sizes`.
    #[getter]
    fn algorithm_gbytes(&self) -> Option<f64> {
        self.rate.algorithm_gbytes
    }

    /// Bus bandwidth of the plan in GB/s, as in nccl-tests; None where it has no convention.
    #[getter]
    fn bus_gbytes(&self) -> Option<f64> {
        self.rate.bus_gbytes
    }

    /// The time of the plan without latencies; None without `bytes` or `sizes`, and for a plan with
    /// sizes from a file, which has only their ratios.
    #[getter]
    fn microseconds(&self) -> Option<f64> {
        self.rate.microseconds
    }

    /// The plan, in the format of its file (pavane/throughput/1).
    #[getter]
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes).map_err(bad)?;
        let plan: Value = strict_json::from_slice(&bytes).map_err(bad)?;
        to_python(py, &plan)
    }

    /// Writes the plan to a file, gzipped if its name ends in .gz.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        save_by_name(&path, |out| self.write(out))
    }

    /// Verifies the plan again: the verdict of `pavane.verify`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let verdict = py.detach(|| plan_verdict(&self.found.plan, None)).map_err(bad)?;
        to_python(py, &verdict)
    }

    /// An SVG drawing: the load of every channel with the bottleneck highlighted or, with `message`,
    /// the trees or paths of this message by weight. A message is a number such as 3, or (0, 5) from
    /// 0 to 5 in an all-to-all; `phase` is 0 or 1 in an all-reduce. `theme` is "auto", which follows the reader,
    /// "light" or "dark".
    #[pyo3(signature = (*, message=None, phase=None, theme="auto"))]
    fn svg(
        &self,
        message: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole_or_none)] phase: Option<usize>,
        theme: &str,
    ) -> PyResult<String> {
        self.picture(message, phase).to_svg(&Look::still(theme)?)
    }

    /// The drawing as PNG.
    #[pyo3(signature = (*, message=None, phase=None, theme="auto"))]
    fn png<'py>(
        &self,
        py: Python<'py>,
        message: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole_or_none)] phase: Option<usize>,
        theme: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.picture(message, phase).to_png(py, &Look::still(theme)?)
    }

    /// Writes the drawing to a file that ends in .svg, .png or .html.
    #[pyo3(signature = (path, *, message=None, phase=None, theme="auto"))]
    fn draw(
        &self,
        path: PathBuf,
        message: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole_or_none)] phase: Option<usize>,
        theme: &str,
    ) -> PyResult<()> {
        self.picture(message, phase).draw_to(&path, &Look::still(theme)?)
    }

    /// One record per tree or path, as in the file: phase, message, weight (in units of 1/scale of the plan) and
    /// channels.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::new();
        for (number, phase) in self.found.plan.phases.iter().enumerate() {
            rows.extend(phase.routes.iter().map(|route| {
                json!({
                    "phase": number,
                    "message": label_value(phase.problem.label(route.message)),
                    "weight": route.weight,
                    "channels": route.channels,
                })
            }));
        }
        with_tuples(to_python(py, &rows.into_iter().collect())?)
    }

    /// The records as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::data_frame(py, self.records(py)?)
    }

    fn __len__(&self) -> usize {
        self.found.plan.phases.iter().map(|phase| phase.routes.len()).sum()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.records(py)?.try_iter()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let content = files::bytes(py, |out| self.write(out))?;
        let state = (content, self.name.as_str(), self.status.as_str(), self.bytes, self.unit);
        let (content, name, status, bytes, unit) = state;
        reduced(py, "Throughput", (content, name, status, bytes, unit, self.kept))
    }

    /// The plan of a pickle, which is judged again.
    #[staticmethod]
    fn _restore(
        content: &[u8],
        name: String,
        status: String,
        #[pyo3(from_py_with = whole_or_none)] bytes: Option<u64>,
        #[pyo3(from_py_with = whole_or_none)] unit: Option<u64>,
        kept: Option<f64>,
    ) -> PyResult<Self> {
        let plan = throughput::read(content, "the pickle", problem::DELIVERIES).map_err(bad)?;
        let found = plan_file::judged(plan, "the pickle")?;
        Ok(Self { name, status, ..Self::of_plan(found, bytes, unit, kept)? })
    }

    /// The SVG drawing, for notebooks.
    fn _repr_svg_(&self) -> Option<String> {
        self.picture(None, None).small_svg()
    }

    /// The share of the weight of the still valid trees or paths that a repair kept; None if the plan
    /// is not repaired.
    #[getter]
    fn kept(&self) -> Option<f64> {
        self.kept
    }

    /// The plan after faults ("0-1", "5", (0, 1)), with the limit of the network with the faults. It is the
    /// fastest one found that keeps at least the share `keep` of the weight of the trees or paths that are
    /// still valid; of equally fast plans, the one that keeps more. After `time` seconds the search for
    /// the best plan ends. Raises `Impossible` if there is no plan, and `Unsolved` if none is found.
    #[pyo3(signature = (*faults, keep=0.0, time=None))]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<Bound<'_, PyAny>>,
        keep: f64,
        time: Option<Seconds>,
    ) -> PyResult<Self> {
        if !(0.0..=1.0).contains(&keep) {
            return Err(bad(format!("keep={keep} is not valid; use a share from 0 to 1")));
        }
        let search = Search::limited(time, None)?;
        let network = self.problems[0].network();
        let faults = members::faults(network, &faults)?;
        let interrupt = search.interrupt();
        let before = self.found.plan.clone();
        let work = move || {
            let repaired = repair(&before, &faults, keep, &|| interrupt.is_raised());
            let repaired = repaired.map_err(Box::new)?;
            let found = repaired.answer();
            Ok((judge(&found), found, repaired))
        };
        search.run(py, work)?.keep(py, |done: Result<_, Box<PlanRepairError>>| {
            let (verdict, found, repaired) = done.map_err(|error| unrepaired::plan(*error))?;
            verdict.map_err(bug)?;
            let status = repaired.status();
            let RepairedPlan { problems, chosen, .. } = repaired;
            let (name, kept) = (self.name.clone(), Some(chosen.changes.kept_share()));
            Self::new(name, problems, found, status, self.bytes, self.unit, kept)
        })
    }

    fn __repr__(&self) -> String {
        let time = self.found.time;
        let state = match Self::limit_of(&self.found) {
            _ if self.is_optimal() => "optimal".to_owned(),
            Some(limit) => format!("limit {limit}"),
            None => "no limit".to_owned(),
        };
        let network = name_check::network_in_words(self.problems[0].network());
        let text = format!("<Throughput {} on {network}: {time} ns per byte, {state}>", self.name);
        printable(&text).into_owned()
    }
}

impl Throughput {
    fn picture<'a>(
        &'a self,
        message: Option<Bound<'a, PyAny>>,
        phase: Option<usize>,
    ) -> PlanPicture<'a> {
        PlanPicture { plan: &self.found.plan, message, phase }
    }

    /// A plan of a file, which is judged.
    pub fn of_file(file: &FileSource) -> PyResult<Self> {
        Self::of_plan(plan_file::load(file, problem::DELIVERIES)?, None, None, None)
    }

    /// A plan that the judge has accepted.
    pub fn of_checked(plan: &CheckedPlan) -> PyResult<Self> {
        let limit = plan.proved().map(|(limit, _)| limit);
        let found = Answer::of_plan(plan.plan().clone(), plan.time(), limit).map_err(bad)?;
        Self::of_plan(found, None, None, None)
    }

    /// A plan from a file.
    fn of_plan(
        found: Answer,
        bytes: Option<u64>,
        unit: Option<u64>,
        kept: Option<f64>,
    ) -> PyResult<Self> {
        let problems = found.plan.phases.iter().map(|phase| phase.problem.clone()).collect();
        let status = match Self::limit_of(&found) {
            None => "the file proves no limit".to_owned(),
            Some(_) => status(&found, None),
        };
        let name = claims::plan_in_words(&found.plan);
        Self::new(name, problems, found, status, bytes, unit, kept)
    }

    fn new(
        name: String,
        problems: Vec<Problem>,
        found: Answer,
        status: String,
        bytes: Option<u64>,
        unit: Option<u64>,
        kept: Option<f64>,
    ) -> PyResult<Self> {
        let is_sized = found.plan.phases.iter().any(|phase| !phase.sizes.is_empty());
        if is_sized && bytes.is_some() {
            return Err(bad("bytes: the messages of this plan have sizes; leave it out"));
        }
        // A file has the ratios of sizes only.
        let payload = Payload { problems: &problems, bytes, unit: unit.or(is_sized.then_some(1)) };
        let mut rate = payload.rate(found.time).map_err(bad)?;
        if is_sized && unit.is_none() {
            rate.microseconds = None;
        }
        Ok(Self { name, problems, found, rate, status, bytes, unit, kept })
    }

    /// The limit, if one is proved.
    fn limit_of(found: &Answer) -> Option<Fraction> {
        (found.reason.is_some() || found.time.is_zero()).then_some(found.limit)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        let program = concat!("pavane ", env!("CARGO_PKG_VERSION"));
        more.insert("status".into(), self.status.clone().into());
        more.insert("made_by".into(), json!({"program": program}));
        throughput::write(out, &self.found.plan, &more)
    }
}

/// The throughput limit of a collective with its reason, and a plan.
///
/// Messages can be split arbitrarily finely, and latency is ignored. `root`, `senders` and
/// `receivers` name processors as in `Problem`; `bytes` is the size of the buffer as in nccl-tests, a
/// number or a text such as "1GB"; `sizes` is a matrix of bytes with one row per sender and one column
/// per receiver (all-to-all-v): lists, an array, or a file in CSV or JSON, a path or its content as bytes; `trees` limits
/// the trees per root. With the folder of an `atlas`, the plan of an isomorphic problem is the result if it attains the
/// limit. Problems with more than `max_deliveries` deliveries are refused. `bandwidth` and `latency` replace
/// those of all channels: numbers in GB/s and ns, fractions, or texts such as "400Gb/s" and "0.7us". After `time`
/// seconds the plan is a simple one. Ctrl-C raises `Interrupted`.
#[pyfunction(name = "throughput")]
#[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, bytes=None, sizes=None, trees=None,
                    bandwidth=None, latency=None, max_deliveries=problem::DELIVERIES, time=None, atlas=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find(
    py: Python<'_>,
    network: NetworkArgument,
    collective: CollectiveArgument,
    root: Option<Bound<'_, PyAny>>,
    senders: Option<Bound<'_, PyAny>>,
    receivers: Option<Bound<'_, PyAny>>,
    bytes: Option<Bound<'_, PyAny>>,
    sizes: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = whole_or_none)] trees: Option<i64>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
    time: Option<Seconds>,
    atlas: Option<PathBuf>,
) -> PyResult<Throughput> {
    if bytes.is_some() && sizes.is_some() {
        return Err(bad("bytes and sizes exclude each other; use one of them"));
    }
    for (keyword, is_given) in [("trees", trees.is_some()), ("sizes", sizes.is_some())] {
        if atlas.is_some() && is_given {
            return Err(bad(format!("atlas and {keyword} exclude each other; use one of them")));
        }
    }
    let search = Search::limited(time, None)?;
    let bytes = bytes.map(|value| quantity::size("bytes", &value)).transpose()?;
    let trees = trees.map(self::trees).transpose()?;
    let CollectiveArgument(collective) = collective;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let rules = (Model::without_ports(), max_deliveries);
    let problems = problems(&network.0, &collective, group, bandwidth, latency, rules)?;
    let collective = title(&collective).to_owned();
    if trees.is_some() && problems.iter().any(is_personalised) {
        return Err(bad(format!("trees: messages of {collective} take paths, not trees")));
    }
    let sizes = sizes.map(|sizes| plan_file::matrix(&sizes)).transpose()?;
    let sizes = sizes.map(|rows| Sizes::of_matrix(&problems, &rows)).transpose();
    let sizes = sizes.map_err(|error| bad(format!("sizes: {error}")))?;
    let unit = sizes.as_ref().map(|sizes| sizes.unit);

    let known = atlas.map(|folder| atlas_start::of_throughput(py, &folder, &problems));
    if let Some(plan) = known.transpose()?.flatten().filter(CheckedPlan::is_optimal) {
        let limit = plan.proved().map(|(limit, _)| limit);
        let found = Answer::of_plan(plan.plan().clone(), plan.time(), limit).map_err(bad)?;
        judge(&found).map_err(bug)?;
        let status = status(&found, trees);
        return Throughput::new(collective, problems, found, status, bytes, unit, None);
    }
    let interrupt = search.interrupt();
    let (name, phases) = (collective.clone(), problems.clone());
    let work = move || {
        let stop = || interrupt.is_raised();
        let request = answer::Request {
            trees,
            sizes: sizes.as_ref().map_or(&[], |sizes| &sizes.relative),
            generators: &generators(&phases, &stop),
            stop: &stop,
        };
        answer(&name, &phases, &request).map(|found| (judge(&found), found))
    };
    search.run(py, work)?.keep(py, |answer| {
        let (verdict, found) = answer.map_err(bad)?;
        verdict.map_err(bug)?;
        let status = status(&found, trees);
        Throughput::new(collective, problems, found, status, bytes, unit, None)
    })
}

/// Has the plan and its limit judged.
fn judge(found: &Answer) -> Result<(), String> {
    let rejected = |why: &dyn Display| format!("the judge rejected a throughput plan: {why}");
    let verdict = judge_plan_within(&found.plan, Some(u64::MAX)).map_err(|why| rejected(&why))?;
    if let Some(violation) = verdict.violations.first() {
        return Err(rejected(violation));
    }
    if let Some(error) = &verdict.limit_error {
        return Err(rejected(error));
    }
    if verdict.is_optimal() != (found.reason.is_some() && found.is_optimal()) {
        return Err(rejected(&"it does not take the time of the limit"));
    }
    Ok(())
}

/// A positive number of trees.
fn trees(count: i64) -> PyResult<u32> {
    let wrong = || bad(format!("trees={count} is not valid; use a number of at least 1"));
    u32::try_from(count).ok().filter(|&count| count > 0).ok_or_else(wrong)
}
