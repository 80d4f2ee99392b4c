//! Schedules, which are always verified, and functions that verify files.

use crate::problem::{duration, threads};
use crate::tdm::tdm_verdict;
use crate::{LARGEST_PICTURE, Unsolved, background, bad, fraction, to_python};
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_interop::{export, plan, table};
use pavane_model::faults::Fault;
use pavane_model::format::{Phase, Stored, open_beside, read_file, read_stored_file};
use pavane_model::printable::{printable, printable_lines};
use pavane_model::write_target::{self, Target};
use pavane_model::{Bound as Least, Fraction, ThroughputPlan, TimedSchedule, problem, text_file};
use pavane_networks::name_check;
use pavane_render::file;
use pavane_render::picture::{self, Show, Theme, svg};
use pavane_search::fault::{Keep, Terms, repair};
use pavane_search::synthesize::Options;
use pavane_throughput::chunks::limit_of_phases;
use pavane_verify::{
    CheckedSchedule, PlanJudgeError, TimedError, cheap_bound, judge, judge_plan, judge_timed,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A phase with its bound and the engine that found it.
pub struct Found {
    pub checked: CheckedSchedule,
    pub bound: Least,
    pub engine: String,
}

/// A verified schedule: the path and step of every message.
#[pyclass(frozen, module = "pavane")]
pub struct Schedule {
    pub name: String,
    pub phases: Vec<Found>,
    pub seed: u64,
}

impl Schedule {
    /// The sum of the throughput limits of all phases, in steps per message.
    fn limit(&self) -> Option<Fraction> {
        limit_of_phases(self.phases.iter().map(|one| one.checked.problem()))
    }
}

#[pymethods]
impl Schedule {
    /// Reads and verifies a schedule file, plain or gzipped; raises ValueError if it is not valid.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        let phases = read_file(&path, problem::DELIVERIES).map_err(bad)?;
        let open = |name: &str| open_beside(&path, name);
        let mut found = Vec::new();
        for Phase { problem, schedule, bound } in phases {
            let verdict = judge(problem, schedule, bound.as_ref(), &open);
            let bound = verdict.accepted(bound);
            let Some(checked) = verdict.checked else {
                let first = verdict.violations.first().map(ToString::to_string).unwrap_or_default();
                return Err(bad(format!("{} is not a valid schedule: {first}", path.display())));
            };
            let bound = bound.unwrap_or_else(|| plain_bound(&checked));
            found.push(Found { checked, bound, engine: String::new() });
        }
        let name = match &found[..] {
            [only] => only.checked.problem().collective().name.clone(),
            _ => "all-reduce".to_owned(),
        };
        Ok(Self { name, phases: found, seed: 0 })
    }

    /// Writes a schedule file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let phases: Vec<_> = self.phases.iter().map(|one| (&one.checked, &one.bound)).collect();
        let mut more = Map::new();
        more.insert(
            "status".to_owned(),
            json!(if self.optimal() { "optimal" } else { "best found" }),
        );
        let mut bytes = Vec::new();
        file::write(&self.name, &phases, &more, &mut bytes).map_err(bad)?;
        write_whole(&path, &bytes).map_err(|error| bad(format!("{}: {error}", path.display())))
    }

    /// The number of steps.
    #[getter]
    fn steps(&self) -> u32 {
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

    /// The proved lower bound on the number of steps.
    #[getter]
    fn bound(&self) -> u32 {
        self.phases.iter().map(|one| one.bound.steps).sum()
    }

    /// Whether the number of steps equals the proved bound.
    #[getter]
    fn optimal(&self) -> bool {
        self.steps() == self.bound()
    }

    /// Why fewer steps are impossible, in words.
    #[getter]
    fn reason(&self) -> String {
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
    /// routers.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::new();
        let mut start = 0;
        for Found { checked, .. } in &self.phases {
            let (problem, schedule) = (checked.problem(), checked.schedule());
            let network = problem.network();
            for step in 0..schedule.step_count() {
                for transfer in schedule.step(step) {
                    let heads = transfer.path.iter().map(|&channel| network.channel(channel).head);
                    let routers: Vec<_> =
                        network.home(transfer.from).into_iter().chain(heads).collect();
                    rows.push(json!({
                        "step": start + step,
                        "message": problem.label(transfer.message).to_string(),
                        "from": transfer.from,
                        "to": transfer.to,
                        "path": transfer.path,
                        "routers": routers,
                    }));
                }
            }
            start += schedule.step_count();
        }
        to_python(py, &Value::Array(rows))
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
        bytes: u64,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let phases: Vec<CheckedSchedule> =
            self.phases.iter().map(|one| one.checked.clone()).collect();
        let options = export::ExportOptions { bytes, ..Default::default() };
        let files = export::export(format, &phases, options).map_err(bad)?;
        Ok(files.into_iter().map(|file| (file.suffix, PyBytes::new(py, &file.bytes))).collect())
    }

    /// The schedule after faults ("0-1", "5"). Keeps at least the share `keep` of the transfers
    /// that are still valid, with more steps if necessary; without `keep` it prefers to keep 0.8,
    /// in at most one step above the bound. Raises `Unsolved` if no schedule is found.
    #[pyo3(signature = (*faults, keep_steps=false, keep=None, seed=1, time=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<String>,
        keep_steps: bool,
        keep: Option<f64>,
        seed: u64,
        time: Option<f64>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let keep = match keep {
            Some(share) if (0.0..=1.0).contains(&share) => Keep::AtLeast(share),
            Some(share) => {
                return Err(bad(format!("keep={share} is not valid; use a share from 0 to 1")));
            }
            None => Terms::default().keep,
        };
        let terms = Terms { keep_steps, keep };
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            seed,
            threads: self::threads(threads),
            time: duration(time)?,
            stop: stop.clone(),
            ..Options::default()
        };
        let mut phases = Vec::new();
        for one in &self.phases {
            let network = one.checked.problem().network();
            let parse = |text: &String| Fault::parse(network, text).map_err(bad);
            let faults: Vec<Fault> = faults.iter().map(parse).collect::<PyResult<_>>()?;
            let (before, options) = (one.checked.clone(), options.clone());
            let work = move || repair(&before, &faults, terms, &options);
            let repaired = background::run(py, &stop, work, |_| Ok(()))?;
            let repaired = repaired.map_err(|error| {
                Unsolved::new_err(printable_lines(&error.to_string()).into_owned())
            })?;
            let engine = repaired.engine.to_owned();
            phases.push(Found { checked: repaired.checked, bound: repaired.bound, engine });
        }
        Ok(Self { name: self.name.clone(), phases, seed })
    }

    /// An SVG drawing: a panel for each of the first 64 steps, and a chart of channel use over
    /// time.
    fn svg(&self) -> PyResult<String> {
        let phases: Vec<_> = self.phases.iter().map(|one| (&one.checked, &one.bound)).collect();
        let scene = picture::schedule(&self.name, &phases, &Show::default()).map_err(bad)?;
        Ok(svg::write(&scene, Theme::Auto))
    }

    /// The drawing, unless it is too large for a notebook, and the table.
    fn _repr_html_(&self) -> String {
        let escaped =
            |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let rows = self.phases.iter().flat_map(|one| table::rows(&one.checked)).enumerate();
        let rows: String = rows
            .map(|(step, transfers)| {
                format!(
                    "<tr><th>{step}</th><td style=\"text-align:left\">{}</td></tr>",
                    escaped(&transfers.join(", "))
                )
            })
            .collect();
        let picture = match self.svg() {
            Ok(svg) if svg.len() <= LARGEST_PICTURE => {
                format!("<img alt=\"the schedule, step by step\" src=\"{}\">", address(&svg))
            }
            _ => String::new(),
        };
        format!(
            "{picture}<table><caption>{}</caption><tr><th>step</th><th>transfers</th></tr>{rows}</table>",
            escaped(&self.__repr__())
        )
    }

    fn __repr__(&self) -> String {
        let network = self.phases.first().map(|one| one.checked.problem().network());
        let network = network.map(name_check::network_in_words).unwrap_or_default();
        let status =
            if self.optimal() { "optimal".to_owned() } else { format!("bound {}", self.bound()) };
        let text =
            format!("<Schedule {} on {network}: {} steps, {status}>", self.name, self.steps());
        printable(&text).into_owned()
    }
}

