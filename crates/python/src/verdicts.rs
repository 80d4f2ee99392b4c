//! Functions that verify files.

use crate::errors::bad;
use crate::files::{FileArgument, Proofs};
use crate::network::NetworkArgument;
use crate::tdm::tdm_verdict;
use crate::whole::whole_or_none;
use crate::{contingencies, quantity, to_python};
use pavane_interop::import::foreign_format;
use pavane_interop::plan;
use pavane_model::format::{Phase, Refutation, Stored};
use pavane_model::tdm::TdmRefutation;
use pavane_model::{FileSource, Network, Problem, ThroughputPlan, TimedSchedule, claims, problem};
use pavane_networks::name_check;
use pavane_tuning::foreign::{ForeignSchedule, judge_foreign};
use pavane_verify::{
    BoundError, Limits, PlanJudgeError, TimedError, TimedVerdict, Verdict, WholeVerdict,
    check_bound_within, check_refuted_period, judge_plan_within, judge_timed_within, judge_whole,
    judge_within,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What a file is verified against, and the limits of that.
struct Wanted {
    network: Option<Network>,
    bytes: Option<u64>,
    max_deliveries: u64,
    max_work: Option<u64>,
}

/// Verifies a file, a path or its content as bytes: a schedule, with for every phase valid, steps, bound, optimal and
/// the violations, and last the same for the all-reduce of two phases, with the start of its broadcast; a throughput
/// plan: valid, ns_per_byte, limit_ns_per_byte, optimal and the violations; a timed schedule: valid, time_ns, bound_ns,
/// optimal and the violations; a TDM schedule: valid, period, bound, optimal and the violations; or a refutation: the
/// refuted number of steps, or refuted_period, None if it is not proved. A folder of `Problem.faults(save=…)` has a verdict
/// for every collective, with its problems.
///
/// With `network`, the schedule must be for this network. Files of TE-CCL, MSCCL, MSCCL++ and SCCL are timed on
/// `network` for the size `bytes`, as in nccl-tests, and have their claims in addition. `max_deliveries` limits the
/// schedule, and `max_work` the operations that check a bound.
#[pyfunction]
#[pyo3(signature = (file, *, network=None, bytes=None, max_deliveries=problem::DELIVERIES, max_work=None))]
pub fn verify<'py>(
    py: Python<'py>,
    file: FileArgument,
    network: Option<NetworkArgument>,
    bytes: Option<Bound<'py, PyAny>>,
    max_deliveries: u64,
    #[pyo3(from_py_with = whole_or_none)] max_work: Option<u64>,
) -> PyResult<Bound<'py, PyAny>> {
    let FileArgument(file) = file;
    let wanted = Wanted {
        network: network.map(|network| network.0.broken),
        bytes: bytes.map(|value| quantity::size("bytes", &value)).transpose()?,
        max_deliveries,
        max_work,
    };
    let verdicts = py.detach(|| wanted.judge(&file))?;
    to_python(py, &Value::Array(verdicts))
}

