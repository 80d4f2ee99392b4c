//! `pavane networks [NETWORK]`: lists the network families, or describes one network.

use crate::args::NetworksArgs;
use crate::args::problem::NetworkArgs;
use crate::output::{DONE, Failure, print_json, standard, write_file};
use crate::progress::Ticker;
use crate::report::networks::{Family, NetworkReport};
use crate::words;
use pavane_model::{Network, RouterId};
use pavane_networks::describe::{Distances, NetworkProperties, describe};
use pavane_networks::export_network::FORMATS;
use pavane_networks::topology::FAMILIES;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Lists the families, describes a network, or writes it in another format.
pub fn run(args: &NetworksArgs) -> Result<ExitCode, Failure> {
    let Some(name) = &args.network else {
        list(args)?;
        return Ok(DONE);
    };
    let typed = NetworkArgs { network: name.clone(), faults: args.faults.clone() };
    let network = typed.load()?;
    if let Some(format) = format_of(args)? {
        let entry = FORMATS.iter().find(|(name, _)| *name == format);
        let (_, write) = entry.expect("only formats of the table get here");
        let path = args.output.as_deref().unwrap_or(Path::new("-"));
        write_file(path, |out| write(&network, out))?;
        return Ok(DONE);
    }
    let ticker = Ticker::saying("analysing the network");
    let description = describe(&network);
    drop(ticker);
    if args.json {
        print_json(&NetworkReport { description: &description, faults: network.fault_names() })?
    } else {
        print_text(&network, &description)?
    }
    Ok(DONE)
}

/// The requested output format, or the one given by the file extension.
fn format_of(args: &NetworksArgs) -> Result<Option<String>, Failure> {
    let (Some(path), None) = (&args.output, &args.to) else { return Ok(args.to.clone()) };
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match FORMATS.iter().find(|(name, _)| *name == ending) {
        Some((name, _)) => Ok(Some((*name).to_owned())),
        None => Err(Failure::bad_input(format!(
            "--output {}: unknown file extension; select a format with --to",
            path.display()
        ))),
    }
}

fn list(args: &NetworksArgs) -> Result<(), Failure> {
    if args.to.is_some() || args.output.is_some() || !args.faults.is_empty() {
        return Err(Failure::bad_input("--to, --output and --fault require a NETWORK"));
    }
    if args.json {
        let families = FAMILIES.iter().map(|family| Family {
            name: family.name,
            aliases: family.aliases,
            usage: family.usage,
            example: family.example,
            description: family.description,
        });
        return print_json(&families.collect::<Vec<_>>());
    }
    let width = FAMILIES.iter().map(|family| family.usage.len()).max().unwrap_or(0);
    let mut out = standard();
    for family in FAMILIES {
        writeln!(out, "{:<width$}  {}", family.usage, family.description)?;
    }
    writeln!(out, "\nThe suffix @K puts K processors in place of each one, as in octagon:8@2.")?;
    writeln!(out, "A network can also be a file: .toml .json .graphml .dot .csv, or lines `u v`.")?;
    out.flush()?;
    Ok(())
}

fn print_text(network: &Network, facts: &NetworkProperties) -> Result<(), Failure> {
    let mut out = standard();
    let mut line = |name: &str, value: String| writeln!(out, "{name:<17}{value}");
    line("network", words::printable(&facts.name).into_owned())?;
    if !network.faults().is_empty() {
        line("without", words::printable(&words::listed(&network.fault_labels())).into_owned())?;
    }
    let lost = facts.routers - facts.living;
    line("routers", count_with(facts.routers, lost, "lost", facts.switches, "switches"))?;
    let channels = match (facts.links, facts.is_directed) {
        (_, true) => format!("{}, directed", facts.channels),
        (links, false) => format!("{} in {}", facts.channels, words::counted(links, "link")),
    };
    line("channels", channels)?;
    line("processors", facts.processors.to_string())?;
    let degree = if facts.least_degree == facts.largest_degree {
        facts.largest_degree.to_string()
    } else {
        format!("{} to {}", facts.least_degree, facts.largest_degree)
    };
    line("degree", degree)?;
    match facts.distances {
        Distances::Known { diameter, average } => {
            line("diameter", diameter.to_string())?;
            line("average distance", format!("{average:.4}"))?;
        }
        Distances::Unreachable { from, to } => {
            line("diameter", format!("none: processor {from} cannot reach processor {to}"))?;
        }
        Distances::Skipped => line("diameter", TOO_LARGE.to_owned())?,
    }
    let bisection = facts.bisection_width.map(|width| words::counted(width as usize, "channel"));
    line("bisection", bisection.unwrap_or_else(|| TOO_LARGE.to_owned()))?;
    line("automorphisms", facts.automorphisms.clone().unwrap_or_else(|| TOO_LARGE.to_owned()))?;
    for (at, generator) in facts.generators.iter().take(GENERATORS).enumerate() {
        let name = if at == 0 { "generated by" } else { "" };
        line(name, cycles_in_words(network, generator))?;
    }
    if facts.generators.len() > GENERATORS {
        line("", format!("and {} more (--json)", facts.generators.len() - GENERATORS))?;
    }
    out.flush()?;
    Ok(())
}

/// Maximum number of generators shown, and of characters of each.
const GENERATORS: usize = 8;
const WIDTH: usize = 60;

/// Cycle notation: in `(0 1 2)(3 4)` every router maps to the next one in its cycle.
fn cycles_in_words(network: &Network, cycles: &[Vec<RouterId>]) -> String {
    let mut text = String::new();
    for cycle in cycles {
        let names: Vec<String> = cycle.iter().map(|&router| network.router_name(router)).collect();
        text += &format!("({})", words::printable(&names.join(" ")));
        if text.chars().count() > WIDTH {
            return text.chars().take(WIDTH).collect::<String>() + "…";
        }
    }
    text
}

const TOO_LARGE: &str = "not computed for a network of this size";

/// `36, of which 20 switches`
fn count_with(total: usize, first: usize, name: &str, second: usize, other: &str) -> String {
    let parts = [(first, name), (second, other)];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() {
        total.to_string()
    } else {
        format!("{total}, of which {}", parts.join(" and "))
    }
}
