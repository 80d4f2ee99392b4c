//! `pavane verify FILE…`: checks whether a schedule is valid and its claimed bound is proved.

use super::{foreign, verify_folder, verify_tdm, verify_throughput, verify_timed};
use crate::args::VerifyArgs;
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::Ticker;
use crate::report::verify::{
    self as report, FileVerdict, Names, PhaseVerdict, PlanViolation, ViolationReport,
};
use crate::words;
use pavane_model::format::{Phase, Refutation, Stored, open_beside, read_stored_file};
use pavane_model::whole::Whole;
use pavane_model::{Network, Problem, claims, text_file};
use pavane_networks::{import, name_check};
use pavane_verify::{
    BoundError, Limits, Verdict, Violation, WholeVerdict, check_bound_within, judge_whole,
    judge_within,
};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of violations printed per rule and schedule.
const SHOWN: usize = 8;

/// The verdict on a file, or why it cannot be read.
type JudgedFile = (String, Result<Judgement, String>);

/// The judge's verdict on a file.
enum Judgement {
    /// The phases of a schedule, and the all-reduce of two.
    Schedule(Vec<Verdict>, Option<Box<JudgedWhole>>),
    /// A problem with its refuted number of steps, or why the refutation is not proved.
    Refutation(Box<Problem>, Result<u32, BoundError>),
    /// A throughput plan.
    Throughput(Box<verify_throughput::JudgedPlan>),
    /// A timed schedule.
    Timed(Box<verify_timed::JudgedTimed>),
    /// A TDM schedule.
    Tdm(Box<verify_tdm::JudgedTdm>),
    /// A refuted period of TDM schedules.
    TdmRefutation(Box<verify_tdm::JudgedRefutation>),
}

/// An all-reduce: how its phases lie, and the verdict if both are valid.
struct JudgedWhole {
    steps: u32,
    start: Option<u32>,
    verdict: Option<WholeVerdict>,
}

impl JudgedWhole {
    fn of(phases: &[Verdict], whole: &Whole, limits: Limits) -> Option<Box<Self>> {
        let [reduce, broadcast] = phases else { return None };
        let checked = reduce.checked.as_ref().zip(broadcast.checked.as_ref());
        let verdict = checked.map(|(one, other)| {
            judge_whole([one, other], whole, [reduce.proved, broadcast.proved], limits)
        });
        let steps = whole.steps(reduce.steps, broadcast.steps);
        Some(Box::new(Self { steps, start: whole.start, verdict }))
    }

    fn is_valid(&self) -> bool {
        self.verdict.as_ref().is_some_and(WholeVerdict::is_valid)
    }

    fn is_fine(&self) -> bool {
        self.verdict.as_ref().is_some_and(WholeVerdict::is_fine)
    }

    fn violations(&self) -> &[Violation] {
        self.verdict.as_ref().map_or(&[], |verdict| &verdict.violations)
    }

    fn bound_error(&self) -> Option<&BoundError> {
        self.verdict.as_ref()?.bound_error.as_ref()
    }
}

impl Judgement {
    fn is_fine(&self) -> bool {
        match self {
            Self::Schedule(phases, whole) => {
                phases.iter().all(Verdict::is_fine) && whole.as_ref().is_none_or(|it| it.is_fine())
            }
            Self::Refutation(_, refuted) => refuted.is_ok(),
            Self::Throughput(judged) => judged.verdict.is_fine(),
            Self::Timed(judged) => judged.is_fine(),
            Self::Tdm(judged) => judged.verdict.is_fine(),
            Self::TdmRefutation(judged) => judged.is_fine(),
        }
    }

    /// Why it cannot be judged within the limits, if so.
    fn over_limit(&self) -> Option<String> {
        let error = match self {
            Self::Schedule(phases, whole) => {
                let over = phases.iter().find(|phase| phase.over_limit().is_some());
                match over {
                    Some(phase) => phase.bound_error.as_ref()?,
                    None => whole.as_ref().filter(|it| it.is_valid())?.bound_error()?,
                }
            }
            Self::Refutation(_, refuted) => refuted.as_ref().err()?,
            Self::Throughput(judged) => return judged.over_limit(),
            Self::Timed(judged) => return judged.over_limit(),
            Self::Tdm(judged) => return judged.over_limit(),
            Self::TdmRefutation(judged) => return judged.over_limit(),
        };
        over_limit_text(error)
    }
}