impl Wanted {
    fn judge(&self, file: &FileSource) -> PyResult<Vec<Value>> {
        if let FileSource::Path(folder) = file
            && folder.is_dir()
        {
            let mismatch = |problem: &Problem| self.check_problem(problem).err();
            let limits = (self.max_deliveries, self.max_work);
            return contingencies::verdicts(folder, &mismatch, limits);
        }
        let name = file.name();
        let at = |why: &dyn std::fmt::Display| bad(format!("{name}: {why}"));
        let stored = match file.stored(self.max_deliveries) {
            Ok(stored) => stored,
            Err(error) => {
                let text = file.text().ok().filter(|text| foreign_format(text).is_some());
                let judged = text.map(|text| self.foreign(&text).map_err(|why| at(&why)));
                return Ok(vec![judged.unwrap_or_else(|| Err(bad(error)))?]);
            }
        };
        let limits = |problem: &Problem| Limits::of(problem).with_operations(self.max_work);
        let open = |name: &str| file.open_beside(name);
        Ok(match stored {
            Stored::Schedule(phases, whole) => {
                for phase in &phases {
                    self.check_problem(&phase.problem).map_err(|why| at(&why))?;
                }
                let judged = |phase: Phase| {
                    let Phase { problem, schedule, bound } = phase;
                    let limits = limits(&problem);
                    judge_within(problem, schedule, bound.as_ref(), &open, limits)
                };
                let judged: Vec<Verdict> = phases.into_iter().map(judged).collect();
                let mut verdicts: Vec<Value> = judged.iter().map(of_phase).collect();
                if let [reduce, broadcast] = &judged[..]
                    && let (Some(one), Some(other)) = (&reduce.checked, &broadcast.checked)
                {
                    let limits = limits(other.problem());
                    let proved = [reduce.proved, broadcast.proved];
                    let verdict = judge_whole([one, other], &whole, proved, limits);
                    verdicts.push(of_whole(&verdict, whole.start));
                }
                verdicts
            }
            Stored::Throughput(plan) => {
                self.check_plan(&plan).map_err(|why| at(&why))?;
                vec![plan_verdict(&plan, self.max_work).map_err(|error| at(&error))?]
            }
            Stored::Timed(schedule) => {
                self.check_timed(&schedule).map_err(|why| at(&why))?;
                vec![timed_verdict(&schedule, self.max_work).map_err(|error| at(&error))?]
            }
            Stored::Tdm(schedule) => {
                self.check_channels(schedule.problem.network()).map_err(|why| at(&why))?;
                vec![tdm_verdict(&schedule, &Proofs::Beside(file), self.max_work)]
            }
            Stored::Refutation(refutation) => {
                let Refutation { problem, bound } = *refutation;
                self.check_problem(&problem).map_err(|why| at(&why))?;
                let proved = check_bound_within(&problem, &bound, &open, limits(&problem));
                vec![json!({
                    "refuted": proved.as_ref().ok().map(|steps| steps.saturating_sub(1)),
                    "bound_error": proved.as_ref().err().map(BoundError::to_string),
                })]
            }
            Stored::TdmRefutation(refutation) => {
                self.check_channels(refutation.problem.network()).map_err(|why| at(&why))?;
                vec![refuted_period(&refutation, file, self.max_work)]
            }
        })
    }

    /// A schedule of another program.
    fn foreign(&self, text: &str) -> Result<Value, String> {
        let format = foreign_format(text).unwrap_or_default();
        let (Some(network), Some(bytes)) = (&self.network, self.bytes) else {
            return Err(needs_both(format));
        };
        let judged = judge_foreign(text, network, bytes, self.max_work);
        let judged = judged.unwrap_or_else(|| Err("its format is not known".to_owned()))?;
        let ForeignSchedule { verdict, claims, is_possible, .. } = judged;
        let mut value = of_time(&verdict);
        value["claims"] = json!({
            "format": claims.format,
            "microseconds": claims.time_ns.map(|time| time / 1000.0),
            "algorithm_gbytes": claims.gbytes,
            "possible": is_possible,
            "demands_met": claims.demands_met.map(|(met, _)| met),
            "demands": claims.demands_met.map(|(_, all)| all),
            "notes": claims.notes,
        });
        Ok(value)
    }

    /// Fails if a problem is for another network than the wanted one, apart from its faults.
    fn check_problem(&self, problem: &Problem) -> Result<(), String> {
        let Some(wanted) = &self.network else { return Ok(()) };
        let found = problem.network();
        match claims::left_of(found, wanted) {
            Some(broken) if problem.is_on(&broken) => Ok(()),
            _ => Err(other_network(found, wanted)),
        }
    }

    fn check_channels(&self, found: &Network) -> Result<(), String> {
        let Some(wanted) = &self.network else { return Ok(()) };
        match claims::left_of(found, wanted) {
            Some(broken) if found.has_same_channels_as(&broken) => Ok(()),
            _ => Err(other_network(found, wanted)),
        }
    }

