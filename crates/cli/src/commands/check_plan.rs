//! `pavane check-plan FILE…`: runs MSCCL and MSCCL++ files, from Pavane or other tools, and reports
//! faults.

use crate::args::interop::CheckPlanArgs;
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::report::check_plan::{PlanFaultReport, PlanReport};
use crate::words;
use pavane_interop::plan::{self, Plan, PlanFault};
use pavane_model::text_file;
use pavane_model::words::printable;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Maximum number of faults printed per file.
const SHOWN: usize = 20;

/// A file with its faults.
struct Checked {
    file: String,
    plan: Plan,
    faults: Vec<PlanFault>,
}

/// Checks every file.
pub fn run(args: &CheckPlanArgs) -> Result<ExitCode, Failure> {
    let mut checked = Vec::new();
    for path in &args.files {
        checked.push(check(path, args)?);
    }
    match (args.json, &checked[..]) {
        (true, [only]) => print_json(&as_json(only))?,
        (true, several) => print_json(&several.iter().map(as_json).collect::<Vec<_>>())?,
        (false, _) => print_text(&checked)?,
    }
    let is_fine = checked.iter().all(|one| one.faults.is_empty());
    Ok(if is_fine { DONE } else { not_so() })
}

fn check(path: &Path, args: &CheckPlanArgs) -> Result<Checked, Failure> {
    let file = path.display().to_string();
    let text = text_file::read(path).map_err(Failure::bad_input)?;
    let wrong = |problem: String| Failure::bad_input(format!("{file}: {problem}"));
    let mut plan = plan::read(&text).map_err(|error| wrong(error.to_string()))?;
    let demanded = plan.demand(args.collective.as_deref(), args.root, args.slots);
    demanded.map_err(|error| wrong(format!("--{error}")))?;
    let faults = plan.faults();
    Ok(Checked { file, plan, faults })
}

fn as_json(checked: &Checked) -> PlanReport<'_> {
    let Checked { file, plan, faults } = checked;
    let fault =
        |fault: &PlanFault| PlanFaultReport { kind: fault.kind(), message: fault.to_string() };
    PlanReport {
        file,
        format: plan.format,
        name: &plan.name,
        collective: &plan.collective,
        ranks: plan.rank_count(),
        operations: plan.operation_count(),
        slots: plan.slots,
        outputs_compared: plan.definition.is_some(),
        right: faults.is_empty(),
        faults: faults.iter().map(fault).collect(),
    }
}

fn print_text(checked: &[Checked]) -> Result<(), Failure> {
    let mut out = standard();
    for Checked { file, plan, faults } in checked {
        let word = if faults.is_empty() { "correct" } else { "WRONG" };
        let outputs = match (plan.definition.is_some(), faults.is_empty()) {
            (true, true) => ", all outputs correct",
            (true, false) => "",
            (false, _) => ", outputs not checked: unknown collective (use --collective)",
        };
        writeln!(
            out,
            "{file}: {word}: {} {} of {}, {}{outputs}",
            plan.format,
            printable(&plan.collective),
            words::counted(plan.rank_count(), "rank"),
            words::counted(plan.operation_count(), "operation"),
        )?;
        for fault in faults.iter().take(SHOWN) {
            writeln!(out, "  {}", printable(&fault.to_string()))?;
        }
        if faults.len() > SHOWN {
            writeln!(out, "  and {} more (--json lists more)", faults.len() - SHOWN)?;
        }
    }
    out.flush()?;
    Ok(())
}