/// Why a bound cannot be judged within the limits, and how to raise them, if so.
pub fn over_limit_text(error: &BoundError) -> Option<String> {
    let hint = if error.over_limit()?.is_about_operations() {
        "; raise the limit with --max-work N"
    } else {
        ""
    };
    Some(format!("{error}{hint}"))
}

/// Judges every file.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let network = args.network.as_deref().map(import::load).transpose()?;
    let (folders, files): (Vec<_>, Vec<_>) = args.files.iter().partition(|path| path.is_dir());
    let mut is_fine = true;
    let mut open = Vec::new();
    for folder in folders {
        match verify_folder::run(folder, network.as_ref(), args) {
            Ok(outcome) => {
                is_fine &= outcome.is_fine;
                open.extend(outcome.over_limit);
            }
            Err(Failure::BadInput(why)) => open.push(why),
            Err(failure) => return Err(failure),
        }
    }
    if files.is_empty() {
        return finish(open, is_fine);
    }
    let done = Arc::new(AtomicU64::new(0));
    let ticker = match files.len() {
        1 => Ticker::saying("verifying"),
        total => Ticker::counting(1, "files verified", total as u64, &done),
    };
    let mut verdicts: Vec<JudgedFile> = Vec::new();
    for path in files {
        let judged = judge_file(path, network.as_ref(), args);
        verdicts.push((path.display().to_string(), judged));
        done.fetch_add(1, Ordering::Relaxed);
    }
    drop(ticker);
    if args.json {
        print_verdicts(&verdicts, network.as_ref())?
    } else {
        print_text(&verdicts, network.as_ref())?
    }
    open.extend(verdicts.iter().filter_map(unjudged));
    let mut judged = verdicts.iter().filter_map(|(_, judged)| judged.as_ref().ok());
    finish(open, judged.all(Judgement::is_fine) && is_fine)
}

/// The exit code. What could not be judged goes to standard error, one line each.
fn finish(open: Vec<String>, is_fine: bool) -> Result<ExitCode, Failure> {
    if open.is_empty() {
        return Ok(if is_fine { DONE } else { not_so() });
    }
    let line = |(at, why)| if at == 0 { why } else { format!("error: {why}") };
    Err(Failure::of_lines(open.into_iter().enumerate().map(line)))
}

/// Why a file was not judged completely: it cannot be read, or not be judged within the limits.
fn unjudged((path, judged): &JudgedFile) -> Option<String> {
    match judged {
        Err(error) => Some(error.clone()),
        Ok(judgement) => judgement.over_limit().map(|why| format!("{path}: {why}")),
    }
}