/// Writes a file atomically, following symbolic links; writes directly into a pipe or device.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match write_target::resolve(path)? {
        Target::File(target) if !target.is_dir() => target,
        _ => return std::fs::write(path, bytes),
    };
    let mut part = target.file_name().unwrap_or_default().to_owned();
    part.push(".part");
    let part = target.with_file_name(part);
    std::fs::write(&part, bytes)?;
    std::fs::rename(&part, target)
}

/// Writes a file, gzipped if its name ends in .gz.
pub fn save_by_name(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> PyResult<()> {
    let mut bytes = Vec::new();
    let content = if path.extension().is_some_and(|ending| ending == "gz") {
        let mut gzip = GzEncoder::new(&mut bytes, Compression::fast());
        write(&mut gzip).and_then(|()| gzip.finish().map(drop))
    } else {
        write(&mut bytes)
    };
    let written = content.and_then(|()| write_whole(path, &bytes));
    written.map_err(|error| bad(format!("{}: {error}", path.display())))
}

/// The drawing as a data URL, so that the styles of several drawings in a notebook do not
/// interfere.
pub fn address(svg: &str) -> String {
    let mut text = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'%' | b'#' | b'<' | b'>' | b'"' | b'&' | b'\n' | 128.. => {
                text += &format!("%{byte:02X}");
            }
            _ => text.push(byte.into()),
        }
    }
    text
}

