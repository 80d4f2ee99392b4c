//! The atlas: best-known schedules with their bounds.

use crate::atlas_start::{ENGINE, warn_of};
use crate::collective::CollectiveArgument;
use crate::errors::{bad, nothing_left};
use crate::files::Proofs;
use crate::found::Found;
use crate::members::Group;
use crate::network::NetworkArgument;
use crate::problem::{ports, rule, word};
use crate::quantity::{self, with_timing};
use crate::schedule::Schedule;
use crate::tdm::Tdm;
use crate::throughput::Throughput;
use crate::timed::Timed;
use crate::to_python;
use crate::whole::{whole, whole_or_none};
use pavane_atlas::{
    Addition, AtlasEntry, AtlasError, AtlasModel, AtlasQuery, JudgedFile, NewEntry, PublishedFigure,
};
use pavane_model::format::Stored;
use pavane_model::tdm::TdmRules;
use pavane_model::whole::Whole;
use pavane_model::{CollectiveRequest, FileSource, Fraction, Model, Problem, problem};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The best-known schedules with their bounds and published figures, in a folder.
#[pyclass(frozen, module = "pavane")]
pub struct Atlas {
    inner: Mutex<pavane_atlas::Atlas>,
}

#[pymethods]
impl Atlas {
    /// The atlas in a folder. Wrong entries are left out with a RuntimeWarning.
    #[new]
    #[pyo3(signature = (folder=PathBuf::from("atlas")))]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let inner = crate::atlas_start::open(py, &folder)?;
        Ok(Self { inner: Mutex::new(inner) })
    }

    /// The entries, as `pavane atlas list --json` prints them: those of a `family` of networks, those that minimise
    /// `model` ("steps", "throughput", "time" or "tdm"), those that are not proved optimal (`open`), and those that are
    /// better than a published figure (`records`).
    #[pyo3(signature = (*, family=None, model=None, open=false, records=false))]
    fn list<'py>(
        &self,
        py: Python<'py>,
        family: Option<&str>,
        model: Option<&str>,
        open: bool,
        records: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let atlas = self.read();
        if let Some(family) = family
            && !atlas.entries().iter().any(|entry| entry.family == family)
        {
            let mut known: Vec<&str> = atlas.entries().iter().map(|e| &e.family[..]).collect();
            known.dedup();
            let known = known.join(", ");
            return Err(bad(format!("the atlas has no family {family:?} (valid: {known})")));
        }
        let model = model.map(|name| word("model", name, AtlasModel::ALL)).transpose()?;
        let is_chosen = |entry: &&AtlasEntry| {
            family.is_none_or(|family| entry.family == family)
                && model.is_none_or(|model| entry.model == model)
                && !(open && entry.is_optimal())
                && (!records || entry.is_improvement())
        };
        let chosen = atlas.entries().iter().filter(is_chosen);
        let folder = atlas.folder();
        to_python(py, &chosen.map(|entry| described(entry, folder)).collect())
    }

    /// An entry by its name, as a dictionary.
    fn show<'py>(&self, py: Python<'py>, entry: &str) -> PyResult<Bound<'py, PyAny>> {
        let atlas = self.read();
        to_python(py, &described(atlas.find(entry).map_err(bad)?, atlas.folder()))
    }

    /// The schedule of an entry, which is judged: a `Schedule`, `Throughput`, `Timed` or `Tdm`.
    fn schedule<'py>(&self, py: Python<'py>, entry: &str) -> PyResult<Bound<'py, PyAny>> {
        let atlas = self.read();
        let entry = atlas.find(entry).map_err(bad)?;
        py.detach(|| atlas.judge(entry).map(drop)).map_err(bad)?;
        let file = FileSource::Path(atlas.path(entry).map_err(bad)?);
        loaded(py, &file)
    }

    /// Has entries judged, by default all: valid, entries, optimal, improvements and problems.
    #[pyo3(signature = (*entries))]
    fn verify<'py>(&self, py: Python<'py>, entries: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let atlas = self.read();
        let (mut chosen, mut problems): (Vec<&AtlasEntry>, Vec<String>) = Default::default();
        for id in &entries {
            match atlas.find(id) {
                Ok(entry) => chosen.push(entry),
                Err(error @ AtlasError::Entry { .. }) => problems.push(error.to_string()),
                Err(error) => return Err(bad(error)),
            }
        }
        if entries.is_empty() {
            chosen = atlas.entries().iter().collect();
            problems.extend(atlas.refused().iter().map(|entry| entry.reason.clone()));
            problems.extend(atlas.strays().map_err(bad)?);
        }
        for &entry in &chosen {
            py.check_signals()?;
            let judged = py.detach(|| atlas.judge(entry).map(drop));
            problems.extend(judged.err().map(|error| error.to_string()));
        }
        let optimal = chosen.iter().filter(|entry| entry.is_optimal()).count();
        let verdict = json!({
            "valid": problems.is_empty(),
            "entries": chosen.len(),
            "optimal": optimal,
            "improvements": atlas.distinct_improvements(&chosen),
            "problems": problems,
        });
        to_python(py, &verdict)
    }

    /// The entries for networks that are isomorphic to `network`: a dictionary of matches, near (entries that do not fit,
    /// with the reason) and, with a collective, schedule: that of the first match on `network`, judged, or None. The
    /// keywords are those of `pavane atlas search`, where `wrap=False` is `--no-wrap`.
    #[pyo3(signature = (network, collective=None, *, model=None, root=None, senders=None, receivers=None, chunks=1,
                        ports=None, switching="wormhole", routing="minimal", duplex="full",
                        max_deliveries=problem::DELIVERIES, bytes=None, bandwidth=None, latency=None, wrap=true,
                        depth=None, phits=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        network: NetworkArgument,
        collective: Option<CollectiveArgument>,
        model: Option<&str>,
        root: Option<Bound<'py, PyAny>>,
        senders: Option<Bound<'py, PyAny>>,
        receivers: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole)] chunks: u32,
        ports: Option<Bound<'py, PyAny>>,
        switching: &str,
        routing: &str,
        duplex: &str,
        #[pyo3(from_py_with = whole)] max_deliveries: u64,
        bytes: Option<Bound<'py, PyAny>>,
        bandwidth: Option<Bound<'py, PyAny>>,
        latency: Option<Bound<'py, PyAny>>,
        wrap: bool,
        #[pyo3(from_py_with = whole_or_none)] depth: Option<u32>,
        #[pyo3(from_py_with = whole_or_none)] phits: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (healthy, broken) = (network.0.healthy, network.0.broken);
        let broken = with_timing(broken, bandwidth.as_ref(), latency.as_ref())?;
        let model = model.map(|name| word("model", name, AtlasModel::ALL)).transpose()?;
        let bytes = bytes.map(|value| quantity::size("bytes", &value)).transpose()?;
        let rules = Model {
            switching: rule("switching", switching)?,
            routing: rule("routing", routing)?,
            duplex: rule("duplex", duplex)?,
            ports: self::ports(ports.as_ref())?,
        };
        let is_named = !wrap || depth.is_some() || phits.is_some();
        if is_named && model.is_some_and(|model| model != AtlasModel::Tdm) {
            return Err(bad("wrap, depth and phits are rules of TDM schedules; use model=\"tdm\""));
        }
        let groups = Group { root, senders, receivers }.on(&healthy)?;
        let phases = collective.map(|CollectiveArgument(collective)| {
            let (model, limit) = (rules, max_deliveries);
            let request = CollectiveRequest { collective, groups, chunks, model, limit };
            request.on(&healthy, &broken).map(|left| left.phases).map_err(nothing_left)
        });
        let phases: Option<Vec<Problem>> = phases.transpose()?;
        let is_chosen = model == Some(AtlasModel::Tdm) && phases.is_some();
        let usual = TdmRules::default();
        let tdm = (is_named || is_chosen).then(|| TdmRules {
            depth: depth.unwrap_or(usual.depth),
            phits: phits.unwrap_or(usual.phits),
            wraps: wrap,
            routing: rules.routing,
        });
        let model = model.or(tdm.map(|_| AtlasModel::Tdm)).or(bytes.map(|_| AtlasModel::Time));
        let query = AtlasQuery { network: &broken, phases: phases.as_deref(), model, bytes, tdm };
        let atlas = self.read();
        let found = py.detach(|| atlas.search(&query));
        let first = phases.is_some().then(|| py.detach(|| atlas.first(&query)));
        let (first, wrong) = first.unwrap_or_else(|| (None, found.wrong.clone()));
        warn_of(py, wrong.into_iter())?;
        let near = found.near.iter();
        let near = near.map(|one| json!({"id": one.entry.id, "reason": one.reason}));
        let matches = found.matches.iter().map(|one| described(one.entry, atlas.folder()));
        let report = to_python(
            py,
            &json!({
                "network": broken.name(),
                "matches": matches.collect::<Vec<_>>(),
                "near": near.collect::<Vec<_>>(),
                "mapped": first.as_ref().map(|(id, _)| id),
            }),
        )?;
        let schedule = first.map(|(id, file)| mapped(py, &id, file)).transpose()?;
        report.set_item("schedule", schedule)?;
        Ok(report)
    }

    /// Adds the schedule of a file that is better than the one in the atlas, or a published figure: `status` is "new",
    /// "better", "published" or "kept". The keywords are those of `pavane atlas add`.
    #[pyo3(signature = (file, *, family, network=None, seed=1, seconds=0.0, options="", published=None, source=None,
                        note="", other_problem=false))]
    #[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
    fn add<'py>(
        &self,
        py: Python<'py>,
        file: PathBuf,
        family: String,
        network: Option<String>,
        #[pyo3(from_py_with = whole)] seed: u64,
        seconds: f64,
        options: &str,
        published: Option<Bound<'py, PyAny>>,
        source: Option<String>,
        note: &str,
        other_problem: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if published.is_some() != source.is_some() {
            return Err(bad("published and source belong together; give both"));
        }
        let figure = |value: Bound<'py, PyAny>| -> PyResult<Fraction> {
            let text = value.str()?.to_string();
            text.parse().map_err(|error| bad(format!("published: {error}")))
        };
        let published = published.map(figure).transpose()?.zip(source);
        let new = NewEntry {
            family,
            network,
            seed,
            seconds,
            options: options.to_owned(),
            published: published.map(|(value, source)| PublishedFigure {
                value,
                source,
                note: note.to_owned(),
                is_for_another_problem: other_problem,
            }),
        };
        let mut atlas = self.read();
        // Another addition at the same time would replace the same index.
        let folder = File::open(atlas.folder()).ok();
        if let Some(folder) = &folder {
            folder.lock().map_err(bad)?;
        }
        *atlas = pavane_atlas::Atlas::open_or_new(atlas.folder()).map_err(bad)?;
        let added = atlas.add(&file, &new).map_err(bad)?;
        let (added, is_isomorphic) = match added {
            Addition::Isomorphic(addition) => (*addition, true),
            other => (other, false),
        };
        let (status, before) = match &added {
            Addition::New(_) => ("new", None),
            Addition::Better(_, value, _) => ("better", Some(value.to_string())),
            Addition::Published(_) => ("published", None),
            Addition::Kept(_) | Addition::Isomorphic(_) => ("kept", None),
        };
        let mut report = described(added.entry(), atlas.folder());
        report["status"] = json!(status);
        report["before"] = json!(before);
        report["isomorphic"] = json!(is_isomorphic);
        to_python(py, &report)
    }

    fn __len__(&self) -> usize {
        self.read().entries().len()
    }

    fn __repr__(&self) -> String {
        let atlas = self.read();
        format!("<Atlas {}: {} entries>", atlas.folder().display(), atlas.entries().len())
    }
}

