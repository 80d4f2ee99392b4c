//! `pavane verify DIR`: checks whether the index of a folder covers every fault, with a valid
//! schedule for each.

use super::verify::{mismatch, over_limit_text};
use crate::args::VerifyArgs;
use crate::output::{Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::verify::{FolderCollective, FolderVerdict};
use crate::words;
use pavane_model::{Network, Problem, claims};
use pavane_store::contingency::{Folder, Index, VerifiedCollective, judge};
use std::cell::Cell;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Maximum number of problems printed per collective.
const SHOWN: usize = 8;

const INCOMPLETE: &str = "incomplete; `pavane faults --save` with the same arguments continues";

/// What is printed about one collective.
struct JudgedCollective {
    verified: VerifiedCollective,
    /// The network with the faults that it has from the start, in words.
    network: Option<String>,
    /// Whether the network is the one that the user gave, or the one that its name refers to.
    is_network_checked: bool,
}

/// The result of judging a folder.
pub struct FolderOutcome {
    /// Whether everything is right.
    pub is_fine: bool,
    /// Why something could not be judged within the limits, if so.
    pub over_limit: Option<String>,
}

/// Judges a folder and prints the result.
pub fn run(
    folder: &Path,
    wanted: Option<&Network>,
    args: &VerifyArgs,
) -> Result<FolderOutcome, Failure> {
    let index = Index::read(folder)?;
    let mut files = Folder::new(folder, args.max_deliveries).with_max_work(args.max_work);
    let total = index.collectives.iter().map(|one| one.faults.len() as u64).sum();
    let done = Arc::new(AtomicU64::new(0));
    let ticker = Ticker::counting(1, "faults verified", total, &done);
    let mut reports = Vec::new();
    for contingencies in &index.collectives {
        let is_expected = Cell::new(false);
        let mismatch = |problem: &Problem| {
            let why = wanted.and_then(|wanted| mismatch(problem, wanted));
            is_expected.set(wanted.is_some() && why.is_none());
            why
        };
        let verified = judge(&index, contingencies, &mismatch, &mut files, &done);
        let checked = wanted.filter(|_| is_expected.get());
        let network = verified.network.as_ref();
        reports.push(JudgedCollective {
            network: network.map(|network| words::stored_network(network, checked)),
            is_network_checked: checked.is_some() || verified.is_network_right,
            verified,
        });
    }
    drop(ticker);
    if reports.is_empty() {
        let why = if index.is_complete { "the index lists no collective" } else { INCOMPLETE };
        return Err(Failure::bad_input(format!("{}: {why}", folder.display())));
    }
    let is_fine =
        index.is_complete && reports.iter().all(|report| report.verified.problems.is_empty());
    let over_limit = files
        .over_limit
        .as_ref()
        .and_then(|(file, error)| over_limit_text(error).map(|why| format!("{file}: {why}")));
    let word = match (is_fine, &over_limit) {
        (true, _) => "valid",
        (false, Some(_)) => "NOT JUDGED",
        _ if reports.iter().all(|report| report.verified.problems.is_empty()) => "INCOMPLETE",
        (false, None) => "NOT VALID",
    };
    if args.json {
        print_json(&verdict(folder, &index, &reports, is_fine, wanted))?
    } else {
        print_text(folder, &index, &reports, word)?
    }
    Ok(FolderOutcome { is_fine, over_limit })
}

fn verdict<'a>(
    folder: &Path,
    index: &'a Index,
    reports: &'a [JudgedCollective],
    is_fine: bool,
    wanted: Option<&'a Network>,
) -> FolderVerdict<'a> {
    let one = |JudgedCollective { verified: report, .. }: &'a JudgedCollective| FolderCollective {
        collective: &report.label,
        collective_checked: report.is_collective_checked,
        faults: report.faults,
        schedules: report.schedules.len(),
        valid: report.valid,
        optimal: report.optimal,
        disconnecting: report.disconnecting,
        impossible: report.impossible,
        problems: &report.problems,
    };
    let network_checked = is_network_checked(reports);
    FolderVerdict {
        folder: folder.display().to_string(),
        network: wanted.filter(|_| network_checked).map_or(&*index.network, Network::name),
        network_checked,
        faults: reports.first().map(|report| {
            report.verified.network.as_ref().map_or(Vec::new(), Network::fault_names)
        }),
        valid: is_fine,
        complete: index.is_complete,
        collectives: reports.iter().map(one).collect(),
    }
}

fn is_network_checked(reports: &[JudgedCollective]) -> bool {
    reports.iter().all(|report| report.is_network_checked)
}

/// The network of the first collective, which all must have, in words.
fn network_in_words(index: &Index, reports: &[JudgedCollective]) -> String {
    let network = reports.iter().find_map(|report| report.network.clone());
    network.unwrap_or_else(|| format!("a network called {}", claims::quoted(&index.network)))
}

fn print_text(
    folder: &Path,
    index: &Index,
    reports: &[JudgedCollective],
    word: &str,
) -> Result<(), Failure> {
    let mut out = standard();
    let network = network_in_words(index, reports);
    writeln!(out, "{}: {word}, schedules for faults of {network}", folder.display())?;
    if !index.is_complete {
        writeln!(out, "  {INCOMPLETE}")?;
    }
    if index.is_sample {
        writeln!(out, "  random sample; there are no schedules for other faults")?;
    }
    for JudgedCollective { verified: report, .. } in reports {
        let collective = if report.is_collective_checked {
            words::printable(&report.label).into_owned()
        } else {
            format!("a collective called {}", claims::quoted(&report.label))
        };
        let idle = match report.impossible {
            0 => String::new(),
            count => format!(", {count} leave no messages"),
        };
        writeln!(
            out,
            "  {collective}: {} faults, {}; {} valid, {} optimal, {} disconnect{idle}",
            report.faults,
            words::counted(report.schedules.len(), "schedule file"),
            report.valid,
            report.optimal,
            report.disconnecting
        )?;
        for problem in report.problems.iter().take(SHOWN) {
            writeln!(out, "  {}", words::printable(problem))?;
        }
        match report.problems.len().saturating_sub(SHOWN) {
            0 => {}
            more => writeln!(out, "  and {more} more (--json lists all)")?,
        }
    }
    out.flush()?;
    Ok(())
}
