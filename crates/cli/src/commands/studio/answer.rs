//! Result of a job: a checked schedule of any kind, or figures about several, and its downloads.

use super::bounds;
use super::contest::{self, StudioComparison};
use super::deadlock;
use super::fault_limits::{self, FaultLimitsAnswer};
use super::fault_steps;
use super::figures::Figures;
use super::front::{self, StudioFront};
use super::job::Job;
use super::opened;
use super::plan_repair;
use super::queue::Queue;
use super::request::JobRequest;
use super::schedule::{self, ScheduleAnswer};
use super::table;
use super::tdm::{self, TdmAnswer};
use super::throughput::{self, ThroughputAnswer};
use super::timed::{self, StudioTimed};
use super::traffic;
use super::tuning::{self, StudioTuning};
use pavane_search::fault::{Keep, Terms};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time to improve the first schedule; short, because a user waits.
pub(super) const SOON: Duration = Duration::from_secs(8);

/// The result of a job.
pub enum Answer {
    /// A schedule.
    Schedule(ScheduleAnswer),
    /// A throughput plan.
    Throughput(Box<ThroughputAnswer>),
    /// The throughput that every fault costs.
    FaultLimits(FaultLimitsAnswer),
    /// A TDM schedule.
    Tdm(Box<TdmAnswer>),
    /// A timed schedule.
    Timed(Box<StudioTimed>),
    /// k-synchronous schedules.
    Front(Box<StudioFront>),
    /// Timed schedules of several algorithms.
    Comparison(StudioComparison),
    /// The best schedules for several sizes.
    Tuning(StudioTuning),
    /// Costs in steps, bounds, deadlocks or traffic.
    Figures(Figures),
}

impl Answer {
    /// Total steps of all phases, or the period; 0 without steps.
    pub fn steps(&self) -> u32 {
        match self {
            Self::Schedule(answer) => answer.steps(),
            Self::Tdm(answer) => answer.period(),
            _ => 0,
        }
    }

    /// Sum of the bounds of all phases; 0 without steps.
    pub fn bound(&self) -> u32 {
        match self {
            Self::Schedule(answer) => answer.bound(),
            Self::Tdm(answer) => answer.bound(),
            _ => 0,
        }
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Schedule(answer) => answer.bytes(),
            Self::Throughput(answer) => answer.bytes(),
            Self::FaultLimits(answer) => answer.bytes(),
            Self::Tdm(answer) => answer.bytes(),
            Self::Timed(answer) => answer.bytes(),
            Self::Front(answer) => answer.bytes(),
            Self::Comparison(answer) => answer.bytes(),
            Self::Tuning(answer) => answer.bytes(),
            Self::Figures(answer) => answer.bytes(),
        }
    }

    /// Data for the page. `query` has further wishes of the page, by name.
    pub fn data(&self, query: &BTreeMap<String, String>) -> Result<Value, String> {
        match self {
            Self::Schedule(answer) => answer.data(),
            Self::Throughput(answer) => answer.data(),
            Self::FaultLimits(answer) => answer.data(),
            Self::Tdm(answer) => answer.data(),
            Self::Timed(answer) => answer.data(),
            Self::Front(answer) => answer.data(query),
            Self::Comparison(answer) => answer.data(query),
            Self::Tuning(answer) => Ok(answer.data()),
            Self::Figures(answer) => Ok(answer.data()),
        }
    }

    /// A download in a given format. `query` has further wishes of the page, by name.
    pub fn download(
        &self,
        format: &str,
        query: &BTreeMap<String, String>,
    ) -> Result<Download, String> {
        match self {
            Self::Schedule(answer) => answer.download(format),
            Self::Throughput(answer) => answer.download(format, query),
            Self::FaultLimits(answer) => answer.download(format),
            Self::Tdm(answer) => answer.download(format),
            Self::Timed(answer) => answer.download(format),
            Self::Front(answer) => answer.download(format, query),
            Self::Comparison(answer) => answer.download(format, query),
            Self::Tuning(answer) => answer.download(format, query),
            Self::Figures(answer) => answer.download(format),
        }
    }
}

/// A file to download.
pub struct Download {
    /// File name.
    pub name: String,
    /// MIME type.
    pub kind: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Runs a job and stores its result.
pub fn make(queue: &Queue, job: &Job, time: Duration) -> Result<(), String> {
    if job.is_stopped() {
        return Err("cancelled".to_owned());
    }
    let answer = match &job.request {
        JobRequest::Solve(asked) => Answer::Schedule(schedule::solve(asked, job, time)?),
        JobRequest::Open(asked) => opened::open(asked)?,
        JobRequest::Repair { of, faults, keep, keep_steps } => {
            let keep = keep.map(|percent| f64::from(percent) / 100.0);
            let before = queue.find(*of).and_then(|job| job.answer());
            let before = before
                .ok_or("what is to be repaired is no longer in memory; find it again first")?;
            match &*before {
                Answer::Schedule(before) => {
                    // Unless the user demands it, keeping transfers has no weight here: the page shows
                    // the cost of a fault by the shortest schedule.
                    let keep = keep.map_or(Keep::Prefer(0.0), Keep::AtLeast);
                    let terms = Terms { keep, keep_steps: *keep_steps };
                    Answer::Schedule(schedule::mend(before, faults, terms, (job, time))?)
                }
                _ if *keep_steps => {
                    return Err("keep_steps: only schedules by steps keep their steps".to_owned());
                }
                Answer::Throughput(before) => {
                    Answer::Throughput(Box::new(plan_repair::mend(before, faults, keep, job)?))
                }
                Answer::Timed(before) => {
                    Answer::Timed(Box::new(timed::mend(before, faults, keep, job)?))
                }
                _ => return Err(format!("job {of} has neither a schedule nor a plan to repair")),
            }
        }
        JobRequest::Throughput(asked) => {
            Answer::Throughput(Box::new(throughput::compute(asked, job)?))
        }
        JobRequest::FaultLimits(asked) => Answer::FaultLimits(fault_limits::compute(asked, job)?),
        JobRequest::Tdm(asked) => Answer::Tdm(Box::new(tdm::compute(asked, job, time)?)),
        JobRequest::Timed(asked) => Answer::Timed(Box::new(timed::compute(asked, job, time)?)),
        JobRequest::Pareto(asked) => Answer::Front(Box::new(front::compute(asked, job, time)?)),
        JobRequest::Compare(asked) => Answer::Comparison(contest::compute(asked, job, time)?),
        JobRequest::Tune(asked) => Answer::Tuning(tuning::compute(asked, job, time)?),
        JobRequest::Faults(asked) => Answer::Figures(fault_steps::compute(asked, job, time)?),
        JobRequest::Bounds(asked) => Answer::Figures(bounds::compute(asked, job, time)?),
        JobRequest::Deadlock(asked) => Answer::Figures(deadlock::compute(asked)?),
        JobRequest::Traffic(asked) => Answer::Figures(traffic::compute(asked)?),
        JobRequest::Table { table, runs } => return table::run(job, table, *runs),
    };
    job.keep(answer);
    Ok(())
}
