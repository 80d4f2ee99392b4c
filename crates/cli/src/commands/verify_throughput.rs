//! `pavane verify FILE` for throughput plans.

use super::verify::{mismatch, names, print_violations};
use crate::args::VerifyArgs;
use crate::output::Failure;
use crate::report::verify::{PlanViolation, ThroughputVerdict as VerdictReport};
use crate::words;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::{Fraction, Network, Problem, claims};
use pavane_networks::name_check;
use pavane_verify::{ThroughputVerdict, judge_plan_within};
use std::io::Write;
use std::path::Path;

/// A plan with the judge's verdict.
pub struct JudgedPlan {
    plan: ThroughputPlan,
    /// The verdict.
    pub verdict: ThroughputVerdict,
}

/// Judges a plan; fails if it is for another network or cannot be judged.
pub fn judge(
    path: &Path,
    plan: ThroughputPlan,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<JudgedPlan, String> {
    let at = |problem: String| format!("{}: {problem}", path.display());
    if let Some(wanted) = wanted {
        for phase in &plan.phases {
            if let Some(why) = mismatch(&phase.problem, wanted) {
                return Err(at(format!("the plan {why}")));
            }
        }
        let has_any = name_check::states_bandwidths(wanted);
        if has_any && !name_check::has_bandwidths_of(plan.phases[0].problem.network(), wanted) {
            return Err(at(format!("the plan has other bandwidths than {}", wanted.name())));
        }
    }
    let verdict = judge_plan_within(&plan, args.max_work).map_err(|error| at(error.to_string()))?;
    Ok(JudgedPlan { plan, verdict })
}

impl JudgedPlan {
    /// Why the limit cannot be judged within the limits on cost, if so.
    pub fn over_limit(&self) -> Option<String> {
        let over = self.verdict.over_limit()?;
        let hint =
            if over.is_about_operations() { "; raise the limit with --max-work N" } else { "" };
        Some(format!("the limit is not judged: {over}{hint}"))
    }

    fn network(&self) -> &Network {
        self.plan.phases[0].problem.network()
    }

    fn are_bandwidths_checked(&self, wanted: Option<&Network>) -> bool {
        match wanted {
            Some(wanted) => name_check::has_bandwidths_of(self.network(), wanted),
            None => name_check::are_bandwidths_right(self.network()),
        }
    }

    fn violations(&self) -> Vec<PlanViolation> {
        let violations = self.verdict.violations.iter();
        violations.map(|one| PlanViolation::new(one.rule(), one.count(), one)).collect()
    }

    /// The verdict as JSON.
    pub fn report<'a>(&'a self, file: &'a str, wanted: Option<&'a Network>) -> VerdictReport<'a> {
        let verdict = &self.verdict;
        let mut names = names(&self.plan.phases[0].problem, wanted);
        if self.plan.phases.len() > 1 {
            names.collective = &self.plan.name;
            let phases: Vec<&Problem> =
                self.plan.phases.iter().map(|phase| &phase.problem).collect();
            names.collective_checked = claims::is_all_reduce_right(&self.plan.name, &phases)
                && claims::has_all_roots(&phases);
            names.kind = "all-reduce";
        }
        VerdictReport {
            file,
            names,
            bandwidths_checked: self.are_bandwidths_checked(wanted),
            valid: verdict.is_valid(),
            violations: self.violations(),
            violation_count: verdict.violation_count(),
            ns_per_byte: verdict.time.to_string(),
            busiest: verdict.busiest,
            limit_ns_per_byte: verdict.proved.map(|proved| proved.to_string()),
            limit_error: verdict.limit_error.as_ref().map(ToString::to_string),
            throughput_optimal: verdict.is_optimal(),
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
        writeln!(out, "{path}: {word} throughput plan")?;
        let collective = claims::plan_in_words(&self.plan);
        let network = words::stored_network(self.network(), wanted);
        let bandwidths = if self.are_bandwidths_checked(wanted) {
            ""
        } else {
            ", with the bandwidths in the file"
        };
        writeln!(out, "  {} on {network}{bandwidths}", words::printable(&collective))?;
        print_violations(out, &self.violations(), verdict.violation_count())?;
        if let Some(error) = &verdict.limit_error {
            writeln!(out, "  limit: {error}")?;
        }
        if verdict.is_valid() {
            writeln!(out, "  {}", self.in_words())?;
        }
        Ok(())
    }

    fn in_words(&self) -> String {
        let ThroughputVerdict { time, proved, .. } = &self.verdict;
        let is_sized = self.plan.phases.iter().any(|phase| !phase.sizes.is_empty());
        let size = if is_sized { " of size 1" } else { "" };
        let plan = format!("{} ns per byte of a message{size}", decimal(*time));
        match proved {
            _ if self.verdict.is_optimal() => {
                format!("throughput-optimal: {plan} is the proved limit")
            }
            Some(proved) => format!("{plan}; the proved limit is {}", decimal(*proved)),
            None => plan,
        }
    }
}

/// `1/3 (0.333)`, or `25`.
fn decimal(fraction: Fraction) -> String {
    match fraction.denominator() {
        1 => fraction.to_string(),
        _ => format!("{fraction} ({:.4})", fraction.to_f64()),
    }
}
