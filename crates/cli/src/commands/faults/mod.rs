//! `pavane faults NETWORK COLLECTIVE…`: the cost of every fault, up to symmetry of the network.

mod report;
mod resumed;
pub mod row;
mod run;
mod save;
mod table;

use crate::args::faults::FaultsArgs;
use crate::commands::interrupt::stop_on_interrupt;
use crate::contingency;
use crate::output::{DONE, Failure, check_place, not_so, print_json, standard, write_file};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{Network, Renumbering, Request, collective};
use pavane_search::fault::{Classes, FaultSets, Part, Parts, Selection, classes};
use row::Finding;
use run::Jobs;
use std::io::Write;
use std::process::ExitCode;

/// A collective and the effect of every class of faults on it.
pub struct Column {
    /// The collective as typed.
    pub label: String,
    /// The parsed collective.
    pub request: Request,
    /// The classes of equivalent fault sets.
    pub classes: Classes,
    /// The result without further faults.
    pub healthy: Finding,
    /// The results by class.
    pub findings: Vec<Finding>,
}

impl Column {
    /// The result for a member of a class, given by its index in the class: the result of the first
    /// member, renumbered, and the renumbering.
    pub fn finding_of(
        &self,
        class: usize,
        place: usize,
        network: &Network,
    ) -> (Finding, Renumbering) {
        let members = &self.classes.classes[class];
        let renumbering = self.classes.renumbering(members, place, network);
        let finding = self.findings[class].renumbered(&renumbering);
        (finding.expect("a finding names processors of the network of its survey"), renumbering)
    }
}

/// A survey of faults.
pub struct Survey<'a> {
    /// The arguments.
    pub args: &'a FaultsArgs,
    /// The network, with its initial faults.
    pub network: Network,
    /// The parts that may fail.
    pub parts: Parts,
    /// The sets of parts that fail together.
    pub sets: FaultSets,
    /// The collectives.
    pub columns: Vec<Column>,
}

/// Solves the problem that each fault leaves, and prints or writes the results.
pub fn run(args: &FaultsArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let stop = stop_on_interrupt(cluster);
    let mut survey = prepare(args)?;
    if !cluster.is_first() {
        Jobs::assist(&survey, &stop, cluster);
        return Ok(DONE);
    }
    for path in [&args.resume, &args.csv, &args.svg].into_iter().flatten() {
        check_place(path)?;
    }
    if let Some(folder) = &args.save {
        contingency::prepare(folder, &save::index(&survey), &save::file_names(&survey))?;
    }
    let Some(()) = Jobs::new(&survey)?.run(&mut survey, &stop, cluster)? else {
        words::warn(&match &args.resume {
            Some(path) => format!("interrupted; the results so far are in {}", path.display()),
            None => "interrupted; the results are lost, use --resume FILE to keep them".to_owned(),
        });
        return Ok(not_so());
    };
    if let Some(folder) = &args.save {
        save::finish(&survey, folder)?;
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
        out.flush()?;
    }
    Ok(DONE)
}

fn prepare(args: &FaultsArgs) -> Result<Survey<'_>, Failure> {
    if args.of.contains(&Part::Links) && args.of.contains(&Part::Channels) {
        let why =
            "--of links,channels: a link consists of two channels; use either links or channels";
        return Err(Failure::bad_input(why));
    }
    let (whole, network) = args.network.load_both()?;
    let parts = Parts::new(&network, &args.of);
    let selection = Selection { count: args.count, sample: args.sample, seed: args.seed };
    let sets = FaultSets::new(network.name(), parts.faults().len(), selection);
    let sets = sets.map_err(Failure::bad_input)?;
    let mut columns: Vec<Column> = Vec::new();
    for label in &args.collectives {
        if columns.iter().any(|column| column.label == *label) {
            return Err(Failure::bad_input(format!("the collective {label} is given twice")));
        }
        let mut request = request(args, label);
        let left = request.on(&whole, &network)?;
        request.groups = request.groups.left(&whole, &network).map_err(Failure::bad_input)?;
        let classes = classes(&left.phases, &parts, &sets.sets);
        let healthy = Finding::Unsolved;
        let findings = vec![Finding::Unsolved; classes.classes.len()];
        columns.push(Column { label: label.clone(), request, classes, healthy, findings });
    }
    if args.rules.groups.root.is_some() && columns.iter().all(|c| c.request.groups.root.is_none()) {
        return Err(Failure::bad_input(
            "--root: none of the collectives has a root; remove the option",
        ));
    }
    Ok(Survey { args, network, parts, sets, columns })
}

/// Parses a collective with an optional switching. Drops the root if the collective has none.
fn request(args: &FaultsArgs, label: &str) -> Request {
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
    if args.collectives.len() > 1 && !collective::has_root(name) {
        request.groups.root = None;
    }
    request
}
