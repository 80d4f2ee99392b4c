//! `pavane atlas search NETWORK [COLLECTIVE]`: entries of an isomorphic network.

use super::{line, open, save, warn};
use crate::args::atlas::AtlasSearchArgs;
use crate::args::problem::problems_left;
use crate::output::{DONE, Failure, check_place, not_so, print_json, standard};
use crate::report::atlas::{AtlasEntryReport, AtlasSearchReport, NearEntry};
use pavane_atlas::{Atlas, AtlasMatch, AtlasModel, AtlasQuery, Found, JudgedFile};
use pavane_model::tdm::TdmRules;
use pavane_model::{CollectiveRequest, Network, Problem};
use std::io::Write;
use std::path::Path;
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
    let network = network.with_timing(args.bandwidth, args.latency).map_err(Failure::bad_input)?;
    let tdm = tdm_rules(args)?;
    let phases = match &args.collective {
        None => None,
        Some(name) => Some(problems(args, name, &healthy, &network)?),
    };
    let query = AtlasQuery {
        network: &network,
        phases: phases.as_deref(),
        model: args.model.or(tdm.map(|_| AtlasModel::Tdm)).or(args.bytes.map(|_| AtlasModel::Time)),
        bytes: args.bytes,
        tdm,
    };
    let found = atlas.search(&query);
    warn(found.wrong.iter().map(String::as_str));
    let mapped = match &args.collective {
        None => None,
        Some(_) => first_valid(&atlas, &found, &network)?,
    };
    if let (Some(path), Some((first, file))) = (&args.output, &mapped) {
        save(path, file, first.entry)?;
    }
    if args.json {
        print_json(&report(args, atlas.folder(), &network, &found, mapped.as_ref()))?;
    } else {
        print(args, &network, &found, mapped.as_ref())?;
    }
    Ok(if found.matches.is_empty() { not_so() } else { DONE })
}

/// The rules of TDM entries, if an option names them. With a collective and `--model tdm` they are those
/// of `pavane tdm`.
fn tdm_rules(args: &AtlasSearchArgs) -> Result<Option<TdmRules>, Failure> {
    let is_named = args.no_wrap || args.depth.is_some() || args.phits.is_some();
    if let (true, Some(model)) = (is_named, args.model)
        && model != AtlasModel::Tdm
    {
        return Err(Failure::bad_input(format!(
            "--no-wrap, --depth and --phits are rules of TDM schedules, but --model is {model}"
        )));
    }
    let is_chosen = args.model == Some(AtlasModel::Tdm) && args.collective.is_some();
    let usual = TdmRules::default();
    Ok((is_named || is_chosen).then(|| TdmRules {
        depth: args.depth.unwrap_or(usual.depth),
        phits: args.phits.unwrap_or(usual.phits),
        wraps: !args.no_wrap,
        routing: args.rules.model().routing,
    }))
}

/// The first match whose file is valid, mapped to the network. Others are left out with a warning. A
/// schedule in another model does not replace a damaged one.
fn first_valid<'a>(
    atlas: &Atlas,
    found: &'a Found<'_>,
    network: &Network,
) -> Result<Option<Mapped<'a>>, Failure> {
    let mut failure = None;
    let model = found.matches.first().map(|first| first.entry.model);
    for one in found.matches.iter().filter(|one| Some(one.entry.model) == model) {
        match atlas.mapped(one, network) {
            Ok(file) => return Ok(Some((one, file))),
            Err(error) => {
                warn([error.to_string().as_str()].into_iter());
                failure.get_or_insert(error);
            }
        }
    }
    failure.map_or(Ok(None), |error| Err(Failure::bad_input(error)))
}

fn problems(
    args: &AtlasSearchArgs,
    collective: &str,
    healthy: &Network,
    network: &Network,
) -> Result<Vec<Problem>, Failure> {
    let request = CollectiveRequest { chunks: args.chunks, ..args.rules.request(collective) };
    problems_left(&request, healthy, network)
}

type Mapped<'a> = (&'a AtlasMatch<'a>, JudgedFile);

fn report<'a>(
    args: &AtlasSearchArgs,
    folder: &Path,
    network: &'a Network,
    found: &'a Found<'_>,
    mapped: Option<&Mapped<'a>>,
) -> AtlasSearchReport<'a> {
    let near = found.near.iter();
    let entry = |one: &'a AtlasMatch<'_>| AtlasEntryReport::new(one.entry, folder);
    AtlasSearchReport {
        network: network.name(),
        matches: found.matches.iter().map(entry).collect(),
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
