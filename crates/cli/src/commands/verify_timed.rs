//! `pavane verify FILE` for timed schedules.

use super::foreign;
use super::verify::{mismatch, names, print_violations};
use crate::args::VerifyArgs;
use crate::output::Failure;
use crate::report::verify::{ForeignClaims, PlanViolation, TimedFileVerdict};
use crate::words;
use pavane_model::{Network, Problem, TimedSchedule, claims};
use pavane_networks::name_check;
use pavane_verify::{TimedVerdict, judge_timed_within};
use std::io::Write;
use std::path::Path;

/// A timed schedule with the judge's verdict.
pub struct JudgedTimed {
    /// The schedule.
    pub schedule: TimedSchedule,
    /// The verdict.
    pub verdict: TimedVerdict,
    /// With a schedule of another program: what its file claims.
    pub claims: Option<ForeignClaims>,
}

/// Judges a timed schedule; fails if it is for another network or cannot be judged.
pub fn judge(
    path: &Path,
    schedule: TimedSchedule,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<JudgedTimed, String> {
    let at = |problem: String| format!("{}: {problem}", path.display());
    for phase in &schedule.phases {
        if let Some(why) = wanted.and_then(|wanted| mismatch(&phase.problem, wanted)) {
            return Err(at(format!("the schedule {why}")));
        }
    }
    if let Some(wanted) = wanted.filter(|wanted| name_check::states_times(wanted))
        && !name_check::has_times_of(schedule.phases[0].problem.network(), wanted)
    {
        let name = wanted.name();
        return Err(at(format!("the schedule has other bandwidths or latencies than {name}")));
    }
    let verdict = judge_timed_within(&schedule, args.max_work);
    let verdict = verdict.map_err(|error| at(error.to_string()))?;
    Ok(JudgedTimed { schedule, verdict, claims: None })
}

impl JudgedTimed {
    fn are_times_checked(&self, wanted: Option<&Network>) -> bool {
        let network = self.schedule.phases[0].problem.network();
        match wanted {
            Some(wanted) => name_check::has_times_of(network, wanted),
            None => name_check::are_times_right(network),
        }
    }

    /// Whether the schedule is valid, its bound proved, and what another program claims possible.
    pub fn is_fine(&self) -> bool {
        self.verdict.is_fine() && self.claims.as_ref().is_none_or(|claims| claims.possible)
    }

    /// Why the bound cannot be judged within the limits on cost, if so.
    pub fn over_limit(&self) -> Option<String> {
        let over = self.verdict.over_limit()?;
        let hint =
            if over.is_about_operations() { "; raise the limit with --max-work N" } else { "" };
        Some(format!("the bound is not judged: {over}{hint}"))
    }

    fn violations(&self) -> Vec<PlanViolation> {
        let violations = self.verdict.violations.iter();
        violations.map(|one| PlanViolation::new(one.rule(), one.count(), one)).collect()
    }

    fn problems(&self) -> Vec<&Problem> {
        self.schedule.phases.iter().map(|phase| &phase.problem).collect()
    }

    /// The verdict as JSON.
    pub fn report<'a>(
        &'a self,
        file: &'a str,
        wanted: Option<&'a Network>,
    ) -> TimedFileVerdict<'a> {
        let verdict = &self.verdict;
        let mut names = names(&self.schedule.phases[0].problem, wanted);
        if self.schedule.phases.len() > 1 {
            names.collective = &self.schedule.name;
            let phases = self.problems();
            names.collective_checked = claims::is_all_reduce_right(&self.schedule.name, &phases);
            names.kind = "all-reduce";
        }
        TimedFileVerdict {
            file,
            names,
            times_checked: self.are_times_checked(wanted),
            valid: verdict.is_valid(),
            violations: self.violations(),
            violation_count: verdict.violation_count(),
            time_ns: verdict.time_ns.to_string(),
            bound_ns: verdict.proved_ns.map(|proved| proved.to_string()),
            bound_error: verdict.bound_error.as_ref().map(ToString::to_string),
            optimal: verdict.is_optimal(),
            claims: self.claims.as_ref(),
        }
    }

    /// Prints the verdict.
    pub fn print(
        &self,
        out: &mut dyn Write,
        path: &str,
        wanted: Option<&Network>,
    ) -> Result<(), Failure> {
        let verdict = &self.verdict;
        let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
        writeln!(out, "{path}: {word} timed schedule")?;
        let collective = claims::phases_in_words(&self.schedule.name, &self.problems());
        let network = words::stored_network(self.schedule.phases[0].problem.network(), wanted);
        let times = match &self.claims {
            None if self.are_times_checked(wanted) => "",
            None => ", with the bandwidths and latencies in the file",
            Some(_) => ", every send as early as the order in the file allows",
        };
        writeln!(out, "  {} on {network}{times}", words::printable(&collective))?;
        if let Some(claims) = &self.claims {
            foreign::print_claims(out, "  ", claims, self.verdict.proved_ns)?;
        }
        print_violations(out, &self.violations(), verdict.violation_count())?;
        if let Some(error) = &verdict.bound_error {
            writeln!(out, "  bound: {error}")?;
        }
        if verdict.is_valid() {
            writeln!(out, "  {}", self.in_words())?;
        }
        Ok(())
    }

    fn in_words(&self) -> String {
        let TimedVerdict { time_ns, proved_ns, .. } = &self.verdict;
        let time = format!("{:.4} µs", time_ns.to_f64() / 1000.0);
        match proved_ns {
            _ if self.verdict.is_optimal() => format!("optimal: {time} is the proved bound"),
            Some(bound) => format!("{time}; the proved bound is {:.4} µs", bound.to_f64() / 1000.0),
            None => time,
        }
    }
}