fn judge_file(
    path: &Path,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<Judgement, String> {
    let stored = match read_stored_file(path, args.max_deliveries) {
        Ok(stored) => stored,
        Err(error) => {
            let judge = |text: String| foreign::judge(&text, wanted, args.bytes, args.max_work);
            let Some(judged) = text_file::read(path).ok().and_then(judge) else {
                return Err(error.to_string());
            };
            let judged = judged.map_err(|error| format!("{}: {error}", path.display()))?;
            return Ok(Judgement::Timed(Box::new(judged)));
        }
    };
    let open = |name: &str| open_beside(path, name);
    let limits = |problem: &Problem| Limits::of(problem).with_operations(args.max_work);
    match stored {
        Stored::Schedule(phases, whole) => {
            let limits_of_whole = limits(&phases[phases.len() - 1].problem);
            for phase in &phases {
                check_network(path, &phase.problem, wanted)?;
            }
            let verdict = |phase: Phase| {
                let Phase { problem, schedule, bound } = phase;
                let limits = limits(&problem);
                judge_within(problem, schedule, bound.as_ref(), &open, limits)
            };
            let verdicts: Vec<Verdict> = phases.into_iter().map(verdict).collect();
            let whole = JudgedWhole::of(&verdicts, &whole, limits_of_whole);
            Ok(Judgement::Schedule(verdicts, whole))
        }
        Stored::Refutation(refutation) => {
            let Refutation { problem, bound } = *refutation;
            check_network(path, &problem, wanted)?;
            let proved = check_bound_within(&problem, &bound, &open, limits(&problem));
            Ok(Judgement::Refutation(
                Box::new(problem),
                proved.map(|steps| steps.saturating_sub(1)),
            ))
        }
        Stored::Throughput(plan) => {
            let judged = verify_throughput::judge(path, *plan, wanted, args)?;
            Ok(Judgement::Throughput(Box::new(judged)))
        }
        Stored::Timed(schedule) => {
            let judged = verify_timed::judge(path, *schedule, wanted, args)?;
            Ok(Judgement::Timed(Box::new(judged)))
        }
        Stored::Tdm(schedule) => {
            let judged = verify_tdm::judge(path, *schedule, wanted, args)?;
            Ok(Judgement::Tdm(Box::new(judged)))
        }
        Stored::TdmRefutation(refutation) => {
            let judged = verify_tdm::judge_refutation(path, *refutation, wanted, args)?;
            Ok(Judgement::TdmRefutation(Box::new(judged)))
        }
    }
}

/// Why a problem is not on the network that the user named, with the faults in the file; `None` if
/// it is.
pub fn mismatch(problem: &Problem, wanted: &Network) -> Option<String> {
    let (found, wanted_name) = (problem.network(), wanted.name());
    match claims::left_of(found, wanted) {
        Some(broken) if problem.is_on(&broken) => None,
        Some(broken) if found.has_same_channels_as(&broken) => Some(format!(
            "has the channels of {wanted_name}, but not its links, and half duplex depends on the links; \
             check \"links\" and \"directed\" in the file"
        )),
        _ => Some(format!(
            "is for the network {}, not for {wanted_name}",
            words::stored_network(found, None)
        )),
    }
}

fn check_network(path: &Path, problem: &Problem, wanted: Option<&Network>) -> Result<(), String> {
    match wanted.and_then(|wanted| mismatch(problem, wanted)) {
        Some(why) => Err(format!("{}: the schedule {why}", path.display())),
        None => Ok(()),
    }
}

fn print_verdicts(verdicts: &[JudgedFile], wanted: Option<&Network>) -> Result<(), Failure> {
    match verdicts {
        [only] => print_json(&file_verdict(only, wanted)),
        several => {
            let all = several.iter().map(|one| file_verdict(one, wanted));
            print_json(&all.collect::<Vec<_>>())
        }
    }
}

fn file_verdict<'a>(
    (file, judged): &'a JudgedFile,
    wanted: Option<&'a Network>,
) -> FileVerdict<'a> {
    let verdict = match judged {
        Err(error) => {
            report::Verdict::Unreadable { file, valid: (), status: "error", error, exit_code: 2 }
        }
        Ok(Judgement::Refutation(problem, refuted)) => {
            return FileVerdict::Refutation(report::Refutation {
                file,
                names: names(problem, wanted),
                refuted: refuted.as_ref().ok().copied(),
                bound_error: refuted.as_ref().err().map(ToString::to_string),
            });
        }
        Ok(Judgement::Throughput(judged)) => {
            return FileVerdict::Throughput(Box::new(judged.report(file, wanted)));
        }
        Ok(Judgement::Timed(judged)) => {
            return FileVerdict::Timed(Box::new(judged.report(file, wanted)));
        }
        Ok(Judgement::Tdm(judged)) => {
            return FileVerdict::Tdm(Box::new(judged.report(file, wanted)));
        }
        Ok(Judgement::TdmRefutation(judged)) => {
            return FileVerdict::TdmRefutation(judged.report(file, wanted));
        }
        Ok(Judgement::Schedule(phases, whole)) => match whole {
            None => report::Verdict::Phase { file, phase: phase_verdict(&phases[0], wanted) },
            Some(whole) => report::Verdict::Phases {
                file,
                kind: ALL_REDUCE,
                steps: whole.steps,
                start: whole.start,
                bound: whole.verdict.as_ref().map(|verdict| verdict.proved),
                bound_error: whole.bound_error().map(ToString::to_string),
                valid: whole.is_valid(),
                optimal: whole.verdict.as_ref().is_some_and(WholeVerdict::is_optimal),
                violations: whole.violations().iter().map(violation_report).collect(),
                phases: phases.iter().map(|phase| phase_verdict(phase, wanted)).collect(),
            },
        },
    };
    FileVerdict::Schedule(Box::new(verdict))
}

