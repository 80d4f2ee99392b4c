//! Files to compare: schedules with steps, timed schedules, throughput plans, and schedules of other
//! programs. All are simulated and judged before the search starts.

use super::contest::{Entry, SizeResult};
use super::fit::is_same_collective;
use crate::args::compare::ScheduleComparisonArgs;
use crate::commands::foreign::{self, Claimed};
use crate::commands::verify::mismatch;
use crate::output::Failure;
use crate::schedule_file::judged;
use pavane_baselines::{BaselineError, Simulated, from_steps, simulate};
use pavane_interop::import::{foreign_format, read_untimed};
use pavane_model::format::{Stored, read_stored_file};
use pavane_model::timed::BufferSize;
use pavane_model::{Problem, ThroughputPlan, TimedSchedule, text_file};
use pavane_timed::{FollowError, follow};
use pavane_verify::{CheckedSchedule, check_plan, check_timed};
use std::path::{Path, PathBuf};

/// The judged schedule of a file for a size.
pub struct Given {
    bytes: u64,
    simulated: Simulated,
    /// With a file of another program: what it claims.
    claimed: Option<Claimed>,
}

/// Reads the files, and simulates and judges their schedules for every size.
pub fn read(
    paths: &[PathBuf],
    problems: &[Problem],
    args: &ScheduleComparisonArgs,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Given>, Failure> {
    let mut given = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        let reading = Reading { path, name, problems, args, stop };
        given.extend(reading.read()?);
    }
    Ok(given)
}

/// Adds the schedules of files for a size.
pub fn add(given: &[Given], result: &mut SizeResult) {
    let (bytes, bound_ns) = (result.bytes, result.bound_ns);
    for Given { simulated, claimed, .. } in given.iter().filter(|it| it.bytes == bytes) {
        let claims = claimed.as_ref().map(|claimed| claimed.beside(Some(bound_ns)));
        result.add(Entry { simulated: simulated.clone(), claims });
    }
}

