//! Timed schedules, which are always judged.

use crate::background::Search;
use crate::collective::{CollectiveArgument, title};
use crate::errors::{bad, bug};
use crate::files::{self, FileArgument, reduced, save_by_name};
use crate::machine::problems;
use crate::members::Group;
use crate::network::{Network, NetworkArgument};
use crate::pictures::{Drawn, Look, address};
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::{rule, threads};
use crate::tables::{self, chosen, label_value, with_tuples};
use crate::unrepaired;
use crate::verdicts::timed_verdict;
use crate::whole::{whole, whole_or_none};
use crate::{fraction, members, plan_file, quantity, to_python};
use pavane_baselines::known;
use pavane_interop::timed::export;
use pavane_model::printable::printable;
use pavane_model::timed::{self, BufferSize};
use pavane_model::{Duplex, FileSource, Fraction, Model, Problem, problem, strict_json, words};
use pavane_networks::name_check;
use pavane_render::picture::scene::Scene;
use pavane_render::{picture, viewer};
use pavane_throughput::rates::{Payload, Rate};
use pavane_throughput::sizes::Sizes;
use pavane_timed::{TimedAnswer, TimedRepairRequest, TimedRequest, explanation, repair, solve};
use pavane_tuning::foreign::judge_foreign;
use pavane_verify::{CheckedTimed, check_timed, check_timed_within};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyTuple};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The time limit of a search if neither time nor evaluations are given, as that of `pavane solve`.
const TIME: Duration = Duration::from_secs(10);

/// The time limit of a repair, as that of `pavane repair`.
const REPAIR_TIME: Duration = Duration::from_secs(2);

/// A schedule in nanoseconds that the judge has accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Timed {
    checked: CheckedTimed,
    /// The method that found it and the seed; `None` if it is from a file.
    found_by: Option<(String, u64)>,
    /// The share of the valid sends that a repair kept.
    kept: Option<f64>,
}

impl Drawn for Timed {
    fn scene(&self, _: &Look) -> PyResult<Scene> {
        picture::timed(&self.checked, &self.reason()).map_err(bad)
    }

    fn animation(&self, _: &Look) -> PyResult<Scene> {
        picture::animated_timed(&self.checked).map_err(bad)
    }

    fn page(&self) -> PyResult<String> {
        viewer::timed_page(&self.checked, &self.reason()).map_err(bad)
    }
}

#[pymethods]
impl Timed {
    /// Reads and judges a file, a path or its content as bytes, plain or gzipped; raises InputError if the schedule is
    /// not valid. Schedules with more than `max_deliveries` deliveries are refused.
    #[staticmethod]
    #[pyo3(signature = (file, *, max_deliveries=problem::DELIVERIES))]
    fn load(
        py: Python<'_>,
        file: FileArgument,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
    ) -> PyResult<Self> {
        py.detach(|| Self::of_file(&file.0, max_deliveries))
    }

    /// Times a schedule of another program (TE-CCL, MSCCL, MSCCL++ or SCCL; a path, or its content as bytes) on
    /// `network` for a size as in nccl-tests, and has it judged, as `pavane import --bytes`: every send starts as early as
    /// the order in the file allows. `pavane.verify` says what the file claims.
    #[staticmethod]
    #[pyo3(signature = (file, *, network, bytes))]
    fn import_(
        py: Python<'_>,
        file: FileArgument,
        network: NetworkArgument,
        bytes: Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let FileArgument(file) = file;
        let (network, bytes) = (network.0.broken, quantity::size("bytes", &bytes)?);
        let (text, name) = (file.text().map_err(bad)?, file.name());
        let judged = py.detach(|| judge_foreign(&text, &network, bytes, None));
        let judged = judged.unwrap_or_else(|| {
            Err("this is not a schedule of MSCCL, MSCCL++, SCCL or TE-CCL".to_owned())
        });
        let judged = judged.map_err(|why| bad(format!("{name}: {why}")))?;
        let checked = check_timed(judged.schedule)
            .map_err(|why| bad(format!("{name} is not a valid schedule: {why}")))?;
        Ok(Self { checked, found_by: Some((format!("import of {name}"), 0)), kept: None })
    }

    /// The network, with its faults, bandwidths and latencies.
    #[getter]
    fn network(&self) -> Network {
        Network::of_problem(self.checked.network())
    }

