//! `pavane throughput NETWORK COLLECTIVE`: the throughput limit with its reason, and a plan that the
//! judge has accepted.

pub mod bottleneck;
pub mod printer;
pub mod sizes;

use crate::args::throughput::ThroughputArgs;
use crate::commands::atlas::start::{AtlasUse, of_throughput};
use crate::commands::interrupt;
use crate::output::{DONE, Failure, is_standard};
use crate::picture_file::check_output;
use crate::progress::Ticker;
use pavane_cluster::Cluster;
use pavane_model::{Fraction, Problem, ThroughputPlan};
use pavane_search::budget::{Clock, Interrupt};
use pavane_throughput::answer::{Answer, Request, answer, is_personalised};
use pavane_throughput::automorphisms::generators;
use pavane_throughput::reached::ThroughputError;
use pavane_verify::{CheckedPlan, judge_plan_within};
pub use printer::{AnswerPrinter, a_message, rate_in_words};
use std::process::ExitCode;

/// Computes the limit and a plan, has the plan judged, and prints or writes them.
pub fn run(args: &ThroughputArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let problems = args.load()?;
    if args.trees.is_some() && problems.iter().any(is_personalised) {
        return Err(Failure::bad_input(format!(
            "--trees: messages of {} take paths, not trees; leave the option out",
            args.collective
        )));
    }
    if let Some(path) = &args.output {
        check_output(path, false)?;
    }
    let stop = interrupt::stop_on_interrupt(cluster);
    let deadline = args.time.and_then(|time| clock.after(time));
    let interrupt = Interrupt::never().until(deadline).unless(stop.clone());
    let ticker = Ticker::saying("searching for a plan");
    let sizes = args.sizes.as_deref().map(|path| sizes::read(path, &problems)).transpose()?;
    let relative = sizes.as_ref().map_or(&[][..], |sizes| &sizes.relative);
    let (mut used, known) = match &args.atlas {
        None => (None, None),
        Some(folder) => {
            let (used, known) = of_throughput(folder, &problems)?;
            (Some(used), known)
        }
    };
    let found = match known.filter(CheckedPlan::is_optimal) {
        None => judged(&args.collective, &problems, relative, args.trees, &interrupt)?,
        Some(plan) => {
            used = used.map(AtlasUse::used);
            let proved = plan.proved().map(|(limit, _)| limit);
            Answer::of_plan(plan.plan().clone(), plan.time(), proved)?
        }
    };
    drop(ticker);
    let report = AnswerPrinter {
        collective: &args.collective,
        bytes: args.bytes,
        trees: args.trees,
        problems: &problems,
        found: &found,
        atlas: used.as_ref(),
        unit: sizes.as_ref().map(|sizes| sizes.unit),
    };
    let output = args.output.as_deref();
    if let Some(path) = output {
        report.save(path)?;
    }
    interrupt::tell_of_interrupt(&stop, "plan", found.is_optimal());
    // The plan may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        report.print_json(clock.elapsed().as_secs_f64(), output)?;
    } else {
        report.print(output, args.all)?;
    }
    Ok(DONE)
}

/// Whether the limit can be computed without a plan: for one broadcast or reduction.
pub fn is_limit_separate(problems: &[Problem]) -> bool {
    matches!(problems, [only] if !is_personalised(only))
}

/// Computes the limit of a collective and a plan with at most `trees` trees per root, and has both
/// judged. `sizes` are the relative sizes of its messages, or empty if all are equal. If interrupted,
/// the plan is a simple one.
pub fn judged(
    collective: &str,
    problems: &[Problem],
    sizes: &[u64],
    trees: Option<u32>,
    interrupt: &Interrupt,
) -> Result<Answer, Failure> {
    let stop = || interrupt.is_raised();
    let generators = generators(problems, &stop);
    let request = Request { trees, sizes, generators: &generators, stop: &stop };
    let found = answer(collective, problems, &request)?;
    judge(&found.plan, found.time, found.reason.is_some() && found.is_optimal())?;
    Ok(found)
}

/// Has a plan and its limit judged. It must take the given time, and be optimal only as claimed. Nothing
/// is printed or written that the judge rejects.
pub fn judge(plan: &ThroughputPlan, time: Fraction, is_optimal: bool) -> Result<(), Failure> {
    let verdict = judge_plan_within(plan, Some(u64::MAX)).map_err(Failure::bad_input)?;
    let problem = match (verdict.violations.first(), &verdict.limit_error) {
        (Some(violation), _) => violation.to_string(),
        (None, Some(error)) => error.to_string(),
        (None, None) if verdict.time != time => "the plan takes another time".to_owned(),
        (None, None) if verdict.is_optimal() != is_optimal => {
            "the plan does not take the time of the limit".to_owned()
        }
        (None, None) => return Ok(()),
    };
    Err(Failure::Bug(format!("the judge rejected a throughput plan: {problem}")))
}

impl From<ThroughputError> for Failure {
    fn from(error: ThroughputError) -> Self {
        Self::bad_input(error)
    }
}