/// A file, with what it is compared with.
struct Reading<'a> {
    path: &'a Path,
    name: String,
    problems: &'a [Problem],
    args: &'a ScheduleComparisonArgs,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Reading<'_> {
    fn failure(&self, why: impl std::fmt::Display) -> Failure {
        Failure::bad_input(format!("--with {}: {why}", self.name))
    }

    fn read(&self) -> Result<Vec<Given>, Failure> {
        let stored = match read_stored_file(self.path, self.args.machine.max_deliveries) {
            Ok(stored) => stored,
            Err(error) => {
                let text = text_file::read(self.path).ok();
                return match text.filter(|text| foreign_format(text).is_some()) {
                    Some(text) => self.of_other_program(&text),
                    None => Err(Failure::bad_input(error)),
                };
            }
        };
        match stored {
            Stored::Schedule(_) => self.with_steps(),
            Stored::Timed(schedule) => self.timed(*schedule).map(|one| vec![one]),
            Stored::Throughput(plan) => self.plan(*plan),
            Stored::Refutation(_) | Stored::Tdm(_) => Err(self.failure(
                "only schedules with steps, timed schedules, throughput plans and schedules of MSCCL, \
                 MSCCL++, SCCL and TE-CCL can be compared",
            )),
        }
    }

    /// Simulates a schedule in the order of its sends. The judge may refuse what a file contains.
    fn simulate(
        &self,
        schedule: TimedSchedule,
        claimed: Option<&Claimed>,
    ) -> Result<Simulated, Failure> {
        simulate(&self.name, 1, schedule).map_err(|error| match error {
            BaselineError::Rejected { why, .. } => self.failure(format!(
                "it is not a valid schedule of {}: {why}{} (`pavane verify` lists all violations)",
                self.args.machine.collective,
                claimed.map(Claimed::shortcomings).unwrap_or_default()
            )),
            error => self.failure(error),
        })
    }

    fn for_each_size(
        &self,
        schedule: impl Fn(u64) -> Result<(TimedSchedule, Option<Claimed>), Failure>,
    ) -> Result<Vec<Given>, Failure> {
        let given = |&bytes: &u64| {
            let (schedule, claimed) = schedule(bytes)?;
            let simulated = self.simulate(schedule, claimed.as_ref())?;
            Ok(Given { bytes, simulated, claimed })
        };
        self.args.bytes.iter().map(given).collect()
    }

    fn with_steps(&self) -> Result<Vec<Given>, Failure> {
        let (_, phases) = judged(self.path, self.args.machine.max_deliveries)?;
        let phases: Vec<&CheckedSchedule> = phases.iter().map(|(checked, _)| checked).collect();
        self.for_each_size(|bytes| {
            let size = BufferSize::Bytes(bytes);
            let schedule = from_steps(&self.args.machine.collective, self.problems, &phases, &size);
            Ok((schedule.map_err(|why| self.failure(why))?, None))
        })
    }

    fn of_other_program(&self, text: &str) -> Result<Vec<Given>, Failure> {
        let format = foreign_format(text).unwrap_or_default();
        self.for_each_size(|bytes| {
            let network = self.problems[0].network().clone();
            let read = read_untimed(text, network, bytes);
            let read = read.ok_or_else(|| self.failure("its format is not known"))?;
            let (schedule, claimed) =
                foreign::split(format, read.map_err(|why| self.failure(why))?);
            self.check_collective(&schedule)?;
            Ok((schedule, Some(claimed)))
        })
    }

    /// A timed schedule must be for this network, with its bandwidths and latencies, this collective and
    /// one of the sizes.
    fn timed(&self, schedule: TimedSchedule) -> Result<Given, Failure> {
        let found = &schedule.phases[0].problem;
        let wanted = self.problems[0].network();
        if let Some(why) = mismatch(found, wanted) {
            return Err(self.failure(format!("the schedule {why}")));
        }
        let found = found.network();
        if found.bandwidths() != wanted.bandwidths() || found.latencies() != wanted.latencies() {
            return Err(self.failure("its channels have other bandwidths or latencies"));
        }
        self.check_collective(&schedule)?;
        let bytes = match schedule.size {
            BufferSize::Bytes(bytes) if self.args.bytes.contains(&bytes) => bytes,
            BufferSize::Bytes(bytes) => {
                let why = format!("it is for {bytes} bytes; add this size to --bytes");
                return Err(self.failure(why));
            }
            BufferSize::Each(_) => return Err(self.failure("its messages differ in size")),
        };
        let checked = check_timed(schedule)
            .map_err(|why| self.failure(format!("it is not a valid schedule: {why}")))?;
        let simulated = Simulated { name: self.name.clone(), slices: 1, checked };
        Ok(Given { bytes, simulated, claimed: None })
    }

    /// Chunks along the routes of a plan, as many as are quickest for each size.
    fn plan(&self, plan: ThroughputPlan) -> Result<Vec<Given>, Failure> {
        let checked = check_plan(plan)
            .map_err(|why| self.failure(format!("it is not a valid plan: {why}")))?;
        let given = |&bytes: &u64| {
            let followed = follow(checked.plan(), self.problems, bytes, self.stop);
            let schedule = followed.map_err(|why| match why {
                FollowError::Collective => self.not_this_collective(),
                why => self.failure(why),
            })?;
            let checked = check_timed(schedule).map_err(|why| {
                Failure::Bug(format!("the judge rejected a schedule along {}: {why}", self.name))
            })?;
            let simulated = Simulated { name: self.name.clone(), slices: 1, checked };
            Ok(Given { bytes, simulated, claimed: None })
        };
        self.args.bytes.iter().map(given).collect()
    }

    fn check_collective(&self, schedule: &TimedSchedule) -> Result<(), Failure> {
        let found = schedule.phases.iter().map(|phase| &phase.problem);
        if is_same_collective(&found.collect::<Vec<_>>(), self.problems) {
            Ok(())
        } else {
            Err(self.not_this_collective())
        }
    }

    fn not_this_collective(&self) -> Failure {
        self.failure(format!("it is not a schedule of {}", self.args.machine.collective))
    }
}