/// Names in the file, and whether each is checked or only claimed by the file.
pub fn names<'a>(problem: &'a Problem, wanted: Option<&'a Network>) -> Names<'a> {
    let network = problem.network();
    Names {
        collective: &problem.collective().name,
        collective_checked: claims::is_collective_right(problem),
        kind: claims::kind_in_words(problem.collective().kind),
        network: wanted.unwrap_or(network).name(),
        network_checked: wanted.is_some() || name_check::is_network_right(network),
    }
}

fn violation_report(violation: &Violation) -> ViolationReport {
    ViolationReport {
        rule: violation.rule().to_string(),
        step: violation.step(),
        channel: violation.channel(),
        transfers: violation.transfers(),
        count: violation.count(),
        message: violation.to_string(),
    }
}

fn phase_verdict<'a>(verdict: &'a Verdict, wanted: Option<&'a Network>) -> PhaseVerdict<'a> {
    let violations = verdict.violations.iter().map(violation_report);
    PhaseVerdict {
        names: names(&verdict.problem, wanted),
        steps: verdict.steps,
        rounds: rounds(verdict).map(<[u32]>::to_vec),
        valid: verdict.is_valid(),
        violations: violations.collect(),
        violation_count: verdict.violation_count(),
        bound: verdict.proved,
        bound_error: verdict.bound_error.as_ref().map(ToString::to_string),
        optimal: verdict.is_optimal(),
    }
}

