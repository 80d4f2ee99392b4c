//! `pavane verify DIR`: checks whether the index of a folder covers every fault, with a valid
//! schedule for each.

use super::verify::mismatch;
use crate::args::VerifyArgs;
use crate::contingency::{Applied, Contingencies, Folder, Index, parse};
use crate::output::{Failure, print_json, standard};
use crate::progress::Ticker;
use crate::words;
use pavane_engine::fault::{FaultSets, Part, Parts, Wish};
use pavane_model::{Network, claims};
use pavane_networks::name_check;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of problems printed per collective.
const SHOWN: usize = 8;

/// Report on one collective.
pub struct Report {
    collective: String,
    faults: usize,
    schedules: BTreeSet<String>,
    valid: usize,
    optimal: usize,
    disconnecting: usize,
    impossible: usize,
    problems: Vec<String>,
    /// Whether the network is the one that the user gave, or the one that its name refers to.
    is_network_checked: bool,
}

/// Judges a folder and reports the result. Returns whether everything is right.
pub fn run(folder: &Path, wanted: Option<&Network>, args: &VerifyArgs) -> Result<bool, Failure> {
    let index = Index::read(folder)?;
    let mut files = Folder::new(folder, args.max_deliveries).with_max_work(args.max_work);
    let total = index.collectives.iter().map(|one| one.faults.len() as u64).sum();
    let done = Arc::new(AtomicU64::new(0));
    let ticker = Ticker::counting(1, "faults judged", total, &done);
    let mut reports = Vec::new();
    for contingencies in &index.collectives {
        reports.push(judge(&index, contingencies, wanted, &mut files, &done));
    }
    drop(ticker);
    if reports.is_empty() {
        let why = match index.is_complete {
            true => "the index names no collective",
            false => "not finished; run `pavane faults --save` again",
        };
        return Err(Failure::bad_input(format!("{}: {why}", folder.display())));
    }
    let is_fine = index.is_complete && reports.iter().all(|report| report.problems.is_empty());
    match args.json {
        true => print_json(&as_json(folder, &index, &reports, is_fine))?,
        false => print_text(folder, &index, &reports, is_fine)?,
    }
    match files.over_limit {
        Some(why) => Err(Failure::bad_input(why)),
        None => Ok(is_fine),
    }
}

/// Judges the schedules of a folder for one collective.
pub fn judge(
    index: &Index,
    contingencies: &Contingencies,
    wanted: Option<&Network>,
    files: &mut Folder,
    done: &AtomicU64,
) -> Report {
    let mut report = Report {
        collective: contingencies.collective.clone(),
        faults: contingencies.faults.len(),
        schedules: BTreeSet::new(),
        valid: 0,
        optimal: 0,
        disconnecting: 0,
        impossible: 0,
        problems: Vec::new(),
        is_network_checked: false,
    };
    let Some(name) = &contingencies.no_fault else {
        report.problems.push("there is no schedule without faults".to_owned());
        return report;
    };
    let healthy = match files.file(name) {
        Ok(healthy) => healthy,
        Err(problem) => {
            report.problems.push(problem);
            return report;
        }
    };
    report.schedules.insert(name.clone());
    let network = healthy[0].problem.network();
    if let Some(problem) = wanted.and_then(|wanted| mismatch(&healthy[0].problem, wanted)) {
        report.problems.push(format!("{name} {problem}"));
    }
    if network.name() != index.network {
        report.problems.push(format!("{name} is for {}, not {}", network.name(), index.network));
    }
    report.is_network_checked = wanted.is_some() || name_check::is_network_right(network);
    if let Some(problem) = lack(index, contingencies, network) {
        report.problems.push(problem);
    }
    for entry in &contingencies.faults {
        done.fetch_add(1, Ordering::Relaxed);
        report.schedules.extend(entry.schedule.clone());
        match files.entry(&healthy, contingencies.root_moves, entry) {
            Ok(Some(phases)) => {
                report.valid += 1;
                report.optimal += usize::from(phases.iter().all(Applied::is_optimal));
            }
            Ok(None) if entry.disconnected.is_empty() => report.impossible += 1,
            Ok(None) => report.disconnecting += 1,
            Err(problem) => {
                report.problems.push(format!("without {}: {problem}", entry.faults.join(" ")));
            }
        }
    }
    report
}

