//! `pavane faults NETWORK COLLECTIVE… --throughput`: the throughput limit after every fault, up to
//! symmetry of the network and its bandwidths.

mod report;
mod table;

use super::{Survey, survey};
use crate::args::faults::FaultsArgs;
use crate::commands::interrupt::INTERRUPTED;
use crate::output::{DONE, Failure, check_place, name_written, print_json, standard, write_file};
use crate::picture_file::check_svg;
use crate::progress::Ticker;
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::{CollectiveRequest, Fault, Network, Switching};
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::fault::{Classes, classes_with_bandwidths};
use pavane_throughput::fault_limit::{LimitFinding, examine};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A collective and its throughput limit after every class of faults.
pub struct LimitColumn {
    /// The collective as typed.
    pub label: String,
    /// The parsed collective.
    pub request: CollectiveRequest,
    /// The classes of equivalent fault sets.
    pub classes: Classes,
    /// The result without further faults.
    pub healthy: LimitFinding,
    /// The results by class.
    pub findings: Vec<LimitFinding>,
}

/// A survey of throughput limits.
type LimitSurvey<'a> = Survey<'a, LimitColumn>;

/// Computes the limit that each fault leaves, and prints or writes the results.
pub fn run(
    args: &FaultsArgs,
    stop: &Arc<AtomicBool>,
    cluster: &Cluster,
) -> Result<ExitCode, Failure> {
    let mut survey = prepare(args, stop)?;
    if cluster.is_first() {
        if let Some(path) = &args.csv {
            check_place(path)?;
        }
        if let Some(path) = &args.svg {
            check_svg("--svg", path)?;
        }
    }
    let is_complete = compute(&mut survey, stop, cluster)?;
    if !cluster.is_first() {
        return Ok(DONE);
    }
    if let Some(path) = &args.csv {
        write_file(path, |out| report::write_csv(&survey, out))?;
    }
    if let Some(path) = &args.svg {
        let svg = report::heat_map(&survey);
        write_file(path, |out| out.write_all(svg.as_bytes()))?;
    }
    if args.json {
        print_json(&report::report(&survey))?
    } else {
        let mut out = standard();
        table::write(&survey, &mut out)?;
        name_written(&mut out, [&args.csv, &args.svg])?;
        out.flush()?;
    }
    if !is_complete {
        words::warn("interrupted");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(DONE)
}

/// The survey with the limits without further faults. A collective whose limit is not supported fails
/// here.
fn prepare<'a>(args: &'a FaultsArgs, stop: &Arc<AtomicBool>) -> Result<LimitSurvey<'a>, Failure> {
    let suffix = |label: &&String| {
        label.rsplit_once('@').is_some_and(|(_, suffix)| suffix.parse::<Switching>().is_ok())
    };
    if let Some(label) = args.collectives.iter().find(suffix) {
        return Err(Failure::bad_input(format!(
            "{label}: throughput does not depend on the switching method; remove the suffix"
        )));
    }
    let timed = |network: Network| {
        network.with_timing(args.bandwidth, args.latency).map_err(Failure::bad_input)
    };
    let (whole, network) = args.network.load_both()?;
    let (whole, network) = (timed(whole)?, timed(network)?);
    let interrupt = interrupt(args, stop);
    survey(args, &whole, network, |label, request, phases, parts, sets| {
        let classes = classes_with_bandwidths(phases, parts, sets);
        let stop = || interrupt.is_raised();
        let healthy = LimitFinding::of_phases(&request, phases, Vec::new(), &stop)?;
        let findings = vec![LimitFinding::default(); classes.classes.len()];
        Ok(LimitColumn { label, request, classes, healthy, findings })
    })
}

/// Raised by an interrupt, or when the time for a set of faults is over.
fn interrupt(args: &FaultsArgs, stop: &Arc<AtomicBool>) -> Interrupt {
    let deadline = args.time.and_then(|time| Clock::start().after(time));
    Interrupt::never().until(deadline).unless(stop.clone())
}

/// Computes all limits on all ranks. Returns whether that was completed.
fn compute(
    survey: &mut LimitSurvey<'_>,
    stop: &Arc<AtomicBool>,
    cluster: &Cluster,
) -> Result<bool, Failure> {
    // Each rank stops when the whole run does.
    let own_stop = if cluster.is_first() { stop.clone() } else { cluster.stop() };
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, column) in survey.columns.iter().enumerate() {
        places.extend((0..column.findings.len()).map(|class| (at, class)));
    }
    let done = Arc::new(AtomicU64::new(0));
    let ticker = Ticker::counting(cluster.ranks(), "classes of faults", places.len() as u64, &done);
    let found: Mutex<Vec<(usize, LimitFinding)>> = Mutex::new(Vec::new());
    let work = |number: usize| {
        let (column, class) = places[number];
        let column = &survey.columns[column];
        let faults: Vec<Fault> = survey.faults(column.classes.classes[class].members[0].set);
        let interrupt = interrupt(survey.args, &own_stop);
        examine(&survey.network, &column.request, &faults, &|| interrupt.is_raised())
    };
    let collect = |number: usize, finding: LimitFinding| {
        done.fetch_add(1, Ordering::Relaxed);
        found.lock().expect("no thread panics while it holds this").push((number, finding));
    };
    let workers = survey.args.threads.unwrap_or_else(words::cores).clamp(1, places.len().max(1));
    let count = places.len();
    cluster.share(&Jobs { count, workers, stop, work: &work, collect: &collect });
    drop(ticker);
    for (number, finding) in found.into_inner().expect("no thread panics while it holds this") {
        let (column, class) = places[number];
        survey.columns[column].findings[class] = finding;
    }
    Ok(!stop.load(Ordering::Relaxed) && !cluster.is_stopped())
}
