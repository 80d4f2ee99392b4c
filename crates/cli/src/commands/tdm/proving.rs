//! What came of `--slots` and `--prove`, as text and as JSON.

use super::printer::TdmPrinter;
use crate::report::tdm::{ProveOutcome, ProveReport, SlotsOutcome, SlotsReport};
use pavane_model::words::counted;
use pavane_tdm::TdmSolverAnswer;

/// Whether the period of `--slots` is possible; `None` without it.
pub fn of_slots(printer: &TdmPrinter<'_>) -> Option<SlotsReport> {
    let period = printer.slots?;
    let outcome = match &printer.outcome.schedule {
        Some(_) => SlotsOutcome::Possible,
        None if printer.outcome.excludes(period) => SlotsOutcome::Impossible,
        None => SlotsOutcome::Undecided,
    };
    Some(SlotsReport { period, outcome })
}

/// What came of `--prove`; `None` without it.
pub fn of_solver(printer: &TdmPrinter<'_>) -> Option<ProveReport> {
    if !printer.prove {
        return None;
    }
    let periods = |from: u32, to: u32| match to - from {
        0 => counted(from, "slot"),
        _ => format!("periods from {from} to {to}"),
    };
    let outcome = printer.outcome;
    let bound = outcome.bounds.best.period;
    let is_met = outcome.schedule.as_ref().is_some_and(|it| it.schedule().period <= bound);
    let is_excluded = outcome.schedule.is_none()
        && printer.slots.is_some_and(|slots| printer.outcome.excludes(slots));
    let (outcome, range, explanation) = match outcome.answer {
        Some(TdmSolverAnswer::Found(period)) => {
            let text = format!("the solver found a schedule with {}", counted(period, "slot"));
            (ProveOutcome::Possible, Some((period, period)), text)
        }
        Some(TdmSolverAnswer::Refuted(from, to)) => {
            let text = format!("the solver refuted {}", periods(from, to));
            (ProveOutcome::Impossible, Some((from, to)), text)
        }
        Some(TdmSolverAnswer::TooLarge(from, to)) => {
            let text = format!("not tried: the formula for {} is too large", periods(from, to));
            (ProveOutcome::TooLarge, Some((from, to)), text)
        }
        Some(TdmSolverAnswer::Open(from, to)) => {
            let text = format!(
                "the solver did not decide {} within the limits; try a longer --time",
                periods(from, to)
            );
            (ProveOutcome::Undecided, Some((from, to)), text)
        }
        None if outcome.schedule.is_some() && printer.slots.is_some() => {
            (ProveOutcome::NotNeeded, None, "not needed: a schedule was found".to_owned())
        }
        None if is_met => {
            let text = "not needed: the period is that of the bound";
            (ProveOutcome::NotNeeded, None, text.to_owned())
        }
        None if is_excluded => {
            let why =
                if printer.outcome.unmet.is_some() { "a demanded latency" } else { "the bound" };
            (ProveOutcome::NotNeeded, None, format!("not needed: {why} excludes it"))
        }
        None => {
            let text = "not tried: the limits were reached before; try a longer --time";
            (ProveOutcome::NotTried, None, text.to_owned())
        }
    };
    Some(ProveReport { outcome, from: range.map(|it| it.0), to: range.map(|it| it.1), explanation })
}
