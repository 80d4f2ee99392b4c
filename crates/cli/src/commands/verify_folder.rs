//! `pavane verify DIR`: checks whether the index of a folder covers every fault, with a valid
//! schedule for each.

use super::verify::mismatch;
use crate::args::VerifyArgs;
use crate::contingency::{Applied, Contingencies, Folder, Index, Judged, parse};
use crate::output::{Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::verify::{FolderCollective, FolderVerdict};
use crate::words;
use pavane_model::{Network, Problem, claims};
use pavane_networks::name_check;
use pavane_search::fault::{FaultSets, Part, Parts, Selection};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of problems printed per collective.
const SHOWN: usize = 8;

/// Report on one collective.
pub struct VerifiedCollective {
    /// The name of the collective in the index.
    label: String,
    is_collective_checked: bool,
    /// The faults that the network has from the start.
    faults_before: Vec<String>,
    faults: usize,
    schedules: BTreeSet<String>,
    valid: usize,
    optimal: usize,
    disconnecting: usize,
    impossible: usize,
    problems: Vec<String>,
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
        reports.push(judge(&index, contingencies, wanted, &mut files, &done));
    }
    drop(ticker);
    if reports.is_empty() {
        let why = if index.is_complete {
            "the index lists no collective"
        } else {
            "incomplete; run `pavane faults --save` again"
        };
        return Err(Failure::bad_input(format!("{}: {why}", folder.display())));
    }
    let is_fine = index.is_complete && reports.iter().all(|report| report.problems.is_empty());
    let over_limit = files.over_limit;
    let word = match (is_fine, &over_limit) {
        (true, _) => "valid",
        (false, Some(_)) => "NOT JUDGED",
        (false, None) => "NOT VALID",
    };
    if args.json {
        print_json(&verdict(folder, &index, &reports, is_fine, wanted))?
    } else {
        print_text(folder, &index, &reports, word)?
    }
    Ok(FolderOutcome { is_fine, over_limit })
}

/// Judges the schedules of a folder for one collective.
pub fn judge(
    index: &Index,
    contingencies: &Contingencies,
    wanted: Option<&Network>,
    files: &mut Folder,
    done: &AtomicU64,
) -> VerifiedCollective {
    let mut report = VerifiedCollective {
        label: contingencies.collective.clone(),
        is_collective_checked: false,
        faults_before: Vec::new(),
        faults: contingencies.faults.len(),
        schedules: BTreeSet::new(),
        valid: 0,
        optimal: 0,
        disconnecting: 0,
        impossible: 0,
        problems: Vec::new(),
        network: None,
        is_network_checked: false,
    };
    let Some(name) = &contingencies.no_fault else {
        report.problems.push("the index has no schedule for the network without faults".to_owned());
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
    let mismatch = wanted.and_then(|wanted| mismatch(&healthy[0].problem, wanted));
    let checked = wanted.filter(|_| mismatch.is_none());
    if let Some(problem) = mismatch {
        report.problems.push(format!("{name} {problem}"));
    }
    report.is_collective_checked = is_called_rightly(&contingencies.collective, &healthy);
    report.faults_before = network.fault_names();
    if network.name() != index.network {
        let (found, listed) = (claims::quoted(network.name()), claims::quoted(&index.network));
        report.problems.push(format!("{name} is for {found}, not for {listed}"));
    }
    report.is_network_checked = checked.is_some() || name_check::is_network_right(network);
    report.network = Some(words::stored_network(network, checked));
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
                report.problems.push(format!("fault {}: {problem}", entry.faults.join(" ")));
            }
        }
    }
    report
}

/// Whether the label of a collective in the index is correct for its schedule without faults: a name,
/// and after `@` the switching where columns differ in it.
fn is_called_rightly(label: &str, healthy: &[Judged]) -> bool {
    let (name, switching) = match label.rsplit_once('@') {
        Some((name, switching)) => (name, Some(switching)),
        None => (label, None),
    };
    let of_schedule = healthy[0].problem.model().switching;
    let is_switching_right = switching.is_none_or(|word| word == of_schedule.short());
    let is_name_right = match healthy {
        [only] => {
            only.problem.collective().name == name && claims::is_collective_right(&only.problem)
        }
        phases => {
            let problems: Vec<&Problem> = phases.iter().map(|phase| &phase.problem).collect();
            claims::is_all_reduce_right(name, &problems)
        }
    };
    is_switching_right && is_name_right
}