/// The bound that can be derived without a certificate.
pub fn plain_bound(checked: &CheckedSchedule) -> Least {
    Least {
        steps: cheap_bound(checked.problem()),
        reason: "cheap".to_owned(),
        explanation: "derived without a certificate".to_owned(),
        certificate: None,
    }
}

/// Verifies a schedule file: for every phase valid, steps, bound, optimal and the violations; or a
/// throughput plan: valid, ns_per_byte, limit_ns_per_byte, optimal and the violations; or a timed
/// schedule: valid, time_ns, bound_ns, optimal and the violations; or a TDM
/// schedule: valid, period, bound, optimal and the violations.
#[pyfunction]
pub fn verify(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let phases = match read_stored_file(&path, problem::DELIVERIES).map_err(bad)? {
        Stored::Schedule(phases) => phases,
        Stored::Throughput(plan) => {
            let verdict =
                plan_verdict(&plan).map_err(|error| bad(format!("{}: {error}", path.display())))?;
            return to_python(py, &json!([verdict]));
        }
        Stored::Timed(schedule) => {
            let verdict = timed_verdict(&schedule)
                .map_err(|error| bad(format!("{}: {error}", path.display())))?;
            return to_python(py, &json!([verdict]));
        }
        Stored::Tdm(schedule) => {
            return to_python(py, &json!([tdm_verdict(&schedule, Some(&path))]));
        }
        Stored::Refutation(_) => {
            let problem = "a proof without a schedule; use the program `pavane verify`";
            return Err(bad(format!("{}: {problem}", path.display())));
        }
    };
    let open = |name: &str| open_beside(&path, name);
    let verdict = |phase: Phase| {
        let Phase { problem, schedule, bound } = phase;
        let verdict = judge(problem, schedule, bound.as_ref(), &open);
        json!({
            "valid": verdict.is_valid(),
            "steps": verdict.steps,
            "bound": verdict.proved,
            "optimal": verdict.is_optimal(),
            "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
        })
    };
    let verdicts: Vec<Value> = phases.into_iter().map(verdict).collect();
    to_python(py, &Value::Array(verdicts))
}

/// The verdict on a throughput plan.
pub fn plan_verdict(plan: &ThroughputPlan) -> Result<Value, PlanJudgeError> {
    let verdict = judge_plan(plan)?;
    Ok(json!({
        "valid": verdict.is_valid(),
        "ns_per_byte": verdict.time.to_string(),
        "limit_ns_per_byte": verdict.proved.map(|proved| proved.to_string()),
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "limit_error": verdict.limit_error.as_ref().map(ToString::to_string),
    }))
}

/// The verdict on a timed schedule.
pub fn timed_verdict(schedule: &TimedSchedule) -> Result<Value, TimedError> {
    let verdict = judge_timed(schedule)?;
    Ok(json!({
        "valid": verdict.is_valid(),
        "time_ns": verdict.time_ns.to_string(),
        "bound_ns": verdict.proved_ns.map(|proved| proved.to_string()),
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    }))
}

/// Executes an MSCCL XML or MSCCL++ JSON file and lists its errors; the list is empty if it is
/// correct.
#[pyfunction]
pub fn check_plan(path: PathBuf) -> PyResult<Vec<String>> {
    let text = text_file::read(&path).map_err(bad)?;
    let plan = plan::read(&text).map_err(|error| bad(format!("{}: {error}", path.display())))?;
    Ok(plan.faults().iter().map(ToString::to_string).collect())
}