impl Atlas {
    fn read(&self) -> std::sync::MutexGuard<'_, pavane_atlas::Atlas> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The entry, as `pavane atlas show --json` prints it.
fn described(entry: &AtlasEntry, folder: &Path) -> Value {
    let published = entry.published.as_ref();
    json!({
        "id": entry.id,
        "family": entry.family,
        "model": entry.model.to_string(),
        "value": entry.value.to_string(),
        "bound": entry.bound.to_string(),
        "optimal": entry.is_optimal(),
        "published": published.map(|figure| figure.value.to_string()),
        "source": published.map(|figure| &figure.source),
        "note": published.map_or("", |figure| &figure.note),
        "other_problem": published.is_some_and(|figure| figure.is_for_another_problem),
        "improvement": entry.is_improvement(),
        "command": entry.command(folder),
        "seed": entry.seed,
        "seconds": entry.seconds,
        "schedule_file": entry.file,
    })
}

/// The schedule of a file of any kind.
fn loaded<'py>(py: Python<'py>, file: &FileSource) -> PyResult<Bound<'py, PyAny>> {
    let name = file.name();
    let proofs = Proofs::Beside(file);
    Ok(match file.stored(problem::DELIVERIES).map_err(bad)? {
        Stored::Throughput(_) => Throughput::of_file(file)?.into_pyobject(py)?.into_any(),
        Stored::Timed(_) => {
            Timed::of_file(file, problem::DELIVERIES)?.into_pyobject(py)?.into_any()
        }
        Stored::Tdm(schedule) => {
            Tdm::judged(*schedule, &name, &proofs, None)?.into_pyobject(py)?.into_any()
        }
        Stored::Schedule(phases, whole) => {
            Schedule::judged((phases, whole), &name, &[proofs])?.into_pyobject(py)?.into_any()
        }
        other => {
            let phases = other.into_schedule(&name).map_err(bad)?;
            let whole = Whole::default();
            Schedule::judged((phases, whole), &name, &[proofs])?.into_pyobject(py)?.into_any()
        }
    })
}

/// The schedule of an entry on another network.
fn mapped<'py>(py: Python<'py>, id: &str, file: JudgedFile) -> PyResult<Bound<'py, PyAny>> {
    let engine = format!("{ENGINE}: {id}");
    Ok(match file {
        JudgedFile::Steps(checked, bound) => {
            let name = checked.problem().collective().name.clone();
            let found = Found { checked: *checked, bound: *bound, engine, proof: None };
            Schedule::new(&name, vec![found], 0).into_pyobject(py)?.into_any()
        }
        JudgedFile::Throughput(plan) => {
            Throughput::of_checked(&plan)?.into_pyobject(py)?.into_any()
        }
        JudgedFile::Time(checked) => {
            Timed::of_checked(*checked, engine).into_pyobject(py)?.into_any()
        }
        JudgedFile::Tdm(checked) => Tdm::of_checked(*checked).into_pyobject(py)?.into_any(),
    })
}