/// What is missing in an index that should cover every fault set, or is wrong in a sample of them.
fn lack(index: &Index, contingencies: &Contingencies, network: &Network) -> Option<String> {
    let is_wanted = |word: &&(&str, Part)| index.of.iter().any(|of| of == word.0);
    let kinds: Vec<Part> = Part::ALL.iter().filter(is_wanted).map(|(_, part)| *part).collect();
    let parts = Parts::new(network, &kinds);
    let selection = Selection { count: index.count, sample: None, seed: 0 };
    let all = match FaultSets::new(network.name(), parts.faults().len(), selection) {
        Ok(all) => all,
        Err(error) => return Some(error.to_string()),
    };
    let mut named: Vec<Vec<String>> = Vec::new();
    // Parallel links have the same name.
    let mut parallel: BTreeMap<String, usize> = BTreeMap::new();
    for fault in parts.faults() {
        *parallel.entry(fault.numbers()).or_default() += 1;
    }
    for entry in &contingencies.faults {
        let faults = match parse(network, &entry.faults) {
            Ok(faults) => faults,
            Err(problem) => return Some(problem),
        };
        let numbers: Vec<String> = faults.iter().map(|fault| fault.numbers()).collect();
        if numbers.len() != index.count as usize {
            let (found, count) = (numbers.len(), index.count);
            return Some(format!("the index names a set of {found} faults among sets of {count}"));
        }
        if let Some(other) = numbers.iter().find(|number| !parallel.contains_key(*number)) {
            return Some(format!(
                "the index names {other}, which is not among its kinds of faults"
            ));
        }
        named.push(numbers);
    }
    named.sort_unstable();
    for same in named.chunk_by(|one, other| one == other) {
        let sets: usize = same[0].iter().map(|number| parallel[number]).product();
        if same.len() > sets {
            return Some(format!("the index names {} too often", same[0].join(" ")));
        }
    }
    if all.is_sample() || index.is_sample {
        return None;
    }
    let numbers =
        |set: &Vec<u32>| -> Vec<String> { parts.set(set).iter().map(|f| f.numbers()).collect() };
    let mut expected: Vec<Vec<String>> = all.sets.iter().map(numbers).collect();
    expected.sort_unstable();
    let missing = expected.iter().find(|faults| named.binary_search(faults).is_err());
    match missing {
        Some(faults) => Some(format!("the index has no entry for the fault {}", faults.join(" "))),
        None if named.len() != expected.len() => Some(format!(
            "the index lists {} sets of faults instead of {}",
            named.len(),
            expected.len()
        )),
        None => None,
    }
}

fn verdict<'a>(
    folder: &Path,
    index: &'a Index,
    reports: &'a [VerifiedCollective],
    is_fine: bool,
    wanted: Option<&'a Network>,
) -> FolderVerdict<'a> {
    let one = |report: &'a VerifiedCollective| FolderCollective {
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
        faults: reports.first().map(|report| report.faults_before.clone()),
        valid: is_fine,
        complete: index.is_complete,
        collectives: reports.iter().map(one).collect(),
    }
}

fn is_network_checked(reports: &[VerifiedCollective]) -> bool {
    reports.iter().all(|report| report.is_network_checked)
}

/// The network of the first collective, which all must have, in words.
fn network_in_words(index: &Index, reports: &[VerifiedCollective]) -> String {
    let network = reports.iter().find_map(|report| report.network.clone());
    network.unwrap_or_else(|| format!("a network called {}", claims::quoted(&index.network)))
}

fn print_text(
    folder: &Path,
    index: &Index,
    reports: &[VerifiedCollective],
    word: &str,
) -> Result<(), Failure> {
    let mut out = standard();
    let network = network_in_words(index, reports);
    writeln!(out, "{}: {word}, schedules for faults of {network}", folder.display())?;
    if !index.is_complete {
        writeln!(out, "  incomplete; run `pavane faults --save` again")?;
    }
    if index.is_sample {
        writeln!(out, "  random sample; there are no schedules for other faults")?;
    }
    for report in reports {
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
