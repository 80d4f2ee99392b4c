//! `pavane faults NETWORK COLLECTIVE…`: the cost of every fault, up to symmetry of the network.

pub mod report;
mod run;
mod save;
mod table;
pub mod throughput;

use crate::args::faults::FaultsArgs;
use crate::args::problem::note_second_meanings;
use crate::commands::interrupt::{INTERRUPTED, Signals};
use crate::output::{DONE, Failure, check_place, name_written, print_json, standard, write_file};
use crate::picture_file::check_svg;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{CollectiveRequest, Model, Network, Problem, Renumbering, collective};
use pavane_search::fault::{Classes, FaultSets, Part, Parts, Selection, classes};
pub use pavane_store::fault_rows as row;
use pavane_store::{contingency, resumed};
use row::FaultFinding;
use run::FaultJobs;
use std::io::Write;
use std::process::ExitCode;

/// A collective and the effect of every class of faults on it.
pub struct Column {
    /// The collective as typed.
    pub label: String,
    /// The parsed collective.
    pub request: CollectiveRequest,
    /// The classes of equivalent fault sets.
    pub classes: Classes,
    /// The result without further faults.
    pub healthy: FaultFinding,
    /// The results by class.
    pub findings: Vec<FaultFinding>,
}

impl Column {
    /// The result for a member of a class, given by its index in the class: the result of the first
    /// member, renumbered, and the renumbering.
    pub fn finding_of(
        &self,
        class: usize,
        place: usize,
        network: &Network,
    ) -> (FaultFinding, Renumbering) {
        let members = &self.classes.classes[class];
        let renumbering = self.classes.renumbering(members, place, network);
        let finding = self.findings[class].renumbered(&renumbering);
        (finding.expect("a finding names processors of the network of its survey"), renumbering)
    }
}

/// A survey of faults. Its columns hold the results for steps or for throughput.
pub struct Survey<'a, C = Column> {
    /// The arguments.
    pub args: &'a FaultsArgs,
    /// The network, with its initial faults.
    pub network: Network,
    /// The parts that may fail.
    pub parts: Parts,
    /// The sets of parts that fail together.
    pub sets: FaultSets,
    /// The collectives.
    pub columns: Vec<C>,
}

/// Solves the problem that each fault leaves, and prints or writes the results.
pub fn run(args: &FaultsArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let signals = Signals::watch(cluster);
    let stop = signals.stop.clone();
    if args.throughput {
        signals.then(|| {});
        return throughput::run(args, &stop, cluster);
    }
    // Until the classes of faults are known, a signal ends the program.
    let mut survey = prepare(args)?;
    signals.then(|| {});
    if !cluster.is_first() {
        FaultJobs::assist(&survey, &stop, cluster);
        return Ok(DONE);
    }
    for path in [&args.resume, &args.csv].into_iter().flatten() {
        check_place(path)?;
    }
    if let Some(path) = &args.svg {
        check_svg("--svg", path)?;
    }
    if let Some(folder) = &args.save {
        contingency::prepare(folder, &save::index(&survey), &save::file_names(&survey))?;
    }
    let done = FaultJobs::new(&survey)?.run(&mut survey, &stop, cluster)?;
    if let Some(folder) = &args.save {
        save::finish(&survey, folder, done.is_complete)?;
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
        name_written(&mut out, [&args.save, &args.csv, &args.svg])?;
        out.flush()?;
    }
    Ok(if done.is_complete { DONE } else { interrupted(args, done.done, done.all) })
}

/// Says that the results are not complete.
fn interrupted(args: &FaultsArgs, done: usize, all: usize) -> ExitCode {
    let next = match (&args.resume, &args.save) {
        (None, None) => "with --resume FILE a run can be continued",
        _ => "the same command continues",
    };
    let classes = if all == 1 { "class" } else { "classes" };
    words::warn(&format!("interrupted after {done} of {all} {classes} of faults; {next}"));
    ExitCode::from(INTERRUPTED)
}

fn prepare(args: &FaultsArgs) -> Result<Survey<'_>, Failure> {
    let (whole, network) = args.network.load_both()?;
    survey(args, &whole, network, |label, request, phases, parts, sets| {
        let classes = classes(phases, parts, sets);
        let healthy = FaultFinding::NotReached;
        let findings = vec![FaultFinding::NotReached; classes.classes.len()];
        Ok(Column { label, request, classes, healthy, findings })
    })
}

/// A survey with one column for every collective. `column` makes it from the collective as typed, the
/// parsed one, its phases without further faults, the parts and the sets of faults.
fn survey<'a, C>(
    args: &'a FaultsArgs,
    whole: &Network,
    network: Network,
    mut column: impl FnMut(
        String,
        CollectiveRequest,
        &[Problem],
        &Parts,
        &[Vec<u32>],
    ) -> Result<C, Failure>,
) -> Result<Survey<'a, C>, Failure> {
    if args.of.contains(&Part::Links) && args.of.contains(&Part::Channels) {
        let why =
            "--of links,channels: a link consists of two channels; use either links or channels";
        return Err(Failure::bad_input(why));
    }
    let parts = Parts::new(&network, &args.of);
    let selection = Selection { count: args.count, sample: args.sample, seed: args.seed };
    let sets = FaultSets::new(network.name(), parts.faults().len(), selection);
    let sets = sets.map_err(Failure::bad_input)?;
    note_second_meanings(&args.rules.groups.groups(), whole);
    let mut columns = Vec::new();
    let mut has_root = false;
    for (at, label) in args.collectives.iter().enumerate() {
        if args.collectives[..at].contains(label) {
            return Err(Failure::bad_input(format!("the collective {label} is given twice")));
        }
        let mut request = request(args, label);
        let left = request.on(whole, &network)?;
        request.groups = request.groups.left(whole, &network).map_err(Failure::bad_input)?;
        has_root |= request.groups.root.is_some();
        columns.push(column(label.clone(), request, &left.phases, &parts, &sets.sets)?);
    }
    if args.rules.groups.root.is_some() && !has_root {
        return Err(Failure::bad_input(
            "--root: none of the collectives has a root; remove the option",
        ));
    }
    Ok(Survey { args, network, parts, sets, columns })
}

/// Parses a collective with an optional switching. Drops the root if the collective has none.
fn request(args: &FaultsArgs, label: &str) -> CollectiveRequest {
    let (name, switching) = match label.rsplit_once('@') {
        Some((name, suffix)) => match suffix.parse() {
            Ok(switching) => (name, Some(switching)),
            Err(_) => (label, None),
        },
        None => (label, None),
    };
    let mut request = args.rules.request(name);
    if let Some(switching) = switching {
        request.model.switching = switching;
    }
    if args.throughput {
        request.model = Model::without_ports();
    }
    if args.collectives.len() > 1 && !collective::has_root(name) {
        request.groups.root = None;
    }
    request
}
