//! Files to compare: schedules with steps, and timed schedules.

use super::contest::{Contest, SizeResult};
use crate::args::compare::ScheduleComparisonArgs;
use crate::commands::verify::mismatch;
use crate::output::Failure;
use crate::schedule_file::judged;
use pavane_baselines::{Simulated, from_steps, simulate};
use pavane_model::format::{Stored, read_stored_file};
use pavane_model::timed::BufferSize;
use pavane_model::{Collective, Problem, TimedSchedule};
use pavane_verify::{CheckedSchedule, CheckedTimed, check_timed};
use std::path::{Path, PathBuf};

/// A file to compare.
pub struct Given {
    name: String,
    content: Content,
}

enum Content {
    Steps(Vec<CheckedSchedule>),
    Timed(Box<CheckedTimed>),
}

/// Reads the files and has them judged.
pub fn read(
    paths: &[PathBuf],
    problems: &[Problem],
    args: &ScheduleComparisonArgs,
) -> Result<Vec<Given>, Failure> {
    paths.iter().map(|path| read_one(path, problems, args)).collect()
}

fn read_one(
    path: &Path,
    problems: &[Problem],
    args: &ScheduleComparisonArgs,
) -> Result<Given, Failure> {
    let name = path.display().to_string();
    let stored = read_stored_file(path, args.machine.max_deliveries).map_err(Failure::bad_input)?;
    let content = match stored {
        Stored::Schedule(_) => {
            let (_, phases) = judged(path, args.machine.max_deliveries)?;
            Content::Steps(phases.into_iter().map(|(checked, _)| checked).collect())
        }
        Stored::Timed(schedule) => {
            check_fit(&name, &schedule, problems, args)?;
            let checked = check_timed(*schedule).map_err(|why| {
                Failure::bad_input(format!("{name} is not a valid schedule: {why}"))
            })?;
            Content::Timed(Box::new(checked))
        }
        _ => {
            return Err(Failure::bad_input(format!(
                "--with {name}: only schedules with steps and timed schedules can be compared"
            )));
        }
    };
    Ok(Given { name, content })
}

/// A timed schedule must be for this network, with its bandwidths and latencies, this collective and one
/// of the sizes.
fn check_fit(
    name: &str,
    schedule: &TimedSchedule,
    problems: &[Problem],
    args: &ScheduleComparisonArgs,
) -> Result<(), Failure> {
    let fail = |why: String| Err(Failure::bad_input(format!("--with {name}: {why}")));
    let (found, wanted) = (schedule.phases[0].problem.network(), problems[0].network());
    if let Some(why) = mismatch(&schedule.phases[0].problem, wanted) {
        return fail(format!("the schedule {why}"));
    }
    if found.bandwidths() != wanted.bandwidths() || found.latencies() != wanted.latencies() {
        return fail("its channels have other bandwidths or latencies".to_owned());
    }
    let groups = |it: &Collective| {
        let sorted = |members: &[pavane_model::ProcessorId]| {
            let mut members = members.to_vec();
            members.sort_unstable();
            members
        };
        (it.kind, sorted(&it.senders), sorted(&it.receivers), it.list.clone())
    };
    let phases = schedule.phases.iter().map(|phase| groups(phase.problem.collective()));
    if !phases.eq(problems.iter().map(|problem| groups(problem.collective()))) {
        return fail(format!("it is not a schedule of {}", args.machine.collective));
    }
    match &schedule.size {
        BufferSize::Bytes(bytes) if args.bytes.contains(bytes) => Ok(()),
        BufferSize::Bytes(bytes) => {
            fail(format!("it is for {bytes} bytes; add this size to --bytes"))
        }
        BufferSize::Each(_) => fail("its messages differ in size".to_owned()),
    }
}

/// Adds the files to the schedules for a size.
pub fn add(given: &[Given], contest: &Contest<'_>, result: &mut SizeResult) -> Result<(), Failure> {
    let size = BufferSize::Bytes(result.bytes);
    for Given { name, content } in given {
        match content {
            Content::Steps(phases) => {
                let phases: Vec<&CheckedSchedule> = phases.iter().collect();
                let schedule = from_steps(contest.collective, contest.problems, &phases, &size)
                    .map_err(|why| Failure::bad_input(format!("--with {name}: {why}")))?;
                result.add(simulate(name, 1, schedule)?);
            }
            Content::Timed(checked) if checked.schedule().size == size => {
                let checked = (**checked).clone();
                result.add(Simulated { name: name.clone(), slices: 1, checked });
            }
            Content::Timed(_) => {}
        }
    }
    Ok(())
}
