//! Checks whether the index of a folder covers every fault, with a valid schedule for each.

use super::{Applied, Contingencies, Folder, Index, Judged, parse};
use pavane_model::{Network, Problem, claims};
use pavane_networks::name_check;
use pavane_search::fault::{FaultSets, Part, Parts, Selection};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Report on one collective.
pub struct VerifiedCollective {
    /// The name of the collective in the index.
    pub label: String,
    /// Whether the name is that of its schedules.
    pub is_collective_checked: bool,
    /// The network, with the faults that it has from the start.
    pub network: Option<Network>,
    /// The number of sets of faults.
    pub faults: usize,
    /// The files.
    pub schedules: BTreeSet<String>,
    /// Sets of faults with a valid schedule.
    pub valid: usize,
    /// Sets of faults with a schedule that is proved optimal.
    pub optimal: usize,
    /// Sets of faults that disconnect processors.
    pub disconnecting: usize,
    /// Sets of faults that leave nothing to do.
    pub impossible: usize,
    /// What is wrong.
    pub problems: Vec<String>,
    /// Whether the network is the one that its name refers to.
    pub is_network_right: bool,
}

/// Judges the schedules of a folder for one collective. `mismatch` says why a problem is not on the network that is
/// expected.
pub fn judge(
    index: &Index,
    contingencies: &Contingencies,
    mismatch: &dyn Fn(&Problem) -> Option<String>,
    files: &mut Folder,
    done: &AtomicU64,
) -> VerifiedCollective {
    let mut report = VerifiedCollective {
        label: contingencies.collective.clone(),
        is_collective_checked: false,
        network: None,
        faults: contingencies.faults.len(),
        schedules: BTreeSet::new(),
        valid: 0,
        optimal: 0,
        disconnecting: 0,
        impossible: 0,
        problems: Vec::new(),
        is_network_right: false,
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
    if let Some(problem) = mismatch(&healthy[0].problem) {
        report.problems.push(format!("{name} {problem}"));
    }
    report.is_collective_checked = is_called_rightly(&contingencies.collective, &healthy);
    report.network = Some(network.clone());
    if network.name() != index.network {
        let (found, listed) = (claims::quoted(network.name()), claims::quoted(&index.network));
        report.problems.push(format!("{name} is for {found}, not for {listed}"));
    }
    report.is_network_right = name_check::is_network_right(network);
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
    // An incomplete index lists what an interrupted run has reached.
    if all.is_sample() || index.is_sample || !index.is_complete {
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
