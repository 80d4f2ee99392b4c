//! Policies, routings and switching methods over many missions.

use crate::background::Search;
use crate::errors::bad;
use crate::missions::{
    PermutationWord, SWITCHINGS, Words, check_counts, check_lanes, pattern, policies, switchings,
    warn,
};
use crate::network::NetworkArgument;
use crate::problem::thread_count;
use crate::problem::{rule, threads};
use crate::to_python;
use crate::whole::{whole, whole_or_none};
use pavane_traffic::RoutedSimulator;
use pavane_traffic::compare::{Comparison, MissionOutcome, Row, outcomes};
use pavane_traffic::mission::Uniform;
use pavane_traffic::optimal::Effort;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::atomic::AtomicU64;

/// Missions between two looks at Ctrl-C.
const BLOCK: u64 = 64;

/// Compares policies, routings and switching methods over many random missions: one record for every
/// combination, as `pavane traffic compare`.
///
/// `switching`, `routing` and `policy` are names, several of them separated by commas or in a list; policies
/// are all by default. `optimal` is the number of missions whose shortest makespan is searched: the records
/// then have the `ratio` to it, and a record with the policy "opt" the number of proved optima. The other
/// keywords and all defaults are those of `pavane traffic compare`. A `mean` is None if a mission
/// deadlocked, and a RuntimeWarning says so; `empty` counts missions that drew no message, which are not part of
/// the mean. Returns a list of records, which has `to_pandas()`; after Ctrl-C it is about the missions
/// that were done.
#[pyfunction]
#[pyo3(signature = (network, *, missions=1000, density=0.95, hot_spots=None, permutation=None, mean=10.0, sigma=5.0,
                    window=0.0, seed=1, switching=None, routing=None, policy=None, duplex="half", lanes=1, buffer=None,
                    edd=false, optimal=0, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn compare_traffic<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    #[pyo3(from_py_with = whole)] missions: u64,
    density: f64,
    #[pyo3(from_py_with = whole_or_none)] hot_spots: Option<u32>,
    permutation: Option<PermutationWord>,
    mean: f64,
    sigma: f64,
    window: f64,
    #[pyo3(from_py_with = whole)] seed: u64,
    switching: Option<Words>,
    routing: Option<Words>,
    policy: Option<Words>,
    duplex: &str,
    #[pyo3(from_py_with = whole)] lanes: u32,
    #[pyo3(from_py_with = whole_or_none)] buffer: Option<u32>,
    edd: bool,
    #[pyo3(from_py_with = whole)] optimal: u64,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    check_counts(Some(lanes), buffer)?;
    if missions == 0 {
        return Err(bad("missions must be at least 1"));
    }
    let network = network.0.broken;
    let uniform = Uniform {
        pattern: pattern(hot_spots, permutation.as_ref())?,
        density,
        mean,
        sigma,
        window,
    };
    uniform.check(&network).map_err(bad)?;
    let switchings = switchings(switching, SWITCHINGS, lanes, buffer)?;
    check_lanes(Some(lanes), buffer, &switchings)?;
    let policies = policies(policy, &["all"], edd)?;
    let duplex = rule("duplex", duplex)?;
    let simulators =
        RoutedSimulator::list(&network, duplex, &Words::list(routing), &switchings).map_err(bad)?;
    let threads = self::threads(threads);
    let search = Search::limited(None, None)?;
    let stop = search.stop();
    let work = move || {
        pavane_search::use_threads(threads);
        let comparison = Comparison {
            uniform,
            missions,
            seed,
            simulators: &simulators,
            switchings: &switchings,
            policies: &policies,
            optimal,
            effort: Effort::default(),
        };
        let all = outcomes_in_blocks(&comparison, &|| stop.is_raised())?;
        let rows = comparison.rows(&all).map_err(|error| error.to_string())?;
        Ok::<Vec<Row>, String>(rows)
    };
    search.run(py, work)?.keep(py, |found| {
        let rows = found.map_err(bad)?;
        let unfinished: u64 = rows.iter().map(|row| row.unfinished).sum();
        if unfinished > 0 {
            warn(py, format!("{unfinished} runs did not finish: deadlock"))?;
        }
        let records = to_python(py, &rows.iter().map(record).collect())?;
        py.import("pavane._records")?.getattr("TrafficComparison")?.call1((records,))
    })
}

/// The outcomes of the missions; after an interrupt, of the first ones.
pub fn outcomes_in_blocks(
    comparison: &Comparison<'_>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<MissionOutcome>, String> {
    let missions = comparison.missions;
    let mut all = Vec::new();
    for first in (0..missions).step_by(BLOCK as usize) {
        if is_stopped() && !all.is_empty() {
            break;
        }
        let block = first..missions.min(first + BLOCK);
        let found = outcomes(comparison, block, &AtomicU64::new(0));
        all.extend(found.map_err(|error| error.to_string())?);
    }
    Ok(all)
}

fn record(row: &Row) -> Value {
    json!({
        "switching": row.switching.name(),
        "routing": row.routing,
        "routing_reason": row.reason,
        "policy": row.policy,
        "mean": row.mean().map(|mean| mean.mean),
        "confidence": row.mean().and_then(|mean| mean.half_width),
        "mean_of_finished": row.makespan.map(|makespan| makespan.mean),
        "finished": row.finished(),
        "empty": row.empty,
        "unfinished": row.unfinished,
        "ratio": row.ratio,
        "proved": row.proved.map(|(proved, _)| proved),
        "bound": row.proved.map(|(_, bound)| bound),
    })
}