/// What is missing in an index that should cover every fault set.
fn lack(index: &Index, contingencies: &Contingencies, network: &Network) -> Option<String> {
    let is_wanted = |word: &&(&str, Part)| index.of.iter().any(|of| of == word.0);
    let kinds: Vec<Part> = Part::ALL.iter().filter(is_wanted).map(|(_, part)| *part).collect();
    let parts = Parts::new(network, &kinds);
    let wish = Wish { count: index.count, sample: None, seed: 0 };
    let all = match FaultSets::new(network.name(), parts.faults().len(), wish) {
        Ok(all) => all,
        Err(error) => return Some(error.to_string()),
    };
    let mut named: Vec<Vec<String>> = Vec::new();
    for entry in &contingencies.faults {
        match parse(network, &entry.faults) {
            Ok(faults) => named.push(faults.iter().map(|fault| fault.numbers()).collect()),
            Err(problem) => return Some(problem),
        }
    }
    named.sort_unstable();
    if all.is_sample() || index.is_sample {
        return None;
    }
    let numbers =
        |set: &Vec<u32>| -> Vec<String> { parts.set(set).iter().map(|f| f.numbers()).collect() };
    let mut expected: Vec<Vec<String>> = all.sets.iter().map(numbers).collect();
    expected.sort_unstable();
    let missing = expected.iter().find(|faults| named.binary_search(faults).is_err());
    match missing {
        Some(faults) => Some(format!("the index does not name {}", faults.join(" "))),
        None if named.len() != expected.len() => {
            Some(format!("the index names {} sets of faults, not {}", named.len(), expected.len()))
        }
        None => None,
    }
}

fn as_json(folder: &Path, index: &Index, reports: &[Report], is_fine: bool) -> Value {
    let one = |report: &Report| {
        json!({
            "collective": report.collective,
            "faults": report.faults,
            "schedules": report.schedules.len(),
            "valid": report.valid,
            "optimal": report.optimal,
            "disconnecting": report.disconnecting,
            "impossible": report.impossible,
            "problems": report.problems,
        })
    };
    json!({
        "folder": folder.display().to_string(),
        "network": index.network,
        "network_checked": is_network_checked(reports),
        "valid": is_fine,
        "complete": index.is_complete,
        "collectives": reports.iter().map(one).collect::<Vec<_>>(),
    })
}

fn is_network_checked(reports: &[Report]) -> bool {
    reports.iter().all(|report| report.is_network_checked)
}

fn print_text(
    folder: &Path,
    index: &Index,
    reports: &[Report],
    is_fine: bool,
) -> Result<(), Failure> {
    let mut out = standard();
    let word = if is_fine { "valid" } else { "NOT VALID" };
    let network = match is_network_checked(reports) {
        true => words::printable(&index.network).into_owned(),
        false => format!("a network that it calls {}", claims::quoted(&index.network)),
    };
    writeln!(out, "{}: {word}, schedules for faults of {network}", folder.display())?;
    if !index.is_complete {
        writeln!(out, "  not finished; run `pavane faults --save` again")?;
    }
    if index.is_sample {
        writeln!(out, "  a sample; other faults have no schedule here")?;
    }
    for report in reports {
        let idle = match report.impossible {
            0 => String::new(),
            count => format!(", {count} leave nothing to do"),
        };
        writeln!(
            out,
            "  {}: {} faults, {}; {} valid, {} optimal, {} disconnect{idle}",
            words::printable(&report.collective),
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
