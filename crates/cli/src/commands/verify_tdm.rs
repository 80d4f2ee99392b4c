//! `pavane verify FILE` for TDM schedules.

use super::verify::print_violations;
use crate::args::VerifyArgs;
use crate::output::Failure;
use crate::report::tdm::{TdmRefutationReport, TdmVerdictReport};
use crate::report::verify::PlanViolation;
use crate::words;
use pavane_model::format::open_beside;
use pavane_model::tdm::TdmRefutation;
use pavane_model::words::counted;
use pavane_model::{Network, TdmSchedule, claims};
use pavane_networks::name_check;
use pavane_verify::{TdmBoundError, TdmVerdict, check_refuted_period, judge_tdm_within};
use std::io::Write;
use std::path::Path;

/// A schedule with the judge's verdict.
pub struct JudgedTdm {
    schedule: TdmSchedule,
    /// The verdict.
    pub verdict: TdmVerdict,
}

/// Judges a schedule; fails if it is for another network.
pub fn judge(
    path: &Path,
    schedule: TdmSchedule,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<JudgedTdm, String> {
    check_network(path, schedule.problem.network(), wanted)?;
    let open = |name: &str| open_beside(path, name);
    let verdict = judge_tdm_within(&schedule, &open, args.max_work);
    Ok(JudgedTdm { schedule, verdict })
}

/// Fails if a file is for another network.
fn check_network(path: &Path, network: &Network, wanted: Option<&Network>) -> Result<(), String> {
    let Some(wanted) = wanted else { return Ok(()) };
    let left = claims::left_of(network, wanted);
    if left.is_some_and(|broken| network.has_same_channels_as(&broken)) {
        return Ok(());
    }
    let found = words::stored_network(network, None);
    let (path, wanted) = (path.display(), wanted.name());
    Err(format!("{path}: the schedule is for the network {found}, not for {wanted}"))
}

/// A refuted period with the judge's verdict.
pub struct JudgedRefutation {
    refutation: TdmRefutation,
    verdict: Result<(), TdmBoundError>,
}

/// Judges a refuted period; fails if it is for another network.
pub fn judge_refutation(
    path: &Path,
    refutation: TdmRefutation,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<JudgedRefutation, String> {
    check_network(path, refutation.problem.network(), wanted)?;
    let open = |name: &str| open_beside(path, name);
    let verdict = check_refuted_period(&refutation, &open, args.max_work);
    Ok(JudgedRefutation { refutation, verdict })
}

impl JudgedRefutation {
    /// Whether the period is proved impossible.
    pub fn is_fine(&self) -> bool {
        self.verdict.is_ok()
    }

    /// Why it cannot be judged within the limits on cost, if so.
    pub fn over_limit(&self) -> Option<String> {
        match &self.verdict {
            Err(TdmBoundError::OverLimit(over)) => {
                let is_raised = over.is_about_operations();
                let hint = if is_raised { "; raise the limit with --max-work N" } else { "" };
                Some(format!("the proof is not judged: {over}{hint}"))
            }
            _ => None,
        }
    }

    /// The verdict for JSON.
    pub fn report<'a>(
        &'a self,
        file: &'a str,
        wanted: Option<&'a Network>,
    ) -> TdmRefutationReport<'a> {
        let network = self.refutation.problem.network();
        TdmRefutationReport {
            file,
            network: wanted.unwrap_or(network).name(),
            network_checked: wanted.is_some() || name_check::is_network_right(network),
            refuted_period: self.is_fine().then_some(self.refutation.period),
            bound_error: self.verdict.as_ref().err().map(ToString::to_string),
        }
    }

    /// Prints the verdict.
    pub fn print(
        &self,
        out: &mut dyn Write,
        path: &str,
        wanted: Option<&Network>,
    ) -> Result<(), Failure> {
        let period = counted(self.refutation.period, "slot");
        match &self.verdict {
            Ok(()) => writeln!(out, "{path}: refuted: no TDM schedule has a period of {period}")?,
            Err(TdmBoundError::OverLimit(_)) => writeln!(out, "{path}: NOT JUDGED")?,
            Err(_) => writeln!(out, "{path}: NOT REFUTED: a period of {period}")?,
        }
        let problem = &self.refutation.problem;
        let words = counted(problem.word_count(), "word");
        writeln!(out, "  {words} on {}", words::stored_network(problem.network(), wanted))?;
        if let Err(error) = &self.verdict {
            writeln!(out, "  bound: {}", words::printable(&error.to_string()))?;
        }
        Ok(())
    }
}

impl JudgedTdm {
    /// Why the bound cannot be judged within the limits on cost, if so.
    pub fn over_limit(&self) -> Option<String> {
        let over = self.verdict.over_limit()?;
        let hint =
            if over.is_about_operations() { "; raise the limit with --max-work N" } else { "" };
        Some(format!("the bound is not judged: {over}{hint}"))
    }

    fn network(&self) -> &Network {
        self.schedule.problem.network()
    }

    fn violations(&self) -> Vec<PlanViolation> {
        let violations = self.verdict.violations.iter();
        violations.map(|one| PlanViolation::new(one.rule(), one.count(), one)).collect()
    }

    /// The verdict for JSON.
    pub fn report<'a>(
        &'a self,
        file: &'a str,
        wanted: Option<&'a Network>,
    ) -> TdmVerdictReport<'a> {
        let verdict = &self.verdict;
        TdmVerdictReport {
            file,
            network: wanted.unwrap_or(self.network()).name(),
            network_checked: wanted.is_some() || name_check::is_network_right(self.network()),
            period: verdict.period,
            valid: verdict.is_valid(),
            violations: self.violations(),
            violation_count: verdict.violation_count(),
            bound: verdict.proved,
            bound_error: verdict.bound_error.as_ref().map(ToString::to_string),
            optimal: verdict.is_optimal(),
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
        let period = counted(verdict.period, "slot");
        writeln!(out, "{path}: {word} TDM schedule with a period of {period}")?;
        let words = counted(self.schedule.problem.word_count(), "word");
        writeln!(out, "  {words} on {}", words::stored_network(self.network(), wanted))?;
        print_violations(out, &self.violations(), verdict.violation_count())?;
        if let Some(error) = &verdict.bound_error {
            writeln!(out, "  bound: {error}")?;
        }
        if let (true, Some(proved)) = (verdict.is_valid(), verdict.proved) {
            let optimal = if verdict.is_optimal() { "optimal: " } else { "" };
            writeln!(out, "  {optimal}the proved lower bound is {}", counted(proved, "slot"))?;
        }
        Ok(())
    }
}