fn print_text(verdicts: &[JudgedFile], wanted: Option<&Network>) -> Result<(), Failure> {
    let mut out = standard();
    for (path, judged) in verdicts {
        let (phases, whole) = match judged {
            Ok(Judgement::Schedule(phases, whole)) => (&phases[..], whole),
            Ok(Judgement::Refutation(problem, refuted)) => {
                print_refutation(&mut out, path, problem, refuted, wanted)?;
                continue;
            }
            Ok(Judgement::Throughput(judged)) => {
                judged.print(&mut out, path, wanted)?;
                continue;
            }
            Ok(Judgement::Timed(judged)) => {
                judged.print(&mut out, path, wanted)?;
                continue;
            }
            Ok(Judgement::Tdm(judged)) => {
                judged.print(&mut out, path, wanted)?;
                continue;
            }
            Ok(Judgement::TdmRefutation(judged)) => {
                judged.print(&mut out, path, wanted)?;
                continue;
            }
            Err(_) => continue,
        };
        let is_one = phases.len() == 1;
        if let Some(whole) = whole {
            print_whole(&mut out, path, phases, whole)?;
        }
        for (number, verdict) in phases.iter().enumerate() {
            let word = validity(verdict.is_valid());
            let what = if is_one { path.clone() } else { format!("phase {number}") };
            writeln!(out, "{what}: {word} in {}", words::steps(verdict.steps))?;
            for line in words::stored_problem(&verdict.problem, wanted).lines() {
                writeln!(out, "  {line}")?;
            }
            let violations = verdict.violations.iter();
            let violations = violations.map(|one| PlanViolation::new(one.rule(), one.count(), one));
            print_violations(&mut out, &violations.collect::<Vec<_>>(), verdict.violation_count())?;
            if let Some(error) = &verdict.bound_error {
                writeln!(out, "  bound: {}", words::printable(&error.to_string()))?;
            }
            if let Some(rounds) = rounds(verdict) {
                writeln!(out, "  {}", synchrony(verdict, rounds))?;
            }
            if verdict.is_valid() {
                writeln!(out, "  {}", optimality(verdict))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The collective of several phases.
const ALL_REDUCE: &str = "all-reduce";

/// Prints the verdict on an all-reduce.
fn print_whole(
    out: &mut dyn Write,
    path: &str,
    phases: &[Verdict],
    whole: &JudgedWhole,
) -> Result<(), Failure> {
    let word = validity(whole.is_valid());
    let problems: Vec<&Problem> = phases.iter().map(|phase| &phase.problem).collect();
    writeln!(out, "{path}: {word} in {}", words::steps(whole.steps))?;
    let order = match whole.start {
        Some(start) => format!("the broadcast starts after {}", words::steps(start)),
        None => "one after the other".to_owned(),
    };
    writeln!(
        out,
        "  {} in {} phases, {order}",
        claims::phases_in_words(ALL_REDUCE, &problems),
        phases.len(),
    )?;
    let violations = whole.violations().iter();
    let total = whole.violations().iter().map(Violation::count).sum();
    let violations = violations.map(|one| PlanViolation::new(one.rule(), one.count(), one));
    print_violations(out, &violations.collect::<Vec<_>>(), total)?;
    if let Some(error) = whole.bound_error() {
        writeln!(out, "  bound: {}", words::printable(&error.to_string()))?;
    }
    if let Some(verdict) = whole.verdict.as_ref().filter(|verdict| verdict.is_valid()) {
        let proved = words::steps(verdict.proved);
        let optimal = if verdict.is_optimal() { "optimal: " } else { "" };
        writeln!(out, "  {optimal}the proved lower bound is {proved}")?;
    }
    Ok(())
}

fn validity(is_valid: bool) -> &'static str {
    if is_valid { "valid" } else { "NOT VALID" }
}

fn print_refutation(
    out: &mut dyn Write,
    path: &str,
    problem: &Problem,
    refuted: &Result<u32, BoundError>,
    wanted: Option<&Network>,
) -> Result<(), Failure> {
    match refuted {
        Ok(steps) => {
            writeln!(out, "{path}: refuted: no schedule has {} or fewer", words::steps(*steps))?
        }
        Err(error) if error.over_limit().is_some() => writeln!(out, "{path}: NOT JUDGED")?,
        Err(_) => writeln!(out, "{path}: NOT REFUTED")?,
    }
    for line in words::stored_problem(problem, wanted).lines() {
        writeln!(out, "  {line}")?;
    }
    if let Err(error) = refuted {
        writeln!(out, "  bound: {}", words::printable(&error.to_string()))?;
    }
    Ok(())
}

/// Prints the first few violations of every rule, and how many of `total` are left.
pub fn print_violations(
    out: &mut dyn Write,
    violations: &[PlanViolation],
    total: u64,
) -> Result<(), Failure> {
    let mut shown = 0;
    let rules = violations.chunk_by(|one, other| one.rule == other.rule);
    for violation in rules.flat_map(|of_rule| of_rule.iter().take(SHOWN)) {
        shown += violation.count;
        writeln!(out, "  {}: {}", violation.rule, violation.message)?;
    }
    match total - shown {
        0 => {}
        more => writeln!(out, "  and {more} more (--json lists more)")?,
    }
    Ok(())
}

fn optimality(verdict: &Verdict) -> String {
    let proved = words::steps(verdict.proved);
    if verdict.is_optimal() {
        format!("optimal: the proved lower bound is {proved}")
    } else {
        format!("the proved lower bound is {proved}")
    }
}

/// The rounds of every synchronous step, if the schedule is valid and claims to be k-synchronous.
fn rounds(verdict: &Verdict) -> Option<&[u32]> {
    let rounds = verdict.checked.as_ref()?.schedule().rounds();
    (!rounds.is_empty()).then_some(rounds)
}

fn synchrony(verdict: &Verdict, rounds: &[u32]) -> String {
    let chunks = verdict.problem.collective().chunk_count();
    let listed: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!(
        "k-synchronous: {} per message, {} of {} rounds",
        words::counted(chunks, "chunk"),
        words::steps(rounds.len() as u32),
        listed.join("+")
    )
}