    /// The last arrival in nanoseconds: a `fractions.Fraction`.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, self.checked.time_ns())
    }

    /// The last arrival in microseconds.
    #[getter]
    fn microseconds(&self) -> f64 {
        self.checked.time_ns().to_f64() / 1000.0
    }

    /// The time in nanoseconds that no schedule can beat: a `fractions.Fraction`. None if a file proves
    /// no bound.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.checked.proved_ns().map(|(bound, _)| fraction(py, bound)).transpose()
    }

    /// Whether the schedule takes exactly the bound.
    #[getter]
    fn is_optimal(&self) -> bool {
        self.checked.is_optimal()
    }

    /// Why no schedule is faster than the bound, in words.
    #[getter]
    fn explanation(&self) -> String {
        explanation(self.checked.schedule())
    }

    /// Algorithm bandwidth in GB/s, as in nccl-tests; None if the messages have sizes of their own.
    #[getter]
    fn algorithm_gbytes(&self) -> Option<f64> {
        self.rate()?.algorithm_gbytes
    }

    /// Bus bandwidth in GB/s, as in nccl-tests; None where it has no convention.
    #[getter]
    fn bus_gbytes(&self) -> Option<f64> {
        self.rate()?.bus_gbytes
    }

    /// The number of chunks.
    #[getter]
    fn chunks(&self) -> usize {
        self.checked.schedule().phases.iter().map(|phase| phase.chunks.len()).sum()
    }

    /// The number of sends.
    #[getter]
    fn sends(&self) -> usize {
        self.checked.schedule().phases.iter().map(|phase| phase.sends.len()).sum()
    }

    /// The schedule, in the format of its file (pavane/timed/1).
    #[getter]
    fn schedule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes).map_err(bad)?;
        let schedule: Value = strict_json::from_slice(&bytes).map_err(bad)?;
        to_python(py, &schedule)
    }

    /// One record per send, for pandas or polars: phase, chunk (its number), message, channel, tail, head,
    /// start_ns and bytes.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::new();
        let unit = self.checked.schedule().time_unit_ns.to_f64();
        for (number, phase) in self.checked.schedule().phases.iter().enumerate() {
            let network = phase.problem.network();
            rows.extend(phase.sends.iter().map(|send| {
                let (chunk, ends) =
                    (&phase.chunks[send.chunk as usize], network.channel(send.channel));
                json!({
                    "phase": number,
                    "chunk": send.chunk,
                    "message": label_value(phase.problem.label(chunk.message)),
                    "channel": send.channel,
                    "tail": ends.tail,
                    "head": ends.head,
                    "start_ns": send.start as f64 * unit,
                    "bytes": chunk.bytes,
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
        self.sends()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.records(py)?.try_iter()
    }

    /// The record of a send, where negative numbers count from the end, or a list of those of a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        send: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let what = format!("the schedule has {}", words::counted(self.sends() as u64, "send"));
        // Checks the index, so that the error names sends.
        chosen(send, self.sends(), "send", &what)?;
        self.records(py)?.get_item(send)
    }

    /// Whether the other schedule has the same problem, sends and bound.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.checked.schedule() == other.get().checked.schedule())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.checked.schedule().name, self.sends()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let content = files::bytes(py, |out| self.write(out))?;
        reduced(py, "Timed", (content, self.found_by.clone(), self.kept))
    }

    /// The schedule of a pickle, which is judged again.
    #[staticmethod]
    fn _restore(
        content: &[u8],
        found_by: Option<(String, u64)>,
        kept: Option<f64>,
    ) -> PyResult<Self> {
        let schedule = timed::read(content, "the pickle", problem::DELIVERIES).map_err(bad)?;
        let checked = check_timed(schedule)
            .map_err(|why| bad(format!("the pickle is not a valid timed schedule: {why}")))?;
        Ok(Self { checked, found_by, kept })
    }

    /// An SVG drawing: when every channel is in use or, with `animate`, chunks that move along their channels. `theme`
    /// is "auto", which follows the reader, "light" or "dark".
    #[pyo3(signature = (*, animate=false, theme="auto"))]
    fn svg(&self, animate: bool, theme: &str) -> PyResult<String> {
        self.to_svg(&Look::new(animate, theme, None, None)?)
    }

    /// The drawing as PNG.
    #[pyo3(signature = (*, theme="auto"))]
    fn png<'py>(&self, py: Python<'py>, theme: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py, &Look::still(theme)?)
    }

    /// Writes the drawing to a file that ends in .svg or .png, an animation to .gif or, with `animate`, to .svg, or a
    /// page that plays the schedule to .html.
    #[pyo3(signature = (path, *, animate=false, theme="auto"))]
    fn draw(&self, path: PathBuf, animate: bool, theme: &str) -> PyResult<()> {
        self.draw_to(&path, &Look::new(animate, theme, None, None)?)
    }

    /// The drawing, unless it is too large for a notebook.
    fn _repr_html_(&self) -> String {
        let text = self.__repr__();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let picture = self.small_svg().map_or_else(String::new, |svg| {
            format!("<img alt=\"the use of channels\" src=\"{}\">", address(&svg))
        });
        format!("<p>{text}</p>{picture}")
    }

    /// Writes the schedule to a file, gzipped if its name ends in .gz.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        save_by_name(&path, |out| self.write(out))
    }

    /// Verifies the schedule again: the verdict of `pavane.verify`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let verdict = py.detach(|| timed_verdict(self.checked.schedule(), None)).map_err(bad)?;
        to_python(py, &verdict)
    }

    /// The files of an export (chakra, csv, goal, mpi, msccl, mscclpp, nccl, simgrid, torch): suffix and
    /// content. `bytes` is the message length in programs, instead of that of the schedule.
    #[pyo3(signature = (format, *, bytes=None))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        #[pyo3(from_py_with = whole_or_none)] bytes: Option<u64>,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let files = export(format, &self.checked, bytes).map_err(bad)?;
        Ok(files.into_iter().map(|file| (file.suffix, PyBytes::new(py, &file.bytes))).collect())
    }

    /// The share of the still valid sends that a repair kept; None if the schedule is not repaired.
    #[getter]
    fn kept(&self) -> Option<f64> {
        self.kept
    }

    /// The schedule after faults ("0-1", "5", (0, 1)). Without `keep` it keeps all sends that are still of use;
    /// otherwise it is the quickest one found that keeps this share of the valid sends. After `time`
    /// seconds (2 if neither is given) or `evaluations` random restarts the search for a quick schedule
    /// ends. Raises `Impossible` if there is no schedule, and `Unsolved` if none is found.
    #[pyo3(signature = (*faults, keep=None, seed=1, time=None, evaluations=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<Bound<'_, PyAny>>,
        keep: Option<f64>,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<Seconds>,
        #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
        #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    ) -> PyResult<Self> {
        if let Some(keep) = keep.filter(|keep| !(0.0..=1.0).contains(keep)) {
            return Err(bad(format!("keep={keep} is not valid; use a share from 0 to 1")));
        }
        let search = Search::limited(time, evaluations.is_none().then_some(REPAIR_TIME))?;
        let faults = members::faults(self.checked.network(), &faults)?;
        let interrupt = search.interrupt();
        let before = self.checked.schedule().clone();
        let work = move || {
            let stop = || interrupt.is_raised();
            let (rounds, threads) = (evaluations, self::threads(threads));
            repair(
                &before,
                &faults,
                &TimedRepairRequest { keep, seed, rounds, threads, stop: &stop },
            )
        };
        search.run(py, work)?.keep(py, |repaired| {
            let repaired = repaired.map_err(unrepaired::timed)?;
            let kept = Some(repaired.chosen.changes.kept_share());
            Self::new(repaired.chosen.answer, seed, kept)
        })
    }

    fn __repr__(&self) -> String {
        let state = match self.checked.proved_ns() {
            _ if self.is_optimal() => "optimal".to_owned(),
            Some((bound, _)) => format!("bound {:.4} µs", bound.to_f64() / 1000.0),
            None => "no bound".to_owned(),
        };
        let network = name_check::network_in_words(self.checked.network());
        let name = &self.checked.schedule().name;
        let time = self.microseconds();
        printable(&format!("<Timed {name} on {network}: {time:.4} µs, {state}>")).into_owned()
    }
}

