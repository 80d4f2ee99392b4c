//! `pavane atlas search NETWORK [COLLECTIVE]`: entries of an isomorphic network.

use super::{line, open, save};
use crate::args::atlas::AtlasSearchArgs;
use crate::output::{DONE, Failure, check_place, not_so, print_json, standard};
use crate::report::atlas::{AtlasEntryReport, AtlasSearchReport, NearEntry};
use crate::words;
use pavane_atlas::{AtlasMatch, AtlasQuery, Found, JudgedFile};
use pavane_model::{CollectiveRequest, Network, Problem};
use std::io::Write;
use std::process::ExitCode;

/// Entries that do not fit and are printed.
const SHOWN: usize = 12;

/// Searches, and maps the first entry that fits if there is a collective.
pub fn run(args: &AtlasSearchArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let atlas = open(&args.atlas)?;
    let (healthy, network) = args.network.load_both()?;
    let phases = match &args.collective {
        None => None,
        Some(name) => Some(problems(args, name, &healthy, &network)?),
    };
    let query = AtlasQuery {
        network: &network,
        phases: phases.as_deref(),
        model: args.model,
        bytes: args.bytes,
    };
    let found = atlas.search(&query).map_err(Failure::bad_input)?;
    let first = found.matches.first().filter(|_| args.collective.is_some());
    let mut mapped = None;
    if let Some(first) = first {
        let file = atlas.mapped(first, &network).map_err(Failure::bad_input)?;
        if let Some(path) = &args.output {
            save(path, &file, first.entry)?;
        }
        mapped = Some((first, file));
    }
    if args.json {
        print_json(&report(args, &network, &found, mapped.as_ref()))?;
    } else {
        print(args, &network, &found, mapped.as_ref())?;
    }
    Ok(if found.matches.is_empty() { not_so() } else { DONE })
}

fn problems(
    args: &AtlasSearchArgs,
    collective: &str,
    healthy: &Network,
    network: &Network,
) -> Result<Vec<Problem>, Failure> {
    let request = CollectiveRequest { chunks: args.chunks, ..args.rules.request(collective) };
    let left = request.on(healthy, network)?;
    if !left.missing.is_empty() {
        words::warn(&format!("missing: {}", words::processors(&left.missing)));
    }
    Ok(left.phases)
}

type Mapped<'a> = (&'a AtlasMatch<'a>, JudgedFile);

fn report<'a>(
    args: &AtlasSearchArgs,
    network: &'a Network,
    found: &'a Found<'_>,
    mapped: Option<&Mapped<'a>>,
) -> AtlasSearchReport<'a> {
    let near = found.near.iter();
    AtlasSearchReport {
        network: network.name(),
        matches: found.matches.iter().map(|one| AtlasEntryReport::new(one.entry)).collect(),
        near: near.map(|one| NearEntry { id: &one.entry.id, reason: &one.reason }).collect(),
        mapped: mapped.map(|(one, _)| one.entry.id.as_str()),
        file: args.output.as_ref().filter(|_| mapped.is_some()).map(|p| p.display().to_string()),
    }
}

fn print(
    args: &AtlasSearchArgs,
    network: &Network,
    found: &Found<'_>,
    mapped: Option<&Mapped<'_>>,
) -> Result<(), Failure> {
    let mut out = standard();
    let name = network.name();
    if found.matches.is_empty() {
        let reason = match (found.near.len(), &args.collective) {
            (0, _) => "no entry is for an isomorphic network",
            (_, None) => "no entry fits",
            (_, Some(_)) => "no entry fits this collective and these rules",
        };
        writeln!(out, "{name}: {reason}")?;
    }
    for one in &found.matches {
        writeln!(out, "{}", line(one.entry))?;
    }
    if let Some((one, file)) = mapped {
        let value = file.model().in_words(file.value());
        writeln!(out, "the schedule of {}, mapped to {name}, is valid: {value}", one.entry.id)?;
        if let Some(path) = &args.output {
            writeln!(out, "  written   {}", path.display())?;
        }
    } else if !found.matches.is_empty() {
        writeln!(out, "give the collective and its rules to have a schedule mapped to {name}")?;
    }
    if found.matches.is_empty() && !found.near.is_empty() {
        writeln!(out, "entries of an isomorphic network:")?;
        for one in found.near.iter().take(SHOWN) {
            writeln!(out, "  {}: {}", one.entry.id, one.reason)?;
        }
        if found.near.len() > SHOWN {
            writeln!(out, "  and {} more", found.near.len() - SHOWN)?;
        }
    }
    out.flush()?;
    Ok(())
}
