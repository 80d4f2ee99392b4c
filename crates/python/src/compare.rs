//! Comparison with the algorithms of libraries and with files.

use crate::background::Ended;
use crate::background::Search;
use crate::collective::{CollectiveArgument, title};
use crate::errors::{bad, bug, unless_interrupted};
use crate::files::FileArgument;
use crate::machine::problems;
use crate::members::Group;
use crate::network::NetworkArgument;
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::{rule, threads};
use crate::whole::{whole, whole_or_none};
use crate::{quantity, to_python};
use pavane_model::{Duplex, FileSource, Model, Problem, problem};
use pavane_throughput::rates::{Payload, Rate};
use pavane_timed::search_time;
use pavane_tuning::compare::{
    ComparedFile, ComparedSchedule, ComparedSize, ComparisonError, ComparisonRequest, FilesRequest,
    algorithms, compare, read_files,
};
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit of the search for each size, as that of `pavane compare`.
const TIME: Duration = Duration::from_secs(10);

/// The sizes of a keyword, each once: one, or several, in a list or separated by commas. A text such as "1KB..1GB" is a
/// range in which each size is `factor` times the one before.
fn sizes(value: &Bound<'_, PyAny>, factor: u64) -> PyResult<Vec<u64>> {
    let mut given = Vec::new();
    if let Ok(text) = value.cast::<PyString>() {
        given
            .extend(text.call_method1("split", (",",))?.try_iter()?.collect::<PyResult<Vec<_>>>()?);
    } else if let Ok(several) = value.try_iter() {
        given.extend(several.collect::<PyResult<Vec<_>>>()?);
    } else {
        given.push(value.clone());
    }
    let mut sizes: Vec<u64> = Vec::new();
    for one in &given {
        let is_range = one.extract::<String>().is_ok_and(|text| text.contains(".."));
        let (least, most) = if is_range {
            quantity::range("bytes", one)?
        } else {
            let size = quantity::size("bytes", one)?;
            (size, size)
        };
        for size in pavane_tuning::sizes(least, most, factor) {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
    }
    if sizes.is_empty() {
        return Err(bad("bytes: give at least one size"));
    }
    Ok(sizes)
}

/// The bandwidths of a time for a size.
pub fn rate(problems: &[Problem], bytes: u64, time_ns: pavane_model::Fraction) -> Option<Rate> {
    Payload { problems, bytes: Some(bytes), unit: None }.rate_of_time(bytes, time_ns)
}

fn entry(problems: &[Problem], size: &ComparedSize, entry: &ComparedSchedule) -> Value {
    let ComparedSchedule { simulated, claims } = entry;
    let time = simulated.time_ns();
    let rate = rate(problems, size.bytes, time);
    let phases = &simulated.checked.schedule().phases;
    let mut record = json!({
        "name": simulated.name,
        "microseconds": time.to_f64() / 1000.0,
        "time_ns": time.to_string(),
        "algorithm_gbytes": rate.and_then(|rate| rate.algorithm_gbytes),
        "bus_gbytes": rate.and_then(|rate| rate.bus_gbytes),
        "times_bound": time.to_f64() / size.bound_ns.to_f64(),
        "chunks": phases.iter().map(|phase| phase.chunks.len()).sum::<usize>(),
        "sends": phases.iter().map(|phase| phase.sends.len()).sum::<usize>(),
    });
    if let Some(claims) = claims {
        record["claims"] = json!({
            "format": claims.format,
            "microseconds": claims.time_ns.map(|time| time / 1000.0),
            "algorithm_gbytes": claims.gbytes,
            "possible": claims.is_possible(Some(size.bound_ns)),
            "demands_met": claims.demands_met.map(|(met, _)| met),
            "demands": claims.demands_met.map(|(_, all)| all),
            "notes": claims.notes,
        });
    }
    record
}

/// A timed schedule beside rings, trees, recursive doubling, Bruck's algorithm, direct sends and the
/// schedules in `files`, all simulated under the same rules and judged, the quickest first.
///
/// `bytes` is a size as in nccl-tests, or several; in a range such as "1KB..1GB", each size is `factor` times the one
/// before. `files` are files, paths or their content as bytes: schedules with steps, throughput plans, timed schedules for
/// one of the sizes, and schedules of MSCCL, MSCCL++, SCCL and TE-CCL. The other keywords
/// are those of `timed`; the search takes `time` seconds (10 if neither is given) or `evaluations` random
/// restarts for each size. Returns a list with a dictionary for every size, as `pavane compare --json` prints
/// it; its `to_pandas()` has a row for every schedule. Ctrl-C raises `Interrupted`.
#[pyfunction(name = "compare")]
#[pyo3(signature = (network, collective, *, bytes, factor=16, files=vec![], root=None, senders=None, receivers=None,
                    bandwidth=None, latency=None, duplex="full", max_deliveries=problem::DELIVERIES, seed=1, time=None,
                    evaluations=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn compare_all<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    collective: CollectiveArgument,
    bytes: Bound<'py, PyAny>,
    #[pyo3(from_py_with = whole)] factor: u64,
    files: Vec<FileArgument>,
    root: Option<Bound<'_, PyAny>>,
    senders: Option<Bound<'_, PyAny>>,
    receivers: Option<Bound<'_, PyAny>>,
    bandwidth: Option<Bound<'py, PyAny>>,
    latency: Option<Bound<'py, PyAny>>,
    duplex: &str,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    time: Option<Seconds>,
    #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let search = Search::limited(time, evaluations.is_none().then_some(TIME))?;
    let CollectiveArgument(collective) = collective;
    let sizes = sizes(&bytes, quantity::factor(factor)?)?;
    let files: Vec<FileSource> = files.into_iter().map(|file| file.0).collect();
    let duplex: Duplex = rule("duplex", duplex)?;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let rules = (Model::default(), max_deliveries);
    let problems = problems(&network.0, &collective, group, bandwidth, latency, rules)?;
    let collective = title(&collective).to_owned();
    let (name, phases, threads) = (collective.clone(), problems.clone(), self::threads(threads));
    let (stop, clock, time) = (search.stop(), search.clock, search.time);
    let work = move || -> Result<Vec<ComparedSize>, ComparisonError> {
        let is_stopped = || stop.is_raised();
        let files: Vec<ComparedFile> = read_files(
            &files,
            &FilesRequest {
                collective: &name,
                problems: &phases,
                sizes: &sizes,
                duplex,
                max_deliveries,
                stop: &is_stopped,
            },
        )?;
        let mut results = Vec::new();
        for &bytes in &sizes {
            let others = algorithms(&name, &phases, duplex, bytes, &is_stopped)?;
            let started = clock.elapsed();
            let end = time.and_then(|time| clock.after(started + search_time(time)));
            let end = stop.clone().until(end);
            let request = ComparisonRequest {
                collective: &name,
                problems: &phases,
                duplex,
                seed,
                rounds: evaluations,
                threads,
                stop: &|| end.is_raised(),
            };
            results.push(compare(&request, bytes, others, &files)?);
        }
        Ok(results)
    };
    let Ended { answer, interrupt } = search.run(py, work)?;
    let found = match answer {
        Ok(found) => found,
        Err(error) => {
            let error = match error {
                ComparisonError::Baseline(_) => bug(error),
                error => bad(error),
            };
            return unless_interrupted(py, interrupt, Err(error));
        }
    };
    let records = found.iter().map(|size| {
        json!({
            "bytes": size.bytes,
            "bound_microseconds": size.bound_ns.to_f64() / 1000.0,
            "algorithms":
                size.entries.iter().map(|it| entry(&problems, size, it)).collect::<Vec<_>>(),
        })
    });
    let records = to_python(py, &records.collect())?;
    let comparison = py.import("pavane._records")?.getattr("Comparison")?.call1((records,));
    unless_interrupted(py, interrupt, comparison)
}