impl Timed {
    /// A schedule of the atlas, and the entry.
    pub fn of_checked(checked: CheckedTimed, entry: String) -> Self {
        Self { checked, found_by: Some((entry, 0)), kept: None }
    }

    /// Has the schedule of a file judged.
    pub fn of_file(file: &FileSource, max_deliveries: u64) -> PyResult<Self> {
        let (reader, name) = (file.open().map_err(bad)?, file.name());
        let schedule = timed::read(reader, &name, max_deliveries).map_err(bad)?;
        let checked = check_timed(schedule)
            .map_err(|why| bad(format!("{name} is not a valid timed schedule: {why}")))?;
        Ok(Self { checked, found_by: None, kept: None })
    }

    /// Has a schedule judged.
    fn new(answer: TimedAnswer, seed: u64, kept: Option<f64>) -> PyResult<Self> {
        let method = answer.method.to_owned();
        let checked = check_timed_within(answer.schedule, Some(u64::MAX))
            .map_err(|why| bug(format!("the judge rejected a timed schedule: {why}")))?;
        Ok(Self { checked, found_by: Some((method, seed)), kept })
    }

    /// Why no schedule is quicker than the bound, if there is one.
    fn reason(&self) -> String {
        let bound = self.checked.proved_ns();
        bound.map_or_else(String::new, |_| explanation(self.checked.schedule()))
    }