    fn check_plan(&self, plan: &ThroughputPlan) -> Result<(), String> {
        for phase in &plan.phases {
            self.check_problem(&phase.problem)?;
        }
        let found = plan.phases[0].problem.network();
        match self.network.as_ref().filter(|wanted| name_check::states_bandwidths(wanted)) {
            Some(wanted) if !name_check::has_bandwidths_of(found, wanted) => {
                Err(format!("the plan has other bandwidths than {}", wanted.name()))
            }
            _ => Ok(()),
        }
    }

    fn check_timed(&self, schedule: &TimedSchedule) -> Result<(), String> {
        for phase in &schedule.phases {
            self.check_problem(&phase.problem)?;
        }
        let found = schedule.phases[0].problem.network();
        match self.network.as_ref().filter(|wanted| name_check::states_times(wanted)) {
            Some(wanted) if !name_check::has_times_of(found, wanted) => Err(format!(
                "the schedule has other bandwidths or latencies than {}",
                wanted.name()
            )),
            _ => Ok(()),
        }
    }
}

/// Why a file of another program cannot be judged alone.
pub fn needs_both(format: &str) -> String {
    format!(
        "this is a {format} file, which names neither bandwidths nor a size: give both, such as \
         network=\"ndv2:2\", bytes=\"1MB\""
    )
}

fn other_network(found: &Network, wanted: &Network) -> String {
    let (found, wanted) = (name_check::network_in_words(found), wanted.name());
    format!("the schedule is for the network {found}, not for {wanted}")
}

fn of_phase(verdict: &Verdict) -> Value {
    json!({
        "valid": verdict.is_valid(),
        "steps": verdict.steps,
        "bound": verdict.proved,
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    })
}

fn of_whole(verdict: &WholeVerdict, start: Option<u32>) -> Value {
    json!({
        "valid": verdict.is_valid(),
        "steps": verdict.steps,
        "start": start,
        "bound": verdict.proved,
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    })
}

fn refuted_period(refutation: &TdmRefutation, file: &FileSource, max_work: Option<u64>) -> Value {
    let open = |name: &str| file.open_beside(name);
    let refuted = check_refuted_period(refutation, &open, max_work);
    json!({
        "refuted_period": refuted.is_ok().then_some(refutation.period),
        "bound_error": refuted.err().map(|error| error.to_string()),
    })
}

/// The verdict on a throughput plan.
pub fn plan_verdict(plan: &ThroughputPlan, max_work: Option<u64>) -> Result<Value, PlanJudgeError> {
    let verdict = judge_plan_within(plan, max_work)?;
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
pub fn timed_verdict(schedule: &TimedSchedule, max_work: Option<u64>) -> Result<Value, TimedError> {
    Ok(of_time(&judge_timed_within(schedule, max_work)?))
}

fn of_time(verdict: &TimedVerdict) -> Value {
    json!({
        "valid": verdict.is_valid(),
        "time_ns": verdict.time_ns.to_string(),
        "bound_ns": verdict.proved_ns.map(|proved| proved.to_string()),
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    })
}

/// Executes an MSCCL XML or MSCCL++ JSON file, a path or its content as bytes, and lists its errors; the list is empty
/// if it is correct. `collective` (allgather, alltoall, allreduce, reduce_scatter, broadcast or reduce) and `root`
/// replace what the file states, and `slots` is the number of MSCCL sends that may be pending between two thread
/// blocks, that of the MSCCL runtime if it is not given.
#[pyfunction]
#[pyo3(signature = (file, *, collective=None, root=None, slots=None))]
pub fn check_plan(
    file: FileArgument,
    collective: Option<&str>,
    #[pyo3(from_py_with = whole_or_none)] root: Option<u32>,
    #[pyo3(from_py_with = whole_or_none)] slots: Option<u32>,
) -> PyResult<Vec<String>> {
    let FileArgument(file) = file;
    let at = |error: String| bad(format!("{}: {error}", file.name()));
    if slots == Some(0) {
        return Err(bad("slots=0 is not valid; use a number of at least 1"));
    }
    let text = file.text().map_err(bad)?;
    let mut plan = plan::read(&text).map_err(|error| at(error.to_string()))?;
    plan.demand(collective, root, slots).map_err(|error| at(error.to_string()))?;
    Ok(plan.faults().iter().map(ToString::to_string).collect())
}