    fn rate(&self) -> Option<Rate> {
        let schedule = self.checked.schedule();
        let BufferSize::Bytes(bytes) = schedule.size else { return None };
        let problems: Vec<Problem> =
            schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
        let payload = Payload { problems: &problems, bytes: Some(bytes), unit: None };
        let shard = Fraction::from(bytes).checked_div(Fraction::from(payload.parts()))?;
        payload.rate(self.checked.time_ns().checked_div(shard)?).ok()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        if let Some((method, seed)) = &self.found_by {
            let program = concat!("pavane ", env!("CARGO_PKG_VERSION"));
            let made_by = json!({"program": program, "engine": method, "seed": seed});
            more.insert("made_by".into(), made_by);
        }
        timed::write(out, self.checked.schedule(), &more)
    }
}

/// A schedule that ends soonest, on channels with bandwidths and latencies, with a proved bound.
///
/// `bytes` is the size of the buffer as in nccl-tests, a number or a text such as "1MB"; or `sizes` is a
/// matrix of bytes with one row per sender and one column per receiver (all-to-all-v): lists, an array, or
/// a file in CSV or JSON, a path or its content as bytes. `chunks` cuts every message into so many chunks; without it, or with
/// "auto", the search chooses. `root`, `senders` and `receivers` name processors as in `Problem`. `bandwidth` and `latency`
/// replace those of all channels: numbers in GB/s and ns, fractions, or texts such as "400Gb/s" and "0.7us".
/// Problems with more than `max_deliveries` deliveries are
/// refused. The search ends at the bound, after `time` seconds (10 if neither is given) or after `evaluations` random
/// restarts; then the result depends on `seed` only. Ctrl-C raises `Interrupted`, which has the best schedule.
#[pyfunction(name = "timed")]
#[pyo3(signature = (network, collective, *, bytes=None, sizes=None, chunks=None, root=None, senders=None, receivers=None,
                    bandwidth=None, latency=None, duplex="full", max_deliveries=problem::DELIVERIES, seed=1, time=None,
                    evaluations=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find(
    py: Python<'_>,
    network: NetworkArgument,
    collective: CollectiveArgument,
    bytes: Option<Bound<'_, PyAny>>,
    sizes: Option<Bound<'_, PyAny>>,
    chunks: Option<Bound<'_, PyAny>>,
    root: Option<Bound<'_, PyAny>>,
    senders: Option<Bound<'_, PyAny>>,
    receivers: Option<Bound<'_, PyAny>>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    duplex: &str,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    time: Option<Seconds>,
    #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Timed> {
    if bytes.is_some() == sizes.is_some() {
        return Err(bad("give either bytes, such as bytes=\"1MB\", or sizes"));
    }
    let chunks = chunks.map(|chunks| chunk_count(&chunks)).transpose()?.flatten();
    let search = Search::limited(time, evaluations.is_none().then_some(TIME))?;
    let CollectiveArgument(collective) = collective;
    let duplex: Duplex = rule("duplex", duplex)?;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let rules = (Model::without_ports(), max_deliveries);
    let problems = problems(&network.0, &collective, group, bandwidth, latency, rules)?;
    let collective = title(&collective).to_owned();
    let size = match (bytes, sizes) {
        (Some(bytes), _) => BufferSize::Bytes(quantity::size("bytes", &bytes)?),
        (None, sizes) => {
            let rows =
                sizes.map(|sizes| plan_file::matrix(&sizes)).transpose()?.unwrap_or_default();
            let sizes = Sizes::of_matrix(&problems, &rows);
            let sizes = sizes.map_err(|error| bad(format!("sizes: {error}")))?;
            let each = sizes.relative.iter().map(|size| size.checked_mul(sizes.unit));
            let each: Option<Vec<u64>> = each.collect();
            BufferSize::Each(each.ok_or_else(|| bad("sizes: too many bytes"))?)
        }
    };
    let interrupt = search.interrupt_before_judging();
    let early = search.interrupt_early();
    let (name, threads) = (collective.clone(), self::threads(threads));
    let work = move || {
        let stop = || interrupt.is_raised();
        let (size, rounds) = (&size, evaluations);
        // As in `pavane solve`: most of the time belongs to the search.
        let known = known(&name, &problems, size, duplex, &|| early.is_raised());
        let known = &known[..];
        let request =
            TimedRequest { size, duplex, chunks, seed, rounds, threads, known, stop: &stop };
        solve(&name, &problems, &request).map_err(|error| error.to_string())
    };
    search.run(py, work)?.keep(py, |found| Timed::new(found.map_err(bad)?, seed, None))
}

/// The number of chunks of every message; `None` if the search chooses.
fn chunk_count(chunks: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if chunks.extract::<String>().is_ok_and(|word| word == "auto") {
        return Ok(None);
    }
    let count = chunks.extract::<u64>().ok().filter(|&count| count > 0);
    if count.is_none() {
        let shown = chunks.repr()?;
        return Err(bad(format!(
            "chunks={shown} is not valid; use a number of at least 1, or \"auto\""
        )));
    }
    Ok(count)
}
